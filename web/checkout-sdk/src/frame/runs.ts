// Work that waits for responses, and that a newer token, session or step of the shopper makes obsolete.

export class Runs {
  #run = 0;

  /** Makes all earlier work obsolete. */
  next(): void {
    this.#run += 1;
  }

  /** Returns a function that is true while the work that starts here is current. */
  begin(): () => boolean {
    const run = this.#run;
    return () => run === this.#run;
  }
}
