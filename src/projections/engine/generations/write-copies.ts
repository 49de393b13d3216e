// Writes documents to every generation that wants them: the one that is read, and the ones that are written next to it.
import {
  type Collection,
  NoSuchGeneration,
  type ReadModelStore,
  type RowAt,
  type Stored,
} from '../../../stores/read-models.ts';
import { StoreUnavailable } from '../../../stores/store-unavailable.ts';
import type { Catalog } from './catalog.ts';
import { type Copy, copyOf } from './copy.ts';

interface WrittenCopies {
  /** Ids that the generation for reads took; the others were there already. */
  readonly written: readonly string[];
  /** The generations that hold the rows now. */
  readonly generations: readonly number[];
}

/**
 * Writes to the generations of the catalog; resolves when all have the rows. Throws StoreUnavailable if the read
 * model is being built for the first time, where the catalog could not be read for `staleMs`, and where the generation
 * for reads is gone.
 */
export async function writeCopies<Doc extends object, K extends string>(
  store: ReadModelStore,
  catalog: Catalog,
  of: Collection<Doc, K>,
  rows: readonly Stored<Doc>[],
): Promise<WrittenCopies> {
  if (!catalog.knows(of.name)) return { written: await store.write(of, rows), generations: [] };
  if (!catalog.isRecent) await catalog.refreshed();
  const { own, also } = catalog.standing(of.name);
  const wanted = own === undefined ? also : [own, ...also];
  if (wanted.length === 0) throw new NotBuilt(of.name);
  const [first, ...others] = await Promise.all(
    wanted.map((generation) => {
      const copy = copyOf(of, generation);
      return generation === own ? writeLive(store, copy, rows) : writeBeside(store, copy, rows);
    }),
  );
  const generations = wanted.filter((_, place) => place === 0 || others[place - 1] !== undefined);
  return { written: first ?? [], generations };
}

/**
 * Removes documents from the generation that is read, and from the ones beside it; answers how many the first had.
 * Throws StoreUnavailable as `writeCopies` does.
 */
export async function removeCopies<Doc extends object, K extends string>(
  store: ReadModelStore,
  catalog: Catalog,
  of: Collection<Doc, K>,
  rows: readonly RowAt[],
): Promise<number> {
  if (!catalog.knows(of.name)) return store.remove(of, rows);
  if (!catalog.isRecent) await catalog.refreshed();
  const { own, also } = catalog.standing(of.name);
  if (own === undefined) throw new NotBuilt(of.name);
  const unlessGone = (fault: unknown): number => {
    if (fault instanceof NoSuchGeneration) return 0;
    throw fault;
  };
  const [removed = 0] = await Promise.all([
    store.remove(copyOf(of, own), rows).catch((fault: unknown) => {
      throw fault instanceof NoSuchGeneration ? goneLive(of.name, fault) : fault;
    }),
    ...also.map((generation) => store.remove(copyOf(of, generation), rows).catch(unlessGone)),
  ]);
  return removed;
}

/** Writes to the first copy, and to the others. Throws NoSuchGeneration if the first is gone. */
export async function writeEach<Doc extends object, K extends string>(
  store: ReadModelStore,
  [first, ...others]: readonly Copy<Doc, K>[],
  rows: readonly Stored<Doc>[],
): Promise<void> {
  if (first === undefined || rows.length === 0) return;
  await Promise.all([store.write(first, rows), ...others.map((copy) => writeBeside(store, copy, rows))]);
}

const writeLive = <Doc extends object, K extends string>(
  store: ReadModelStore,
  copy: Copy<Doc, K>,
  rows: readonly Stored<Doc>[],
): Promise<readonly string[]> =>
  store.write(copy, rows).catch((fault: unknown) => {
    throw fault instanceof NoSuchGeneration ? goneLive(copy.name, fault) : fault;
  });

/** Undefined: the second generation is gone, because its build was aborted. That loses nothing. */
const writeBeside = <Doc extends object, K extends string>(
  store: ReadModelStore,
  copy: Copy<Doc, K>,
  rows: readonly Stored<Doc>[],
): Promise<readonly string[] | undefined> =>
  store.write(copy, rows).catch((fault: unknown) => {
    if (fault instanceof NoSuchGeneration) return undefined;
    throw fault;
  });

export const goneLive = (name: string, cause: unknown): StoreUnavailable =>
  new StoreUnavailable(`The live generation of ${name} is gone`, { cause });

/** A read model that has never been built: nothing is wrong with its store. */
export class NotBuilt extends StoreUnavailable {
  constructor(name: string) {
    super(`The read model ${name} is being built`);
  }
}
