// The keys of personal data as the journal uses them: one for each person, wrapped in the key store, cached here.
import { LRUCache } from 'lru-cache';
import { AppError } from '../app-error.ts';
import type { PersonalSubject } from '../domain/personal.ts';
import { type Secrets, type StoreKey, unwrapped } from '../secrets.ts';
import type { EventStore, SpreadWork, StoredEvent } from '../stores/event-store.ts';
import type { KeyStore, WrappedKey } from '../stores/key-store.ts';
import { StoreUnavailable } from '../stores/store-unavailable.ts';
import type { World } from '../world.ts';
import { type PersonalKey, personalKeyIn } from './envelope.ts';
import { type KeyedWork, keyedModule } from './keyed-module.ts';
import { sealedEvents } from './sealed-events.ts';

/** Keys that a process keeps, unwrapped. */
const REMEMBERED = 50_000;
/** How often a process asks whether keys were destroyed. */
const LOOK_EVERY_MS = 1_000;
/** A process that could not ask for so long reads every key again. An erasure waits for longer. */
const STALE_MS = 2_000;
/** How long a process uses a subject's newest key without asking whether there is a newer one. */
const NEWEST_FOR_MS = 1_000;
const SEEN_BY_ALL_MS = STALE_MS + NEWEST_FOR_MS;
/** Generations that are looked up together at first, then twice as many: a customer seldom has a second one. */
const LOOKED_UP = 2;

interface PersonalKeysParts {
  readonly store: KeyStore;
  readonly secrets: Pick<Secrets, 'keys' | 'wrap'>;
  readonly world: Pick<World, 'monotonic' | 'randomBytes' | 'sleep'>;
}

type Known = Uint8Array | 'destroyed';

/** What opens stored keys. */
export interface Wrapping {
  /** The keys that wrap them, of each master secret. */
  readonly keys: readonly Uint8Array[];
  /** True until every key of the store is bound to its id (contract §11, `secrets rewrap`). */
  readonly takesUnbound: boolean;
}

/** The keys that a reader of the log has. */
export class PersonalKeyReader {
  protected readonly parts: PersonalKeysParts;
  /** By key id. */
  readonly #known = new LRUCache<string, Uint8Array>({ max: REMEMBERED });
  readonly #onForget: (() => void)[] = [];
  #destroyed = -1;
  /** How often all keys were forgotten: what was read before the last time is not remembered after it. */
  protected forgotten = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #takesUnbound = true;

  constructor(parts: PersonalKeysParts) {
    this.parts = parts;
  }

  /** What another thread needs to read the same keys; undefined if none can. */
  get inThreads(): Pick<KeyedWork, 'keys' | 'wrapping'> | undefined {
    const { store, secrets } = this.parts;
    return (
      store.inThreads && {
        keys: store.inThreads,
        wrapping: {
          keys: secrets.keys('personal-key-wrap').map((key) => Uint8Array.from(key)),
          takesUnbound: this.#takesUnbound,
        },
      }
    );
  }

  /** From now on a key that is not bound to its id is refused: the log says that all are. */
  refuseUnbound(): void {
    this.#takesUnbound = false;
  }

  /** How often keys were forgotten: what was read or written before the last time may show what was erased. */
  get timesForgotten(): number {
    return this.forgotten;
  }

  /** Calls `forget` whenever keys were destroyed: it drops what was read with them. */
  onForget(forget: () => void): void {
    this.#onForget.push(forget);
  }

  /** Asks whether keys were destroyed, and forgets all that it knows if so. Throws StoreUnavailable. */
  async look(): Promise<void> {
    const at = this.parts.world.monotonic();
    const destroyed = await this.parts.store.destroyed();
    if (destroyed !== this.#destroyed) this.forget();
    this.#destroyed = destroyed;
    this.#lookedAt = at;
  }

  /** Looks every second until the signal aborts. */
  async watch(report: (fault: unknown) => void, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.look().catch(report);
      await this.parts.world.sleep(LOOK_EVERY_MS, signal).catch(() => undefined);
    }
  }

