// The read-model port: documents guarded by revision, found by declared keys, kept in generations.
import { AppError } from '../app-error.ts';

export type Key = string | number | boolean;

export interface Collection<Doc extends object, K extends string> {
  /** kebab-case; names its files or collections. */
  readonly name: string;
  /** Raised when documents, keys or indexes change: starts a rebuild. A live generation never gets a new index. */
  readonly version: number;
  /** Only these can be searched; the document itself is opaque text to the store. */
  readonly keys: { readonly [N in K]: (doc: Doc) => Key | undefined };
  /**
   * Each a list of keys, most significant first; queries order by the last one and the id. Of two indexes of equal
   * length, the more selective one is listed first: a query that both can serve uses the first.
   */
  readonly indexes: readonly (readonly NoInfer<K>[])[];
  /**
   * The text of a document, as JSON.stringify writes it; for documents of which large parts stay, where there is a
   * cheaper way to it.
   */
  readonly text?: (doc: Doc) => string;
  /**
   * The generation (physical copy) that this collection refers to. Only the catalog (projections/engine/generations/)
   * sets it. A collection without one is kept once, for good: checkpoints, leases, the catalog itself.
   */
  readonly generation?: number;
  /**
   * `linearizable`: `get` answers nothing older than any write that was acknowledged before the call, even
   * from a store whose primary has changed without knowing it. Without it: only the knowledge of the store in charge.
   */
  readonly freshness?: 'linearizable';
}

export interface Stored<Doc> {
  readonly id: string;
  readonly revision: number;
  readonly doc: Doc;
}

/** A document at a revision. */
export type RowAt = Pick<Stored<object>, 'id' | 'revision'>;

export interface Query<K extends string> {
  /** All must hold: one of the listed values, or an inclusive range. A document without the key matches neither. */
  readonly where: { readonly [N in K]?: readonly Key[] | { readonly from?: Key; readonly to?: Key } };
  /**
   * Ties are broken by id in the same direction; documents without the key are left out. Without it: by id, ascending.
   */
  readonly order?: { readonly by: K; readonly descending: boolean };
  /**
   * Only rows after this one: the last row of the previous page, which need not exist any longer. `key` counts with an
   * order only.
   */
  readonly after?: Place;
  /** With an order: only rows up to this one, itself included. */
  readonly upTo?: Place;
  /** 1..1000 */
  readonly limit: number;
  /** Due work of the service: it has places of its own, which lists of callers cannot fill. */
  readonly isDueWork?: true;
}

/** The place of a row in an order. */
export interface Place {
  readonly key: Key;
  readonly id: string;
}

/** A query with an order, whose rows are counted instead of read. */
export type PlaceQuery<K extends string> = Pick<Query<K>, 'where' | 'after'> & Required<Pick<Query<K>, 'order'>>;

export interface Finds {
  /** At most `limit` rows; fewer means that there are no more. */
  find<Doc extends object, K extends string>(of: Collection<Doc, K>, query: Query<K>): Promise<readonly Stored<Doc>[]>;
  /**
   * The place of row number `nth` (1..1000) of a query, found without reading a document; undefined if there are fewer
   * rows.
   */
  place<Doc extends object, K extends string>(
    of: Collection<Doc, K>,
    query: PlaceQuery<K>,
    nth: number,
  ): Promise<Place | undefined>;
}

export interface ReadModels extends Finds {
  /** The documents that exist, in no order. Documents are shared: never mutate one. */
  get<Doc extends object, K extends string>(
    of: Collection<Doc, K>,
    ids: readonly string[],
  ): Promise<readonly Stored<Doc>[]>;
  /**
   * The document, when the adapter can tell without waiting that it is the newest; undefined says nothing, ask `get`.
   * For what every request reads: no promise, no turn of the event loop.
   */
  peek?<Doc extends object, K extends string>(of: Collection<Doc, K>, id: string): Stored<Doc> | undefined;
  /**
   * The finds of one request: they share one deadline, which begins now. Absent if no find waits for another
   * process.
   */
  ofOneRequest?(): Finds;
  /**
   * Keeps whichever revision is higher; answers the ids that were written. Twice, late or from two nodes: same result.
   */
  write<Doc extends object, K extends string>(
    of: Collection<Doc, K>,
    rows: readonly Stored<Doc>[],
  ): Promise<readonly string[]>;
  /**
   * Removes the documents that still have these revisions; answers how many were there. A write of any revision brings
   * a document back, so remove only what nothing writes any longer.
   */
  remove<Doc extends object, K extends string>(of: Collection<Doc, K>, rows: readonly RowAt[]): Promise<number>;
  count<Doc extends object, K extends string>(of: Collection<Doc, K>): Promise<number>;
  close(): Promise<void>;
}

