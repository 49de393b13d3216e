// Whether the key store is that of the event log and has the keys that the log names, before a command relies on it.
import { access } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { AppError } from '../../app-error.ts';
import type { Config } from '../../config.ts';
import type { StoreRecord } from '../../domain/store.ts';
import { keysIn, type Tombstones, tombstonesOf } from '../../journal/destroyed-keys.ts';
import { personalKeyIn } from '../../journal/envelope.ts';
import { openedKey, PersonalKeys, type Wrapping, WrongKeyStore } from '../../journal/personal-keys.ts';
import { readLog } from '../../journal/read-log.ts';
import { recordBeforeBreak } from '../../journal/store-stamp.ts';
import { type Secrets, StoreKey } from '../../secrets.ts';
import type { EventStore, StoredEvent } from '../../stores/event-store.ts';
import type { KeyStore } from '../../stores/key-store.ts';
import type { World } from '../../world.ts';
import { isKeysFile, keyStoreOf, openKeyStore, type StoreParts } from './stores.ts';

/** none: the log names no key store · closed: the secret is not on this machine · fits: they belong together. */
export type KeysFound = 'none' | 'closed' | 'fits';

/** The key store belongs to the log, and misses keys that events name. */
export class OldKeyStore extends AppError {
  constructor(missing: number) {
    super(
      'OldKeyStore',
      `The key store is older than the event log, or damaged: it misses ${missing === 1 ? '1 key' : `${missing} keys`} that events name${missing < MOST_MISSING ? '' : ', or more'}. Streams that need a missing key respond with 503. Put back the newest keys.`,
    );
  }
}

/** Keys of the store that no master secret of this machine opens. */
class DamagedKeys extends AppError {
  constructor(count: number) {
    const [keys, have] =
      count === 1 ? ['1 key of personal data', 'It was'] : [`${count} keys of personal data`, 'They were'];
    super(
      'DamagedKeys',
      `${keys} cannot be opened by any secret of this machine. ${have} altered, moved from another id, or wrapped by a secret that is missing. Streams that need such a key respond with 503. Put back the keys, or add the secret.`,
    );
  }
}

/** Keys were destroyed, and no event names them: no erasure did that. */
class UnrecordedTombstones extends AppError {
  constructor(ids: readonly string[]) {
    const shown = ids.slice(0, NAMES_SHOWN).join(', ');
    super(
      'UnrecordedTombstones',
      `${ids.length === 1 ? '1 key of personal data was' : `${ids.length} keys of personal data were`} destroyed, and no erasure is on record for ${ids.length === 1 ? 'it' : 'them'}: ${shown}${ids.length > NAMES_SHOWN ? ', …' : ''}. Somebody changed the key store. Put back the keys from a backup.`,
    );
  }
}

const NAMES_SHOWN = 5;

/** What a backup keeps its older keys for, and a restore reports: people's data may be readable with other keys. */
export const isFaultOfKeys = (fault: unknown): fault is OldKeyStore | DamagedKeys | UnrecordedTombstones =>
  fault instanceof OldKeyStore || fault instanceof DamagedKeys || fault instanceof UnrecordedTombstones;

/** The newest events that are read: pages of them, until so many keys are named. */
const [PAGE, MOST_PAGES, ENOUGH_KEYS] = [500, 20, 200];
/** Missing keys that are counted. */
const MOST_MISSING = 1_000;
/** Keys that are remembered as found; another one is looked for again. */
const REMEMBERED = 100_000;

export interface KeysCheck {
  /** Opens every key, and looks for the event of every destroyed one. */
  readonly everyKey?: boolean;
  /** Told what everyKey finds about destroyed keys. */
  readonly onTombstones?: (found: Tombstones) => void;
  /** Looks for the keys of the whole log, not only for those of its newest events. */
  readonly everyEvent?: boolean;
  readonly signal?: AbortSignal;
}

/** Looks for the keys that events name, each of them once. */
export class NeededKeys {
  readonly #store: Pick<KeyStore, 'get'>;
  readonly #found = new LRUCache<string, true>({ max: REMEMBERED });
  readonly #missing = new Set<string>();

  constructor(store: Pick<KeyStore, 'get'>) {
    this.#store = store;
  }

