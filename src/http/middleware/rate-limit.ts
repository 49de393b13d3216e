// 429: requests a second, per API key or checkout session and node, with the headers that let a caller pace itself (contract §7).
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { type Refusal, refuse } from '../errors.ts';

export interface RateLimit {
  /** Counts one request of a caller. The headers go with the answer, whatever it is. */
  count(caller: string): Promise<{ readonly headers: readonly string[]; readonly refusal?: Refusal }>;
}

const WINDOW_SECONDS = 1;

/** `perSecond` 1 or more. Undefined, so that nothing is counted at all, for 0. */
export function rateLimit(perSecond: number): RateLimit | undefined {
  if (perSecond === 0) return undefined;
  const limiter = new RateLimiterMemory({ points: perSecond, duration: WINDOW_SECONDS });
  const policy = `"default";q=${perSecond};w=${WINDOW_SECONDS}`;
  const headersOf = ({ remainingPoints, msBeforeNext }: RateLimiterRes): string[] => [
    'RateLimit-Policy',
    policy,
    'RateLimit',
    `"default";r=${remainingPoints};t=${Math.ceil(msBeforeNext / 1000)}`,
  ];
  return {
    async count(caller) {
      try {
        return { headers: headersOf(await limiter.consume(caller)) };
      } catch (exceeded) {
        if (!(exceeded instanceof RateLimiterRes)) throw exceeded;
        const retryAfterSeconds = Math.max(1, Math.ceil(exceeded.msBeforeNext / 1000));
        const description = `More than ${perSecond} requests a second.`;
        return { headers: headersOf(exceeded), refusal: refuse('TooManyRequests', description, { retryAfterSeconds }) };
      }
    },
  };
}
