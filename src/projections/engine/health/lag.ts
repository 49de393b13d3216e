// How long the oldest event that a projection has not got yet has been waiting: one short look at the log after all of
// them.
import { readLog } from '../../../journal/read-log.ts';
import type { EventStore } from '../../../stores/event-store.ts';
import { isOneOf } from '../../../stores/stream-name.ts';
import type { World } from '../../../world.ts';
import type { ProjectionPosition } from '../follow/positions.ts';

import { recordedAtOf } from './recorded-at.ts';

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
