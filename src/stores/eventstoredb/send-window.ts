// Limits the bytes under way to the server: more than a line carries in the time of one try would never be answered in
// that time.
export class SendWindow {
  readonly #limit: number;
  readonly #queue: { readonly units: number; readonly enter: () => void }[] = [];
  #used = 0;

  /** In the same units as `enter` takes; a larger append goes alone. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Undefined: there is room, and it is taken. Else it resolves when there is, in the order of coming. */
  enter(units: number): Promise<void> | undefined {
    if (this.#queue.length === 0 && this.#fits(units)) {
      this.#used += units;
      return undefined;
    }
    return new Promise((enter) => this.#queue.push({ units, enter }));
  }

  leave(units: number): void {
    this.#used -= units;
    for (let [next] = this.#queue; next !== undefined && this.#fits(next.units); [next] = this.#queue) {
      this.#queue.shift();
      this.#used += next.units;
      next.enter();
    }
  }

  #fits(units: number): boolean {
    return this.#used === 0 || this.#used + units <= this.#limit;
  }
}
