// Free JSON that callers attach: kept word for word, within limits on keys, depth and size (contract §1).
import { z } from 'zod';

const MAX_KEY_CHARACTERS = 64;
/** Objects and arrays inside each other, the outermost counted. */
const MAX_DEPTH = 8;
const MAX_BYTES = 16_384;

interface MetadataFault {
  readonly path: (string | number)[];
  readonly message: string;
  readonly emptyKey: boolean;
}

const faultOfKey = (key: string): string | undefined => {
  if (key.length === 0) return 'Must not have an empty key.';
  const isLong = key.length > MAX_KEY_CHARACTERS && [...key].length > MAX_KEY_CHARACTERS;
  return isLong ? `Must have a key of at most ${MAX_KEY_CHARACTERS} characters.` : undefined;
};

/**
 * One walk over keys and values that ends as soon as what it has seen must be more than the limit, so that it costs no
 * more for a value that is a hundred times too large.
 */
class MetadataWalk {
  readonly faults: MetadataFault[] = [];
  /** The least size of the bytes of JSON: escapes and characters of several bytes are not counted. */
  bytes = 0;
  readonly #path: (string | number)[] = [];

  members(value: object): void {
    const path = this.#path;
    const depth = path.length;
    if (depth >= MAX_DEPTH) {
      this.faults.push({
        path: [...path],
        message: `Must not be nested deeper than ${MAX_DEPTH} levels.`,
        emptyKey: false,
      });
      return;
    }
    this.bytes += 1;
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length && this.bytes <= MAX_BYTES; index += 1) {
        path[depth] = index;
        this.#value(value[index]);
      }
    } else if (isObject(value)) {
      for (const key of Object.keys(value)) {
        if (this.bytes > MAX_BYTES) break;
        path[depth] = key;
        const message = faultOfKey(key);
        if (message !== undefined) this.faults.push({ path: [...path], message, emptyKey: key.length === 0 });
        this.bytes += key.length + 3;
        this.#value(value[key]);
      }
    }
    path.length = depth;
  }

  /** With the comma or bracket after it. */
  #value(value: unknown): void {
    if (typeof value === 'object' && value !== null) {
      this.bytes += 1;
      this.members(value);
    } else this.bytes += typeof value === 'string' ? value.length + 3 : 2;
  }
}

const isObject = (value: object): value is { readonly [name: string]: unknown } => !Array.isArray(value);

/**
 * A number takes up to 25 bytes where two are counted, an escaped character six where one is: 13 for each that is
 * counted are enough.
 */
const MOST_A_BYTE = 13;

/** UTF-8 bytes of a value's JSON text; characters are counted first, because one takes at most three bytes. */
const isTooLarge = (value: object): boolean => {
  const text = JSON.stringify(value);
  return text.length > MAX_BYTES || (3 * text.length > MAX_BYTES && Buffer.byteLength(text) > MAX_BYTES);
};

/**
 * Checks the size before the schema, which would copy a value of any size. A value that is not an object is left to the
 * schema.
 */
const limited =
  (ofEmptyKey: { readonly params?: { readonly errorId: string } }) =>
  (value: unknown, { issues }: z.core.$RefinementCtx): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const inspection = new MetadataWalk();
    inspection.members(value);
    for (const { path, message, emptyKey } of inspection.faults) {
      issues.push({ code: 'custom', input: value, path, message, ...(emptyKey && ofEmptyKey) });
    }
    const { faults, bytes } = inspection;
    // Nearly all metadata is so small that its text need not be measured. Too deep to walk is too deep to stringify:
    // the first fault says enough.
    const isMeasured = faults.length === 0 && MOST_A_BYTE * bytes > MAX_BYTES;
    if (bytes > MAX_BYTES || (isMeasured && isTooLarge(value))) {
      issues.push({
        code: 'custom',
        input: value,
        path: [],
        message: `Must not be larger than ${MAX_BYTES} bytes of JSON.`,
      });
    }
    return value;
  };

const AnyObject = z.record(z.string(), z.unknown());

/** Any JSON object within the limits of metadata. */
export const FreeJson = z.preprocess(limited({}), AnyObject);

/** An empty key is an error of its own: its issue carries `params.errorId` MetadataContainsEmptyKey (400, not 422). */
export const Metadata = z.preprocess(limited({ params: { errorId: 'MetadataContainsEmptyKey' } }), AnyObject).meta({
  description: 'Any JSON; keys of 1 to 64 characters, at most 8 levels and 16 KiB.',
});
export type Metadata = z.infer<typeof AnyObject>;
