// The new generation in the catalog, on its way from building to live; the generations that it replaces are kept or
// dropped.
import type { ReadModelStore } from '../../../stores/read-models.ts';
import type { Catalog } from '../generations/catalog.ts';
import { type CatalogEntry, type CatalogGeneration, newestFirst, ownOf } from '../generations/catalog-entry.ts';
import { changeOwn, RebuildLost } from './claim.ts';
import type { Outlast } from './outlasting.ts';

/** Generations besides the live one that are kept for going back. */
const KEPT = 2;

interface NewGenerationParts {
  readonly catalog: Catalog;
  readonly store: ReadModelStore;
  readonly outlast: Outlast;
  readonly report: (fault: unknown) => void;
}

export class NewGeneration {
  readonly #parts: NewGenerationParts;
  readonly #name: string;
  readonly #own: Required<Pick<CatalogGeneration, 'generation' | 'version' | 'builder'>>;

  constructor(
    parts: NewGenerationParts,
    name: string,
    own: Required<Pick<CatalogGeneration, 'generation' | 'version' | 'builder'>>,
  ) {
    this.#parts = parts;
    this.#name = name;
    this.#own = own;
  }

  /**
   * Drops the copies that the catalog does not know: a process that was killed between two steps left them. The catalog
   * is read after the copies: it knew each that is being built before the copy was there, and one that it knows no
   * longer never comes back.
   */
  async sweep(): Promise<void> {
    const { catalog, store, outlast } = this.#parts;
    const there = await store.generations(this.#name);
    await outlast(() => catalog.reread());
    const known = new Set(catalog.standing(this.#name).entry?.generations.map(({ generation }) => generation));
    for (const generation of there) if (!known.has(generation)) await store.drop(this.#name, generation);
  }

  /** From here on every process writes it too, once it has read the catalog. Throws RebuildLost. */
  join(): Promise<void> {
    return this.#change((own, others) => [...others, { ...own, state: 'joining' }]);
  }

  /**
   * From here on it is read; the generation that was live is kept, and older ones are dropped. A swap that was done
   * before is one. Throws RebuildLost.
   */
  async goLive(): Promise<void> {
    const { generation, version } = this.#own;
    let dropped: readonly CatalogGeneration[] = [];
    await this.#change((_, others) => {
      const kept = others.map((one): CatalogGeneration => (one.state === 'live' ? { ...one, state: 'kept' } : one));
      const retained = retain(kept);
      dropped = kept.filter((one) => !retained.includes(one));
      return [...retained, { generation, version, state: 'live' }];
    });
    for (const one of dropped) await this.#parts.store.drop(this.#name, one.generation).catch(this.#parts.report);
  }

  async #change(
    change: (own: CatalogGeneration, others: readonly CatalogGeneration[]) => readonly CatalogGeneration[],
  ): Promise<void> {
    const { catalog, outlast } = this.#parts;
    const changing = (): ReturnType<typeof changeOwn> =>
      changeOwn(catalog, this.#name, this.#own, (own, { generations }) =>
        change(
          own,
          generations.filter((one) => one !== own),
        ),
      );
    if ((await outlast(changing)) === 'lost') throw new RebuildLost(this.#name);
  }
}

/** The generation to compare the new one with: the newest of its own version that is in use, otherwise the live one. */
export function liveBefore(entry: CatalogEntry | undefined, version: number): CatalogGeneration | undefined {
  const own = ownOf(entry, version);
  return entry?.generations.find(({ generation, state }) =>
    own === undefined ? state === 'live' : generation === own,
  );
}

/** The generations to keep for going back: the newest of each version, the newest two in all. */
function retain(kept: readonly CatalogGeneration[]): readonly CatalogGeneration[] {
  const newest = newestFirst(kept);
  return newest
    .filter((one, place) => newest.findIndex(({ version }) => version === one.version) === place)
    .slice(0, KEPT);
}
