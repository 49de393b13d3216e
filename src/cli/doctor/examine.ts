// Finds out what counterfoil doctor compares the settings with, and compares: each check separately. The public URL is
// asked as a browser on this machine would.
import { lstat, readFile, statfs } from 'node:fs/promises';
import { networkInterfaces, totalmem } from 'node:os';
import type { Config } from '../../config.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { numberIn } from '../../journal/metadata-text.ts';
import { type PaymentKey, payments } from '../../projections/models/payments.ts';
import type { EventStore } from '../../stores/event-store.ts';
import type { ReadModels } from '../../stores/read-models.ts';
import { liveWorld, parseTime, type World, within } from '../../world.ts';
import { explain } from '../exit.ts';
import type { KeysFound } from '../open/keys-of-log.ts';
import type { Opened } from '../open/open.ts';
import { checkKeysHere } from '../open/with-stores.ts';
import {
  type Checked,
  type Clocks,
  checkClock,
  checkConservation,
  checkDataDir,
  checkKeys,
  checkLog,
  checkMemory,
  checkOpenFiles,
  checkPublicUrl,
  checkRetention,
  checkStores,
  checkTls,
  checkTrustedProxies,
  type KeysOrFault,
  type UrlAnswer,
} from './checks.ts';

export interface Examining {
  /** The clocks according to the log. */
  readonly clocks: () => Promise<Clocks>;
  /** As of checkStores; a start leaves it out, because the service itself shows whether it is ready. */
  readonly unusable?: () => Promise<readonly string[]>;
  /** As of checkLog; blocks the thread, so a start leaves it out, and the public URL has responded before it begins. */
  readonly damage?: () => Promise<string | undefined>;
  /** About the keys of personal data. Never rejects. */
  readonly keys: () => Promise<KeysOrFault>;
  /** As notConservedIn. */
  readonly notConserved: () => Promise<number | undefined>;
  /** How long the public URL may take to answer, ms. */
  readonly patienceMs: number;
  readonly signal: AbortSignal;
}

/** The checks in their order, each as soon as it is done. They reject with the signal's reason. */
export function examine(
  config: Config,
  { clocks, unusable, damage, keys, notConserved, patienceMs, signal }: Examining,
): readonly Promise<Checked>[] {
  const { publicUrl } = config;
  const asked: Promise<UrlAnswer | undefined> =
    publicUrl === undefined ? Promise.resolve(undefined) : askPublicUrl(liveWorld, publicUrl, patienceMs, signal);
  const clock = Promise.all([clocks(), asked]).then(([found, answer]) => checkClock(found, answer));
  return [
    asked.then((answer) => checkPublicUrl(config, answer)),
    Promise.resolve(checkTrustedProxies(config, ownNetworks())),
    Promise.resolve(checkMemory(config, memoryBytes())),
    asked.then((answer) => checkTls(config, answer)),
    openFiles().then((most) => checkOpenFiles(config, most)),
    statfs(config.dataDir).then(
      ({ type }) => checkDataDir(config, type),
      async () => checkDataDir(config, (await isLink(config.dataDir)) ? 'nowhere' : undefined),
    ),
    clock,
    ...(unusable === undefined ? [] : [clock.then(unusable).then(checkStores)]),
    ...(damage === undefined ? [] : [clock.then(damage).then(checkLog)]),
    keys().then(checkKeys),
    notConserved().then(checkConservation),
    Promise.resolve(checkRetention(config)),
  ];
}

const isLink = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );

/** What is found about the keys, or a sentence on why they cannot be used. */
export const orFault = (found: Promise<KeysFound>): Promise<KeysOrFault> =>
  found.catch((fault: unknown) => ({ fault: explain(fault).message ?? String(fault) }));

/** Up to this many are counted. */
const COUNTED = 1_000;

/** The payments whose money is not conserved, as the read model has them. Throws StoreUnavailable. */
export async function notConservedIn(readModels: Pick<ReadModels, 'find'>): Promise<number> {
  const where = { notConservedAt: { from: 0 } };
  const order = { by: 'notConservedAt', descending: false } as const;
  return (await readModels.find<Payment, PaymentKey>(payments, { where, order, limit: COUNTED })).length;
}

/** `world`: on business time, as events are recorded. Throws StoreUnavailable. */
export async function clocksOf(events: Pick<EventStore, 'newest'>, world: Pick<World, 'now'>): Promise<Clocks> {
  const [newest] = (await events.newest?.(undefined, 1)) ?? [];
  const recordedAt = newest === undefined ? undefined : numberIn(newest.metadata, 'recordedAt');
  return { now: world.now(), newest: recordedAt, machineNow: liveWorld.now() };
}

