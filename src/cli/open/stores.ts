// Opens the stores that a configuration names, and waits for one that is still coming up. An adapter and its client are
// loaded only when they are chosen.
import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Notice } from '../../app-error.ts';
import type { Config } from '../../config.ts';
import { checkEventSchemaOf } from '../../journal/event-schema.ts';
import { type EventStoreUrl, type ReadModelsUrl, shownUrl } from '../../store-urls.ts';
import type { EventStore } from '../../stores/event-store.ts';
import type { KeyStore } from '../../stores/key-store.ts';
import type { ReadModelStore } from '../../stores/read-models.ts';
import type { StoreMeters } from '../../stores/store-meters.ts';
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import { aborted, type World } from '../../world.ts';
import { Unavailable } from '../exit.ts';

export interface StoreParts {
  readonly world: World;
  /** Faults that no caller can act on, and Notices. */
  readonly report: (fault: unknown) => void;
  readonly meters?: StoreMeters;
  /** For an event store: concurrent appends are in the log in the order of their calls. */
  readonly inOrder?: boolean;
  /** How long a store that others serve may take to come up. */
  readonly wait: StoreWait;
}

/**
 * Throws Unavailable, which names the store, when it cannot be reached in time; OtherEventSchema for the store of a
 * version with other events.
 */
export function openEventStore(at: EventStoreUrl, parts: StoreParts): Promise<EventStore> {
  return orUnavailable('event store', at, parts, async () => {
    const events = await adapterFor(at, parts);
    try {
      await checkEventSchemaOf(events);
    } catch (fault) {
      await events.close();
      throw fault;
    }
    return events;
  });
}

async function adapterFor(at: EventStoreUrl, parts: StoreParts): Promise<EventStore> {
  switch (at.kind) {
    case 'sqlite': {
      const { openSqliteEventStore } = await import('../../stores/sqlite/event-store.ts');
      return openSqliteEventStore({ file: at.file, ...parts });
    }
    case 'eventstoredb': {
      const { openEventStoreDb } = await import('../../stores/eventstoredb/event-store.ts');
      return openEventStoreDb({ url: at.url, ...parts });
    }
    default:
      return at satisfies never;
  }
}

/**
 * Opens the keys of personal data: next to an embedded log, otherwise with the read models, which nodes share.
 * `readOnly`: a file is opened for reading alone. Throws Unavailable and StoreUnavailable.
 */
export async function openKeyStore(config: KeyStoreConfig, parts: StoreParts, readOnly = false): Promise<KeyStore> {
  const at = keysAt(config);
  if (at.kind === 'mongodb') {
    const { openMongoDbKeyStore } = await import('../../stores/mongodb/key-store.ts');
    // the database of the read models, if nothing else is set: people know it by that name
    const name = config.keyStore === undefined ? 'store of the read models' : 'key store';
    return orUnavailable(name, at, parts, () => openMongoDbKeyStore({ url: at.url }));
  }
  const { openSqliteKeyStore } = await import('../../stores/sqlite/key-store.ts');
  return openSqliteKeyStore({ file: at.file, world: parts.world, readOnly });
}

type KeyStoreConfig = Pick<Config, 'eventStore' | 'readModels' | 'keyStore' | 'dataDir'>;

function keysAt({ eventStore, readModels, keyStore, dataDir }: KeyStoreConfig): ReadModelsUrl {
  if (keyStore !== undefined) return keyStore;
  if (eventStore.kind === 'sqlite') return { kind: 'sqlite', file: join(dirname(eventStore.file), 'keys.db') };
  return readModels.kind === 'mongodb' ? readModels : { kind: 'sqlite', file: join(dataDir, 'keys.db') };
}

/** Where the keys of an event store are: the URL of a database, or a file. */
export function keyStoreOf(config: KeyStoreConfig): string {
  const at = keysAt(config);
  return at.kind === 'sqlite' ? at.file : at.url;
}

/** False where the keys are in a database. */
export const isKeysFile = (config: KeyStoreConfig): boolean => keysAt(config).kind === 'sqlite';

/** Where the keys are, for people. */
export const keyStoreShown = (config: KeyStoreConfig): string => shownUrl(keysAt(config));

/** True if two configurations have one key store: the same file, or one database of the same servers. */
export async function areOneKeyStore(one: KeyStoreConfig, other: KeyStoreConfig): Promise<boolean> {
  const names = (at: ReadModelsUrl): Promise<readonly string[]> | readonly string[] =>
    at.kind === 'sqlite' ? fileNames(at.file) : databaseNames(at.url);
  const [its, others] = [await names(keysAt(one)), await names(keysAt(other))];
  return its.some((name) => others.includes(name));
}

/** The path without links; the file itself and its directory may be missing. */
async function fileNames(file: string): Promise<readonly string[]> {
  const real = await realpath(file).catch(async () =>
    join(await realpath(dirname(file)).catch(() => dirname(file)), basename(file)),
  );
  return [real];
}

/** The database at each of its hosts. */
function databaseNames(url: string): readonly string[] {
  const [, hosts = '', database = ''] = /^[^/]+\/\/(?:[^/?]*@)?([^/?]*)\/?([^?]*)/s.exec(url) ?? [];
  return hosts.split(',').map(
    (host) =>
      `${host
        .toLowerCase()
        .replace(/^localhost(?=:|$)/, '127.0.0.1')
        .replace(/(?<!:\d+)$/, ':27017')}/${database || 'counterfoil'}`,
  );
}

