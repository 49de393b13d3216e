// The read models that everything else uses: a name stands for its live generation, and writes reach all that want them.
import { type Collection, NoSuchGeneration, type ReadModelStore, type ReadModels, type Stored } from '../../stores/read-models.ts';
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import { type Catalog, copyOf } from './catalog.ts';
import type { ParkedStreams } from './parked-streams.ts';

/**
 * Collections that are no projections of the code pass through. Throws StoreUnavailable while a read model is being
 * built for the first time, and when the catalog could not be read for `staleMs`; UnknownEvent for a document that stands
 * before an event of a newer node, BrokenStream for one whose stream is broken. Closing it closes the store.
 */
export function routedReadModels(
  store: ReadModelStore,
  catalog: Catalog,
  parkedStreams: Pick<ParkedStreams, 'any' | 'holds' | 'checkRows'>,
): ReadModels {
  const live = async <Doc extends object, K extends string, T>(
    of: Collection<Doc, K>,
    read: (copy: Collection<Doc, K>) => Promise<T>,
  ): Promise<T> => {
    if (!catalog.knows(of.name)) return read(of);
    if (!catalog.isRecent) await catalog.refreshed();
    try {
      return await read(ownCopy(catalog, of));
    } catch (fault) {
      if (!(fault instanceof NoSuchGeneration)) throw fault;
      await catalog.reread(); // it was dropped long after its time: this process has been asleep
      const own = ownCopy(catalog, of);
      return read(own).catch((again: unknown) => {
        throw again instanceof NoSuchGeneration ? goneLive(own.name, again) : again; // its file was deleted, and is found lost in a moment
      });
    }
  };
  return {
    peek: (of, id) => {
      if (!catalog.knows(of.name)) return store.peek?.(of, id);
      const { own } = catalog.standing(of.name);
      return own === undefined || !catalog.isRecent || parkedStreams.holds(of.name, id) ? undefined : store.peek?.(copyOf(of, own), id);
    },
    get: (of, ids) => {
      const reading = live(of, (copy) => store.get(copy, ids));
      return parkedStreams.any ? reading.then((rows) => parkedStreams.checkRows(of.name, ids, rows)) : reading;
    },
    find: (of, query) => live(of, (copy) => store.find(copy, query)),
    count: (of) => live(of, (copy) => store.count(copy)),
    write: async (of, rows) => (await writeCopies(store, catalog, of, rows)).written,
    close: () => store.close(),
  };
}

export interface WrittenCopies {
  /** Ids that the generation for reads took; the others were there already. */
  readonly written: readonly string[];
  /** The generations that hold the rows now. */
  readonly generations: readonly number[];
}

/** Writes rows to every generation that wants them; resolves when all have them. */
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
  if (wanted.length === 0) throw notBuilt(of.name);
  const [first, ...others] = await Promise.all(
    wanted.map((generation) => writeCopy(store, copyOf(of, generation), rows, generation === own)),
  );
  const generations = wanted.filter((_, place) => place === 0 || others[place - 1] !== undefined);
  return { written: first ?? [], generations };
}

/** Undefined: a generation that was written besides the live one is gone (its build was given up), which loses nothing. */
async function writeCopy<Doc extends object, K extends string>(
  store: ReadModelStore,
  copy: Collection<Doc, K>,
  rows: readonly Stored<Doc>[],
  isOwn: boolean,
): Promise<readonly string[] | undefined> {
  try {
    return await store.write(copy, rows);
  } catch (fault) {
    if (!(fault instanceof NoSuchGeneration)) throw fault;
    if (isOwn) throw goneLive(copy.name, fault);
    return undefined;
  }
}

function ownCopy<Doc extends object, K extends string>(catalog: Catalog, of: Collection<Doc, K>): Collection<Doc, K> {
  const { own } = catalog.standing(of.name);
  if (own === undefined) throw notBuilt(of.name);
  return copyOf(of, own);
}

export const goneLive = (name: string, cause: unknown): StoreUnavailable =>
  new StoreUnavailable(`The live generation of ${name} is gone`, { cause });
const notBuilt = (name: string): StoreUnavailable => new StoreUnavailable(`The read model ${name} is being built`);
