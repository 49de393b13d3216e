// What the loopback server can be told, and what it answers.

/** Of collections and what is in them, and ping among `commands`; the driver's own talk (hello, endSessions) never fails by order. */
export type Of = 'writes' | 'reads' | 'commands';

export type Order =
  /** All connections are closed and new ones refused, or it is back. */
  | { readonly away: boolean }
  /** Every answer, also that to hello, comes that much later, in milliseconds; 0 is none. */
  | { readonly slowMs: number }
  /**
   * Every read of the collection takes so long, in milliseconds; 0 is none. One whose `maxTimeMS` is over by then is answered with
   * code 50.
   */
  | { readonly slowReads: { readonly collection: string; readonly ms: number } }
  /**
   * Every connection that has carried more than hello goes silent for good, as when a firewall forgets it: what comes over it
   * is taken, nothing is answered, and it stays open. A client's monitors go on, and new connections are served.
   */
  | { readonly silence: true }
  /**
   * The majority confirms every write so much later, in milliseconds; 0 is at once. A write that says `wtimeout` and less than that
   * is answered then, with code 64: it took effect.
   */
  | { readonly lagMs: number }
  /** It is a secondary from now on, or primary again: hello says so, and commands are refused with 10107 or 13435. */
  | { readonly primary: boolean }
  /** Hello no longer says that it is a member of a replica set: for a URL with `directConnection=true`; clients that look for the set leave. */
  | { readonly standalone: boolean }
  /**
   * The next so many commands (default 1; faults of several orders stand in line, 0 ends all) fail:
   * `reset` the connection is reset, `silent` no answer ever comes, each before or after the command took effect;
   * `not_primary` code 10107 (13435 for reads), no effect; `unauthorized` code 13, no effect;
   * `write_concern` it took effect, code 64 says that it may not last.
   */
  | {
      readonly fail: 'reset_before' | 'reset_after' | 'silent_before' | 'silent_after' | 'not_primary' | 'unauthorized' | 'write_concern';
      readonly of: Of;
      readonly times?: number;
      /** Only this command, by the server's name. */
      readonly command?: string;
      /** Only commands on this collection. */
      readonly collection?: string;
    }
  /**
   * The next upsert that found nothing and would insert this `_id` is overtaken: the document is inserted just before, and the
   * upsert gets E11000, as when two first writes race.
   */
  | { readonly overtake: { readonly collection: string; readonly doc: { readonly _id: string } & Readonly<Record<string, unknown>> } }
  /** Ends all faults, overtaking, slowness, lag and absence; it is primary of its replica set. */
  | { readonly behave: true }
  /** Answers `Count[]`. */
  | { readonly counts: true }
  /** Answers what `counts` would, and begins at 0. */
  | { readonly resetCounts: true }
  /** Answers how many cursors are open: those that were neither read to their end nor killed. */
  | { readonly cursors: true };

/** Commands that were alike, by the server's own names; those that were refused by a fault count as well. */
export interface Count {
  readonly command: string;
  readonly collection: string;
  readonly readConcern: string | undefined;
  /** `w`, a number or `majority`. */
  readonly writeConcern: string | undefined;
  /** The fields of the index that it is to go along, separated by commas. */
  readonly hint: string | undefined;
  readonly times: number;
  /** Documents inserted, updates or deletes asked for. */
  readonly statements: number;
}

const NAMES = [
  'away',
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

const isOrder = (order: unknown): order is Order => typeof order === 'object' && order !== null && NAMES.some((name) => name in order);

export function readOrder(order: unknown): Order {
  if (!isOrder(order)) throw new Error(`no such order: ${JSON.stringify(order)}`);
  return order;
}

export const isCounts = (answer: unknown): answer is readonly Count[] => Array.isArray(answer);
