// The work of a running process besides following: watches the catalog, removes the rest of dead builders, builds missing read models.
import { Notice } from '../../app-error.ts';
import type { ReadModelStore } from '../../stores/read-models.ts';
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import type { World } from '../../world.ts';
import type { AnyProjection } from '../projection.ts';
import type { Catalog } from './catalog.ts';
import { giveUpLost } from './lost.ts';
import type { ParkedStreams } from './parked-streams.ts';
import { RebuildLost, RebuildUnderWay, Watch } from './rebuild/claim.ts';
import { bury, type RebuildParts, rebuild } from './rebuild/rebuild.ts';
import type { EngineTimings } from './timings.ts';

export interface UpkeepParts extends RebuildParts {
  readonly store: ReadModelStore;
  readonly world: World;
  readonly timings: EngineTimings;
  readonly catalog: Catalog;
  readonly parkedStreams: ParkedStreams;
  readonly projections: readonly AnyProjection[];
  /** Tries a parked stream again. */
  readonly release: (name: string, stream: string) => Promise<boolean>;
}

/** Pause before a build that failed is tried again. */
const RETRY_MS = 5_000;

/** Until the signal aborts. Never rejects. */
export async function upkeep(parts: UpkeepParts, signal: AbortSignal): Promise<void> {
  await Promise.all([watch(parts, signal), buildMissing(parts, signal), retryParked(parts, signal)]);
}

/** Builds, or waits for the process that does, which may have taken the build over from this one while it slept. */
export async function build(parts: RebuildParts, one: AnyProjection, signal: AbortSignal): Promise<void> {
  try {
    await one.open((of) => rebuild(parts, of, { signal }));
  } catch (fault) {
    if (fault instanceof RebuildLost) parts.report(new Notice(fault.message));
    else if (!(fault instanceof RebuildUnderWay)) throw fault;
    await parts.world.sleep(parts.timings.pollMs, signal);
    await parts.catalog.refresh();
  }
}

async function watch(
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

/** A projection without a generation of its version is built; so a changed version is rebuilt by itself. */
async function buildMissing(parts: UpkeepParts, signal: AbortSignal): Promise<void> {
  const { world, projections, catalog, report, timings } = parts;
  while (!signal.aborted) {
    for (const one of projections) {
      while (!signal.aborted && catalog.standing(one.name).own === undefined) {
        try {
          await build(parts, one, signal);
        } catch (fault) {
          if (signal.aborted) return;
          report(fault);
          await world.sleep(RETRY_MS, signal).catch(() => undefined);
        }
      }
    }
    await world.sleep(timings.pollMs, signal).catch(() => undefined); // one may be lost
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
