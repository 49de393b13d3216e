// Headers of a request: the version of the API, the idempotency key, If-Match and If-None-Match (contract §§1, 6).

import type { IncomingMessage } from 'node:http';
import { type Refusal, refuse } from '../errors.ts';

export const API_VERSION = '1.0';

export const WRONG_API_VERSION = refuse('UnsupportedApiVersion', `X-Api-Version must be ${API_VERSION} or absent.`);

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

/**
 * Undefined: unconditional. `any`: every existing revision. Else the revisions of which one must be the current one.
 */
export type IfMatch = 'any' | readonly number[] | undefined;

const ENTITY_TAG = /^"(0|[1-9]\d{0,15})"$/;

/**
 * Weak tags never match here (the comparison is strong), and neither does a tag that was never given out:
 * such a header leaves no revision that could match.
 */
export function ifMatch(header: string | undefined): IfMatch {
  if (header === undefined) return undefined;
  const tags = header.split(',').map((tag) => tag.trim());
  if (tags.includes('*')) return 'any';
  return tags.flatMap((tag) => {
    const revision = ENTITY_TAG.exec(tag)?.[1];
    return revision === undefined ? [] : [Number(revision)];
  });
}

/** The condition as commands take it; undefined if there is none, or when any existing revision will do. */
export const revisionMatches = (condition: IfMatch): ((revision: number) => boolean) | undefined =>
  condition === undefined || condition === 'any' ? undefined : (revision) => condition.includes(revision);

/** True if If-None-Match names the revision; weak tags count too. */
export function hasRevision(header: string | undefined, revision: number): boolean {
  const has = ifMatch(header?.replaceAll('W/', ''));
  return has === 'any' || has?.includes(revision) === true;
}
