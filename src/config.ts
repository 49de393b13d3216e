// The settings as they stand, read once and checked: a flag wins over the environment, the environment over the
// default.
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { AppError } from './app-error.ts';
import { isNetwork } from './http/checks/ip-network.ts';
import { SETTING_NAMES, SETTINGS, type Setting, type SettingName } from './settings.ts';
import { EventStoreUrl, ReadModelsUrl, shownUrl, withoutPassword } from './store-urls.ts';

type Origin = 'flag' | 'environment' | 'default';

/** Settings as text, by name; a flag that was not given is absent. */
export type Flags = { readonly [N in SettingName]?: string | undefined };

/** One setting as it stands, for people. */
interface ConfiguredSetting {
  readonly name: SettingName;
  readonly variable: string;
  /** Secrets are masked; undefined: not set. */
  readonly value: string | undefined;
  readonly origin: Origin;
}

/** One or more settings that the service cannot start with; the message has a line for each. */
export class WrongSettings extends AppError {
  constructor(problems: readonly string[]) {
    super('WrongSettings', problems.join('\n'));
  }
}

const wholeNumber = (max: number): z.ZodType<number, string> =>
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .pipe(z.int().max(max));

const MOST_WORKERS = 64;
const workers = z.union([
  z.literal('max').transform(() => Math.min(MOST_WORKERS, availableParallelism())),
  wholeNumber(MOST_WORKERS).pipe(z.number().min(1)),
]);

const SECRET = /^[A-Za-z0-9_-]{43}=?$/;
const secrets = z
  .string()
  .transform((text) => text.split(',').map((one) => one.trim()))
  .pipe(z.array(z.string().regex(SECRET)))
  .transform((all) => all.map((one) => Buffer.from(one, 'base64url')));

