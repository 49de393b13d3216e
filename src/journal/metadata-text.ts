// Members of an event's metadata, read from its text: a fold needs three of its eight members, of every event.

const DIGIT_ZERO = 48;
const COMMA = 44;
const CLOSING_BRACE = 125;

/**
 * The value of a member that is a natural number; undefined if only parsing can tell. Inside a JSON string a quote
 * follows a backslash, so `"name":` is always a member's name; a name that occurs twice may belong to another object.
 */
export function numberIn(metadata: string, name: 'recordedAt' | 'schemaVersion'): number | undefined {
  const mark = name === 'recordedAt' ? '"recordedAt":' : '"schemaVersion":';
  const at = metadata.indexOf(mark);
  if (at < 0 || metadata.indexOf(mark, at + 1) >= 0) return undefined;
  const from = at + mark.length;
  let value = 0;
  let place = from;
  for (; ; place += 1) {
    const digit = metadata.charCodeAt(place) - DIGIT_ZERO;
    if (!(digit >= 0 && digit <= 9)) break;
    value = 10 * value + digit;
  }
  const next = metadata.charCodeAt(place);
  const isWhole = place > from && (next === COMMA || next === CLOSING_BRACE) && Number.isSafeInteger(value);
  return isWhole ? value : undefined;
}

const SCHEMA_VERSION = '"schemaVersion":';
const PREVIOUS_HASH = ',"previousHash":"';
const HASH_LENGTH = 64;
const END_LENGTH = 2;

/**
 * True if the text ends in this hash of the previous event, as the envelope writes it. Parsing would find the same: of
 * members with one name the last one counts, and a quote without a backslash cannot occur inside a text. False: the
 * caller has to parse.
 */
export const endsInPreviousHash = (metadata: string, hash: string): boolean =>
  metadata.endsWith(`${PREVIOUS_HASH}${hash}"}`);

/**
 * The version where the envelope writes it, right before the hash at the end; reads no other part. Undefined: the
 * caller has to search.
 */
export function versionAtEnd(metadata: string): number | undefined {
  const hashAt = metadata.endsWith(`${PREVIOUS_HASH}"}`)
    ? metadata.length - END_LENGTH
    : metadata.length - END_LENGTH - HASH_LENGTH;
  const end = hashAt - PREVIOUS_HASH.length;
  if (!metadata.startsWith(PREVIOUS_HASH, end) || metadata.indexOf('"', hashAt) !== metadata.length - END_LENGTH)
    return undefined;
  const digit = metadata.charCodeAt(end - 1) - DIGIT_ZERO;
  const isFound = digit >= 0 && digit <= 9 && metadata.startsWith(SCHEMA_VERSION, end - 1 - SCHEMA_VERSION.length);
  return isFound && metadata.charCodeAt(end - SCHEMA_VERSION.length - 2) === COMMA ? digit : undefined;
}

/** A member that is a text without escapes; undefined if only parsing can tell. */
export function textIn(metadata: string, name: 'previousHash' | '$correlationId'): string | undefined {
  const mark = `"${name}":"`;
  const at = metadata.indexOf(mark);
  if (at < 0 || metadata.indexOf(mark, at + 1) >= 0) return undefined;
  const from = at + mark.length;
  const end = metadata.indexOf('"', from);
  const text = metadata.slice(from, end);
  return end < 0 || text.includes('\\') ? undefined : text;
}