const ownNetworks = (): readonly string[] =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .flatMap(({ cidr, internal, scopeid }) => (internal || cidr === null || (scopeid ?? 0) > 0 ? [] : [cidr]));

/** The memory of the machine, or of its container if that has less, in bytes. */
function memoryBytes(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

/** Undefined if the system does not tell. */
async function openFiles(): Promise<number | undefined> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const [, most] = /^Max open files +(\w+)/m.exec(limits) ?? [];
  if (most === undefined) return undefined;
  return most === 'unlimited' ? Number.POSITIVE_INFINITY : Number(most);
}

/** A proxy in front sends requests to a node only when it has been ready for some seconds. */
const PATIENCE_MS = 30_000;

/** At a start: a warning in the log for each finding, while the service works. Never rejects. */
export async function warnOfFindings(
  { config, log, events, world, report, service }: Opened,
  signal: AbortSignal,
): Promise<void> {
  const checks = examine(config, {
    clocks: () => clocksOf(events, world),
    keys: () => orFault(checkKeysHere(config, events, world)),
    notConserved: () => notConservedIn(service.readModels),
    patienceMs: PATIENCE_MS,
    signal,
  });
  const warned = checks.map(async (check) => {
    const { isFine, sentences } = await check;
    if (!isFine) for (const sentence of sentences) log.warn(sentence);
  });
  await Promise.all(warned).catch((fault: unknown) => signal.aborted || report(fault));
}

const ANSWERS_WITHIN_MS = 3_000;
const TRY_AGAIN_MS = 1_000;
/** The part of a response that is read: ours is short. */
const MOST_CHARACTERS = 1_000;

/**
 * `patienceMs`: while nothing answers, it is asked again for so long; a proxy may send nothing to a node that has just
 * started. Rejects with the signal's reason when it aborts.
 */
export async function askPublicUrl(
  world: World,
  url: string,
  patienceMs: number,
  signal: AbortSignal,
): Promise<UrlAnswer> {
  const until = world.monotonic() + patienceMs;
  for (;;) {
    const answer = await askOnce(world, url, signal);
    if (answer.kind === 'counterfoil' || world.monotonic() >= until) return answer;
    await world.sleep(TRY_AGAIN_MS, signal);
  }
}

async function askOnce(world: World, url: string, signal: AbortSignal): Promise<UrlAnswer> {
  const asked = within(world, ANSWERS_WITHIN_MS, async (expired): Promise<UrlAnswer> => {
    const response = await world.fetch(`${url}/health/live`, {
      redirect: 'manual',
      signal: AbortSignal.any([signal, expired]),
    });
    const location = response.headers.get('location');
    const text = (await response.text()).slice(0, MOST_CHARACTERS);
    if (response.status >= 300 && response.status < 400 && location !== null) {
      return { kind: 'moved', to: new URL(location, url).href.replace(/\/health\/live$/, '') };
    }
    if (!isOurs(text)) return { kind: 'other', what: `GET /health/live is ${response.status}` };
    return { kind: 'counterfoil', date: timeOf(response.headers.get('date') ?? '') };
  });
  const answer = await asked.catch((fault: unknown) => failed(fault));
  return answer === 'timeout'
    ? { kind: 'unreachable', why: `no response within ${ANSWERS_WITHIN_MS / 1_000} s` }
    : answer;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The time of `Tue, 24 Nov 2026 06:45:45 GMT`, as HTTP writes it, in ms; undefined if the text is another one. */
function timeOf(header: string): number | undefined {
  const [, day = '', month = '', year = '', time = ''] =
    /^\w{3}, (\d\d) (\w{3}) (\d{4}) ([\d:]{8}) GMT$/.exec(header) ?? [];
  return parseTime(`${year}-${String(MONTHS.indexOf(month) + 1).padStart(2, '0')}-${day}T${time}Z`);
}

function isOurs(text: string): boolean {
  try {
    return JSON.parse(text)?.status === 'live';
  } catch {
    return false;
  }
}

/** As OpenSSL and Node name what is wrong with a certificate. */
const OF_CERTIFICATES = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/;

function failed(fault: unknown): UrlAnswer {
  const cause = fault instanceof Error && fault.cause instanceof Error ? fault.cause : fault;
  const why = cause instanceof Error ? cause.message.replaceAll(/\s+/g, ' ').replace(/\.$/, '') : String(cause);
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return { kind: OF_CERTIFICATES.test(code) ? 'untrusted' : 'unreachable', why: why === '' ? code : why };
}
