// Makes the adapters of a configuration, and closes them again; no other file does.
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { CircuitLimits } from '../../commands/limits/circuit.ts';
import type { SharedLimits } from '../../commands/limits/permits.ts';
import type { Timings } from '../../commands/payment-timings.ts';
import type { Config } from '../../config.ts';
import { BusinessClock } from '../../journal/business-clock.ts';
import type { Processor } from '../../processors/processor.ts';
import type { Sandbox } from '../../processors/sandbox/sandbox-interface.ts';
import { isPublic, openReceivers } from '../../receivers/receivers.ts';
import { Secrets } from '../../secrets.ts';
import { openService, type Service } from '../../service.ts';
import type { EventStore } from '../../stores/event-store.ts';
import type { KeyStore } from '../../stores/key-store.ts';
import type { ReadModelStore } from '../../stores/read-models.ts';
import type { StoreName } from '../../telemetry/meters.ts';
import { liveWorld, type World } from '../../world.ts';
import { type CommandLog, reportTo } from '../log.ts';
import { checkEnd, keepNoting, mustBeRestored, noteNow } from './log-end.ts';
import { loadSecrets, secretsOfMachine } from './machine-secrets.ts';
import {
  openAgain,
  openEventStore,
  openKeyStore,
  openReadModels,
  type StoreParts,
  storeWaitOf,
  waitForAll,
} from './stores.ts';
import { NO_TELEMETRY, openTelemetry, type Telemetry } from './telemetry.ts';

interface OpenOptions {
  /** A command creates no sandbox for stores that nodes share. */
  readonly forCommand?: boolean;
  readonly sharedLimits?: SharedLimits;
  /** Goes on with a log that has lost its end; see checkEnd. */
  readonly acceptShorterLog?: boolean | undefined;
  /** Ends the wait for stores that are still coming up. */
  readonly signal?: AbortSignal;
}

