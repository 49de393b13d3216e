// A sorted list in chunks: an insertion moves some hundred entries, however long the list is.

const CHUNK = 512;

/** No two entries may be equal by `compare`. */
export class SortedList<T> {
  readonly #compare: (a: T, b: T) => number;
  /** The chunks; none is empty. */
  readonly #chunks: T[][] = [];

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  add(entry: T): void {
    const c = Math.min(
      this.#chunkReaching((other) => this.#compare(other, entry) >= 0),
      this.#chunks.length - 1,
    );
    const chunk = this.#chunks[c];
    if (chunk === undefined) {
      this.#chunks.push([entry]);
      return;
    }
    chunk.splice(
      partition(chunk, (other) => this.#compare(other, entry) >= 0),
      0,
      entry,
    );
    if (chunk.length > CHUNK) this.#chunks.splice(c + 1, 0, chunk.splice(CHUNK / 2));
  }

  remove(entry: T): void {
    const c = this.#chunkReaching((other) => this.#compare(other, entry) >= 0);
    const chunk = this.#chunks[c];
    if (chunk === undefined) return;
    const i = partition(chunk, (other) => this.#compare(other, entry) >= 0);
    const found = chunk[i];
    if (found === undefined || this.#compare(found, entry) !== 0) return;
    chunk.splice(i, 1);
    if (chunk.length === 0) this.#chunks.splice(c, 1);
  }

  /** The entries from the first one for which `reached` is true, upwards. It must be true for all later ones. */
  *upFrom(reached: (entry: T) => boolean): Generator<T> {
    const first = this.#chunkReaching(reached);
    for (let c = first; c < this.#chunks.length; c += 1) {
      const chunk = this.#chunks[c] ?? [];
      for (let i = c === first ? partition(chunk, reached) : 0; i < chunk.length; i += 1) {
        const entry = chunk[i];
        if (entry !== undefined) yield entry;
      }
    }
  }

  /** The entries from the last one for which `passed` is false, downwards. It must be true for all later ones. */
  *downFrom(passed: (entry: T) => boolean): Generator<T> {
    const first = Math.min(this.#chunkReaching(passed), this.#chunks.length - 1);
    for (let c = first; c >= 0; c -= 1) {
      const chunk = this.#chunks[c] ?? [];
      for (let i = (c === first ? partition(chunk, passed) : chunk.length) - 1; i >= 0; i -= 1) {
        const entry = chunk[i];
        if (entry !== undefined) yield entry;
      }
    }
  }

  /** The first chunk whose last entry is `reached`. */
  #chunkReaching(reached: (entry: T) => boolean): number {
    return partition(this.#chunks, (chunk) => {
      const last = chunk[chunk.length - 1];
      return last !== undefined && reached(last);
    });
  }
}

/** The number of entries before the first one for which `reached` is true. */
function partition<T>(list: readonly T[], reached: (entry: T) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = list[middle];
    if (entry !== undefined && reached(entry)) high = middle;
    else low = middle + 1;
  }
  return low;
}
