// The read models that the rest of the service uses: a name stands for its live generation, and a write reaches every
// generation that wants it.
import {
  type Collection,
  type Finds,
  NoSuchGeneration,
  type ReadModelStore,
  type ReadModels,
} from '../../stores/read-models.ts';
import type { Catalog } from './generations/catalog.ts';
import { copyOf } from './generations/copy.ts';
import { goneLive, NotBuilt, removeCopies, writeCopies } from './generations/write-copies.ts';
import type { ParkedStreams } from './parked/parked-streams.ts';

/**
 * Collections that do not belong to projections of the code pass through. Throws StoreUnavailable while a read model is
 * being built for the first time, and if the catalog could not be read for `staleMs`; UnknownEvent for a document
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
        // its file was deleted, and is found lost in a moment
        throw again instanceof NoSuchGeneration ? goneLive(own.name, again) : again;
      });
    }
  };
  const findsOf = (finds: Finds): Finds => ({
    find: (of, query) => live(of, (copy) => finds.find(copy, query)),
    place: (of, query, nth) => live(of, (copy) => finds.place(copy, query, nth)),
  });
  return {
    peek: (of, id) => {
      if (!catalog.knows(of.name)) return store.peek?.(of, id);
      const { own } = catalog.standing(of.name);
      return own === undefined || !catalog.isRecent || parkedStreams.holds(of.name, id)
        ? undefined
        : store.peek?.(copyOf(of, own), id);
    },
    get: (of, ids) => {
      const reading = live(of, (copy) => store.get(copy, ids));
      return parkedStreams.any ? reading.then((rows) => parkedStreams.checkRows(of.name, ids, rows)) : reading;
    },
    ...findsOf(store),
    ...(store.ofOneRequest !== undefined && { ofOneRequest: () => findsOf(store.ofOneRequest?.() ?? store) }),
    count: (of) => live(of, (copy) => store.count(copy)),
    write: async (of, rows) => (await writeCopies(store, catalog, of, rows)).written,
    remove: (of, rows) => removeCopies(store, catalog, of, rows),
    close: () => store.close(),
  };
}

function ownCopy<Doc extends object, K extends string>(catalog: Catalog, of: Collection<Doc, K>): Collection<Doc, K> {
  const { own } = catalog.standing(of.name);
  if (own === undefined) throw new NotBuilt(of.name);
  return copyOf(of, own);
}
