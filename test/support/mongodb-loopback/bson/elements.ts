// Reads and splices BSON documents as bytes. Other elements are neither decoded nor changed.
import { Binary, deserialize, serialize } from 'bson';

/** The place of an element in its document, from its type byte to the end of its value. */
export interface Element {
  readonly type: number;
  readonly start: number;
  readonly value: number;
  readonly end: number;
}

export const TYPE = { double: 1, string: 2, object: 3, array: 4, boolean: 8, null: 10, int32: 16, int64: 18 } as const;
const FIXED_SIZES: Readonly<Record<number, number>> = {
  1: 8,
  6: 0,
  7: 12,
  8: 1,
  9: 8,
  10: 0,
  16: 4,
  17: 8,
  18: 8,
  19: 16,
  127: 0,
  255: 0,
};
export const EMPTY_DOCUMENT: Buffer = Buffer.from([5, 0, 0, 0, 0]);

const behindZero = (doc: Buffer, at: number): number => {
  let behind = at;
  while (doc[behind] !== 0) behind += 1;
  return behind + 1;
};

function behindValue(doc: Buffer, type: number, at: number): number {
  const fixed = FIXED_SIZES[type];
  if (fixed !== undefined) return at + fixed;
  switch (type) {
    case 2:
    case 13:
    case 14:
      return at + 4 + doc.readInt32LE(at);
    case 3:
    case 4:
    case 15:
      return at + doc.readInt32LE(at);
    case 5:
      return at + 5 + doc.readInt32LE(at);
    case 11:
      return behindZero(doc, behindZero(doc, at));
    case 12:
      return at + 16 + doc.readInt32LE(at);
    default:
      throw new Error(`no BSON type has the number ${type}`);
  }
}

function elementAt(doc: Buffer, start: number): Element {
  const type = doc[start] ?? 0;
  const value = behindZero(doc, start + 1);
  return { type, start, value, end: behindValue(doc, type, value) };
}

export function elements(doc: Buffer): readonly Element[] {
  const found: Element[] = [];
  for (let at = 4; doc[at] !== 0; ) {
    const element = elementAt(doc, at);
    found.push(element);
    at = element.end;
  }
  return found;
}

export const nameOf = (doc: Buffer, element: Element): string =>
  doc.toString('utf8', element.start + 1, element.value - 1);

/** A name as `findElement` compares it: a character for each of its bytes. */
export const nameBytes = (name: string): string => Buffer.from(name, 'utf8').toString('latin1');

/** True if the element that starts there has that name; see `nameBytes`. */
export const isNamed = (doc: Buffer, start: number, name: string): boolean => {
  for (let i = 0; i < name.length; i += 1) if (doc[start + 1 + i] !== name.charCodeAt(i)) return false;
  return doc[start + 1 + name.length] === 0;
};

/** The top-level element of that name; see `nameBytes`. */
export function findElement(doc: Buffer, name: string): Element | undefined {
  let at = 4;
  while (doc[at] !== 0) {
    const type = doc[at] ?? 0;
    if (isNamed(doc, at, name)) {
      const value = at + name.length + 2;
      return { type, start: at, value, end: behindValue(doc, type, value) };
    }
    at = behindValue(doc, type, behindZero(doc, at + 1));
  }
  return undefined;
}

/** Types without a reader here go through the bson package, which is slower. */
export function readValue(doc: Buffer, { type, value, end }: Element): unknown {
  switch (type) {
    case TYPE.string:
      return doc.toString('utf8', value + 4, end - 1);
    case TYPE.int32:
      return doc.readInt32LE(value);
    case TYPE.double:
      return doc.readDoubleLE(value);
    case TYPE.boolean:
      return doc[value] === 1;
    case TYPE.null:
      return null;
    case TYPE.int64: {
      const long = doc.readBigInt64LE(value);
      return BigInt.asIntN(54, long) === long ? Number(long) : long;
    }
    default:
      return deserialize(joinDocument([Buffer.from([type, 118, 0]), doc.subarray(value, end)]))['v'];
  }
}

export const readField = (doc: Buffer, name: string): unknown => {
  const element = findElement(doc, name);
  return element === undefined ? undefined : readValue(doc, element);
};

/** The documents of an array of documents. */
export function documentsIn(doc: Buffer, array: Element): Buffer[] {
  const list = doc.subarray(array.value, array.end);
  return elements(list).map((item) => list.subarray(item.value, item.end));
}

/** A document of elements given as bytes; the bytes are copied. */
export function joinDocument(parts: readonly Buffer[]): Buffer {
  let size = 5;
  for (const part of parts) size += part.length;
  const doc = Buffer.allocUnsafe(size);
  doc.writeInt32LE(size, 0);
  let at = 4;
  for (const part of parts) at += part.copy(doc, at);
  doc[at] = 0;
  return doc;
}

export const encode = (doc: object): Buffer => {
  const bytes = serialize(doc, { ignoreUndefined: true });
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
};

export const decode = (doc: Buffer): Record<string, unknown> => deserialize(doc);

/** The elements of a document, without its frame. */
export const elementBytes = (doc: Buffer): Buffer => doc.subarray(4, doc.length - 1);

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !('_bsontype' in value) &&
  !(value instanceof Date) &&
  !(value instanceof RegExp);

export const hexOf = (value: unknown): string => (value instanceof Binary ? value.toString('hex') : '');
