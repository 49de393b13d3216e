// Where a log projection stands in each stream: what its events said so far, and the link that the next one has to
// follow.
import { boundedCache } from '../../../journal/bounded-cache.ts';
import { type Link, linkOf } from '../../../journal/chain.ts';
import { beforeFirst, hashOf } from '../../../journal/envelope.ts';
import { BrokenStream } from '../../../stores/broken-stream.ts';
import type { EventStore, StoredEvent } from '../../../stores/event-store.ts';
import type { ReadModels } from '../../../stores/read-models.ts';
import type { Change, Reading, StreamReader } from '../../projection.ts';
import { isDiscarded } from '../parked/discards.ts';
import { faultAt, type ProjectionFault } from '../parked/projection-fault.ts';

/** Some 500 bytes each. A stream that was forgotten is read again from its beginning, which is short. */
const REMEMBERED = 20_000;
const READS_AT_ONCE = 16;

/** A place in a stream, after the event at `link.revision`. */
interface Place<Doc extends object> {
  readonly link: Link;
  readonly reader: StreamReader<Doc>;
}

interface StreamReadersParts {
  readonly events: Pick<EventStore, 'read'>;
  readonly store: ReadModels;
}

/** May be shared: a place is a value, and a caller that does not find the one it needs reads the stream. */
export class StreamReaders<Doc extends object> {
  readonly #parts: StreamReadersParts;
  readonly #name: string;
  readonly #first: Place<Doc>;
  readonly #places = boundedCache<Place<Doc>>(REMEMBERED);

  constructor(parts: StreamReadersParts, { name, reader }: { readonly name: string } & Pick<Reading<Doc>, 'reader'>) {
    this.#parts = parts;
    this.#name = name;
    this.#first = { link: beforeFirst, reader };
  }

  /**
   * Reads, side by side, the streams of these events that are not where the events begin; answers, by stream, the
   * faults of those that cannot be read so far. Rejects with StoreUnavailable.
   */
  async prepare(events: readonly StoredEvent[]): Promise<ReadonlyMap<string, ProjectionFault>> {
    const firsts = new Map<string, StoredEvent>();
    for (const stored of events) if (!firsts.has(stored.stream)) firsts.set(stored.stream, stored);
    const unknown = [...firsts.values()].filter(
      ({ stream, revision }) => revision > 0 && this.#revisionOf(stream) !== revision - 1,
    );
    const faults = new Map<string, ProjectionFault>();
    for (let from = 0; from < unknown.length; from += READS_AT_ONCE) {
      const some = unknown.slice(from, from + READS_AT_ONCE);
      const met = await Promise.all(some.map((stored) => this.#replay(stored)));
      for (const [place, { stream }] of some.entries()) if (met[place] !== undefined) faults.set(stream, met[place]);
    }
    return faults;
  }

  /**
   * The changes by the next event of its stream. Throws BrokenStream if it does not follow, and the projection's own
   * faults.
   */
  read(stored: StoredEvent): readonly Change<Doc>[] {
    const { link, reader } = this.#before(stored);
    const after = linkOf(link, stored);
    const { changes, next } = reader(stored);
    this.#places.set(stored.stream, { link: after, reader: next });
    return changes;
  }

  /** Passes over the next event of its stream, as an operator ordered: the stream goes on after it. */
  pass(stored: StoredEvent): void {
    if (this.#revisionOf(stored.stream) !== stored.revision)
      this.#places.set(stored.stream, passed(this.#before(stored), stored));
  }

  /** The events of a stream from a revision on, before another one. */
  async between(stream: string, from: number, before: number): Promise<readonly StoredEvent[]> {
    const found: StoredEvent[] = [];
    for await (const stored of this.#parts.events.read(stream, from - 1)) {
      if (stored.revision >= before) break;
      found.push(stored);
    }
    return found;
  }

  #before({ stream, revision }: StoredEvent): Place<Doc> {
    return (revision === 0 ? undefined : this.#places.get(stream)) ?? this.#first;
  }

  #revisionOf(stream: string): number | undefined {
    return this.#places.get(stream)?.link.revision;
  }

  /**
   * Brings the place of a stream to just before an event; undefined if it got there, or where events are missing,
   * which `read` meets.
   */
  async #replay({ stream, revision }: StoredEvent): Promise<ProjectionFault | undefined> {
    let place = this.#first;
    try {
      for await (const stored of this.#parts.events.read(stream, -1)) {
        if (stored.revision >= revision) break;
        try {
          place = { link: linkOf(place.link, stored), reader: place.reader(stored).next };
        } catch (cause) {
          if (!(await isDiscarded(this.#parts.store, this.#name, stored))) return faultAt(stored, cause);
          place = passed(place, stored);
        }
      }
    } catch (cause) {
      if (!(cause instanceof BrokenStream)) throw cause; // a store may find a break itself
      return faultAt(cause, cause);
    }
    this.#places.set(stream, place);
    return undefined;
  }
}

/** The event counts for nothing; its content is known where it can be read. */
function passed<Doc extends object>({ reader }: Place<Doc>, stored: StoredEvent): Place<Doc> {
  const link = { revision: stored.revision, hash: hashOf(stored) };
  try {
    return { link, reader: reader(stored).next };
  } catch {
    return { link, reader };
  }
}
