// Sort orders of queries over documents as bytes.
import { decode, isRecord } from '../bson/elements.ts';
import { compareValues } from '../bson/order.ts';
import type { Field } from '../storage/index.ts';
import { ARRAY, pathReader } from './filter.ts';

/** The client's sort. Undefined or empty means no sort. */
export const sortFields = (sort: unknown): readonly Field[] =>
  isRecord(sort) ? Object.entries(sort).map(([path, direction]) => ({ path, descending: Number(direction) < 0 })) : [];

function valuesAt(value: unknown, names: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((one) => valuesAt(one, names));
  const [name, ...rest] = names;
  if (name === undefined) return [value];
  return isRecord(value) ? valuesAt(value[name], rest) : [undefined];
}

/** The sort key of an array is its least element, or its greatest when the sort descends. */
function keyReader({ path, descending }: Field): (doc: Buffer) => unknown {
  const read = pathReader(path);
  return (doc) => {
    const value = read(doc);
    if (value !== ARRAY) return value;
    const values = valuesAt(decode(doc), path.split('.')).sort(compareValues);
    return descending ? values.at(-1) : values[0];
  };
}

export function sorter(fields: readonly Field[]): (a: Buffer, b: Buffer) => number {
  const readers = fields.map((field) => ({ read: keyReader(field), sign: field.descending ? -1 : 1 }));
  return (a, b) => {
    for (const { read, sign } of readers) {
      const difference = compareValues(read(a), read(b));
      if (difference !== 0) return difference * sign;
    }
    return 0;
  };
}

/** A sorted copy. The keys of each document are read once. */
export function sortDocuments(docs: readonly Buffer[], fields: readonly Field[]): Buffer[] {
  const readers = fields.map((field) => ({ read: keyReader(field), sign: field.descending ? -1 : 1 }));
  const keyed = docs.map((doc) => ({ doc, key: readers.map(({ read }) => read(doc)) }));
  keyed.sort((a, b) => {
    for (let i = 0; i < readers.length; i += 1) {
      const difference = compareValues(a.key[i], b.key[i]);
      if (difference !== 0) return difference * (readers[i]?.sign ?? 1);
    }
    return 0;
  });
  return keyed.map(({ doc }) => doc);
}
