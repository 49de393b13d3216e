// Runs a command's work on existing stores, opened as far as the work needs them, and closes them again.
import { access } from 'node:fs/promises';
import { type Config, readConfig, WrongSettings } from '../../config.ts';
import { BusinessClock, type ClockParts } from '../../journal/business-clock.ts';
import { PersonalKeyReader, withKeys } from '../../journal/personal-keys.ts';
import { recordBeforeBreak } from '../../journal/store-stamp.ts';
import type { Projections } from '../../projections/engine/engine.ts';
import type { SeenEndParts } from '../../projections/engine/generations/seen-end.ts';
import { Secrets, StoreKey } from '../../secrets.ts';
import type { EventStore } from '../../stores/event-store.ts';
import type { KeyStore } from '../../stores/key-store.ts';
import { liveWorld, type World } from '../../world.ts';
import type { OpenedSandbox, StoreFlags } from '../command.ts';
import { Refused, WrongUsage } from '../exit.ts';
import { lazyLog, reportTo } from '../log.ts';
import { checkKeysOfLog, type KeysCheck, type KeysFound } from './keys-of-log.ts';
import { readSecretFile, secretFileIn } from './machine-secrets.ts';
import type { Opened } from './open.ts';
import {
  openAgain,
  openEventStore,
  openKeyStore,
  openReadModels,
  type StoreParts,
  storeWaitOf,
  waitForAll,
} from './stores.ts';

/** The read models themselves, and the log that they are of. */
export interface RepairStores {
  readonly projections: Projections;
  readonly events: EventStore;
  readonly world: World;
  readonly report: (fault: unknown) => void;
  /** True if this machine has the secret of the store: documents with personal data need it. */
  readonly hasStoreKey: boolean;
  /** As checkKeysOfLog. */
  readonly checkKeys: () => Promise<KeysFound>;
}

/**
 * For work on a read model that makes documents with personal data. Throws WrongSettings if they need the store's key
 * and there is none here, and as checkKeysOfLog: with other keys such documents would leave the read model.
 */
export async function checkStoreKey(
  { hasStoreKey, checkKeys }: Pick<RepairStores, 'hasStoreKey' | 'checkKeys'>,
  name: string,
): Promise<void> {
  const { PERSONAL_MODELS } = await import('../../projections/models/all.ts');
  if (!PERSONAL_MODELS.includes(name)) return;
  await checkKeys();
  if (hasStoreKey) return;
  throw new WrongSettings([
    `The secret of the store is missing, and ${name} has personal data, which is encrypted in the log. Set COUNTERFOIL_SECRET as for \`counterfoil serve\`.`,
  ]);
}

