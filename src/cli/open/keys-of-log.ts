// Whether the key store is that of the event log and has the keys that the log names, before a command relies on it.
import { access } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { AppError } from '../../app-error.ts';
import type { Config } from '../../config.ts';
import { personalKeyIn } from '../../journal/envelope.ts';
import { PersonalKeys, WrongKeyStore } from '../../journal/personal-keys.ts';
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

/** The newest events that are read: pages of them, until so many keys are named. */
const [PAGE, MOST_PAGES, ENOUGH_KEYS] = [500, 20, 200];
const KEYS_A_PAGE = 1_000;
/** Missing keys that are counted. */
const MOST_MISSING = 1_000;
/** Keys that are remembered as found; another one is looked for again. */
const REMEMBERED = 100_000;

export interface KeysCheck {
  /** Reads every key, for the damage that a look at a few does not meet. */
  readonly everyKey?: boolean;
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
export type LogOfKeys = Pick<EventStore, 'read' | 'newest' | 'follow'>;

/**
 * Without the secret a key store of another log is noticed only by the keys that are missing. Throws WrongKeyStore,
 * OldKeyStore, StoreUnavailable, and the signal's reason.
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
  { everyKey = false, everyEvent = false, signal = new AbortController().signal }: KeysCheck = {},
): Promise<KeysFound> {
  const record = await recordBeforeBreak(events);
  if (record.status === 'absent' || record.keyStore === undefined) return 'none';
  const store = await open();
  try {
    if ((await store.list('', 1)).length === 0) throw new WrongKeyStore();
    if (everyKey) await readAll(store);
    const opened = secrets.unwrap(record.wrappedStoreKey);
    if (opened !== undefined) {
      const keys = new PersonalKeys({ store, secrets, storeKey: new StoreKey(opened.storeKey), world });
      if ((await keys.keyStoreName(true)) !== record.keyStore) throw new WrongKeyStore();
    }
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

async function readAll(store: KeyStore): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined; )
    after = (await store.list(after, KEYS_A_PAGE)).at(KEYS_A_PAGE - 1)?.id;
}

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
