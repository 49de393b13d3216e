// Whole numbers by index in typed arrays: eight bytes for each of a million events, instead of an object.

export class GrowingNumbers {
  #values: Float64Array | Uint32Array;
  length = 0;

  /** `wide`: up to 2^53, otherwise up to 2^32. */
  constructor(wide: boolean) {
    this.#values = wide ? new Float64Array(1_024) : new Uint32Array(1_024);
  }

  push(value: number): void {
    if (this.length === this.#values.length) {
      const grown =
        this.#values instanceof Float64Array ? new Float64Array(this.length * 2) : new Uint32Array(this.length * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.length++] = value;
  }

  at(index: number): number {
    return this.#values[index] ?? 0;
  }

  /** The first index whose value is `value` or more; the values must ascend. */
  firstFrom(value: number): number {
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.at(middle) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