/** Throws Unavailable, which names the store, when it cannot be reached in time. */
export function openReadModels(at: ReadModelsUrl, parts: StoreParts): Promise<ReadModelStore> {
  return orUnavailable('store of the read models', at, parts, async () => {
    switch (at.kind) {
      case 'sqlite': {
        const { openSqliteReadModels } = await import('../../stores/sqlite/read-models.ts');
        return openSqliteReadModels({ file: at.file, ...parts });
      }
      case 'mongodb': {
        const { openMongoDbReadModels } = await import('../../stores/mongodb/read-models.ts');
        return openMongoDbReadModels({ url: at.url, ...parts });
      }
      default:
        return at satisfies never;
    }
  });
}

async function orUnavailable<Store extends { close(): Promise<void> }>(
  what: string,
  at: EventStoreUrl | ReadModelsUrl,
  parts: StoreParts,
  open: () => Promise<Store>,
): Promise<Store> {
  const named = `${what} ${shownUrl(at)}`;
  try {
    return at.kind === 'sqlite' ? await open() : await waitForStore(named, parts.wait, parts, open);
  } catch (fault) {
    if (!(fault instanceof StoreUnavailable)) throw fault;
    throw new Unavailable(`The ${named} is unavailable: ${inOneLine(fault)}`);
  }
}

/** Clients put their reasons into several lines, and into causes. */
function inOneLine({ message, cause }: Error): string {
  const line = message.replaceAll(/\s+/g, ' ');
  if (!(cause instanceof Error)) return line;
  const because = inOneLine(cause);
  return line.includes(because) ? line : `${line} (${because})`;
}

interface StoreWait {
  /** No attempt begins later than this; 0: there is one attempt. */
  readonly ms: number;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/** Without a signal a signal to the process ends the wait, and the process. */
export const storeWaitOf = (
  { storeWait }: Pick<Config, 'storeWait'>,
  signal: AbortSignal = new AbortController().signal,
): StoreWait => ({
  ms: storeWait * 1_000,
  signal,
});

/** Waits for stores that are opened together: embedded ones start with the process. */
export const waitForAll = (
  config: Pick<Config, 'storeWait' | 'eventStore' | 'readModels'>,
  signal?: AbortSignal,
): StoreWait =>
  storeWaitOf(
    config.eventStore.kind === 'sqlite' && config.readModels.kind === 'sqlite' ? { storeWait: 0 } : config,
    signal,
  );

interface WaitParts {
  readonly world: Pick<World, 'monotonic' | 'sleep'>;
  readonly report: (fault: unknown) => void;
}

interface Closable {
  close(): Promise<void>;
}

/** An attempt may itself take 10 s: people hear of the wait before it ends. */
const SAID_AFTER_MS = 2_000;
const TRY_AGAIN_MS = 500;

/**
 * The result of `open`, which is tried again while it throws StoreUnavailable; one line says so. `what`: the store, for
 * that line. Throws the fault of the last attempt, and the signal's reason.
 */
export async function waitForStore<Store extends Closable>(
  what: string,
  { ms, signal }: StoreWait,
  { world, report }: WaitParts,
  open: () => Promise<Store>,
): Promise<Store> {
  const until = world.monotonic() + ms;
  const ended = new AbortController();
  const say = (): void =>
    report(new Notice(`The ${what} does not respond yet. This process waits for it for up to ${ms / 1_000} s.`));
  if (ms > 0) void world.sleep(SAID_AFTER_MS, AbortSignal.any([signal, ended.signal])).then(say, () => undefined);
  const over = aborted(AbortSignal.any([signal, ended.signal])).then(() => 'over' as const);
  try {
    for (;;) {
      try {
        return await unlessOver(open(), over, signal);
      } catch (fault) {
        if (!(fault instanceof StoreUnavailable) || world.monotonic() >= until) throw fault;
      }
      await world.sleep(TRY_AGAIN_MS, signal);
    }
  } finally {
    ended.abort();
  }
}

/**
 * Runs `open`, which opens several stores, and starts it again if one of them responded and became unavailable before
 * all were open. Each such fault is reported; after the first one, no attempt begins later than `ms`. Throws the last
 * one, and the signal's reason.
 */
export async function openAgain<T>(
  { ms, signal }: StoreWait,
  { world, report }: WaitParts,
  open: () => Promise<T>,
): Promise<T> {
  let until: number | undefined;
  for (;;) {
    try {
      return await open();
    } catch (fault) {
      until ??= world.monotonic() + ms;
      if (!(fault instanceof StoreUnavailable) || world.monotonic() >= until) throw fault;
      report(fault);
    }
    await world.sleep(TRY_AGAIN_MS, signal);
  }
}

/** A store that is opened after the signal is closed. */
async function unlessOver<Store extends Closable>(
  opening: Promise<Store>,
  over: Promise<'over'>,
  signal: AbortSignal,
): Promise<Store> {
  const opened = await Promise.race([opening, over]);
  if (opened !== 'over') return opened;
  void opening.then(
    (store) => store.close(),
    () => undefined,
  );
  throw signal.reason;
}
