// The work of a running process besides following: watches the catalog, gives up the lost and the dead, tries parked streams again.
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import { giveUpLost } from './generations/lost.ts';
import type { ParkedStreams } from './parked/parked-streams.ts';
import { type BuildMissingParts, buildMissing } from './rebuild/build-missing.ts';
import { bury, Watch } from './rebuild/claim.ts';

export interface UpkeepParts extends BuildMissingParts {
  readonly parkedStreams: ParkedStreams;
  /** Tries a parked stream again. */
  readonly release: (name: string, stream: string) => Promise<boolean>;
}

/** Until the signal aborts. Never rejects. */
export async function upkeep(parts: UpkeepParts, signal: AbortSignal): Promise<void> {
  await Promise.all([watchCatalog(parts, signal), buildMissing(parts, signal), retryParked(parts, signal)]);
}

async function watchCatalog(
  { catalog, store, world, timings, report, parkedStreams, projections }: UpkeepParts,
  signal: AbortSignal,
): Promise<void> {
  const watched = new Watch(world, timings);
  while (!signal.aborted) {
    try {
      await catalog.refresh();
      for (const { name } of projections) {
        const dead = watched.dead(name, catalog.standing(name).entry);
        if (dead !== undefined) await bury(catalog, store, name, dead);
      }
      await giveUpLost({ catalog, store, report }, projections);
      await parkedStreams.look();
    } catch (fault) {
      if (!(fault instanceof StoreUnavailable)) report(fault); // an unavailable store is told once, by the check that asks whether it answers
    }
    await world.sleep(timings.pollMs, signal).catch(() => undefined);
  }
}

/**
 * A stream that an older node parked at an unknown event may be readable here: each process tries such a stream once,
 * and again when it is parked anew. So a newer node brings on streams that the older follower cannot. A broken
 * stream is tried once, too: a start after the log was mended finds it whole.
 */
async function retryParked({ world, timings, report, parkedStreams, release }: UpkeepParts, signal: AbortSignal): Promise<void> {
  let tried: ReadonlySet<string> = new Set();
  while (!signal.aborted) {
    const waiting = parkedStreams.streams.filter(({ reason }) => reason !== 'poison');
    const now = new Set<string>();
    for (const { projection, generation, stream, revision } of waiting) {
      const name = `${projection}.${generation}/${stream}@${revision}`;
      try {
        if (!tried.has(name) && !signal.aborted) await release(projection, stream);
        now.add(name);
      } catch (fault) {
        if (!(fault instanceof StoreUnavailable)) report(fault);
      }
    }
    tried = now;
    await world.sleep(timings.pollMs, signal).catch(() => undefined);
  }
}
