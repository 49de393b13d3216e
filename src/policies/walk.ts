// Goes through documents in the order of a key, each once: the last one is kept on record, so that none is looked at
// again.
import type { Collection, Key, ReadModels, Stored } from '../stores/read-models.ts';
import type { World } from '../world.ts';

export interface Walk<Doc extends object, K extends string> {
  /** In kebab-case; the walk's last document is stored under this name, so a renamed walk starts again. */
  readonly name: string;
  readonly of: Collection<Doc, K>;
  /** The key that documents get when there is something to look at; it may stay for ever. */
  readonly by: K;
  /**
   * Handles a page of documents. A fault of one document must not be thrown unless a store is absent: all later
   * documents would wait.
   */
  readonly look: (rows: readonly Stored<Doc>[]) => Promise<void>;
}

/** Documents a page, 1 to 1,000, and the rest between two pages, ms: a long backlog leaves time to requests. */
export interface Pages {
  readonly page: number;
  readonly pauseMs: number;
}

export interface WalkParts {
  readonly readModels: ReadModels;
  /** Tells the log from any other one. */
  readonly nameOfLog: () => Promise<string | undefined>;
}

/** The last document that was looked at. */
interface WalkPlace {
  readonly key: Key;
  readonly id: string;
}
interface KeptPlace extends WalkPlace {
  /** The log that its documents are of: read models may be built again from another one. */
  readonly log: string;
}
export const sweeps: Collection<KeptPlace, never> = { name: 'sweeps', version: 1, keys: {}, indexes: [] };

/**
 * Continues where the last walk of this name stopped, on any node, to documents whose key is at most `to`, or until the
 * signal aborts. A page is recorded after it was handled: a crash handles it again, and two nodes at once handle some
 * pages twice. Throws StoreUnavailable.
 */
export async function walkOn<Doc extends object, K extends string>(
  { name, of, by, look }: Walk<Doc, K>,
  { page, pauseMs }: Pages,
  to: number,
  { readModels, nameOfLog }: WalkParts,
  world: Pick<World, 'sleep'>,
  signal: AbortSignal,
): Promise<void> {
  const log = (await nameOfLog()) ?? '';
  const [kept] = await readModels.get(sweeps, [name]);
  let place: WalkPlace | undefined = kept?.doc.log === log ? kept.doc : undefined;
  let revision = kept?.revision ?? -1;
  const where: { [N in K]?: { readonly to: number } } = {};
  where[by] = { to };
  while (!signal.aborted) {
    const rows = await readModels.find(of, {
      where,
      order: { by, descending: false },
      limit: page,
      isDueWork: true,
      ...(place && { after: { key: place.key, id: place.id } }),
    });
    const last = rows.at(-1);
    const key = last === undefined ? undefined : of.keys[by](last.doc);
    if (last === undefined || key === undefined) return;
    await look(rows);
    place = { key, id: last.id };
    revision += 1;
    // Two nodes that walk at the same time write the same revision: either record is good, and documents in between are
    // looked at again.
    await readModels.write(sweeps, [{ id: name, revision, doc: { ...place, log } }]);
    if (rows.length < page) return;
    await world.sleep(pauseMs, signal).catch(() => undefined);
  }
}
