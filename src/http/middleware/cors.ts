// CORS for the checkout endpoints, which browsers call with a client token and no cookie (contract §3).
import { type Exchange, type Next, send } from '../exchange.ts';

const PREFIX = '/checkout/';
const ALLOWED_HEADERS = 'Content-Type, X-Client-Token, X-Idempotency-Key, Idempotency-Key, X-Request-Id, X-Api-Version';
const EXPOSED_HEADERS = 'ETag, X-Request-Id, Idempotent-Replayed, Retry-After, RateLimit, RateLimit-Policy';
const PREFLIGHT_SECONDS = 7_200;

/** The headers of every answer on a checkout path, errors included; none elsewhere. */
export const CORS_HEADERS = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': EXPOSED_HEADERS };

/** Answers, after the router, a preflight on a checkout path that has `methods`. */
export function preflight(methodsOf: (ctx: Exchange) => readonly string[]) {
  return function answerPreflight(ctx: Exchange, next: Next): Promise<unknown> | undefined {
    if (ctx.method !== 'OPTIONS' || !isCheckout(ctx) || ctx.get('Access-Control-Request-Method') === '') return next();
    const methods = methodsOf(ctx);
    if (methods.length === 0) return next();
    send(ctx, 204, '', [
      'Access-Control-Allow-Methods',
      methods.join(', '),
      'Access-Control-Allow-Headers',
      ALLOWED_HEADERS,
      'Access-Control-Max-Age',
      String(PREFLIGHT_SECONDS),
    ]);
  };
}

/** By its path: a target may name scheme and host, too, and one such as x://host has no path. */
export const isCheckout = ({ path }: Exchange): boolean => (path ?? '').startsWith(PREFIX);
