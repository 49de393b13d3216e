// The right to build: one builder at a time for a read model, with a sign of life that every process can watch.
import { AppError } from '../../../app-error.ts';
import type { ReadModelStore } from '../../../stores/read-models.ts';
import { newId, type World } from '../../../world.ts';
import type { Catalog } from '../generations/catalog.ts';
import { type CatalogEntry, type CatalogGeneration, isUnfinished, unfinishedIn } from '../generations/catalog-entry.ts';
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
    super('RebuildLost', `The rebuild of ${name} was silent for so long that another process gave it up.`, cause);
  }
}

/** Enters a new generation as `building`; answers its number. Throws RebuildUnderWay. */
export async function claim(catalog: Catalog, name: string, version: number, builder: string): Promise<number> {
  let claimed: number | undefined;
  await catalog.change(name, (entry) => {
    claimed = undefined;
    if (unfinishedIn(entry) !== undefined) return undefined;
    claimed = entry?.next ?? 1;
    const made: CatalogGeneration = { generation: claimed, version, state: 'building', builder, beat: 0 };
    return { next: claimed + 1, generations: [...(entry?.generations ?? []), made] };
  });
  if (claimed === undefined) throw new RebuildUnderWay(name);
  return claimed;
}

export const newBuilder = (world: World): string => newId(world, 'build');

/** Changes the builder's own generation; undefined when another process took it for dead and removed it. */
export async function changeOwn(
  catalog: Catalog,
  name: string,
  builder: string,
  change: (own: CatalogGeneration, entry: CatalogEntry) => readonly CatalogGeneration[],
): Promise<CatalogEntry | undefined> {
  let isThere = false;
  const entry = await catalog.change(name, (newest) => {
    const own = newest?.generations.find((one) => one.builder === builder);
    isThere = own !== undefined;
    return newest === undefined || own === undefined ? undefined : { ...newest, generations: change(own, newest) };
  });
  return isThere ? entry : undefined;
}

/** Gives signs of life until the signal aborts; calls `lost` when the generation is not the builder's any more. */
export async function beat(
  { catalog, world, timings }: { readonly catalog: Catalog; readonly world: World; readonly timings: EngineTimings },
  name: string,
  builder: string,
  lost: () => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await world.sleep(timings.pollMs, signal).catch(() => undefined);
    if (signal.aborted) return;
    const entry = await changeOwn(catalog, name, builder, (own, { generations }) =>
      generations.map((one) => (one === own ? { ...own, beat: (own.beat ?? 0) + 1 } : one)),
    ).catch(() => null); // a store that is unavailable for a moment; the watcher is patient
    if (entry === undefined) return lost();
  }
}

/** Watches unfinished generations: a builder without a sign of life for `abandonedMs` is dead. Clocks of nodes are never compared. */
export class Watch {
  readonly #world: World;
  readonly #timings: EngineTimings;
  readonly #seen = new Map<string, { readonly sign: string; readonly since: number }>();

  constructor(world: World, timings: EngineTimings) {
    this.#world = world;
    this.#timings = timings;
  }

  /** The unfinished generation that has been silent for too long, if there is one. */
  dead(name: string, entry: CatalogEntry | undefined): CatalogGeneration | undefined {
    const unfinished = unfinishedIn(entry);
    if (unfinished === undefined) {
      this.#seen.delete(name);
      return undefined;
    }
    const sign = `${unfinished.builder} ${unfinished.beat} ${unfinished.state}`;
    const seen = this.#seen.get(name);
    if (seen?.sign === sign) return this.#world.monotonic() - seen.since >= this.#timings.abandonedMs ? unfinished : undefined;
    this.#seen.set(name, { sign, since: this.#world.monotonic() });
    return undefined;
  }
}

/**
 * Takes the unfinished generation of a dead builder out of the catalog, and drops it. A generation that is live after all stays: its
 * builder may have made it live meanwhile, or without learning that it had.
 */
export async function bury(
  catalog: Catalog,
  store: ReadModelStore,
  name: string,
  { generation, builder }: Pick<CatalogGeneration, 'generation' | 'builder'>,
): Promise<void> {
  const left = await catalog.change(name, (entry) => {
    const found = entry?.generations.find((one) => one.generation === generation && one.builder === builder && isUnfinished(one));
    return entry === undefined || found === undefined
      ? undefined
      : { ...entry, generations: entry.generations.filter((one) => one !== found) };
  });
  if (left?.generations.every((one) => one.generation !== generation) ?? true) await store.drop(name, generation);
}
