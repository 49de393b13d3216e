// Reads the processors' own lists of events each hour: what a lost notification told becomes known by it.
import type { AccountConnections, ConnectionRow } from '../commands/connections/connections.ts';
import { movedAheadMs } from '../world.ts';
import { type DueParts, inRounds, type PolicyNode } from './policy.ts';

/** The actor in the events that it causes. */
const NAME = 'sweep-events';
const HOUR_MS = 3_600_000;
/** How often it looks whether a list is to be read, ms. */
const LOOK_MS = 60_000;

export interface SweepingNeeds extends PolicyNode {
  readonly connections: Pick<AccountConnections, 'listAll'>;
  readonly sweepEvents: (row: ConnectionRow, policy: string) => Promise<unknown>;
}

/**
 * On the node that does due work, until the signal aborts. Disabled connections as well: their payments are captured
 * and refunded.
 */
export function sweepEvents(needs: SweepingNeeds, parts: DueParts, signal: AbortSignal): Promise<void> {
  /** When this node has read the list of a connection, ms; a list without events puts no place on record. */
  const sweptAt = new Map<string, number>();
  const round = async (): Promise<void> => {
    const now = needs.world.now() - movedAheadMs(needs.world);
    for (const row of await needs.connections.listAll()) {
      if (signal.aborted) return;
      const last = Math.max(row.doc.eventsSweptUntil ?? 0, sweptAt.get(row.id) ?? 0);
      if (now - last < HOUR_MS) continue;
      sweptAt.set(row.id, now);
      await needs.sweepEvents(row, NAME);
    }
  };
  return inRounds({ of: { name: 'connections' }, everyMs: LOOK_MS }, round, parts, needs, signal);
}