/** Runs a command's work on existing stores, with or without a running service, and closes them. */
export async function withService<T>(options: StoreFlags, work: (opened: Opened) => Promise<T>): Promise<T> {
  const config = readConfig(options, process.env);
  await mustExist(config);
  const { openCounterfoil } = await import('./open.ts');
  const { acceptShorterLog } = options;
  const opened = await openCounterfoil(config, lazyLog(config.logLevel), { forCommand: true, acceptShorterLog });
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

/**
 * As withService, for work on the sandbox, which is in the data directory or on another node. Throws Refused in live
 * mode, where there is no sandbox; WrongUsage beside stores that nodes share, when no node with a sandbox is named and
 * none is here.
 */
export async function withSandbox<T>(options: StoreFlags, work: (opened: OpenedSandbox) => Promise<T>): Promise<T> {
  if (readConfig(options, process.env).mode === 'live') throw new Refused('There is no sandbox in live mode.');
  return withService(options, async (opened) => {
    const { sandbox } = opened;
    if (sandbox !== undefined) return work({ ...opened, sandbox });
    throw new WrongUsage(
      'The sandbox is not on this machine. Name its node with --sandbox-url (COUNTERFOIL_SANDBOX_URL).',
    );
  });
}

/** Opens what is needed for work that only reads the event log: it takes no secret and changes nothing. */
export async function withEventLog<T>(
  options: StoreFlags,
  work: (events: EventStore, world: World) => Promise<T>,
): Promise<T> {
  return withClock(options, ({ events, clock }) => work(events, clock.world));
}

/** As withEventLog, for work that folds events: they come with the keys of their personal members. */
export async function withReadableLog<T>(
  options: StoreFlags,
  work: (events: EventStore, world: World) => Promise<T>,
): Promise<T> {
  const config = readConfig(options, process.env);
  return withClock(options, async ({ events, clock: { world }, report }) => {
    const { reader, close } = await keyReaderOf(config, events, { world, report, wait: storeWaitOf(config) });
    return work(withKeys(events, reader), world).finally(close);
  });
}

/** The keys of personal data, for commands that only read: without a secret of this machine no key opens. */
async function keyReaderOf(
  config: Config,
  events: EventStore,
  parts: StoreParts,
): Promise<{ readonly reader: PersonalKeyReader; readonly store: KeyStore; readonly close: () => Promise<void> }> {
  const store = await openKeyStore(config, parts);
  const reader = new PersonalKeyReader({ store, secrets: await secretsHere(config), world: parts.world });
  const record = await recordBeforeBreak(events);
  if (record.status !== 'absent' && record.bindsKeys === true) reader.refuseUnbound();
  return { reader, store, close: () => store.close() };
}

/** Opens what is needed for work on the business clock of a store, which may be in live mode. */
export async function withClock<T>(
  options: StoreFlags,
  work: (of: ClockParts & { readonly clock: BusinessClock }) => Promise<T>,
): Promise<T> {
  const config = readConfig(options, process.env);
  await mustExist(config);
  const clock = new BusinessClock(liveWorld);
  const report = reportTo(lazyLog(config.logLevel));
  const events = await openEventStore(config.eventStore, { world: clock.world, report, wait: storeWaitOf(config) });
  try {
    await clock.look({ events }).catch(report); // a damaged log must open, because the command may look for the damage
    return await work({ events, report, clock });
  } finally {
    await events.close();
  }
}

/**
 * Opens what is needed for work on the read models themselves. Only documents with personal data need a secret, see
 * checkStoreKey. Read models of another log are opened too, because a rebuild repairs them. Throws as checkEnd, unless
 * the work `onlyLooks`. `signal`: ends the wait for stores; without it a signal to the process ends both.
 */
export async function withProjections<T>(
  options: StoreFlags,
  work: (of: RepairStores) => Promise<T>,
  { signal, onlyLooks = false }: { readonly signal?: AbortSignal; readonly onlyLooks?: boolean } = {},
): Promise<T> {
  const config = readConfig(options, process.env);
  await mustExist(config);
  const waiting = { world: liveWorld, report: reportTo(lazyLog(config.logLevel)) };
  const { close, ...stores } = await openAgain(waitForAll(config, signal), waiting, () =>
    openRepairStores(config, onlyLooks ? undefined : options, signal),
  );
  try {
    return await work(stores);
  } finally {
    await close();
  }
}

/** Loaded for work on read models: a command on the event log starts in two thirds of the time without them. */
async function readModelModules() {
  const [fold, kept, engine, models] = await Promise.all([
    import('../../projections/threads/fold-module.ts'),
    import('../../policies/leave-after-days.ts'),
    import('../../projections/engine/engine.ts'),
    import('../../projections/models/all.ts'),
  ]);
  return { ...fold, ...kept, ...engine, ...models };
}

async function openRepairStores(
  config: Config,
  appending: StoreFlags | undefined,
  signal: AbortSignal | undefined,
): Promise<RepairStores & { readonly close: () => Promise<void> }> {
  const clock = new BusinessClock(liveWorld);
  const common = { world: clock.world, report: reportTo(lazyLog(config.logLevel)), wait: storeWaitOf(config, signal) };
  const closing: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const one of closing.splice(0).reverse()) await one();
  };
  try {
    const stored = await openEventStore(config.eventStore, common);
    closing.push(() => stored.close());
    const keys = await keyReaderOf(config, stored, common);
    closing.push(keys.close);
    const events = withKeys(stored, keys.reader);
    await clock.look({ events }).catch(common.report);
    const readModels = await openReadModels(config.readModels, common);
    closing.push(() => readModels.close());
    if (appending !== undefined) {
      const ends = { ...common, events: stored, store: readModels, keys: keys.store };
      await mustHaveEnd(ends, appending);
      const { noteNow } = await import('./log-end.ts');
      closing.push(() => noteNow(ends));
    }
    const { storeKey, isMissing } = await storeKeyOf(config, events);
    const { foldModuleWith, keptMsBy, openProjections, projectionsWith } = await readModelModules();
    const projections = await openProjections({
      events,
      readModels,
      projections: projectionsWith(storeKey),
      foldModule: foldModuleWith(storeKey),
      keptMs: keptMsBy({ deliveries: config.deliveryDays }),
      forRepair: true,
      ...common,
    });
    const checkKeys = async () => checkKeysOfLog(config, stored, await secretsHere(config), common);
    return { projections, events, ...common, hasStoreKey: !isMissing, checkKeys, close };
  } catch (fault) {
    await close();
    throw fault;
  }
}

