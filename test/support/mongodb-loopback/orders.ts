// The orders that the MongoDB stand-in understands, and the counts that it answers.

/**
 * Commands on collections and documents; `commands` includes ping. The driver's own commands (hello, endSessions) never
 * fail by order.
 */
export type Of = 'writes' | 'reads' | 'commands';

export type Order =
  /** Closes all connections and refuses new ones, or ends that. */
  | { readonly unavailable: boolean }
  /** Delays every answer, that to hello too, in milliseconds; 0 ends that. */
  | { readonly slowMs: number }
  /**
   * Every read of the collection takes this long, in milliseconds; 0 ends that. A read whose `maxTimeMS` passes before
   * is answered with code 50.
   */
  | { readonly slowReads: { readonly collection: string; readonly ms: number } }
  /**
   * Every connection that has carried more than hello goes silent for good, as when a firewall forgets it: it stays
   * open, takes commands and answers none. Monitors of clients go on, and new connections are served.
   */
  | { readonly silence: true }
  /**
   * The majority confirms every write this much later, in milliseconds; 0 is at once. A write with a shorter `wtimeout`
   * is answered at that time with code 64: it took effect.
   */
  | { readonly lagMs: number }
  /**
   * Makes the server a secondary, or primary again. Hello says so; a secondary refuses commands with 10107 or 13435.
   */
  | { readonly primary: boolean }
  /**
   * Hello no longer names a replica set, for a URL with `directConnection=true`. Clients that look for the set leave.
   */
  | { readonly standalone: boolean }
  /**
   * The next `times` commands fail (default 1; faults of several orders queue up; 0 ends all).
   * `reset`: the connection is reset; `silent`: no answer ever comes; each before or after the command takes effect.
   * `not_primary`: code 10107 (13435 for reads), no effect. `unauthorized`: code 13, no effect.
   * `write_concern`: the command takes effect, and code 64 says that it may not last.
   */
  | {
      readonly fail:
        | 'reset_before'
        | 'reset_after'
        | 'silent_before'
        | 'silent_after'
        | 'not_primary'
        | 'unauthorized'
        | 'write_concern';
      readonly of: Of;
      readonly times?: number;
      /** Only this command, by the server's name. */
      readonly command?: string;
      /** Only commands on this collection. */
      readonly collection?: string;
    }
  /**
   * The next upsert that found nothing and would insert this `_id` is overtaken: the document is inserted just before,
   * and the upsert gets E11000, as when two first writes race.
   */
  | {
      readonly overtake: {
        readonly collection: string;
        readonly doc: { readonly _id: string } & Readonly<Record<string, unknown>>;
      };
    }
  /** Ends all misbehaviour. The server is available, and primary of its replica set. */
  | { readonly behave: true }
  /** Answers `Count[]`. */
  | { readonly counts: true }
  /** Answers like `counts`, and begins at 0 again. */
  | { readonly resetCounts: true }
  /** Answers the number of open cursors, which were neither read to their end nor killed. */
  | { readonly cursors: true };

/** The count of equal commands, by the server's own names. Commands that a fault refused count too. */
export interface Count {
  readonly command: string;
  readonly collection: string;
  readonly readConcern: string | undefined;
  /** `w`, a number or `majority`. */
  readonly writeConcern: string | undefined;
  /** The fields of the hinted index, separated by commas. */
  readonly hint: string | undefined;
  readonly times: number;
  /** The number of inserted documents, or of requested updates or deletes. */
  readonly statements: number;
}

const NAMES = [
  'unavailable',
  'slowMs',
  'slowReads',
  'silence',
  'lagMs',
  'primary',
  'standalone',
  'fail',
  'overtake',
  'behave',
  'counts',
  'resetCounts',
  'cursors',
];

const isOrder = (order: unknown): order is Order =>
  typeof order === 'object' && order !== null && NAMES.some((name) => name in order);

export function readOrder(order: unknown): Order {
  if (!isOrder(order)) throw new Error(`no such order: ${JSON.stringify(order)}`);
  return order;
}

export const isCounts = (answer: unknown): answer is readonly Count[] => Array.isArray(answer);
