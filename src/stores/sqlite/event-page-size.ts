// The size of the next page of events: many small ones or few big ones, so that neither time nor memory grows without
// bound.
import type { StoredEvent } from '../event-store.ts';

/** A page of 1,000 ordinary events takes some 2 ms of the thread that answers requests. */
const MAX_EVENTS = 1_000;
const FIRST_EVENTS = 32;
/** Text of a page, in UTF-16 units, that the next limit aims at. */
const WANTED_UNITS = 4 * 1024 * 1024;

export class PageSize {
  #limit = FIRST_EVENTS;

  get limit(): number {
    return this.#limit;
  }

  /** Doubles at most with each full page, and shrinks at once when events are big. */
  learn(page: readonly StoredEvent[]): void {
    if (page.length === 0) return;
    const units = page.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
    const fitting = Math.floor((WANTED_UNITS * page.length) / Math.max(units, 1));
    this.#limit = Math.max(1, Math.min(fitting, this.#limit * 2, MAX_EVENTS));
  }
}
