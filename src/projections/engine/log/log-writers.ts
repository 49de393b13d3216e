// A follower's memory of each log projection: its readers of streams, those that it goes on without, and whether a wait
// is on record.
import type { EventStore, StoredEvent } from '../../../stores/event-store.ts';
import type { LogProjection } from '../../projection.ts';
import { copyOf } from '../generations/copy.ts';
import { unparkUpTo } from '../parked/parked-records.ts';
import type { EngineTimings } from '../timings.ts';
import { type Applied, type ApplyLogParts, applyToLog } from './apply-log.ts';
import { HeldStreams } from './held-streams.ts';
import { StreamReaders } from './stream-readers.ts';

interface Writer {
  readonly apply: (generation: number, events: readonly StoredEvent[]) => Promise<Applied>;
  /** Looks at the records again, which other processes may have changed. */
  readonly look: () => void;
}

interface LogWritersParts extends ApplyLogParts {
  readonly events: EventStore;
  readonly timings: Pick<EngineTimings, 'newerNodeMs'>;
}

export class LogWriters {
  readonly #parts: LogWritersParts;
  readonly #writers = new Map<string, Writer>();

  constructor(parts: LogWritersParts) {
    this.#parts = parts;
  }

  /** Before the log is followed again: other processes may have followed it meanwhile. */
  look(): void {
    for (const writer of this.#writers.values()) writer.look();
  }

  /**
   * See applyToLog. Where nothing stops it, records of events before which it waited are closed: the code may have been
   * mended since.
   */
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
    const { store, timings } = this.#parts;
    const readers = new StreamReaders<Doc>(this.#parts, of);
    let known: { readonly generation: number; readonly held: HeldStreams } | undefined;
    /** The generation that has no record of a wait, as far as this process knows. */
    let clear: number | undefined;
    return {
      look: () => {
        known = undefined;
      },
      apply: async (generation, events) => {
        const copy = copyOf(of, generation);
        if (known?.generation !== generation)
          known = { generation, held: await HeldStreams.load(store, copy, { waitMs: timings.newerNodeMs }) };
        const applied = await applyToLog(this.#parts, of, copy, readers, events, known.held);
        const { reached, parked } = applied;
        if (parked !== undefined) clear = undefined;
        else if (clear !== generation && reached !== undefined && (await unparkUpTo(store, copy, reached)))
          clear = generation;
        return applied;
      },
    };
  }
}
