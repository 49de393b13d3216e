// The newest events of the log, read backwards: the server's own are left out.
import type { StoredEvent } from '../event-store.ts';
import type { Reads } from './reads.ts';
import { isServersOwn, positionOf, storedEvent } from './recorded-event.ts';
import { type LogPosition, readAllBackwardsRequest } from './requests.ts';

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
