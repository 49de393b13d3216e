// The key-store port: the wrapped keys of personal data. It is kept next to the log, and is never rebuilt from it.

/** A key as it is kept. */
export interface WrappedKey {
  readonly id: string;
  /** Encrypted under the master secret, base64url; undefined once it was destroyed. */
  readonly wrapped: string | undefined;
  /** ms; only of a destroyed key. */
  readonly destroyedAt?: number;
}

/** For a thread, which loads the module and opens the keys there; cloned on its way. */
interface KeysInThreads {
  /** Exports `openKeys: OpenKeys`. */
  readonly moduleUrl: string;
  readonly data: unknown;
}
/** A key by its id, at once; undefined if there is none. */
export type OpenKeys = (data: unknown) => Promise<(id: string) => WrappedKey | undefined>;

/** Another wrapping of the same key. */
export interface Rewrapping {
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

/** The end of a log as a process has seen it. */
export interface SeenEnd {
  /** As the projection engine names it. */
  readonly log: string;
  readonly position: bigint;
}

/** Every method throws StoreUnavailable. */
export interface KeyStore {
  /** The keys that exist, destroyed ones included, in no order: nothing older than a write that was acknowledged. */
  get(ids: readonly string[]): Promise<readonly WrappedKey[]>;
  /** Adds a key to an id that never had any; durable on return. Answers the key of the id, or its tombstone. */
  putIfAbsent(id: string, wrapped: string): Promise<WrappedKey>;
  /**
   * Puts a tombstone in the place of each key. An id without a key gets a tombstone, too, so that the register of the
   * next backup names it. Durable on return, and no file holds the key. The time of an older tombstone stays.
   */
  destroy(ids: readonly string[], at: number): Promise<void>;
  /** Replaces the texts that are still those of `from`; a tombstone stays. Durable on return. */
  rewrap(changes: readonly Rewrapping[]): Promise<void>;
  /** How many keys were destroyed: a process whose number is another one forgets the keys that it knows. */
  destroyed(): Promise<number>;
  /** The end of the log that was noted last; undefined before the first. It goes into no copy of the keys. */
  seenEnd(): Promise<SeenEnd | undefined>;
  /** Notes the end in the place of the previous one. */
  noteEnd(end: SeenEnd): Promise<void>;
  /** By id ascending, those after `after` ('' for the first); 1..1000. */
  list(after: string, limit: number): Promise<readonly WrappedKey[]>;
  /** How another thread of this process reads the same keys; absent if only this object can. */
  readonly inThreads?: KeysInThreads;
  close(): Promise<void>;
}
