// The work of a running process besides following: watches the catalog, gives up the lost and the dead, tries parked
// streams again.
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import { giveUpLost } from './generations/lost.ts';
import type { ParkedStreams } from './parked/parked-streams.ts';
import { type BuildMissingParts, buildMissing } from './rebuild/build-missing.ts';
import { bury, Watch } from './rebuild/claim.ts';

export interface UpkeepParts extends BuildMissingParts {
  readonly parkedStreams: ParkedStreams;
  /** Tries a parked stream again. */
  readonly release: (name: string, stream: string, signal: AbortSignal) => Promise<boolean>;
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
      // the check of the store reports its absence, once
      if (!(fault instanceof StoreUnavailable)) report(fault);
    }
    await world.sleep(timings.pollMs, signal).catch(() => undefined);
  }
}

/**
 * A stream that an older node parked at an unknown event may be readable here: each process tries such a stream once,
 * and again when it is parked again. So a newer node brings on streams that the older follower cannot. A broken stream
 * is tried once, too: a start after the log was mended finds it whole. So is each parked stream of a log projection: a
 * start with mended code closes its holes.
 */
async function retryParked(
  { world, timings, report, parkedStreams, projections, release }: UpkeepParts,
  signal: AbortSignal,
): Promise<void> {
  const logs = new Set(projections.flatMap(({ kind, name }) => (kind === 'log' ? [name] : [])));
  let tried: ReadonlySet<string> = new Set();
  while (!signal.aborted) {
    const waiting = parkedStreams.all.filter(({ reason, projection }) => reason !== 'poison' || logs.has(projection));
    const now = new Set<string>();
    for (const { projection, generation, stream, revision } of waiting) {
      // A hole that a rebuild could not close is tried no more: its new generation has it as well.
      const name = `${projection}${logs.has(projection) ? '' : `.${generation}`}/${stream}@${revision}`;
      try {
        const goesOn = !tried.has(name) && !signal.aborted && (await release(projection, stream, signal));
        if (!goesOn) now.add(name); // where it is parked again a moment later, it is tried again
      } catch (fault) {
        if (!signal.aborted && !(fault instanceof StoreUnavailable)) report(fault);
      }
    }
    tried = now;
    await world.sleep(timings.pollMs, signal).catch(() => undefined);
  }
}