  /** Events with the keys of their personal members. Throws StoreUnavailable if a key cannot be read. */
  async keyed(events: readonly StoredEvent[]): Promise<readonly StoredEvent[]> {
    const wanted = new Set<string>();
    for (const stored of events) {
      const id = personalKeyIn(stored);
      if (id !== undefined) wanted.add(id);
    }
    if (wanted.size === 0) return events;
    const keys = await this.keysOf([...wanted]);
    return events.map((stored) => keyedBy(stored, (id) => keys.get(id)));
  }

  /** An event with the key of its personal members; at once if nothing has to be read. */
  keyedOne(stored: StoredEvent): StoredEvent | Promise<StoredEvent> {
    const id = personalKeyIn(stored);
    if (id === undefined) return stored;
    const key = this.isFresh ? this.#known.get(id) : undefined;
    return key === undefined
      ? this.keysOf([id]).then((keys) => ({ ...stored, key: keys.get(id) ?? 'lost' }))
      : { ...stored, key };
  }

  protected forget(): void {
    this.forgotten += 1;
    this.#known.clear();
    sealedEvents.forget();
    for (const forget of this.#onForget) forget();
  }

  protected get isFresh(): boolean {
    return this.parts.world.monotonic() - this.#lookedAt < STALE_MS;
  }

  protected remember(id: string, key: Uint8Array): void {
    this.#known.set(id, key);
  }

  protected async keysOf(ids: readonly string[]): Promise<ReadonlyMap<string, Known>> {
    if (!this.isFresh) await this.look();
    const keys = new Map<string, Known>();
    const missing: string[] = [];
    for (const id of ids) {
      const known = this.#known.get(id);
      if (known === undefined) missing.push(id);
      else keys.set(id, known);
    }
    const { forgotten } = this;
    const found = missing.length === 0 ? [] : await this.parts.store.get(missing);
    for (const stored of found) {
      const key = this.opened(stored);
      if (key === undefined) await this.checkSecrets();
      if (key instanceof Uint8Array && forgotten === this.forgotten) this.#known.set(stored.id, key);
      if (key !== undefined) keys.set(stored.id, key);
    }
    return keys;
  }

  /**
   * Called for a key that does not open. Throws StoreUnavailable if it is this process that has no secret for it,
   * because keys were wrapped again under a newer one; otherwise the key is damaged.
   */
  async checkSecrets(): Promise<void> {}

  /** Undefined for a key that no master secret of this process has wrapped. */
  protected opened(stored: WrappedKey): Known | undefined {
    return openedKey({ keys: this.parts.secrets.keys('personal-key-wrap'), takesUnbound: this.#takesUnbound }, stored);
  }
}

/** A stored key, unwrapped; undefined if none of the wrapping keys opens it. */
export function openedKey({ keys, takesUnbound }: Wrapping, { id, wrapped }: WrappedKey): Known | undefined {
  if (wrapped === undefined) return 'destroyed';
  return (unwrapped(keys, wrapped, id) ?? (takesUnbound ? unwrapped(keys, wrapped) : undefined))?.key;
}

/** True of two stored keys that these secrets open, and that are the same: one of them was wrapped again. */
export const sameKeyBy =
  (secrets: Pick<Secrets, 'keys'>) =>
  (one: WrappedKey, other: WrappedKey): boolean => {
    const wrapping = { keys: secrets.keys('personal-key-wrap'), takesUnbound: true };
    const [key, found] = [openedKey(wrapping, one), openedKey(wrapping, other)];
    return key instanceof Uint8Array && found instanceof Uint8Array && Buffer.from(key).equals(found);
  };

/** The event with its key, if it names one. */
export function keyedBy(stored: StoredEvent, keyOf: (id: string) => Known | undefined): StoredEvent {
  const id = personalKeyIn(stored);
  return id === undefined ? stored : { ...stored, key: keyOf(id) ?? 'lost' };
}

/** Ids of keys. */
interface RetiredKeys {
  readonly ids: readonly string[];
  readonly successor: string;
}

/** The keys of a service, which makes those of new people. */
export class PersonalKeys extends PersonalKeyReader {
  readonly #storeKey: Pick<StoreKey, 'name'>;
  /** By subject. */
  readonly #newest = new LRUCache<string, PersonalKey & { readonly at: number }>({ max: REMEMBERED });

  constructor(parts: PersonalKeysParts & { readonly storeKey: Pick<StoreKey, 'name'> }) {
    super(parts);
    this.#storeKey = parts.storeKey;
  }

  /** The id of the first key, which the log knows the store by. */
  get keyStoreId(): string {
    return keyStoreIdOf(this.#storeKey);
  }

  /** The key for a new event of a person, made when there is none; durable before this answers. */
  newestOf(subject: PersonalSubject): PersonalKey | Promise<PersonalKey> {
    const text = textOf(subject);
    const known = this.isFresh ? this.#newest.get(text) : undefined;
    return known !== undefined && this.parts.world.monotonic() - known.at < NEWEST_FOR_MS ? known : this.#lookUp(text);
  }

  /**
   * Every key that a person has had is no longer used for new events once `seenByAll` resolves: there is a newer one,
   * the `successor`. Answers their ids, destroyed ones left out; undefined for a person without any.
   */
  async retire(subject: PersonalSubject): Promise<RetiredKeys | undefined> {
    const name = this.#nameOf(textOf(subject));
    const { generation, ids } = await this.#generations(name);
    if (ids.length === 0) return undefined;
    const { id } = await this.#make(`${name}.${generation + 1}`);
    this.#newest.delete(textOf(subject));
    return { ids, successor: id };
  }

  /** The ids of the keys that a person has, destroyed ones left out. */
  async idsOf(subject: PersonalSubject): Promise<readonly string[]> {
    return (await this.#generations(this.#nameOf(textOf(subject)))).ids;
  }

  /** Resolves when every process that can reach the key store has seen what this one did to it. */
  async seenByAll(signal?: AbortSignal): Promise<void> {
    await this.parts.world.sleep(SEEN_BY_ALL_MS, signal ?? new AbortController().signal);
  }

  /** Destroys keys for good. What was encrypted under them reads as erased, in other processes after STALE_MS. */
  async destroy(ids: readonly string[], at: number): Promise<void> {
    if (ids.length > 0) await this.parts.store.destroy(ids, at);
    await this.look();
  }

  /** True if the first key is the only one, and is bound to its id: a store of this version that was just made. */
  async areNew(): Promise<boolean> {
    const [first, ...others] = await this.parts.store.list('', 2);
    const wrapping = { keys: this.parts.secrets.keys('personal-key-wrap'), takesUnbound: false };
    return first !== undefined && others.length === 0 && openedKey(wrapping, first) instanceof Uint8Array;
  }

  /** The keys as they are kept. */
  get kept(): Pick<KeyStore, 'list'> {
    return this.parts.store;
  }

  /**
   * The name by which the log knows the key store: a keyed hash of its first key. Throws WrongKeyStore if no master
   * secret opens that key, or if there is none although the log has named the key store.
   */
  async keyStoreName(isNamed: boolean): Promise<string> {
    const id = this.keyStoreId;
    const [there] = await this.parts.store.get([id]);
    if (there === undefined && isNamed) throw new WrongKeyStore();
    const key = this.opened(there ?? (await this.#make(id)));
    if (!(key instanceof Uint8Array)) throw new WrongKeyStore();
    return this.#nameOf(`key store ${Buffer.from(key).toString('hex')}`);
  }

  override async checkSecrets(): Promise<void> {
    const [first] = await this.parts.store.get([this.keyStoreId]);
    if (first !== undefined && this.opened(first) === undefined)
      throw new StoreUnavailable(
        'The keys of personal data are wrapped by a master secret that this process does not have. Restart it with the newest secret.',
      );
  }

  protected override forget(): void {
    super.forget();
    this.#newest.clear();
  }

  #nameOf(text: string): string {
    return this.#storeKey.name('personal-subject', text);
  }

  async #lookUp(text: string): Promise<PersonalKey> {
    if (!this.isFresh) await this.look();
    const at = this.parts.world.monotonic();
    const { forgotten } = this;
    const name = this.#nameOf(text);
    const { generation, newest } = await this.#generations(name);
    const made = newest ?? (await this.#make(`${name}.${generation + 1}`));
    const key = this.opened(made);
    // the next call finds the tombstone, and takes the next generation
    if (key === 'destroyed')
      throw new StoreUnavailable('The customer is being erased; try again.', { isPassing: true });
    if (key === undefined) {
      await this.checkSecrets();
      throw new WrongKeyStore();
    }
    const found = { id: made.id, key, at };
    if (forgotten === this.forgotten) {
      this.remember(made.id, key);
      this.#newest.set(text, found);
    }
    return found;
  }

  /** `newest`: the key of the highest generation, unless that was destroyed; `ids`: of all that were not. */
  async #generations(
    name: string,
  ): Promise<{ readonly generation: number; readonly newest?: WrappedKey; readonly ids: readonly string[] }> {
    const there: WrappedKey[] = [];
    for (let some = LOOKED_UP; ; some *= 2) {
      const wanted = Array.from({ length: some }, (_, index) => `${name}.${there.length + index + 1}`);
      const found = await this.parts.store.get(wanted);
      there.push(...wanted.flatMap((id) => found.find((one) => one.id === id) ?? []));
      if (found.length < some) break;
    }
    const newest = there.at(-1);
    return {
      generation: there.length,
      ...(newest?.wrapped !== undefined && { newest }),
      ids: there.flatMap(({ id, wrapped }) => (wrapped === undefined ? [] : [id])),
    };
  }

  /** The key of the id, which another process may have made first. */
  #make(id: string): Promise<WrappedKey> {
    const { secrets, world, store } = this.parts;
    return store.putIfAbsent(id, secrets.wrap(Buffer.from(world.randomBytes(32)), world, 'personal-key-wrap', id));
  }
}

/** The id of the first key of a key store. */
export const keyStoreIdOf = (storeKey: Pick<StoreKey, 'name'>): string =>
  storeKey.name('personal-subject', 'key store');

const textOf = ({ accountId, customerId, otherwise }: PersonalSubject): string =>
  customerId === undefined ? otherwise : `customer ${accountId} ${customerId}`;

/** The key store does not belong to this log. */
export class WrongKeyStore extends AppError {
  constructor() {
    super(
      'WrongKeyStore',
      'The key store is not that of this event log: without it no personal data of the log can be read. Put back the keys that belong to the log (keys.db next to it, or the collection keys), or set the secret with which they were wrapped.',
    );
  }
}

/** An event store whose events come with the keys of their personal members; their stored texts stay as they are. */
export function withKeys(events: EventStore, keys: PersonalKeyReader): EventStore {
  const { appendAll, newest } = events;
  const spread = spreadWithKeys(events, keys);
  return {
    append: (stream, after, added) => events.append(stream, after, added),
    ...(appendAll !== undefined && { appendAll: (appends) => appendAll.call(events, appends) }),
    async *read(stream, after, most) {
      for await (const stored of events.read(stream, after, most)) {
        const keyed = keys.keyedOne(stored);
        yield keyed instanceof Promise ? await keyed : keyed;
      }
    },
    async *follow(after, categories, signal) {
      for await (const batch of events.follow(after, categories, signal))
        yield { ...batch, events: await keys.keyed(batch.events) };
    },
    ...(newest !== undefined && {
      newest: async (before, limit) => keys.keyed(await newest.call(events, before, limit)),
    }),
    ...(spread !== undefined && { spread }),
    head: () => events.head(),
    close: () => events.close(),
  };
}

/** The threads read the keys themselves, from the file of the key store. */
function spreadWithKeys(events: EventStore, keys: PersonalKeyReader): EventStore['spread'] | undefined {
  const { spread } = events;
  const inThreads = keys.inThreads;
  if (spread === undefined || inThreads === undefined) return undefined;
  return (work: SpreadWork, signal) => {
    const data: KeyedWork = { ...inThreads, moduleUrl: work.module.href, data: work.data };
    // a thread takes a key that it cannot open for a lost one
    return spread.call(events, { ...work, module: keyedModule, data }, signal)?.then(() => keys.checkSecrets());
  };
}
