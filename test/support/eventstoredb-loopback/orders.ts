// The orders that the EventStoreDB stand-in understands, and the counts that it answers.

/** The appends that a misbehaviour meets. */
interface NextAppends {
  /** The number of next appends. */
  readonly appends: number;
  /** Only appends to streams whose name begins so. */
  readonly prefix?: string;
}

export type AppendFault = NextAppends &
  (
    | {
        /** Cuts the connection before or after the events are written. */ readonly order: 'cut appends';
        readonly when: 'before' | 'after';
      }
    | {
        /** Never answers. The events are written (after) or not (before). */ readonly order: 'ignore appends';
        readonly when: 'before' | 'after';
      }
    | { /** Writes at once, answers `ms` later. */ readonly order: 'delay appends'; readonly ms: number }
    | {
        /** The second answer crashes the client's process unless it is caught. */
        readonly order: 'answer appends twice';
        readonly gapMs: number;
      }
  );

/**
 * How subscriptions are dropped: as too slow (code 10, TimeoutError "Consumer too slow …"), without a status as at a
 * shutdown (code 13, UnknownError "Received RST_STREAM with code 0"), or as unavailable (code 14).
 */
export type DropAs = 'too_slow' | 'reset' | 'unavailable';

export type EventStoreDbOrder =
  | AppendFault
  /**
   * Drops all live subscriptions now, and again every `everyMs`; 0 ends that. A real server under load does it every
   * 300 to 700 ms.
   */
  | { readonly order: 'drop subscriptions'; readonly as?: DropAs; readonly everyMs?: number }
  /** Sends no events to live subscriptions while held, so that their buffers overflow. */
  | { readonly order: 'hold subscriptions'; readonly held: boolean }
  /** The lag in events at which a live subscription is dropped; 32 at start. */
  | { readonly order: 'limit live buffer'; readonly events: number }
  /** Delays every answer (to appends, reads, new subscriptions) by `ms`; 0 ends that. */
  | { readonly order: 'slow answers'; readonly ms: number }
  /** Denies reads of $all and subscriptions to it. */
  | { readonly order: 'refuse $all'; readonly refused?: boolean }
  /** Sets the server's clock ahead of the machine's: with 15,000 every append's deadline has passed. */
  | { readonly order: 'shift clock'; readonly ms: number }
  /** Answers "Server Is Not Ready" for `ms` from now, like a server that starts. */
  | { readonly order: 'be not ready'; readonly ms: number }
  /** A slow start after each later start; kept in the directory. 0 means ready at once. */
  | { readonly order: 'start slowly'; readonly ms: number }
  /** The time from SIGTERM to the end; 5 s at start. Requests are served meanwhile. */
  | { readonly order: 'end within'; readonly ms: number }
  /**
   * `lost`: a leader without a quorum accepts and decides appends and does not commit them. No reader sees them, and
   * only conflicting appends are answered. `back`: they are committed. `elsewhere`: another leader took over and never
   * had them.
   */
  | { readonly order: 'quorum'; readonly is: 'lost' | 'back' | 'elsewhere' }
  | { readonly order: 'cut connections' }
  /** Ends all misbehaviour, as after a start. Counters go on. */
  | { readonly order: 'behave' }
  /** Answers `EventStoreDbCounters`, with those of each stream whose name begins with `prefix`. */
  | { readonly order: 'count'; readonly prefix?: string };

/** Counts since the server's start; `open` and `log` are those of now. */
export interface EventStoreDbCounters {
  readonly appends: {
    /** All appends, whatever their result. */
    readonly received: number;
    /** Appends whose events were written. */
    readonly written: number;
    /** Appends that were answered as written before. */
    readonly repeated: number;
    readonly wrongExpected: number;
    /** Received appends by event type. An append of several types counts for each. */
    readonly byType: Readonly<Record<string, number>>;
    /** Received appends by stream, for the streams of the order's prefix. */
    readonly byStream: Readonly<Record<string, number>>;
  };
  readonly reads: { readonly stream: number; readonly all: number };
  readonly subscriptions: { readonly stream: number; readonly all: number; readonly dropped: number };
  /** Open connections and calls. */
  readonly open: {
    readonly connections: number;
    readonly reads: number;
    readonly subscriptions: number;
    readonly live: number;
    readonly batchAppends: number;
  };
  readonly log: { readonly events: number; readonly end: number };
}
