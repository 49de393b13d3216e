// Generations that have lost documents, or all of them, below the engine: given up, so that they are built again from
// the log.
import { Notice } from '../../../app-error.ts';
import { NoSuchGeneration, type ReadModelStore } from '../../../stores/read-models.ts';
import type { AnyProjection } from '../../projection.ts';
import type { Catalog } from './catalog.ts';
import { readableIn } from './catalog-entry.ts';
import { markOf } from './checkpoints.ts';
import { type Copy, copyOf } from './copy.ts';

interface LostParts {
  readonly store: ReadModelStore;
  readonly catalog: Catalog;
  readonly report: (fault: unknown) => void;
}

/**
 * Checks the generation that is read of each projection. A generation that is missing, damaged, or short of its
 * checkpoint leaves the catalog with the others of its version, whose documents are old: the projection then counts as
 * not built, and is rebuilt automatically. Rejects with StoreUnavailable.
 */
export async function giveUpLost(
  { store, catalog, report }: LostParts,
  projections: readonly AnyProjection[],
): Promise<void> {
  for (const { name, version, open } of projections) {
    const { own } = catalog.standing(name);
    if (own === undefined) continue;
    const why = await open((of) => lossIn(store, copyOf(of, own)));
    if (why === undefined) continue;
    let dropped: readonly number[] = [];
    await catalog.change(name, (entry) => {
      const usable = readableIn(entry, version);
      dropped = usable.some(({ generation }) => generation === own) ? usable.map(({ generation }) => generation) : [];
      if (entry === undefined || dropped.length === 0) return undefined;
      return { ...entry, generations: entry.generations.filter((one) => !usable.includes(one)) };
    });
    if (dropped.length === 0) continue; // another process was faster
    report(new Notice(`The read model ${name} ${why}. It is being rebuilt from the log.`));
    for (const generation of dropped) await store.drop(name, generation).catch(report);
  }
}

/** For people: the loss that made reading the copy fail; undefined if it failed for something else. */
export async function lossOf<Doc extends object, K extends string>(
  store: ReadModelStore,
  copy: Copy<Doc, K>,
  fault: unknown,
): Promise<string | undefined> {
  if (fault instanceof NoSuchGeneration) return fault.generation === copy.generation ? 'is gone' : undefined;
  // a store that cannot even say so is unavailable, which `fault` says
  const found = await store.inspect?.(copy).catch(() => undefined);
  return found?.kind === 'damaged' ? damaged(found.why) : undefined;
}

const damaged = (why: string): string => `is damaged (${why})`;

/** For people; undefined for a generation that has all its documents. */
async function lossIn<Doc extends object, K extends string>(
  store: ReadModelStore,
  copy: Copy<Doc, K>,
): Promise<string | undefined> {
  if (store.inspect === undefined) return undefined;
  const wanted = await markOf(store, copy); // read first: the mark is raised before the checkpoint is written
  const found = await store.inspect(copy);
  switch (found.kind) {
    case 'gone':
      return 'is gone';
    case 'damaged':
      return damaged(found.why);
    case 'whole':
      return found.mark < wanted ? 'has lost documents that it had on the disk' : undefined;
    default:
      return found satisfies never;
  }
}
