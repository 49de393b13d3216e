// The folds that a process keeps, of all categories together: one bound for the memory that they take.

import { LRUCache } from 'lru-cache';

/** About how many characters of JSON all kept folds may be together; the others are read again when wanted. */
const CHARACTERS = 64 * 1024 * 1024;
/** The weight of a fold besides its text: a bound on their number as well would make a cache of that size at once. */
const COSTS_BESIDES = 2_048;

/**
 * The budget that the folds of all categories share: the fold that was unused for the longest goes first, in any
 * category.
 */
export class FoldBudget {
  readonly #folds: LRUCache<string, object>;

  /** `characters`: at least as many as the largest fold that is to be kept. */
  constructor(characters = CHARACTERS) {
    this.#folds = new LRUCache({ maxSize: characters });
  }

  /** Forgets all folds: some of them may hold personal data that was erased. */
  forget(): void {
    this.#folds.clear();
  }

  /** The folds of one category, by the names of their streams. */
  ofCategory<Fold extends object>(): FoldCache<Fold> {
    const folds = this.#folds;
    return {
      get: (stream) => folds.get(stream) as Fold | undefined,
      peek: (stream) => folds.peek(stream) as Fold | undefined,
      set: (stream, fold, characters) => void folds.set(stream, fold, { size: characters + COSTS_BESIDES }),
      delete: (stream) => void folds.delete(stream),
    };
  }
}

/** By the names of streams, because other categories share the room. */
export interface FoldCache<Fold> {
  readonly get: (stream: string) => Fold | undefined;
  /** Without counting as asked for. */
  readonly peek: (stream: string) => Fold | undefined;
  /** `characters`: about how many the fold is as JSON. A fold larger than the whole budget is not kept. */
  readonly set: (stream: string, fold: Fold, characters: number) => void;
  readonly delete: (stream: string) => void;
}