const httpUrl = z
  .url({ protocol: /^https?$/ })
  .refine((url) => !/[?#]/.test(url))
  .transform((url) => url.replace(/(?<!\/)\/+$/, ''));

const originUrl = httpUrl.refine((url) => new URL(url).pathname === '/');

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);
const everyMs = z.union([
  z.enum(['0', 'off']).transform(() => undefined),
  z
    .string()
    .regex(/^\d{1,5}[mhd]$/)
    .transform((text) => Number.parseInt(text, 10) * (UNIT_MS.get(text.slice(-1)) ?? 0))
    .pipe(
      z
        .number()
        .min(60_000)
        .max(30 * 86_400_000),
    ),
]);

const MOST_DAYS = 3_650;
/** The days that the API promises for an idempotency key (contract §6). */
const LEAST_IDEMPOTENCY_DAYS = 30;
const days = wholeNumber(MOST_DAYS).pipe(z.number().min(1));
const daysOrForever = z.union([z.literal('forever').transform(() => undefined), days]);

const trustedProxies = z
  .string()
  .transform((text) => text.split(',').map((one) => one.trim()))
  .pipe(z.array(z.string().refine(isNetwork)));

const schema = z
  .object({
    host: z.string().regex(/^\S+$/),
    port: wholeNumber(65_535),
    /** Absolute. */
    dataDir: z.string().transform((path) => resolve(path)),
    eventStore: EventStoreUrl,
    readModels: ReadModelsUrl,
    /** Undefined: next to an embedded log, otherwise with the read models. */
    keyStore: ReadModelsUrl.optional(),
    /** Seconds; 0: a store that does not answer is unavailable. */
    storeWait: wholeNumber(3_600),
    mode: z.enum(['test', 'live']),
    secret: secrets.optional(),
    /** Without a slash at its end; undefined: the address that it listens on. */
    publicUrl: originUrl.optional(),
    /** 0: off. */
    rateLimit: wholeNumber(1_000_000),
    unreadySeconds: wholeNumber(300),
    /** The number of processes that share the port; 1: only this one. */
    workers,
    /** Addresses and networks. */
    trustedProxies: trustedProxies.default([]),
    logLevel: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    /** The URL of the node that has the sandbox, without a slash at its end; undefined: it is in this process. */
    sandboxUrl: httpUrl.refine((url) => !url.includes('@')).optional(),
    /** ms; undefined: the service records no checkpoint. */
    checkpointEvery: everyMs,
    /** Days that an idempotency key stands for its first request. */
    idempotencyDays: days.pipe(z.number().min(LEAST_IDEMPOTENCY_DAYS)),
    /** Days that a request, a delivery or a sign-in session stays after its end; undefined: for ever. */
    requestLogDays: daysOrForever,
    deliveryDays: daysOrForever,
    signInDays: daysOrForever,
    /** Undefined: off. */
    metricsPort: wholeNumber(65_535).optional(),
  } satisfies Record<SettingName, z.ZodType>)
  // `secrets`: 32 bytes each, the signing key first; undefined: kept in `<data dir>/secret.key`.
  .transform(({ secret, ...config }) => ({ ...config, secrets: secret }));
export type Config = Readonly<z.output<typeof schema>>;

interface GivenSetting {
  readonly text: string | undefined;
  readonly origin: Origin;
}

/** An empty variable counts as unset. */
function given(name: SettingName, flags: Flags, env: Environment): GivenSetting {
  const setting: Setting = SETTINGS[name];
  const flag = flags[name];
  if (flag !== undefined) return { text: flag, origin: 'flag' };
  const variable = env[setting.variable];
  if (variable !== undefined && variable !== '') return { text: variable, origin: 'environment' };
  const { fallback } = setting;
  if (typeof fallback !== 'function') return { text: fallback, origin: 'default' };
  return { text: fallback(given('dataDir', flags, env).text ?? ''), origin: 'default' };
}

export type Environment = { readonly [variable: string]: string | undefined };

/**
 * Reads and checks all settings. Throws WrongSettings, which names each wrong setting, its value and the allowed
 * values.
 */
export function readConfig(flags: Flags, env: Environment): Config {
  const texts = Object.fromEntries(SETTING_NAMES.map((name) => [name, given(name, flags, env).text]));
  const parsed = schema.safeParse(texts);
  if (!parsed.success) {
    const wrong = new Set(parsed.error.issues.map(({ path: [name] }) => String(name)));
    throw new WrongSettings(
      SETTING_NAMES.filter((name) => wrong.has(name)).map((name) => problemOf(name, given(name, flags, env))),
    );
  }
  const problems = contradictionsIn(parsed.data);
  if (problems.length > 0) throw new WrongSettings(problems);
  return parsed.data;
}

function problemOf(name: SettingName, { text = '', origin }: GivenSetting): string {
  const { variable, allowed, flag }: Setting = SETTINGS[name];
  const named = origin === 'flag' && flag !== undefined ? (flag.split(' ')[0] ?? variable) : variable;
  return `${named} is ${name === 'secret' ? masked(text) : JSON.stringify(withoutPassword(text))}: allowed is ${allowed}.`;
}

/** Finds settings that are valid alone but contradict each other. */
function contradictionsIn({ eventStore, readModels, mode, sandboxUrl, port, metricsPort }: Config): readonly string[] {
  const problems: string[] = [];
  if (eventStore.kind === 'sqlite' && readModels.kind === 'sqlite' && eventStore.file === readModels.file) {
    problems.push(
      `${SETTINGS.readModels.variable} is ${readModels.file}: allowed is any file other than the file of ${SETTINGS.eventStore.variable}.`,
    );
  }
  if (metricsPort === port && port !== 0) {
    problems.push(
      `${SETTINGS.metricsPort.variable} is ${port}: allowed is any port other than the port of ${SETTINGS.port.variable}.`,
    );
  }
  if (sandboxUrl !== undefined && mode === 'live') {
    problems.push(
      `${SETTINGS.sandboxUrl.variable} is ${sandboxUrl}, and the mode is live: the sandbox exists in test mode only. Remove the setting, or set ${SETTINGS.mode.variable}=test.`,
    );
  }
  return problems;
}

/** Settings that the service starts with, and that somebody should look at: a sentence each. */
export function cautions({ mode, publicUrl }: Pick<Config, 'mode' | 'publicUrl'>): readonly string[] {
  if (mode !== 'live' || publicUrl?.startsWith('https:') === true) return [];
  const { variable } = SETTINGS.publicUrl;
  return [
    `${publicUrl === undefined ? `${variable} is not set` : `${variable} is ${publicUrl}`}: in live mode the setting should be the https:// URL of the proxy in front. Without it the dashboard's session cookie also travels over plain HTTP.`,
  ];
}

const MAKE_A_SECRET = `node -e "console.log(require('node:crypto').randomBytes(32).toString('base64url'))"`;

/** Throws WrongSettings if this configuration must not run on a secret of its own making. */
export function checkSecretIsSet(config: Config): void {
  const needed = config.secrets === undefined ? needsSecret(config) : undefined;
  if (needed === undefined) return;
  const { variable, allowed } = SETTINGS.secret;
  throw new WrongSettings([
    `${variable} is not set: ${needed} Allowed is ${allowed}. To create one, run: ${MAKE_A_SECRET}`,
  ]);
}

/** Why a secret in the data directory would not do; undefined if it does. */
function needsSecret({ mode, eventStore, readModels, sandboxUrl }: Config): string | undefined {
  if (mode === 'live') return 'live mode does not generate one.';
  const shared = [eventStore, readModels].find(({ kind }) => kind !== 'sqlite');
  if (shared !== undefined) return `every node on ${shownUrl(shared)} needs the same secret.`;
  return sandboxUrl === undefined
    ? undefined
    : `this node and ${sandboxUrl}, whose sandbox it uses, need the same secret.`;
}

/** All settings with their origin, secrets masked; also of a configuration that is wrong. */
export function describeConfig(flags: Flags, env: Environment): readonly ConfiguredSetting[] {
  return SETTING_NAMES.map((name) => {
    const { text, origin } = given(name, flags, env);
    const value = text === undefined ? undefined : name === 'secret' ? masked(text) : withoutPassword(text);
    return { name, variable: SETTINGS[name].variable, value, origin };
  });
}

/** Variables of shops, in the guides: the address of the service, and what they call it with. */
const OF_SHOPS = ['COUNTERFOIL_URL', 'COUNTERFOIL_API_KEY', 'COUNTERFOIL_WEBHOOK_SECRET'];

/** Variables that look like ours and are not: a setting that silently does nothing is a typing error. */
export function unknownVariables(env: Environment): readonly string[] {
  const known = new Set<string>([...SETTING_NAMES.map((name) => SETTINGS[name].variable), ...OF_SHOPS]);
  return Object.keys(env).filter((variable) => variable.startsWith('COUNTERFOIL_') && !known.has(variable));
}

const masked = (secret: string): string =>
  secret
    .split(',')
    .map(() => '********')
    .join(',');
