// Whether the key store is that of the event log and has the keys that the log names, before a command relies on it.
import { access } from 'node:fs/promises';
import { AppError } from '../../app-error.ts';
import type { Config } from '../../config.ts';
import { personalKeyIn } from '../../journal/envelope.ts';
import { PersonalKeys, WrongKeyStore } from '../../journal/personal-keys.ts';
import { recordBeforeBreak } from '../../journal/store-stamp.ts';
import { type Secrets, StoreKey } from '../../secrets.ts';
import type { EventStore } from '../../stores/event-store.ts';
import type { KeyStore } from '../../stores/key-store.ts';
import { isKeysFile, keyStoreOf, openKeyStore, type StoreParts } from './stores.ts';

/** none: the log names no key store · closed: the secret is not on this machine · fits: they belong together. */
export type KeysFound = 'none' | 'closed' | 'fits';

/** The key store belongs to the log, and misses keys of newest events. */
export class OldKeyStore extends AppError {
  constructor(missing: number, named: number) {
    super(
      'OldKeyStore',
      `The key store is older than the event log, or damaged: it misses ${missing} of the ${named} keys that the newest events name. Streams that need a missing key respond with 503. Put back the newest keys.`,
    );
  }
}

/** The newest events that are read: pages of them, until so many keys are named. */
const [PAGE, MOST_PAGES, ENOUGH_KEYS] = [500, 20, 200];
const KEYS_A_PAGE = 1_000;

export interface KeysCheck {
  /** Reads every key, for the damage that a look at a few does not meet. */
  readonly whole?: boolean;
}

/**
 * Without the secret only a key store that is missing or empty is noticed. Throws WrongKeyStore, OldKeyStore and
 * StoreUnavailable.
 */
export async function checkKeysOfLog(
  config: Config,
  events: Pick<EventStore, 'read' | 'newest'>,
  secrets: Secrets,
  parts: StoreParts,
  { whole = false }: KeysCheck = {},
): Promise<KeysFound> {
  const record = await recordBeforeBreak(events);
  if (record.status === 'absent' || record.keyStore === undefined) return 'none';
  if (isKeysFile(config) && !(await isThere(keyStoreOf(config)))) throw new WrongKeyStore();
  const store = await openKeyStore(config, parts);
  try {
    if ((await store.list('', 1)).length === 0) throw new WrongKeyStore();
    if (whole) await readAll(store);
    const opened = secrets.unwrap(record.wrappedStoreKey);
    if (opened === undefined) return 'closed';
    const storeKey = new StoreKey(opened.storeKey);
    const keys = new PersonalKeys({ store, secrets, storeKey, world: parts.world });
    if ((await keys.keyStoreName(true)) !== record.keyStore) throw new WrongKeyStore();
    const named = await newestKeys(events);
    const there = new Set((await store.get(named)).map(({ id }) => id));
    const missing = named.filter((id) => !there.has(id)).length;
    if (missing > 0) throw new OldKeyStore(missing, named.length);
    return 'fits';
  } finally {
    await store.close();
  }
}

/** The ids of keys that the newest events name; none from a log that cannot be read from its end. */
async function newestKeys(events: Pick<EventStore, 'newest'>): Promise<readonly string[]> {
  const named = new Set<string>();
  let before: bigint | undefined;
  for (let page = 0; page < MOST_PAGES && named.size < ENOUGH_KEYS; page += 1) {
    const read = (await events.newest?.(before, PAGE)) ?? [];
    for (const stored of read) {
      const id = personalKeyIn(stored);
      if (id !== undefined) named.add(id);
    }
    const last = read.at(-1);
    if (last === undefined || read.length < PAGE) break;
    before = last.position;
  }
  return [...named];
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
