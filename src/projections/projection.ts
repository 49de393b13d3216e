// The interface of a projection, of two kinds.

/**
 * A **stream projection** keeps a document for each stream of one category: by default the decider's own fold
 * (`foldOf`). The process that appended writes it at once, and a follower repairs; an event is applied exactly at the
 * document's revision + 1.
 *
 * A **log projection** keeps documents over many streams (totals by day, a queue of open work). The follower alone
 * writes them, in log order, after the append: no caller waits for them. A document remembers the position that it has
 * seen (`Stored.revision`), so an event is applied once, by however many followers.
 *
 * To write one: a file in models/ with its keys and version, and a line in models/all.ts. The version is raised when
 * the documents, the keys or the projection's reading of an event change: that starts a rebuild.
 */
import type { DomainEvent } from '../domain/category.ts';
import type { Decider } from '../domain/decider.ts';
import { unsealEvent } from '../journal/envelope.ts';
import type { StoredEvent } from '../stores/event-store.ts';
import type { Collection } from '../stores/read-models.ts';

interface Fold<Doc extends object> {
  /** The category of the streams that it reads; a document's id is its stream's. */
  readonly category: string;
  /**
   * The document after an event; `doc` is undefined before the first. Never mutates; a fault that it throws parks the
   * stream.
   */
  readonly project: (doc: Doc | undefined, stored: StoredEvent) => Doc;
}

/** The change of one document of a log projection by an event. */
export interface Change<Doc extends object> {
  readonly id: string;
  /** The document after the event; of a projection with `add` what the event alone adds to it. */
  readonly doc: Doc;
}

/** The changes of documents by an event of a stream, and the reader of the stream's next event. */
interface Read<Doc extends object> {
  readonly changes: readonly Change<Doc>[];
  readonly next: StreamReader<Doc>;
}

/**
 * Reads the events of one stream from its first, in order. A reader knows the earlier events, so that an event need not
 * repeat it: a capture does not name the card's network. Pure: after a restart the engine reads the stream again to
 * where it was.
 */
export type StreamReader<Doc extends object> = (stored: StoredEvent) => Read<Doc>;

export interface Reading<Doc extends object> {
  readonly categories: readonly string[];
  /**
   * A document with one more part. Never mutates, and reads nothing but the two. Without it each document is of the
   * events of one stream alone (messages, disputes), and a change is the whole document: a parked stream can be taken
   * in later. With it documents are sums over many streams: a parked stream is a hole in them, which a rebuild closes.
   */
  readonly add?: ((doc: Doc, part: Doc) => Doc) | undefined;
  /** True if `add` needs the parts in the order of the log; otherwise any order comes to the same document. */
  readonly isInLogOrder?: boolean | undefined;
  /**
   * The reader of a stream of these categories. A fault that it, or `add`, throws parks that stream from that event on.
   */
  readonly reader: StreamReader<Doc>;
}

/** The document after a change; `doc` is undefined before the first. */
export const changed = <Doc extends object>(
  { add }: Pick<Reading<Doc>, 'add'>,
  doc: Doc | undefined,
  change: Change<Doc>,
): Doc => (doc === undefined || add === undefined ? change.doc : add(doc, change.doc));

/** A projection without its document type: for lists of different projections. */
export interface AnyProjection {
  readonly kind: 'stream' | 'log';
  readonly name: string;
  readonly version: number;
  readonly categories: readonly string[];
  /** Calls `work` with the typed projection. */
  readonly open: <T>(work: ProjectionWork<T>) => T;
}
type ProjectionWork<T> = <Doc extends object, K extends string>(of: Projection<Doc, K>) => T;

export interface StreamProjection<Doc extends object, K extends string>
  extends Collection<Doc, K>,
    Fold<Doc>,
    AnyProjection {
  readonly kind: 'stream';
  readonly name: string;
  readonly version: number;
  /**
   * The key with the time, in ms, since which a document is over: nothing is owed about it. Such documents leave some
   * days later (`policies/leave-after-days.ts`), and a later event of the stream brings one back whole.
   */
  readonly overSince?: NoInfer<K>;
}

export interface LogProjection<Doc extends object, K extends string>
  extends Collection<Doc, K>,
    Reading<Doc>,
    AnyProjection {
  readonly kind: 'log';
  readonly name: string;
  readonly version: number;
  readonly categories: readonly string[];
  /** A document that a follower read too old would take its next event over a gap, and nothing would show it. */
  readonly freshness: 'linearizable';
}

export type Projection<Doc extends object, K extends string> = StreamProjection<Doc, K> | LogProjection<Doc, K>;

export const projection = <Doc extends object, K extends string>(
  fold: Fold<Doc>,
  of: Collection<Doc, K> & Pick<StreamProjection<Doc, K>, 'overSince'>,
): StreamProjection<Doc, K> => {
  const made: StreamProjection<Doc, K> = {
    ...of,
    category: fold.category,
    project: fold.project,
    kind: 'stream',
    categories: [fold.category],
    open: (work) => work(made),
  };
  return made;
};

export const logProjection = <Doc extends object, K extends string>(
  reading: Reading<Doc>,
  of: Collection<Doc, K>,
): LogProjection<Doc, K> => {
  const made: LogProjection<Doc, K> = {
    ...of,
    ...reading,
    kind: 'log',
    freshness: 'linearizable',
    open: (work) => work(made),
  };
  return made;
};

/** The decider's own fold: by default the read model is the state, kept. */
export const foldOf = <State extends object, Event extends DomainEvent>({
  category,
  initial,
  evolve,
}: Decider<State, Event>): Fold<State> => ({
  category: category.name,
  project(doc, stored) {
    const { event, recorded } = unsealEvent(category, stored);
    return evolve(doc ?? initial, event, recorded);
  },
});

/**
 * How a log projection reads a stream: `Known` is the part of the earlier events, in its own stream, that an event
 * needs.
 */
export interface Reader<Known, Doc extends object> extends Omit<Reading<Doc>, 'reader'> {
  readonly initial: Known;
  /** The changes by the event, and the knowledge after it; `known` is the knowledge before it. Never mutates. */
  readonly read: (
    known: Known,
    stored: StoredEvent,
  ) => { readonly known: Known; readonly changes: readonly Change<Doc>[] };
}

export const readingOf = <Known, Doc extends object>({
  initial,
  read,
  ...reading
}: Reader<Known, Doc>): Reading<Doc> => {
  const readerOf =
    (known: Known): StreamReader<Doc> =>
    (stored) => {
      const { known: next, changes } = read(known, stored);
      return { changes, next: readerOf(next) };
    };
  return { ...reading, reader: readerOf(initial) };
};
