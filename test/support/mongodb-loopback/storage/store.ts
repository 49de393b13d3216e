// All databases of the server, restored from its journal.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { decode, encode, isRecord } from '../bson/elements.ts';
import { type Change, Collection } from './collection.ts';
import { Cursors } from './cursors.ts';
import { idKey, idOf } from './id-key.ts';
import type { IndexSpec } from './index.ts';
import { Journal, type JournalRecord } from './journal.ts';
import { Overtaking } from './overtaking.ts';
import { Sessions } from './sessions.ts';

const KINDS = { put: 1, remove: 2, create_index: 3, drop_index: 4, create: 5, drop: 6, session: 7 } as const;
const NOTHING = Buffer.alloc(0);
/** A smaller journal is never rewritten. */
const JOURNAL_BYTES = 16 * 1024 * 1024;

/** The spec of an index from a client, with missing names and flags filled in. */
export function indexSpec(raw: Readonly<Record<string, unknown>>): IndexSpec {
  const key = isRecord(raw['key'])
    ? Object.fromEntries(Object.entries(raw['key']).map(([path, direction]) => [path, Number(direction)]))
    : {};
  const name = Object.entries(key).flat().join('_');
  const partial = raw['partialFilterExpression'];
  return {
    name: typeof raw['name'] === 'string' ? raw['name'] : name,
    key,
    unique: raw['unique'] === true,
    sparse: raw['sparse'] === true,
    ...(isRecord(partial) ? { partialFilterExpression: partial } : {}),
  };
}

export class Store {
  readonly cursors = new Cursors();
  readonly sessions: Sessions;
  readonly overtaking = new Overtaking();
  readonly #collections = new Map<string, Collection>();
  readonly #journal: Journal;
  #loaded = false;

  private constructor(journal: Journal) {
    this.#journal = journal;
    this.sessions = new Sessions((doc) => this.#journal.add({ kind: KINDS.session, namespace: '', doc }));
  }

  /** Opens the data that an earlier process left in the directory, if any. */
  static async open(directory: string): Promise<Store> {
    mkdirSync(directory, { recursive: true });
    const journal = new Journal(join(directory, 'journal'));
    const store = new Store(journal);
    await journal.open((record) => store.#replay(record));
    store.#loaded = true;
    return store;
  }

  collection(namespace: string): Collection | undefined {
    return this.#collections.get(namespace);
  }

  /** The collection, created if it does not exist. */
  made(namespace: string): Collection {
    const existing = this.#collections.get(namespace);
    if (existing !== undefined) return existing;
    this.#change({ kind: 'create', namespace, doc: NOTHING });
    const collection = new Collection(namespace, (change) => this.#change(change));
    this.#collections.set(namespace, collection);
    return collection;
  }

  /** Drops a collection. Answers whether it existed. */
  drop(namespace: string): boolean {
    if (!this.#collections.delete(namespace)) return false;
    this.#change({ kind: 'drop', namespace });
    return true;
  }

  /** The collections of a database, or of all for an empty name, in the order of their creation. */
  collections(database: string): readonly Collection[] {
    return [...this.#collections.values()].filter(
      ({ namespace }) => database === '' || namespace.startsWith(`${database}.`),
    );
  }

  /** Returns when all changes so far survive this process. */
  commit(): void {
    this.#journal.commit();
    if (this.#journal.size < JOURNAL_BYTES) return;
    let live = 0;
    for (const { bytes } of this.#collections.values()) live += bytes;
    if (this.#journal.size > live * 4) this.#journal.rewrite(() => this.#recordAll());
  }

  #recordAll(): void {
    const add = (kind: number, namespace: string, doc: Buffer): void => this.#journal.add({ kind, namespace, doc });
    for (const collection of this.#collections.values()) {
      add(KINDS.create, collection.namespace, NOTHING);
      for (const doc of collection.all()) add(KINDS.put, collection.namespace, doc);
      for (const { spec } of collection.indexes.values())
        if (spec.name !== '_id_') add(KINDS.create_index, collection.namespace, encode(spec));
    }
    for (const doc of this.sessions.records()) add(KINDS.session, '', doc);
  }

  #change(change: Change): void {
    if (!this.#loaded) return;
    this.#journal.add({
      kind: KINDS[change.kind],
      namespace: change.namespace,
      doc: change.kind === 'drop' ? NOTHING : change.doc,
    });
  }

  #replay({ kind, namespace, doc }: JournalRecord): void {
    switch (kind) {
      case KINDS.put:
        this.made(namespace).replace(idKey(idOf(doc)), doc);
        break;
      case KINDS.remove:
        this.made(namespace).remove(idKey(idOf(doc)));
        break;
      case KINDS.create_index:
        this.made(namespace).createIndex(indexSpec(decode(doc)), doc);
        break;
      case KINDS.drop_index:
        this.made(namespace).dropIndex(indexSpec(decode(doc)).name, encode({}));
        break;
      case KINDS.create:
        this.made(namespace);
        break;
      case KINDS.drop:
        this.drop(namespace);
        break;
      default:
        this.sessions.replay(decode(doc));
    }
  }
}
