// Own writes are projected at once and whole: the fold that a command appended is the document.
import type { OnFolded } from '../../journal/streams.ts';
import type { ReadModelStore } from '../../stores/read-models.ts';
import type { Projection } from '../projection.ts';
import type { Catalog } from './catalog.ts';
import type { Notes } from './notes.ts';
import { writeCopies } from './routed-read-models.ts';

/** For Streams: writes the fold guarded by its revision, and notes it for the follower. */
export const inlineWriter =
  (store: ReadModelStore, catalog: Catalog, notes: Notes) =>
  <Doc extends object, K extends string>(of: Projection<Doc, K>): OnFolded<Doc> =>
  (id, revision, doc) => {
    const write = async (): Promise<void> => {
      const { generations } = await writeCopies(store, catalog, of, [{ id, revision, doc }]);
      const { own } = catalog.standing(of.name);
      // The flip may have come while this was being written: a note must not cover what the live generation has not got.
      if (own !== undefined && generations.includes(own)) notes.projected(of.name, id, revision);
    };
    const written = write();
    notes.begun(written);
    return written;
  };
