// Free JSON that callers attach: kept word for word, within limits on keys, depth and size (contract §1).
import { z } from 'zod';
import type { Path } from './json-strings.ts';

const MAX_KEY_CHARACTERS = 64;
/** Objects and arrays inside each other, the outermost counted. */
const MAX_DEPTH = 8;
const MAX_BYTES = 16_384;

interface Fault {
  readonly path: Path;
  readonly message: string;
  readonly emptyKey: boolean;
}

const faultOfKey = (key: string): string | undefined => {
  if (key.length === 0) return 'A key must not be empty.';
  const isLong = key.length > MAX_KEY_CHARACTERS && [...key].length > MAX_KEY_CHARACTERS;
  return isLong ? `A key must have at most ${MAX_KEY_CHARACTERS} characters.` : undefined;
};

function collectFaults(value: object, path: Path, faults: Fault[]): void {
  if (path.length >= MAX_DEPTH) {
    faults.push({ path, message: `Must not be nested deeper than ${MAX_DEPTH} levels.`, emptyKey: false });
    return;
  }
  const list = Array.isArray(value);
  for (const [key, member] of Object.entries(value)) {
    const message = list ? undefined : faultOfKey(key);
    const nested = typeof member === 'object' && member !== null ? member : undefined;
    if (message === undefined && nested === undefined) continue;
    const at = [...path, list ? Number(key) : key];
    if (message !== undefined) faults.push({ path: at, message, emptyKey: key.length === 0 });
    if (nested !== undefined) collectFaults(nested, at, faults);
  }
}

/** UTF-8 bytes of a value's JSON text; characters are counted first, because one takes at most three bytes. */
const isTooLarge = (value: object): boolean => {
  const text = JSON.stringify(value);
  return text.length > MAX_BYTES || (3 * text.length > MAX_BYTES && Buffer.byteLength(text) > MAX_BYTES);
};

const limited =
  (ofEmptyKey: { readonly params?: { readonly errorId: string } }) =>
  ({ value, issues }: z.core.ParsePayload<Record<string, unknown>>): void => {
    const before = issues.length;
    const faults: Fault[] = [];
    collectFaults(value, [], faults);
    for (const { path, message, emptyKey } of faults) {
      issues.push({ code: 'custom', input: value, path: [...path], message, ...(emptyKey && ofEmptyKey) });
    }
    // Too deep to walk is too deep to stringify: the first fault says enough.
    if (issues.length === before && isTooLarge(value)) {
      issues.push({ code: 'custom', input: value, path: [], message: `Must not be larger than ${MAX_BYTES} bytes of JSON.` });
    }
  };

/** As it is in an event: the limits held when it came in, and another version's limits must not make it unreadable. */
export const RecordedMetadata = z.record(z.string(), z.unknown());

/** Any JSON object within the limits of metadata. */
export const FreeJson = RecordedMetadata.check(limited({}));

/** An empty key is an error of its own: its issue carries `params.errorId` MetadataContainsEmptyKey (400, not 422). */
export const Metadata = RecordedMetadata.check(limited({ params: { errorId: 'MetadataContainsEmptyKey' } })).meta({
  description: 'Any JSON; keys of 1 to 64 characters, at most 8 levels and 16 KiB.',
});
export type Metadata = z.infer<typeof RecordedMetadata>;
