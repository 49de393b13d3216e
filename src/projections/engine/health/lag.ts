// How far projections lag: how many events wait, counted one by one because positions of a log need not be numbers of
// events; and how long the oldest of them has waited, by one short look at the log for all projections. Neither stops
// at an unreadable event.
import { EventMetadata } from '../../../journal/envelope.ts';
import { readLog } from '../../../journal/read-log.ts';
import type { EventStore, StoredEvent } from '../../../stores/event-store.ts';
import { isOneOf } from '../../../stores/stream-name.ts';
import type { World } from '../../../world.ts';
import type { ProjectionPosition } from '../follow/positions.ts';

/** ms; undefined if its metadata is not readable. The projection parks the stream for that. */
export function recordedAtOf({ metadata }: StoredEvent): number | undefined {
  try {
    return EventMetadata.parse(JSON.parse(metadata)).recordedAt;
  } catch {
    return undefined;
  }
}

/** A larger number would not help an operator. */
export const MOST_COUNTED = 10_000;

interface Lag {
  readonly count: number;
  /** When the first of them was recorded, ms; undefined if there is none that can be read. */
  readonly oldest: number | undefined;
}

/** The events of the categories after a position; counts to `most`, and reads the log about as far. */
export async function countLag(
  events: EventStore,
  categories: readonly string[],
  position: bigint,
  most: number,
  signal: AbortSignal,
): Promise<Lag> {
  let count = 0;
  let oldest: number | undefined;
  for await (const batch of readLog(events, { after: position, to: 'end', categories }, signal)) {
    for (const stored of batch.events) {
      if (oldest !== undefined) break;
      oldest = recordedAtOf(stored);
    }
    count += batch.events.length;
    if (count >= most) break;
  }
  return { count: Math.min(count, most), oldest };
}

/** Events that are looked at; a projection that lags further has long seen its first one. */
const LOOKED_AT = 1_000;

/** Seconds by projection, 0 for an up-to-date one. Rejects with the signal's reason, and with StoreUnavailable. */
export async function lagsOf(
  { events, world }: { readonly events: Pick<EventStore, 'follow'>; readonly world: Pick<World, 'now'> },
  reached: readonly ProjectionPosition[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  if (reached.length === 0) return new Map();
  const after = reached.reduce(
    (least, { position }) => (position < least ? position : least),
    reached[0]?.position ?? -1n,
  );
  const categories = [...new Set(reached.flatMap(({ categories: its }) => its))];
  const oldest = new Map<string, number>();
  let seen = 0;
  for await (const batch of readLog(events, { after, to: 'end', categories }, signal)) {
    for (const stored of batch.events) {
      for (const { name, categories: its, position } of reached) {
        if (oldest.has(name) || stored.position <= position || !isOneOf(its, stored.stream)) continue;
        const recordedAt = recordedAtOf(stored);
        if (recordedAt !== undefined) oldest.set(name, recordedAt);
      }
    }
    seen += batch.events.length;
    if (seen >= LOOKED_AT || oldest.size === reached.length) break;
  }
  const now = world.now();
  return new Map(reached.map(({ name }) => [name, Math.max(0, now - (oldest.get(name) ?? now)) / 1_000]));
}
