// A collection: its documents as bytes, by id in the order of their insertion, and its indexes.
import { type IdKey, idOf, onlyId } from './id-key.ts';
import { Index, type IndexSpec } from './index.ts';

export interface Duplicate {
  readonly index: IndexSpec;
  readonly values: readonly unknown[];
}

export type Change =
  | {
      readonly kind: 'put' | 'remove' | 'create_index' | 'drop_index' | 'create';
      readonly namespace: string;
      readonly doc: Buffer;
    }
  | { readonly kind: 'drop'; readonly namespace: string };

export class Collection {
  readonly namespace: string;
  readonly #docs = new Map<IdKey, Buffer>();
  readonly indexes = new Map<string, Index>();
  readonly #record: (change: Change) => void;
  bytes = 0;

  constructor(namespace: string, record: (change: Change) => void) {
    this.namespace = namespace;
    this.#record = record;
    this.#index({ name: '_id_', key: { _id: 1 }, unique: false, sparse: false });
  }

  get size(): number {
    return this.#docs.size;
  }

  get(id: IdKey): Buffer | undefined {
    return this.#docs.get(id);
  }

  /** All documents, in the order of their insertion. */
  all(): Iterable<Buffer> {
    return this.#docs.values();
  }

  /** Inserts a document, or answers the duplicate key that prevents it. */
  insert(id: IdKey, doc: Buffer): Duplicate | undefined {
    if (this.#docs.has(id))
      return { index: { name: '_id_', key: { _id: 1 }, unique: true, sparse: false }, values: [idOf(doc)] };
    return this.#put(id, doc, undefined);
  }

  /** Replaces the document with that id, or answers the duplicate key that prevents it. */
  replace(id: IdKey, doc: Buffer): Duplicate | undefined {
    return this.#put(id, doc, this.#docs.get(id));
  }

  remove(id: IdKey): void {
    const doc = this.#docs.get(id);
    if (doc === undefined) return;
    this.#docs.delete(id);
    this.bytes -= doc.length;
    for (const index of this.indexes.values()) index.remove(id, doc);
    this.#record({ kind: 'remove', namespace: this.namespace, doc: onlyId(doc) });
  }

  /** Creates an index. Answers a key that two documents share if the index must be unique; then it is not created. */
  createIndex(spec: IndexSpec, encoded: Buffer): Duplicate | undefined {
    const index = this.#index(spec);
    if (spec.unique) {
      for (const [id, doc] of this.#docs) {
        const values = index.duplicate(id, doc);
        if (values === undefined) continue;
        this.indexes.delete(spec.name);
        return { index: spec, values };
      }
    }
    this.#record({ kind: 'create_index', namespace: this.namespace, doc: encoded });
    return undefined;
  }

  dropIndex(name: string, encoded: Buffer): void {
    if (this.indexes.delete(name)) this.#record({ kind: 'drop_index', namespace: this.namespace, doc: encoded });
  }

  #index(spec: IndexSpec): Index {
    const index = new Index(spec, () => this.#docs);
    this.indexes.set(spec.name, index);
    return index;
  }

  #put(id: IdKey, doc: Buffer, before: Buffer | undefined): Duplicate | undefined {
    for (const index of this.indexes.values()) {
      const values = index.duplicate(id, doc);
      if (values !== undefined) return { index: index.spec, values };
    }
    if (before !== undefined) this.bytes -= before.length;
    for (const index of this.indexes.values()) {
      if (before === undefined) index.add(id, doc);
      else index.replace(id, before, doc);
    }
    this.#docs.set(id, doc);
    this.bytes += doc.length;
    this.#record({ kind: 'put', namespace: this.namespace, doc });
    return undefined;
  }
}