  /** Throws StoreUnavailable. */
  async look(events: readonly Pick<StoredEvent, 'metadata'>[]): Promise<void> {
    const wanted = new Set<string>();
    for (const stored of events) {
      const id = personalKeyIn(stored);
      if (id !== undefined && !this.#found.has(id) && !this.#missing.has(id)) wanted.add(id);
    }
    if (wanted.size === 0 || this.#missing.size >= MOST_MISSING) return;
    const there = new Set((await this.#store.get([...wanted])).map(({ id }) => id));
    for (const id of wanted)
      if (there.has(id)) this.#found.set(id, true);
      else if (this.#missing.size < MOST_MISSING) this.#missing.add(id);
  }

  /** Undefined while every key is there. */
  get fault(): OldKeyStore | undefined {
    return this.#missing.size === 0 ? undefined : new OldKeyStore(this.#missing.size);
  }

  /** Throws OldKeyStore if a key is not there. */
  check(): void {
    if (this.fault !== undefined) throw this.fault;
  }
}

/** The parts of a log that the check of its keys reads. */
type LogOfKeys = Pick<EventStore, 'read' | 'newest' | 'follow'>;

/**
 * Without the secret a key store of another log is noticed only by the keys that are missing. Throws WrongKeyStore,
 * DamagedKeys, UnrecordedTombstones, OldKeyStore, StoreUnavailable, and the signal's reason.
 */
export const checkKeysOfLog = (
  config: Config,
  events: LogOfKeys,
  secrets: Secrets,
  parts: StoreParts,
  check: KeysCheck = {},
): Promise<KeysFound> =>
  checkKeysIn(
    async () => {
      if (isKeysFile(config) && !(await isThere(keyStoreOf(config)))) throw new WrongKeyStore();
      return openKeyStore(config, parts);
    },
    events,
    secrets,
    parts.world,
    check,
  );

/** As checkKeysOfLog. `open`: opens the key store, which is closed again; not called if the log names none. */
export async function checkKeysIn(
  open: () => Promise<KeyStore>,
  events: LogOfKeys,
  secrets: Secrets,
  world: World,
  { everyKey = false, everyEvent = false, onTombstones, signal = new AbortController().signal }: KeysCheck = {},
): Promise<KeysFound> {
  const record = await recordBeforeBreak(events);
  if (record.status === 'absent' || record.keyStore === undefined) return 'none';
  const store = await open();
  try {
    if ((await store.list('', 1)).length === 0) throw new WrongKeyStore();
    // before the name of the key store is compared: its key may be among those that were destroyed
    const tombstones = everyKey ? await tombstonesIn(record, events, store, signal) : undefined;
    if (tombstones !== undefined) onTombstones?.(tombstones);
    const opened = secrets.unwrap(record.wrappedStoreKey);
    if (opened !== undefined) {
      const keys = new PersonalKeys({ store, secrets, storeKey: new StoreKey(opened.storeKey), world });
      if (record.bindsKeys === true) keys.refuseUnbound();
      if ((await keys.keyStoreName(true)) !== record.keyStore) throw new WrongKeyStore();
    }
    if (everyKey) {
      const wrapping = { keys: secrets.keys('personal-key-wrap'), takesUnbound: record.bindsKeys !== true };
      await openAll(store, opened === undefined ? undefined : wrapping);
    }
    if (tombstones !== undefined && tombstones.unrecorded.length > 0)
      throw new UnrecordedTombstones(tombstones.unrecorded);
    const needed = new NeededKeys(store);
    if (everyEvent)
      for await (const batch of readLog(events, { after: -1n, to: 'end', categories: [] }, signal))
        await needed.look(batch.events);
    else await needed.look(await newestWithKeys(events));
    needed.check();
    return opened === undefined ? 'closed' : 'fits';
  } finally {
    await store.close();
  }
}

/** The newest events, until enough of them name a key; none from a log that cannot be read from its end. */
async function newestWithKeys(events: Pick<EventStore, 'newest'>): Promise<readonly StoredEvent[]> {
  const found: StoredEvent[] = [];
  let before: bigint | undefined;
  for (let page = 0; page < MOST_PAGES && found.length < ENOUGH_KEYS; page += 1) {
    const read = (await events.newest?.(before, PAGE)) ?? [];
    found.push(...read.filter((stored) => personalKeyIn(stored) !== undefined));
    const last = read.at(-1);
    if (last === undefined || read.length < PAGE) break;
    before = last.position;
  }
  return found;
}

/** `wrapping`: undefined on a machine without the secret, where keys are only read. Throws DamagedKeys. */
async function openAll(store: KeyStore, wrapping: Wrapping | undefined): Promise<void> {
  let damaged = 0;
  for await (const key of keysIn(store))
    if (wrapping !== undefined && openedKey(wrapping, key) === undefined) damaged += 1;
  if (damaged > 0) throw new DamagedKeys(damaged);
}

/** As tombstonesOf; in a log that does not name destroyed keys yet, all of them are earlier ones. */
export async function tombstonesIn(
  record: StoreRecord,
  events: Pick<EventStore, 'follow'>,
  store: Pick<KeyStore, 'list'>,
  signal: AbortSignal,
): Promise<Tombstones> {
  const found = await tombstonesOf(events, store, signal);
  if (record.status !== 'absent' && record.namesErasures === true) return found;
  return { ...found, earlier: found.earlier + found.unrecorded.length, unrecorded: [] };
}

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
