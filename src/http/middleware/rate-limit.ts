// 429: requests a second, per API key or checkout session and node, with the headers that let a caller pace itself (contract §7).
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { refuse } from '../errors.ts';
import { type Exchange, type Next, sendRefusal } from '../exchange.ts';

const WINDOW_SECONDS = 1;

/** Counts the requests of callers that are known. `perSecond` 1 or more. */
export function rateLimit(perSecond: number) {
  const limiter = new RateLimiterMemory({ points: perSecond, duration: WINDOW_SECONDS });
  const policy = `"default";q=${perSecond};w=${WINDOW_SECONDS}`;
  const tell = (ctx: Exchange, { remainingPoints, msBeforeNext }: RateLimiterRes): void => {
    ctx.set('RateLimit-Policy', policy);
    ctx.set('RateLimit', `"default";r=${remainingPoints};t=${Math.ceil(msBeforeNext / 1000)}`);
  };
  return async function countRequest(ctx: Exchange, next: Next): Promise<unknown> {
    const { asked, route } = ctx.state;
    if (asked === undefined) return next();
    const { holder } = asked;
    try {
      tell(ctx, await limiter.consume('keyId' in holder ? holder.keyId : holder.sessionId));
    } catch (exceeded) {
      if (!(exceeded instanceof RateLimiterRes)) throw exceeded;
      tell(ctx, exceeded);
      const retryAfterSeconds = Math.max(1, Math.ceil(exceeded.msBeforeNext / 1000));
      const refusal = refuse('TooManyRequests', `More than ${perSecond} requests a second.`, { retryAfterSeconds });
      return sendRefusal(ctx, refusal, route?.model ?? 'Request');
    }
    return next();
  };
}
