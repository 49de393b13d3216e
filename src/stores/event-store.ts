// The event store port: append, read, follow, head. `after` is exclusive everywhere; -1 is before the first.
export interface NewEvent {
  /** A random UUID v4, made once per append and kept over its retries; never derived from the caller's key. */
  readonly id: string;
  readonly type: string;
  /** JSON text as JSON.stringify writes it, kept as it is: the hash chain is over these characters. */
  readonly data: string;
  readonly metadata: string;
}

export interface StoredEvent extends NewEvent {
  /** `<category>-<id>`; a category holds no hyphen. */
  readonly stream: string;
  /** 0-based place in its stream. */
  readonly revision: number;
  /** Place in the whole log; grows in commit order, and no reader ever sees a gap filled later. */
  readonly position: bigint;
  /**
   * id, type, data and metadata with newlines between, over which the chain's hash is; from stores that read them as
   * one text.
   */
  readonly text?: string;
  /** True if the store has found that `data` is the text of a JSON object; left out where nothing has looked. */
  readonly isObject?: boolean;
  /**
   * The key of its personal members, from a reader that has the keys. `destroyed`: they were erased. `lost`: the key
   * store has neither the key nor a tombstone, or its key does not open.
   */
  readonly key?: Uint8Array | 'destroyed' | 'lost';
  /** The knowledge of an earlier reader; only on events that several readers handle one after the other. */
  readonly known?: KnownOfEvent;
}

/** The knowledge that is equal for every reader, because the text of an event determines it. */
export interface KnownOfEvent {
  hash?: string;
  /** The parsed event and its recorded time. */
  read?: { readonly event: { readonly type: string; readonly data: unknown }; readonly at: number };
}

/** New events of one stream, for the place after a revision. */
export interface Append {
  readonly stream: string;
  readonly after: number;
  readonly events: readonly NewEvent[];
}

/** The instruction to a store to delete events of a stream. */
export interface StreamLimit {
  readonly stream: string;
  /** In the store's own words, such as "$maxCount 5". Undefined: nothing any longer. */
  readonly limit: string | undefined;
}

export interface Batch {
  readonly events: readonly StoredEvent[];
  /** Everything up to here, matching or not, is in this batch or an earlier one. */
  readonly position: bigint;
  /** True if nothing newer was in the log when this batch was read. */
  readonly caughtUp: boolean;
  /**
   * Streams of which the store was told to lose events, or no longer, in the order in which it was told. Some may come
   * again. Only a store that can be told so has them.
   */
  readonly limits?: readonly StreamLimit[];
}

/** No positions: a store may tell only the position of an append's last event, and only followers need positions. */
export type Appended = 'written' | 'conflict';

/** The work of a thread on streams that it reads itself; the export `openWork` of a module creates it. */
export interface StreamWork {
  /**
   * The next events: each stream whole and oldest first, one stream after the other; a long stream goes on in the next
   * call. `isLast`: the stream ends here, and so does a share of the log. Answers parcels when there is enough for
   * them.
   */
  take(events: readonly StoredEvent[], isLast: boolean): readonly Parcel[];
}
export type OpenStreamWork = (data: unknown) => Promise<StreamWork>;

/** A thread's result on its way to the caller: `bytes` change hands without a copy, `note` is cloned. */
export interface Parcel {
  readonly bytes: ArrayBuffer;
  readonly note: unknown;
}

export interface SpreadWork {
  /** Exports `openWork: OpenStreamWork`. */
  readonly module: URL;
  /** For `openWork`; can be cloned. */
  readonly data: unknown;
  /** Empty: all. */
  readonly categories: readonly string[];
  /** The last position that is read. */
  readonly to: bigint;
  /** True: events get `isObject` where the store finds it in less time than a parser here. */
  readonly checksData?: true;
  /**
   * Takes the parcels of all threads, one at a time and in the order of the streams; the threads wait for it. `share`:
   * how much of the log was read, about, 0 to 1.
   */
  readonly take: (parcel: Parcel, share: number) => Promise<void>;
}

export interface EventStore {
  /**
   * Appends all or nothing when the stream's last revision is exactly `after`; durable on return. The same ids at the
   * same place again are written already: nothing is added, even if their data differs. An empty list, a non-UUID id or
   * an empty type is a programming error (throws TypeError); so may be text that is not as JSON.stringify writes it,
   * because not every store can keep that unchanged. Throws StoreUnavailable; its `outcomeUnknown` says whether the
   * events may have been written. Throws BrokenStream, as `read` does.
   */
  append(stream: string, after: number, events: readonly NewEvent[]): Promise<Appended>;
  /**
   * Appends to several streams, none of them twice: all events of all of them in one durable write, in this order in
   * the log, or none. Left out by a store that cannot: its callers append to one stream after another.
   */
  appendAll?(appends: readonly Append[]): Promise<Appended>;
  /**
   * The events of a stream with revision > after, oldest first, at most `most` of them; none when there is no such
   * stream. Some may be missing in front of others, which the chain shows. Throws BrokenStream for a stream of which
   * the store knows that it lost all.
   */
  read(stream: string, after: number, most?: number): AsyncIterable<StoredEvent>;
  /**
   * The log after a position in commit order, then live; survives dropped connections; ends when the signal aborts.
   * `categories` empty: all. A caught-up batch is yielded at least once, even if nothing matches (it may hold no
   * events).
   */
  follow(after: bigint, categories: readonly string[], signal: AbortSignal): AsyncIterable<Batch>;
  /**
   * At most `limit` events of the log with position < before (of all when it is undefined), newest first; fewer only
   * where the log begins. For people who look at the log: all that must see every event follows it. Throws
   * StoreUnavailable.
   */
  newest?(before: bigint | undefined, limit: number): Promise<readonly StoredEvent[]>;
  /**
   * Reads a log up to a position in threads, each whole streams of these categories, and runs work there. Undefined
   * where the log is too short for that; absent from stores whose reading would not be faster so. Streams come in
   * the order of their first events. Rejects with the signal's reason, with the fault of `take`, and with
   * StoreUnavailable when a thread died or could not read.
   */
  spread?(work: SpreadWork, signal: AbortSignal): Promise<void> | undefined;
  /** The last position of the log; -1n when it is empty. */
  head(): Promise<bigint>;
  close(): Promise<void>;
}