/** The store's key; `isMissing` if no secret of this machine opens it. A log without a key has hashed nothing by it. */
async function storeKeyOf(
  config: Config,
  events: EventStore,
): Promise<{ readonly storeKey?: StoreKey; readonly isMissing: boolean }> {
  const record = await recordBeforeBreak(events);
  if (record.status === 'absent') return { isMissing: false };
  const opened = (await secretsHere(config)).unwrap(record.wrappedStoreKey);
  return opened === undefined ? { isMissing: true } : { storeKey: new StoreKey(opened.storeKey), isMissing: false };
}

/** Throws as checkEnd; an accepted loss is on record when it resolves. */
async function mustHaveEnd(
  parts: SeenEndParts & Pick<StoreParts, 'world' | 'report'>,
  { acceptShorterLog = false }: StoreFlags,
): Promise<void> {
  const { actNeedsIn, checkEnd } = await import('./log-end.ts');
  // in an empty log a store is created first, which is the work of a service
  const lost = await checkEnd(parts, acceptShorterLog && (await parts.events.head()) >= 0n);
  if (lost === undefined) return;
  const { recordAct } = await import('../../commands/acts/record-act.ts');
  await lost.putOnRecord(recordAct(await actNeedsIn(parts.events, parts.world, parts.report)));
}

/**
 * As checkEnd, for work that appends to an open log and has opened nothing else; an accepted loss is on record when it
 * resolves. Throws Unavailable.
 */
export async function checkEndHere(options: StoreFlags, events: EventStore, world: World): Promise<void> {
  const config = readConfig(options, process.env);
  const parts = { world, report: reportTo(lazyLog(config.logLevel)), wait: storeWaitOf(config) };
  const keys = await openKeyStore(config, parts);
  try {
    const store = await openReadModels(config.readModels, parts);
    await mustHaveEnd({ ...parts, events, keys, store }, options).finally(() => store.close());
  } finally {
    await keys.close();
  }
}

/** Whether the key store of an open log is its own: as checkKeysOfLog. */
export async function checkKeysHere(
  config: Config,
  events: EventStore,
  world: World,
  check?: KeysCheck,
): Promise<KeysFound> {
  const parts = { world, report: reportTo(lazyLog(config.logLevel)), wait: storeWaitOf(config) };
  return checkKeysOfLog(config, events, await secretsHere(config), parts, check);
}

/** The master secrets of this machine, if it has any. */
export async function secretsHere({ secrets, dataDir }: Config): Promise<Secrets> {
  const stored = secrets === undefined ? await readSecretFile(secretFileIn(dataDir)).catch(() => undefined) : undefined;
  return new Secrets(secrets ?? (stored === undefined ? [] : [stored.secret, ...stored.older]));
}

/** The master secrets of this machine, and the store's key of this log; `isMissing` if they do not open it. */
export async function keysOf(
  options: StoreFlags,
  events: EventStore,
): Promise<{ readonly secrets: Secrets; readonly storeKey?: StoreKey; readonly isMissing: boolean }> {
  const config = readConfig(options, process.env);
  return { secrets: await secretsHere(config), ...(await storeKeyOf(config, events)) };
}

/** A command must not make an empty store for a mistyped path; a server makes its stores. */
async function mustExist({ eventStore, dataDir }: Config): Promise<void> {
  if (eventStore.kind !== 'sqlite') return;
  const { file } = eventStore;
  await access(file).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code !== 'ENOENT') throw new WrongSettings([`${file} cannot be used: ${fault.message}`]);
    throw new WrongUsage(
      `There is no store in ${dataDir} yet. \`counterfoil serve\` creates one. To use another directory, set --data-dir.`,
    );
  });
}
