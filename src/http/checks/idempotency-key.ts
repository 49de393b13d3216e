// X-Idempotency-Key and its alias: one key a request, 1 to 255 characters, quotes stripped (contract §6).
import type { IncomingMessage } from 'node:http';
import { type Refusal, refuse } from '../errors.ts';

const MAX_CHARACTERS = 255;

/** A header field's value without the quotes of a structured-field string. */
const unquoted = (value: string): string =>
  value.length >= 2 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;

/** Every value that was sent; Node joins repeated fields with commas, so they are looked up only when there is one. */
function valuesOf(req: IncomingMessage, name: string): readonly string[] {
  const value = req.headers[name];
  if (value === undefined) return [];
  const values = typeof value === 'string' && !value.includes(',') ? [value] : (req.headersDistinct[name] ?? []);
  return values.map(unquoted);
}

/** Contract §7 has one errorId for every fault of these headers. */
const refused = (description: string): Refusal => refuse('ConflictingIdempotencyKeys', description);
const DIFFERENT = refused('X-Idempotency-Key and Idempotency-Key were sent with different values.');
const WRONG_LENGTH = refused(`An idempotency key must have 1 to ${MAX_CHARACTERS} characters.`);

/**
 * The key; undefined without one; a refusal (400) when the headers name different ones, or an empty or too long one.
 */
export function idempotencyKey(req: IncomingMessage): string | Refusal | undefined {
  const { headers } = req;
  if (headers['x-idempotency-key'] === undefined && headers['idempotency-key'] === undefined) return undefined;
  const [key = '', ...others] = [...valuesOf(req, 'x-idempotency-key'), ...valuesOf(req, 'idempotency-key')];
  if (others.some((other) => other !== key)) return DIFFERENT;
  return key.length >= 1 && key.length <= MAX_CHARACTERS ? key : WRONG_LENGTH;
}
