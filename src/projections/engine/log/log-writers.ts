// A follower's memory of each log projection: its readers of streams, and whether a record of an earlier stop is open.
import type { EventStore, StoredEvent } from '../../../stores/event-store.ts';
import type { LogProjection } from '../../projection.ts';
import { copyOf } from '../generations/copy.ts';
import { unparkUpTo } from '../parked/parked-records.ts';
import { type Applied, type ApplyLogParts, applyToLog } from './apply-log.ts';
import { StreamReaders } from './stream-readers.ts';

interface Writer {
  readonly apply: (generation: number, events: readonly StoredEvent[]) => Promise<Applied>;
}

export interface LogWritersParts extends ApplyLogParts {
  readonly events: EventStore;
}

export class LogWriters {
  readonly #parts: LogWritersParts;
  readonly #writers = new Map<string, Writer>();

  constructor(parts: LogWritersParts) {
    this.#parts = parts;
  }

  /** See applyToLog. Where nothing stops it, records of events that it has passed are closed: the code may have been mended since. */
  apply<Doc extends object, K extends string>(
    of: LogProjection<Doc, K>,
    generation: number,
    events: readonly StoredEvent[],
  ): Promise<Applied> {
    const writer = this.#writers.get(of.name) ?? this.#writerOf(of);
    this.#writers.set(of.name, writer);
    return writer.apply(generation, events);
  }

  #writerOf<Doc extends object, K extends string>(of: LogProjection<Doc, K>): Writer {
    const readers = new StreamReaders<Doc>(this.#parts, of);
    /** The generation of which no record is open, as far as this process knows. */
    let clear: number | undefined;
    return {
      apply: async (generation, events) => {
        const copy = copyOf(of, generation);
        const applied = await applyToLog(this.#parts, of, copy, readers, events);
        const { reached, parked } = applied;
        if (parked !== undefined) clear = undefined;
        else if (clear !== generation && reached !== undefined && (await unparkUpTo(this.#parts.store, copy, reached))) clear = generation;
        return applied;
      },
    };
  }
}
