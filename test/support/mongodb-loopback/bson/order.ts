// The order of BSON values, for sorts, ranges and indexes.

const RANKS: Readonly<Record<string, number>> = {
  MinKey: 0,
  Long: 2,
  Double: 2,
  Int32: 2,
  Decimal128: 2,
  BSONSymbol: 3,
  Binary: 6,
  ObjectId: 7,
  Timestamp: 10,
  BSONRegExp: 11,
  DBRef: 12,
  Code: 13,
  MaxKey: 127,
};

const tagOf = (value: object): string => ('_bsontype' in value ? String(value._bsontype) : '');

/** Values of one rank compare with each other. A missing value ranks as null. */
export function rankOf(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return 3;
    case 'number':
    case 'bigint':
      return 2;
    case 'boolean':
      return 8;
    case 'object':
      if (value === null) return 1;
      if (Array.isArray(value)) return 5;
      if (value instanceof Date) return 9;
      if (value instanceof RegExp) return 11;
      return RANKS[tagOf(value)] ?? 4;
    default:
      return 1;
  }
}

/** UTF-16 code units, shifted so that they sort like the UTF-8 bytes of their characters. */
const byCodePoint = (unit: number): number => (unit < 0xd800 ? unit : unit >= 0xe000 ? unit - 0x800 : unit + 0x2000);

/** Compares strings by their UTF-8 bytes. */
function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return byCodePoint(x) - byCodePoint(y);
  }
  return a.length - b.length;
}

function numeric(value: unknown): number | bigint {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  const text = String(value);
  return /^-?\d+$/.test(text) ? BigInt(text) : Number(text);
}

/** NaN comes before all numbers. */
function compareNumbers(left: unknown, right: unknown): number {
  const a = numeric(left);
  const b = numeric(right);
  if (a < b) return -1;
  if (a > b) return 1;
  return Number(Number.isNaN(b)) - Number(Number.isNaN(a));
}

function compareObjects(a: object, b: object): number {
  const left = Object.entries(a);
  const right = Object.entries(b);
  for (let i = 0; i < Math.min(left.length, right.length); i += 1) {
    const [name, value] = left[i] ?? ['', undefined];
    const [otherName, otherValue] = right[i] ?? ['', undefined];
    const difference =
      rankOf(value) - rankOf(otherValue) || compareStrings(name, otherName) || compareValues(value, otherValue);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

function compareOthers(a: unknown, b: unknown, rank: number): number {
  if (rank === 9 && a instanceof Date && b instanceof Date) return a.getTime() - b.getTime();
  if ((rank === 4 || rank === 5) && typeof a === 'object' && a !== null && typeof b === 'object' && b !== null)
    return compareObjects(a, b);
  return compareStrings(String(a), String(b));
}

/** Below, at or above 0, as for `Array.sort`. */
export function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  const rank = rankOf(a);
  const difference = rank - rankOf(b);
  if (difference !== 0) return difference;
  switch (rank) {
    case 0:
    case 1:
    case 127:
      return 0;
    case 2:
      return compareNumbers(a, b);
    case 8:
      return Number(a) - Number(b);
    default:
      return compareOthers(a, b, rank);
  }
}
