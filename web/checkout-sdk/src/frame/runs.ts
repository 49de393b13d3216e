// Work that waits for answers, and that a newer token, session or step of the shopper makes meaningless.

export class Runs {
  #run = 0;

  /** All work that began before counts no more. */
  next(): void {
    this.#run += 1;
  }

  /** Says later whether the work that begins here still counts. */
  begin(): () => boolean {
    const run = this.#run;
    return () => run === this.#run;
  }
}
