// The right to build: one builder at a time for a read model, with a sign of life that every process can watch.
import { AppError } from '../../../app-error.ts';
import type { ReadModelStore } from '../../../stores/read-models.ts';
import { newId, type World } from '../../../world.ts';
import type { AnyProjection } from '../../projection.ts';
import type { Catalog } from '../generations/catalog.ts';
import {
  type CatalogEntry,
  type CatalogGeneration,
  isUnfinished,
  ownOf,
  unfinishedIn,
} from '../generations/catalog-entry.ts';
import type { EngineTimings } from '../timings.ts';

/** Another process builds a generation of the read model at this moment. */
export class RebuildUnderWay extends AppError {
  constructor(name: string) {
    super('RebuildUnderWay', `The read model ${name} is being rebuilt by another process.`);
  }
}

/** Others took the builder for dead, because it was silent for `abandonedMs`, and removed its generation. */
export class RebuildLost extends AppError {
  constructor(name: string, cause?: unknown) {
    super('RebuildLost', `The rebuild of ${name} was silent for so long that another process abandoned it.`, cause);
  }
}

/**
 * Enters a new generation as `building`; answers its number, again where the builder has its claim already. Throws
 * RebuildUnderWay. `onlyMissing`: also if a generation of this version can be read already.
 */
export async function claim(
  catalog: Catalog,
  { name, version }: Pick<AnyProjection, 'name' | 'version'>,
  builder: string,
  onlyMissing = false,
): Promise<number> {
  let claimed: number | undefined;
  await catalog.change(name, (entry) => {
    claimed = undefined;
    const unfinished = unfinishedIn(entry);
    if (unfinished?.builder === builder) claimed = unfinished.generation; // the answer to its claim never came
    if (unfinished !== undefined || (onlyMissing && ownOf(entry, version) !== undefined)) return undefined;
    claimed = entry?.next ?? 1;
    const made: CatalogGeneration = { generation: claimed, version, state: 'building', builder, beat: 0 };
    return { next: claimed + 1, generations: [...(entry?.generations ?? []), made] };
  });
  if (claimed === undefined) throw new RebuildUnderWay(name);
  return claimed;
}

/** The most that counts between two looks, in `pollMs`. */
const LOOKS_APART = 2;

export const newBuilder = (world: World): string => newId(world, 'build');

/** A builder's own generation. */
type Own = Required<Pick<CatalogGeneration, 'generation' | 'builder'>>;

/**
 * Changes the builder's own generation. `lost`: another process took the builder for dead and removed it. `live`: it is
 * finished, and perhaps replaced since; nothing is changed.
 */
export async function changeOwn(
  catalog: Catalog,
  name: string,
  { generation, builder }: Own,
  change: (own: CatalogGeneration, entry: CatalogEntry) => readonly CatalogGeneration[],
): Promise<'changed' | 'live' | 'lost'> {
  let found: 'changed' | 'live' | 'lost' = 'lost';
  await catalog.change(name, (newest) => {
    const own = newest?.generations.find((one) => one.generation === generation);
    found = own === undefined ? 'lost' : isUnfinished(own) ? (own.builder === builder ? 'changed' : 'lost') : 'live';
    return newest === undefined || own === undefined || found !== 'changed'
      ? undefined
      : { ...newest, generations: change(own, newest) };
  });
  return found;
}

/** Gives signs of life until the signal aborts; calls `lost` when the generation no longer belongs to the builder. */
export async function beat(
  { catalog, world, timings }: { readonly catalog: Catalog; readonly world: World; readonly timings: EngineTimings },
  name: string,
  own: Own,
  lost: () => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await world.sleep(timings.pollMs, signal).catch(() => undefined);
    if (signal.aborted) return;
    const found = await changeOwn(catalog, name, own, (now, { generations }) =>
      generations.map((one) => (one === now ? { ...now, beat: (now.beat ?? 0) + 1 } : one)),
    ).catch(() => undefined); // a store that is unavailable for a while: watchers count no time without it
    if (found === 'lost') return lost();
    if (found === 'live') return;
  }
}

interface Seen {
  readonly sign: string;
  readonly lookedAt: number;
  /** ms without another sign */
  readonly silentMs: number;
}

/**
 * Watches unfinished generations: a builder without a sign of life for `abandonedMs` is dead. Clocks of nodes are never
 * compared. Only time in which the catalog was read counts: in an absence of the store no builder can give a sign.
 */
export class Watch {
  readonly #world: World;
  readonly #timings: EngineTimings;
  readonly #seen = new Map<string, Seen>();

  constructor(world: World, timings: EngineTimings) {
    this.#world = world;
    this.#timings = timings;
  }

  /**
   * The unfinished generation that has been silent for too long, if there is one; asked after each read of the catalog.
   */
  dead(name: string, entry: CatalogEntry | undefined): CatalogGeneration | undefined {
    const unfinished = unfinishedIn(entry);
    if (unfinished === undefined) {
      this.#seen.delete(name);
      return undefined;
    }
    const sign = `${unfinished.builder} ${unfinished.beat} ${unfinished.state}`;
    const lookedAt = this.#world.monotonic();
    const seen = this.#seen.get(name);
    const sinceLook = seen === undefined ? 0 : Math.min(lookedAt - seen.lookedAt, LOOKS_APART * this.#timings.pollMs);
    const silentMs = seen?.sign === sign ? seen.silentMs + sinceLook : 0;
    this.#seen.set(name, { sign, lookedAt, silentMs });
    return silentMs >= this.#timings.abandonedMs ? unfinished : undefined;
  }
}

/**
 * Takes the unfinished generation of a dead builder out of the catalog, and drops it. A generation that is live after
 * all stays: its builder may have made it live meanwhile, or without learning that it had. Watchers pass the `beat` and
 * the `state` that they saw: a builder that gave another sign of life meanwhile lives.
 */
export async function bury(
  catalog: Catalog,
  store: ReadModelStore,
  name: string,
  {
    generation,
    builder,
    ...sign
  }: Pick<CatalogGeneration, 'generation' | 'builder'> & Partial<Pick<CatalogGeneration, 'beat' | 'state'>>,
): Promise<void> {
  const isSeen = ({ beat, state }: CatalogGeneration): boolean =>
    beat === (sign.beat ?? beat) && state === (sign.state ?? state);
  const left = await catalog.change(name, (entry) => {
    const found = entry?.generations.find(
      (one) => one.generation === generation && one.builder === builder && isUnfinished(one) && isSeen(one),
    );
    return entry === undefined || found === undefined
      ? undefined
      : { ...entry, generations: entry.generations.filter((one) => one !== found) };
  });
  if (left?.generations.every((one) => one.generation !== generation) ?? true) await store.drop(name, generation);
}
