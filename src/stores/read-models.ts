// The read-model port: documents guarded by revision, found by declared keys, kept in generations.
export type Key = string | number | boolean;

export interface Collection<Doc extends object, K extends string> {
  /** kebab-case; names its files or collections. */
  readonly name: string;
  /** Raised when documents or keys change shape: starts a rebuild. */
  readonly version: number;
  /** Only these can be searched; the document itself is opaque text to the store. */
  readonly keys: { readonly [N in K]: (doc: Doc) => Key | undefined };
  /** Each a list of keys, most significant first; queries order by the last one and the id. */
  readonly indexes: readonly (readonly NoInfer<K>[])[];
}

export interface Stored<Doc> {
  readonly id: string;
  readonly revision: number;
  readonly doc: Doc;
}

export interface Query<K extends string> {
  /** All must hold: one of the listed values, or an inclusive range. */
  readonly where: { readonly [N in K]?: readonly Key[] | { readonly from?: Key; readonly to?: Key } };
  /** Ties are broken by id in the same direction. Without it: by id, ascending. */
  readonly order?: { readonly by: K; readonly descending: boolean };
  /** Only rows behind this one in the order; the last row of the page before (a row need not exist any more). */
  readonly after?: { readonly key: Key; readonly id: string };
  /** 1..1000 */
  readonly limit: number;
}

/** One physical copy of a collection; the catalog (projections/engine/catalog.ts) says which one is live. */
export interface Generation {
  readonly name: string;
  readonly generation: number;
}

export interface ReadModels {
  /** The documents that exist, in no order. Documents are shared: never mutate one. */
  get<Doc extends object, K extends string>(of: Collection<Doc, K>, ids: readonly string[]): Promise<readonly Stored<Doc>[]>;
  /** At most `limit` rows; fewer means that there are no more. */
  find<Doc extends object, K extends string>(of: Collection<Doc, K>, query: Query<K>): Promise<readonly Stored<Doc>[]>;
  /** Keeps whichever revision is higher; answers the ids that were written. Twice, late or from two nodes: same result. */
  write<Doc extends object, K extends string>(of: Collection<Doc, K>, rows: readonly Stored<Doc>[]): Promise<readonly string[]>;
  count<Doc extends object, K extends string>(of: Collection<Doc, K>): Promise<number>;
  close(): Promise<void>;
}