/** The service on its stores, doing nothing yet. */
export interface Opened {
  readonly config: Config;
  readonly log: CommandLog;
  /** On business time. */
  readonly world: World;
  /** Undefined in live mode, where business time is the machine's. */
  readonly clock: BusinessClock | undefined;
  readonly service: Service;
  readonly secrets: Secrets;
  readonly publicUrl: PublicUrl;
  /** The log as the service has it: observed where metrics or traces are on, with the keys of personal data. */
  readonly events: EventStore;
  readonly telemetry: Telemetry;
  /** The counts that the workers of one service share; undefined in a process that is its own service. */
  readonly sharedLimits: SharedLimits | undefined;
  /** Undefined in live mode, and for a command without a sandbox at hand (see openSandboxOf). */
  readonly sandbox: Sandbox | undefined;
  /** Faults that no caller can act on, and Notices. */
  readonly report: (fault: unknown) => void;
  /** Keeps the end of the log noted beside it, until the signal aborts; `close` notes it last. Never rejects. */
  noteEnds(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the stores of the configuration and makes missing ones. Throws WrongSettings, Unavailable and StoreUnavailable,
 * AppError WrongMode, WrongSecret and ShorterLog, and the signal's reason.
 */
export async function openCounterfoil(
  config: Config,
  log: CommandLog,
  { forCommand = false, sharedLimits, acceptShorterLog, signal }: OpenOptions = {},
): Promise<Opened> {
  const { eventStore, readModels } = config;
  await mustBeRestored(config.dataDir);
  const secrets = new Secrets(await loadSecrets(config, liveWorld, (warning) => log.warn(warning)));
  const parts: ServiceParts = {
    events: (its) => openEventStore(eventStore, its),
    readModels: (its) => openReadModels(readModels, its),
    keys: (its) => openKeyStore(config, its),
    sandbox: (its) => openSandboxOf(config, secrets, forCommand, its),
    sharedLimits,
    acceptShorterLog,
    signal,
    telemetry: forCommand ? NO_TELEMETRY : await openTelemetry(config, liveWorld),
  };
  const waiting = { world: liveWorld, report: reportTo(log) };
  return openAgain(waitForAll(config, signal), waiting, () => assemble(config, log, secrets, parts));
}

/** Opens everything in this process, with its own secret: nothing is read and nothing stays. */
export async function openInMemory(
  config: Config,
  log: CommandLog,
  timings: Timings,
  circuit?: CircuitLimits,
): Promise<Opened> {
  const secrets = new Secrets([Buffer.from(liveWorld.randomBytes(32))]);
  const { openMemoryEventStore } = await import('../../stores/memory/event-store.ts');
  const { openMemoryKeyStore } = await import('../../stores/memory/key-store.ts');
  const { memoryReadModels } = await import('../../stores/memory/read-models.ts');
  return assemble({ ...config, sandboxUrl: undefined }, log, secrets, {
    events: async () => openMemoryEventStore(),
    readModels: async () => memoryReadModels(),
    keys: async () => openMemoryKeyStore(),
    sandbox: (parts) => openSandboxIn('memory', secrets, parts),
    telemetry: NO_TELEMETRY,
    timings,
    circuit,
  });
}

interface ServiceParts {
  readonly events: (parts: StoreParts) => Promise<EventStore>;
  readonly readModels: (parts: StoreParts) => Promise<ReadModelStore>;
  readonly keys: (parts: StoreParts) => Promise<KeyStore>;
  readonly sandbox: (parts: StoreParts & { readonly publicUrl: () => string }) => Promise<Sandbox | undefined>;
  readonly telemetry: Telemetry;
  readonly timings?: Timings;
  readonly circuit?: CircuitLimits | undefined;
  readonly sharedLimits?: SharedLimits | undefined;
  readonly acceptShorterLog?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Loaded and opened when the first connection to it is seen. */
async function openedStripe(
  { world, report }: Pick<StoreParts, 'world' | 'report'>,
  closing: (() => Promise<void>)[],
): Promise<Processor> {
  const { openStripe } = await import('../../processors/stripe/stripe.ts');
  const stripe = openStripe({ world, report });
  closing.push(async () => stripe.close());
  return stripe;
}

/** What a service is opened with besides its adapters. */
const settingsOf = (config: Config, { sharedLimits, signal, timings, circuit }: ServiceParts) => ({
  secretOf: secretsOfMachine(process.env),
  mode: config.mode,
  cardTestingLimits: config.rateLimit > 0,
  signInLimits: config.rateLimit > 0,
  sharedLimits,
  checkpointEveryMs: config.checkpointEvery,
  idempotencyDays: config.idempotencyDays,
  keptDays: { requestLog: config.requestLogDays, deliveries: config.deliveryDays, signIns: config.signInDays },
  signal,
  ...(timings !== undefined && { timings }),
  ...(circuit !== undefined && { circuit }),
});

async function assemble(config: Config, log: CommandLog, secrets: Secrets, parts: ServiceParts): Promise<Opened> {
  const { mode } = config;
  const publicUrl = new PublicUrl(config.publicUrl);
  const { observe, prometheus } = parts.telemetry;
  const clock = mode === 'test' ? new BusinessClock(liveWorld) : undefined;
  const common: StoreParts = {
    world: clock?.world ?? liveWorld,
    report: reportTo(log),
    wait: storeWaitOf(config, parts.signal),
  };
  const partsOf = (store: StoreName): StoreParts => ({
    ...common,
    ...(prometheus !== undefined && { meters: prometheus.store(store) }),
  });
  const closing: (() => Promise<void>)[] = [parts.telemetry.flush];
  const close = async (): Promise<void> => {
    for (const one of closing.splice(0).reverse()) await one().catch(common.report);
  };
  try {
    const events = await parts.events(partsOf('events'));
    closing.push(() => events.close());
    const keys = await parts.keys(common);
    closing.push(() => keys.close());
    await clock?.look({ events });
    const readModels = await parts.readModels(partsOf('read_models'));
    closing.push(() => readModels.close());
    const ends = { ...common, events, keys, store: readModels };
    const lost = await checkEnd(ends, parts.acceptShorterLog === true);
    closing.push(() => noteNow(ends));
    const sandbox = await parts.sandbox({ ...common, publicUrl: publicUrl.get });
    if (sandbox !== undefined) closing.push(() => sandbox.close());
    const processors = new Map<string, Processor>(sandbox === undefined ? [] : [[sandbox.name, sandbox]]);
    const isAllowed = mode === 'test' ? () => true : isPublic;
    const receivers = openReceivers({ world: common.world, isAllowed });
    closing.push(async () => receivers.close());
    const openable = new Map([['stripe', () => openedStripe(common, closing)]]);
    const adapters = observe({ events, keys, readModels, processors, openable, ...common });
    const service = await openService(adapters, {
      ...settingsOf(config, parts),
      secrets,
      post: receivers.post,
      isAllowedAddress: isAllowed,
      publicUrl: publicUrl.get,
    });
    await lost?.putOnRecord(service.recordAct);
    clock?.onMoved(() => service.lookAtOnce());
    return {
      config,
      log,
      ...common,
      clock,
      publicUrl,
      service,
      secrets,
      events: service.events,
      telemetry: parts.telemetry,
      sharedLimits: parts.sharedLimits,
      sandbox,
      noteEnds: (signal) => keepNoting(ends, signal),
      close,
    };
  } catch (fault) {
    await close();
    throw fault;
  }
}

interface SandboxParts {
  readonly publicUrl: () => string;
  readonly world: World;
  readonly report: (fault: unknown) => void;
}

/**
 * Undefined in live mode, and for a command on stores that nodes share when the sandbox is neither named nor here: an
 * empty one sandbox of its own would be no use. Throws StoreUnavailable if its file is locked; another node is not
 * asked for yet.
 */
async function openSandboxOf(
  { mode, sandboxUrl: url, dataDir, eventStore }: Config,
  secrets: Secrets,
  forCommand: boolean,
  parts: SandboxParts,
): Promise<Sandbox | undefined> {
  if (mode === 'live') return undefined;
  const signatureKeys = secrets.keys('sandbox-signature');
  if (url !== undefined) {
    const { openRemoteSandbox } = await import('../../processors/sandbox/remote/remote-sandbox.ts');
    return openRemoteSandbox({ url, secrets: signatureKeys, callKeys: secrets.keys('sandbox-call'), ...parts });
  }
  const file = join(dataDir, 'sandbox.db');
  if (forCommand && eventStore.kind !== 'sqlite' && !(await isThere(file))) return undefined;
  return openSandboxIn(file, secrets, parts);
}

/** `file`: as openSandbox takes it. */
async function openSandboxIn(file: string, secrets: Secrets, parts: SandboxParts): Promise<Sandbox> {
  const { openSandbox } = await import('../../processors/sandbox/sandbox.ts');
  return openSandbox({ file, secrets: secrets.keys('sandbox-signature'), ...parts });
}

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

/** Before the service listens nobody can be led to it. */
const NOWHERE = 'http://127.0.0.1:4000';

export class PublicUrl {
  readonly #configured: string | undefined;
  #listening: string | undefined;

  constructor(configured?: string) {
    this.#configured = configured;
  }

  /** The address that the service listens on now; it counts where none is configured. */
  listensOn(url: string): void {
    this.#listening = url;
  }

  /** Without a slash at its end. */
  readonly get = (): string => this.#configured ?? this.#listening ?? NOWHERE;
}
