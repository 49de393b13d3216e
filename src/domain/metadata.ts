// Free JSON that callers attach: kept word for word, within limits on keys, depth and size (contract §1).
import { z } from 'zod';

const MAX_KEY_CHARACTERS = 64;
/** Objects and arrays inside each other, the outermost counted. */
const MAX_DEPTH = 8;
const MAX_BYTES = 16_384;

type Step = string | number;
interface Fault {
  readonly path: readonly Step[];
  readonly message: string;
  readonly errorId?: 'MetadataContainsEmptyKey';
}

function* faultsIn(value: object, path: readonly Step[]): Generator<Fault> {
  if (path.length >= MAX_DEPTH) {
    yield { path, message: `Must not be nested deeper than ${MAX_DEPTH} levels.` };
    return;
  }
  const list = Array.isArray(value);
  for (const [key, member] of Object.entries(value)) {
    if (!list && key.length === 0) yield { path: [...path, key], message: 'A key must not be empty.', errorId: 'MetadataContainsEmptyKey' };
    if (!list && key.length > MAX_KEY_CHARACTERS && [...key].length > MAX_KEY_CHARACTERS) {
      yield { path: [...path, key], message: `A key must have at most ${MAX_KEY_CHARACTERS} characters.` };
    }
    if (typeof member === 'object' && member !== null) yield* faultsIn(member, [...path, list ? Number(key) : key]);
  }
}

/** UTF-8 bytes of a value's JSON text; characters are counted first, because one takes at most three bytes. */
const isTooLarge = (value: object): boolean => {
  const text = JSON.stringify(value);
  return text.length > MAX_BYTES || (3 * text.length > MAX_BYTES && Buffer.byteLength(text) > MAX_BYTES);
};

function check(context: z.core.ParsePayload<Record<string, unknown>>): void {
  const { value, issues } = context;
  for (const { path, message, errorId } of faultsIn(value, [])) {
    issues.push({ code: 'custom', input: value, path: [...path], message, ...(errorId !== undefined && { params: { errorId } }) });
  }
  // Too deep to walk is too deep to stringify: the first fault says enough.
  if (issues.length === 0 && isTooLarge(value)) {
    issues.push({ code: 'custom', input: value, path: [], message: `Must not be larger than ${MAX_BYTES} bytes of JSON.` });
  }
}

/** As it is in an event: the limits held when it came in, and another version's limits must not make it unreadable. */
export const RecordedMetadata = z.record(z.string(), z.unknown());

/** An issue with `params.errorId` is an error of its own (400 MetadataContainsEmptyKey) in place of a schema violation. */
export const Metadata = RecordedMetadata.check(check).meta({
  description: 'Any JSON; keys of 1 to 64 characters, at most 8 levels and 16 KiB.',
});
export type Metadata = z.infer<typeof RecordedMetadata>;
