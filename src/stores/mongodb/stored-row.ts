// A document as MongoDB keeps it: its text is opaque, its keys are next to it.
import type { IndexDescription } from 'mongodb';
import type { Collection, Key, Stored, StoredText } from '../read-models.ts';
import { docOf } from '../typed-doc.ts';

export interface StoredRow {
  readonly _id: string;
  /** revision */
  readonly r: number;
  /** the document as JSON text */
  readonly t: string;
  /** its keys; a key that it does not have is absent */
  readonly k: Readonly<Record<string, StoredKey>>;
}

/** Booleans are kept as 0 and 1, so that they compare as in every other store. */
export type StoredKey = string | number;
export const storedKey = (key: Key): StoredKey => (typeof key === 'boolean' ? Number(key) : key);

/** The parts of a row that a reader needs. */
export const ROW_PROJECTION = { r: 1, t: 1 } as const;
export type ReadRow = Pick<StoredRow, '_id' | 'r' | 't'>;

/** A row whose text has been parsed; simultaneous readers share the document. */
export interface ParsedRow {
  readonly id: string;
  readonly revision: number;
  readonly doc: object;
}

/**
 * The name of the MongoDB collection. A changed version of a collection that has no generations is another one: it
 * starts empty.
 */
export const physicalName = <Doc extends object, K extends string>({
  name,
  version,
  generation,
}: Collection<Doc, K>): string => (generation === undefined ? `${name}@${version}` : generationName(name, generation));

export const generationName = (name: string, generation: number): string => `${name}.${generation}`;

export const keyPath = (key: string): string => `k.${key}`;

/** Each declared index ends in the id, which breaks ties: a page is a piece of one index. */
export const indexKeys = (index: readonly string[]): Record<string, 1> => {
  const keys: Record<string, 1> = {};
  for (const name of index) keys[keyPath(name)] = 1;
  keys['_id'] = 1;
  return keys;
};

/**
 * An index as the server makes it. Documents without one of its keys are not in it, so that rare due dates cost the
 * writes of the others nothing; a query along it names each of its keys, and so finds nothing less.
 */
export const indexOf = (index: readonly string[]): IndexDescription => ({
  key: indexKeys(index),
  partialFilterExpression: Object.fromEntries(index.map((name) => [keyPath(name), { $exists: true }])),
});

export function rowToStore<Doc extends object, K extends string>(
  of: Collection<Doc, K>,
  { id, revision, doc }: Stored<Doc>,
): StoredRow {
  const keys: Record<string, StoredKey> = {};
  for (const name in of.keys) {
    const key = of.keys[name](doc);
    if (key !== undefined) keys[name] = storedKey(key);
  }
  const { text = JSON.stringify } = of;
  return { _id: id, r: revision, t: text(doc), k: keys };
}

export function parsedRow({ _id, r, t }: ReadRow): ParsedRow {
  const doc: unknown = JSON.parse(t);
  if (typeof doc !== 'object' || doc === null) throw new TypeError(`the document ${_id} is not an object`);
  return { id: _id, revision: r, doc };
}

export const textOf = ({ _id, r, t }: ReadRow): StoredText => ({ id: _id, revision: r, text: t });

export const typed = <Doc extends object, K extends string>(
  of: Collection<Doc, K>,
  { id, revision, doc }: ParsedRow,
): Stored<Doc> => ({
  id,
  revision,
  doc: docOf(of, doc),
});
