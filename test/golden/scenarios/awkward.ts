// Values that have broken readers of logs: whatever was once accepted has to be readable for good.

/** Emoji in and outside the basic plane, escapes that look like half a surrogate pair, separators of lines, quotes. */
export const AWKWARD_TEXT =
  '😀 👩‍👩‍👧 é e\u0301 \\ud83d \\u0000 "quoted" \u2028\u2029 \t\n {"recordedAt":7,"schemaVersion":9}';
export const MAX = Number.MAX_SAFE_INTEGER;

/** Names that mean something to JavaScript, to MongoDB and to EventStoreDB. */
export const AWKWARD_NAMES = {
  __proto: 1,
  constructor: { prototype: 'x' },
  toString: 'text',
  hasOwnProperty: false,
  $set: { 'a.b': null },
  $correlationId: 'not ours',
  '': 'an empty name',
  'previousHash": "': 0,
};

/** 16 KiB and more of JSON. */
export const LARGE = { text: 'é😀'.repeat(3_000), list: Array.from({ length: 200 }, (_, n) => n / 3) };

const nested = (depth: number): unknown => (depth === 0 ? [] : { deeper: nested(depth - 1) });
export const DEEP = { deep: nested(40) };
