// The streams that one generation of a log projection goes on without: parked, each from a revision on.
import type { StoredEvent } from '../../../stores/event-store.ts';
import type { ReadModels } from '../../../stores/read-models.ts';
import type { CopyName } from '../generations/copy.ts';
import { type ParkedStream, parkedIn, recordsOf } from '../parked/parked-records.ts';

export class HeldStreams {
  readonly #store: ReadModels;
  readonly #copy: CopyName;
  readonly #waitMs: number;
  /** By stream: the revision from which its events are passed over. */
  readonly #from = new Map<string, number>();
  /** An event of an unknown type or version is passed over already: no newer node has come to read it in time. */
  #hasUnknown = false;

  /** None yet. `waitMs`: how long an event that only a newer node knows is waited for; 0: not at all. */
  constructor(store: ReadModels, copy: CopyName, waitMs = 0) {
    this.#store = store;
    this.#copy = copy;
    this.#waitMs = waitMs;
  }

  /** Loads the recorded streams, except one that is to be retried. */
  static async load(
    store: ReadModels,
    copy: CopyName,
    { waitMs = 0, but }: { waitMs?: number; but?: string } = {},
  ): Promise<HeldStreams> {
    const held = new HeldStreams(store, copy, waitMs);
    for (const record of await parkedIn(store, [copy]))
      if (record.held !== undefined && record.stream !== but) held.add(record);
    return held;
  }

  /** `at`: the event at which the projection met the fault, which is not before the one on record. */
  add({ stream, revision, reason, isReleased }: ParkedStream, at = revision): void {
    this.#from.set(stream, Math.min(revision, at, this.#from.get(stream) ?? revision));
    this.#hasUnknown ||= reason === 'unknown' && isReleased !== true;
  }

  has({ stream, revision }: Pick<StoredEvent, 'stream' | 'revision'>): boolean {
    return revision >= (this.#from.get(stream) ?? Number.POSITIVE_INFINITY);
  }

  /**
   * Whether the projection waits before the event of a record, as a whole: a newer node may be about to bring it past.
   * `now` in ms.
   */
  waitsFor({ reason, at, isReleased }: ParkedStream, now: number): boolean {
    return reason === 'unknown' && isReleased !== true && !this.#hasUnknown && now - at < this.#waitMs;
  }

  /**
   * Forgets those of the streams of these events that are taken in again, by any process; answers each with its
   * revision.
   */
  async returned(events: readonly StoredEvent[]): Promise<ReadonlyMap<string, number>> {
    const met = new Map<string, number>();
    if (this.#from.size === 0) return met;
    for (const { stream } of events) {
      const from = this.#from.get(stream);
      if (from !== undefined) met.set(stream, from);
    }
    if (met.size === 0) return met;
    for (const { stream, held } of await recordsOf(this.#store, this.#copy, [...met.keys()]))
      if (held === 'passed') met.delete(stream);
    for (const stream of met.keys()) this.#from.delete(stream);
    return met;
  }
}
