// The state of projections for operators: each one's position and content, and the reasons against being ready.
import type { EventStore } from '../../../stores/event-store.ts';
import type { ReadModelStore } from '../../../stores/read-models.ts';
import { isOneOf } from '../../../stores/stream-name.ts';
import type { World } from '../../../world.ts';
import type { AnyProjection, Projection } from '../../projection.ts';
import type { Catalog } from '../generations/catalog.ts';
import { unfinishedIn } from '../generations/catalog-entry.ts';
import { CheckpointBeyondLog, checkLog, isOfAnotherLog, loadCheckpoints } from '../generations/checkpoints.ts';
import { copyOf } from '../generations/copy.ts';
import { LOG, parkedIn } from '../parked/parked-records.ts';
import { countLag, MOST_COUNTED } from './lag.ts';

export interface ProjectionStatus {
  readonly name: string;
  /** The version of the code. */
  readonly version: number;
  readonly generation: number | undefined;
  /** '-1' before the first event. */
  readonly checkpoint: string;
  /**
   * Events after the checkpoint, at most 10,000. The checkpoint is kept once a second, so a busy service shows a
   * second's worth.
   */
  readonly lagEvents: number;
  /** Since the first of them was recorded. */
  readonly lagSeconds: number;
  readonly documents: number;
  /** Streams that wait, broken ones among them and released ones not; a log projection goes on without them. */
  readonly parked: number;
  /** other log: its checkpoint is not a position of this log, so only a rebuild helps. */
  readonly state: 'live' | 'building' | 'joining' | 'missing' | 'other log';
}

interface StatusParts {
  readonly events: EventStore;
  readonly store: ReadModelStore;
  readonly world: World;
  readonly catalog: Catalog;
  readonly projections: readonly AnyProjection[];
}

/** One row a projection; the log is read after the checkpoints only. */
export async function statusOf(parts: StatusParts, signal: AbortSignal): Promise<readonly ProjectionStatus[]> {
  await parts.catalog.refresh();
  return Promise.all(parts.projections.map((one) => one.open((of) => statusOne(parts, of, signal))));
}

async function statusOne<Doc extends object, K extends string>(
  { events, store, world, catalog }: StatusParts,
  of: Projection<Doc, K>,
  signal: AbortSignal,
): Promise<ProjectionStatus> {
  const { own, entry } = catalog.standing(of.name);
  const unfinished = unfinishedIn(entry);
  const state =
    unfinished?.state === 'joining'
      ? 'joining'
      : unfinished !== undefined
        ? 'building'
        : own === undefined
          ? 'missing'
          : 'live';
  const { name, version } = of;
  if (own === undefined) {
    const lag = await lagAfter(events, of, -1n, world, signal);
    return { name, version, generation: undefined, checkpoint: '-1', ...lag, documents: 0, parked: 0, state };
  }
  const [position = -1n] = await loadCheckpoints(store, [{ name, generation: own }]);
  const looked = checkLog({ store, events }, [{ name, generation: own }]).then(() =>
    lagAfter(events, of, position, world, signal),
  );
  const lag = await looked.catch((fault: unknown) => {
    if (isOfAnotherLog(fault)) return undefined;
    throw fault;
  });
  const documents = await store.count(copyOf(of, own));
  const held = await parkedIn(
    store,
    of.kind === 'stream' ? [{ name, generation: own }, LOG] : [{ name, generation: own }],
  );
  const parked = held.filter(({ stream, isReleased }) => isReleased !== true && isOneOf(of.categories, stream)).length;
  const built = { name, version, generation: own, checkpoint: String(position), documents, parked };
  return lag === undefined
    ? { ...built, lagEvents: 0, lagSeconds: 0, state: 'other log' }
    : { ...built, ...lag, state };
}

async function lagAfter(
  events: EventStore,
  { name, categories }: AnyProjection,
  position: bigint,
  world: World,
  signal: AbortSignal,
): Promise<Pick<ProjectionStatus, 'lagEvents' | 'lagSeconds'>> {
  const head = await events.head();
  if (position > head) throw new CheckpointBeyondLog(name, position, head);
  const { count, oldest } = await countLag(events, categories, position, MOST_COUNTED, signal);
  const lagSeconds = oldest === undefined ? 0 : Math.max(0, Math.round((world.now() - oldest) / 1_000));
  return { lagEvents: count, lagSeconds };
}
