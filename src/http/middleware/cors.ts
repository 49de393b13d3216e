// CORS for the checkout endpoints, which browsers call with a client token and no cookie (contract §2).
import { type Exchange, send } from '../exchange.ts';

const PREFIX = '/checkout/';
const ALLOWED_HEADERS = 'Content-Type, X-Client-Token, X-Idempotency-Key, Idempotency-Key, X-Request-Id, X-Api-Version';
const EXPOSED_HEADERS = 'ETag, X-Request-Id, Idempotent-Replayed, Retry-After, RateLimit, RateLimit-Policy';
const PREFLIGHT_SECONDS = 7_200;

const ANSWER: readonly string[] = ['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', EXPOSED_HEADERS];
const NONE: readonly string[] = [];

/** What every answer on a checkout path carries, errors included; nothing elsewhere. */
export const corsHeaders = (url: string): readonly string[] => (url.startsWith(PREFIX) ? ANSWER : NONE);

/** True when the request was a preflight on a checkout path that has these methods, and is answered now. */
export function answerPreflight(ctx: Exchange, url: string, methods: readonly string[]): boolean {
  if (
    ctx.method !== 'OPTIONS' ||
    methods.length === 0 ||
    !url.startsWith(PREFIX) ||
    ctx.req.headers['access-control-request-method'] === undefined
  )
    return false;
  send(ctx, 204, '', [
    'Access-Control-Allow-Methods',
    methods.join(', '),
    'Access-Control-Allow-Headers',
    ALLOWED_HEADERS,
    'Access-Control-Max-Age',
    String(PREFLIGHT_SECONDS),
  ]);
  return true;
}
