// The log read backwards, without the server's own events: where it ends, and the newest events.
import type { StoredEvent } from '../event-store.ts';
import type { Reads } from './reads.ts';
import { isServersOwn, positionOf, storedEvent } from './recorded-event.ts';
import { type LogPosition, readAllBackwardsRequest } from './requests.ts';

/** How many events are looked at first, and at most at a time. */
const FIRST_LOOK_EVENTS = 8;
const MAX_LOOK_EVENTS = 1_024;

/** Up to here, this is the last event that is not the server's own. */
interface Known {
  readonly upTo: bigint;
  readonly head: bigint;
}
const NOTHING_KNOWN: Known = { upTo: -1n, head: -1n };

interface Look {
  readonly newest: bigint;
  /** Undefined: there were none. */
  readonly oldest: LogPosition | undefined;
  /** The newest that is not the server's own. */
  readonly found: bigint | undefined;
}
const NOTHING_SEEN: Look = { newest: -1n, oldest: undefined, found: undefined };

export class LogEnd {
  readonly #reads: Reads;
  #known = NOTHING_KNOWN;

  constructor(reads: Reads) {
    this.#reads = reads;
  }

  /** The position of that event; -1n when there is none. Throws StoreUnavailable, AppError AccessDenied. */
  async head(): Promise<bigint> {
    let from: LogPosition | 'end' = 'end';
    let newest = -1n;
    for (let count = FIRST_LOOK_EVENTS; ; count = Math.min(count * 8, MAX_LOOK_EVENTS)) {
      const look = await this.#lookBack(from, count);
      if (from === 'end') {
        newest = look.newest;
        if (newest < this.#known.upTo) this.#known = NOTHING_KNOWN; // the log was put back to an older one
      }
      const { oldest } = look;
      const found =
        look.found ?? (oldest === undefined || oldest.commit <= this.#known.upTo ? this.#known.head : undefined);
      if (found !== undefined) {
        if (newest > this.#known.upTo) this.#known = { upTo: newest, head: found };
        return found;
      }
      from = oldest ?? 'end';
    }
  }

  /** Looks at up to `count` events backwards. */
  async #lookBack(from: LogPosition | 'end', count: number): Promise<Look> {
    let look = NOTHING_SEEN;
    const start = (): void => {
      look = NOTHING_SEEN;
    };
    await this.#reads.collect(readAllBackwardsRequest(from, count), 'read $all', start, (recorded) => {
      const { commit, prepare } = recorded;
      if (from !== 'end' && commit >= from.commit) return false;
      const found = isServersOwn(recorded) ? undefined : positionOf(recorded);
      look = { newest: look.oldest === undefined ? commit : look.newest, oldest: { commit, prepare }, found };
      return found !== undefined;
    });
    return look;
  }
}

/** How many are asked for at a time: some of them may be the server's own. */
const PAGE_EVENTS = 500;

interface Page {
  readonly events: readonly StoredEvent[];
  /** The oldest that was looked at; undefined if the log begins. */
  readonly oldest: LogPosition | undefined;
}

/** As EventStore.newest. Throws StoreUnavailable, AppError AccessDenied. */
export async function readNewest(
  reads: Reads,
  before: bigint | undefined,
  limit: number,
): Promise<readonly StoredEvent[]> {
  const found: StoredEvent[] = [];
  let from: LogPosition | 'end' = before === undefined ? 'end' : { commit: before, prepare: before };
  while (found.length < limit) {
    const { events, oldest } = await pageBefore(reads, from);
    found.push(...events);
    if (oldest === undefined) break;
    from = oldest;
  }
  return found.slice(0, limit);
}

async function pageBefore(reads: Reads, from: LogPosition | 'end'): Promise<Page> {
  let events: StoredEvent[] = [];
  let oldest: LogPosition | undefined;
  const start = (): void => {
    events = [];
    oldest = undefined;
  };
  await reads.collect(readAllBackwardsRequest(from, PAGE_EVENTS), 'read $all', start, (recorded) => {
    const { commit, prepare, stream } = recorded;
    if (from !== 'end' && commit >= from.commit) return false; // the position itself
    oldest = { commit, prepare };
    if (!isServersOwn(recorded)) events.push(storedEvent(recorded, stream, positionOf(recorded)));
    return false;
  });
  return { events, oldest };
}