/** A document as it is kept. */
export interface StoredText {
  readonly id: string;
  readonly revision: number;
  readonly text: string;
}

/** The documents of an id in two generations; undefined on the side that has none. */
export interface DocumentPair {
  readonly id: string;
  readonly old: StoredText | undefined;
  readonly made: StoredText | undefined;
}

/** A digest of documents (document-digest.ts) on its way to another thread. */
export interface DigestSum {
  readonly lanes: readonly number[];
  readonly documents: number;
}

/** A document on its way into a new generation. */
export interface BuiltRow extends StoredText {
  /** The types of the collection's keys, in the order of its `keys`. */
  readonly keys: readonly (Key | undefined)[];
}

/** The keys of a document as a builder wants them. */
export const keysOf = <Doc extends object, K extends string>(
  { keys }: Pick<Collection<Doc, K>, 'keys'>,
  doc: Doc,
): BuiltRow['keys'] => {
  const its: (Key | undefined)[] = [];
  for (const name in keys) its.push(keys[name](doc));
  return its;
};

/** Fills a generation that no reader sees until `finish` resolved; it has one user, and calls may overlap. */
export interface Builder {
  /** Sees every write that was called before. */
  get(ids: readonly string[]): Promise<readonly StoredText[]>;
  /**
   * Writes packed rows (packed-rows.ts), which then belong to the builder, guarded by revision like any write; resolves
   * when the builder can take more.
   */
  write(rows: ArrayBuffer): Promise<void>;
  /** Makes the indexes, then the generation usable by every process, durably. */
  finish(): Promise<void>;
  /** Removes everything that was written. */
  abort(): Promise<void>;
}

/** The interface of an adapter: the same verbs on physical copies, and the making and dropping of those. */
export interface ReadModelStore extends ReadModels {
  /**
   * Begins a generation (`of.generation`); the rest of an earlier, unfinished build of the same generation is thrown
   * away.
   */
  build<Doc extends object, K extends string>(of: Collection<Doc, K>): Promise<Builder>;
  /** The finished generations of a name, ascending. */
  generations(name: string): Promise<readonly number[]>;
  /** Drops a generation and what unfinished builds of it left; nothing happens when there is none. */
  drop(name: string, generation: number): Promise<void>;
  /** Documents as they are kept, by id ascending (in the order of their UTF-8 bytes), those after `after`; 1..1000. */
  texts<Doc extends object, K extends string>(
    of: Collection<Doc, K>,
    after: string,
    limit: number,
  ): Promise<readonly StoredText[]>;
  /**
   * Once this resolves, every earlier write to the collection survives a loss of power, up to a mark that is kept with
   * the documents and only ever grows: a copy without the mark has lost something since. Undefined from stores that
   * cannot lose a part of their content.
   */
  sync<Doc extends object, K extends string>(of: Collection<Doc, K>): Promise<number | undefined>;
  /**
   * Rewrites the files of these names, and that of the collections without generations, so that none holds an earlier
   * text of a document. Takes as long as the files are large; documents can be read meanwhile, and writes may fail.
   * Answers how many files. Absent from stores whose files this process does not see. Rejects with StoreUnavailable.
   */
  removeOldTexts?(names: readonly string[]): Promise<number>;
  /**
   * The current state of a generation's file; absent if a generation cannot be damaged on its own. Rejects with
   * StoreUnavailable.
   */
  inspect?<Doc extends object, K extends string>(of: Collection<Doc, K>): Promise<Inspection>;
}

/**
 * `gone`: missing, or another is in its place. `damaged`: its content cannot be read, and `why`. `mark`: see sync; 0
 * before the first.
 */
export type Inspection =
  | { readonly kind: 'whole'; readonly mark: number }
  | { readonly kind: 'gone' }
  | { readonly kind: 'damaged'; readonly why: string };

/** The generation is not there: never finished, or dropped since. */
export class NoSuchGeneration extends AppError {
  readonly generation: number;

  constructor(name: string, generation: number) {
    super('NoSuchGeneration', `There is no generation ${generation} of the read model ${name}.`);
    this.generation = generation;
  }
}
