// Streams whose metadata tells the event store to delete events: broken where some are lost, and named as degraded
// before that.
import { Notice } from '../../../app-error.ts';
import { breakIn } from '../../../journal/chain.ts';
import type { EventStore, StreamLimit } from '../../../stores/event-store.ts';
import type { ReadModels } from '../../../stores/read-models.ts';
import type { World } from '../../../world.ts';
import { LIMITS, LOG, park, parkLimited, unpark } from './parked-records.ts';
import type { ParkedStreams } from './parked-streams.ts';
import { faultAt } from './projection-fault.ts';

interface HeedLimitsParts {
  readonly events: Pick<EventStore, 'read'>;
  readonly store: ReadModels;
  readonly world: Pick<World, 'now'>;
  readonly report: (fault: unknown) => void;
  readonly parkedStreams: Pick<ParkedStreams, 'all' | 'look'>;
}

/**
 * Reads each of these streams, and puts on record what was lost of it, and that more will be. A limit that was lifted
 * is on record no longer; a break stays until a retry finds the stream whole. Rejects with StoreUnavailable, and may be
 * called again with the same limits.
 */
export async function heedLimits(parts: HeedLimitsParts, limits: readonly StreamLimit[]): Promise<void> {
  const { events, store, world, report, parkedStreams } = parts;
  const newest = new Map(limits.map((one) => [one.stream, one.limit]));
  const isKnown = (projection: string, stream: string): boolean =>
    parkedStreams.all.some((one) => one.projection === projection && one.stream === stream);
  for (const [stream, limit] of newest) {
    const broken = await breakIn(events, stream);
    if (broken !== undefined) {
      if (!isKnown(LOG.name, stream)) report(broken);
      await park(parts, LOG, faultAt(broken, broken), world.now());
    }
    if (limit === undefined) {
      await unpark(store, LIMITS, stream);
      continue;
    }
    if (!isKnown(LIMITS.name, stream))
      report(
        new Notice(
          `The metadata of ${stream} tells the event store to delete its events (${limit}). Remove the limit before events are lost.`,
        ),
      );
    await parkLimited(store, stream, limit, world.now());
  }
  await parkedStreams.look();
}
