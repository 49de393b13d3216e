// What the loopback EventStoreDB can be told to do, and what it tells when it is asked.

/** Which appends a misbehaviour is for. */
interface NextAppends {
  /** How many of the next ones. */
  readonly appends: number;
  /** Only those to streams whose name begins so. */
  readonly prefix?: string;
}

export type AppendFault = NextAppends &
  (
    | {
        /** Cuts the connection before or after the events are written. */ readonly order: 'cut appends';
        readonly when: 'before' | 'after';
      }
    | {
        /** Never answers; the events are not written (before) or are (after). */ readonly order: 'ignore appends';
        readonly when: 'before' | 'after';
      }
    | { /** Writes at once, answers `ms` later. */ readonly order: 'delay appends'; readonly ms: number }
    | {
        /** The client's process crashes at the second answer, if nobody catches that. */ readonly order: 'answer appends twice';
        readonly gapMs: number;
      }
  );

/**
 * How subscriptions are dropped: as too slow (code 10, TimeoutError "Consumer too slow …"), without a status as at a shutdown
 * (code 13, UnknownError "Received RST_STREAM with code 0"), or as unavailable (code 14).
 */
export type DropAs = 'too_slow' | 'reset' | 'unavailable';

export type EventStoreDbOrder =
  | AppendFault
  /** All that are live now, and every `everyMs` from now on if it is given; 0: no more. A real server under load does it every 300 to 700 ms. */
  | { readonly order: 'drop subscriptions'; readonly as?: DropAs; readonly everyMs?: number }
  /** Sends live subscriptions nothing while held, so that their buffers overflow by themselves. */
  | { readonly order: 'hold subscriptions'; readonly held: boolean }
  /** How many events a live subscription may lag behind before it is dropped; 32 at start. */
  | { readonly order: 'limit live buffer'; readonly events: number }
  /** Every answer (of appends, reads, new subscriptions) comes `ms` later; 0: at once. */
  | { readonly order: 'slow answers'; readonly ms: number }
  /** Reading and following $all is denied. */
  | { readonly order: 'refuse $all'; readonly refused?: boolean }
  /** The server's clock is this much ahead of its machine's: with 15,000 every append's deadline has passed. */
  | { readonly order: 'shift clock'; readonly ms: number }
  /** Answers "Server Is Not Ready" for `ms` from now, as a server that starts. */
  | { readonly order: 'be not ready'; readonly ms: number }
  /** The same after each start to come; kept in its directory. 0: ready at once. */
  | { readonly order: 'start slowly'; readonly ms: number }
  /** How long after SIGTERM it ends; 5 s at start. Everything is served meanwhile. */
  | { readonly order: 'end within'; readonly ms: number }
  /**
   * A leader without a quorum (`lost`): appends are taken, decided, and not committed, so that no reader sees them and nobody is answered
   * but whoever comes to a place that is taken. `back`: they are committed. `elsewhere`: another leader never had them.
   */
  | { readonly order: 'quorum'; readonly is: 'lost' | 'back' | 'elsewhere' }
  | { readonly order: 'cut connections' }
  /** As after a start: no misbehaviour is left. Counters go on. */
  | { readonly order: 'behave' }
  /** Answers `EventStoreDbCounters`; `prefix`: with the streams whose names begin so. */
  | { readonly order: 'count'; readonly prefix?: string };

/** Since the server's start; "now" where it says so. */
export interface EventStoreDbCounters {
  readonly appends: {
    /** Appends that came in, whatever came of them. */
    readonly received: number;
    /** Appends whose events were written. */
    readonly written: number;
    /** Answered as written before. */
    readonly repeated: number;
    readonly wrongExpected: number;
    /** Appends received by event type; one with several types counts for each. */
    readonly byType: Readonly<Record<string, number>>;
    /** Appends received by stream, of the streams that were asked for. */
    readonly byStream: Readonly<Record<string, number>>;
  };
  readonly reads: { readonly stream: number; readonly all: number };
  readonly subscriptions: { readonly stream: number; readonly all: number; readonly dropped: number };
  /** What is open now. */
  readonly open: {
    readonly connections: number;
    readonly reads: number;
    readonly subscriptions: number;
    readonly live: number;
    readonly batchAppends: number;
  };
  readonly log: { readonly events: number; readonly end: number };
}
