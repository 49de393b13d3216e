// The folds that a process keeps, of all categories together: one bound for the memory that they take.

import { LRUCache } from 'lru-cache';
import { streamOf } from '../stores/stream-name.ts';

/** About how many characters of JSON all kept folds may be together; the others are read again when wanted. */
const CHARACTERS = 64 * 1024 * 1024;
/** The weight of a fold besides its text: a bound on their number as well would make a cache of that size at once. */
const COSTS_BESIDES = 2_048;

/** Where a fold is kept. */
interface Place {
  readonly folds: Map<string, unknown>;
  readonly id: string;
}

/**
 * The budget that the folds of all categories share: the fold that was unused for the longest goes first, in any
 * category.
 */
export class FoldBudget {
  readonly #places: LRUCache<string, Place>;

  /** `characters`: at least as many as the largest fold that is to be kept. */
  constructor(characters = CHARACTERS) {
    this.#places = new LRUCache({
      maxSize: characters,
      noDisposeOnSet: true,
      dispose: ({ folds, id }) => void folds.delete(id),
    });
  }

  /** The folds of one category; `name` is its own within the budget. */
  cacheOf<Fold>(name: string): FoldCache<Fold> {
    const places = this.#places;
    const folds = new Map<string, Fold>();
    const placeOf = (id: string): string => streamOf(name, id);
    return {
      get: (id) => (places.get(placeOf(id)) === undefined ? undefined : folds.get(id)),
      peek: (id) => folds.get(id),
      set(id, fold, characters) {
        folds.set(id, fold);
        // A fold that is too large for the whole budget is disposed of at once.
        if (
          places.set(placeOf(id), { folds, id }, { size: characters + COSTS_BESIDES }).peek(placeOf(id)) === undefined
        )
          folds.delete(id);
      },
      delete: (id) => void places.delete(placeOf(id)),
    };
  }
}

export interface FoldCache<Fold> {
  readonly get: (id: string) => Fold | undefined;
  /** Without counting as asked for. */
  readonly peek: (id: string) => Fold | undefined;
  /** `characters`: about how many the fold is as JSON. A fold larger than the whole budget is not kept. */
  readonly set: (id: string, fold: Fold, characters: number) => void;
  readonly delete: (id: string) => void;
}
