// 429: requests a second, per API key or checkout session and node, with the headers that let a caller pace itself
// (contract §7); and those of visitors of the dashboard's sign-in, by address.
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { addressBlock, addressNetwork, isIPv6Network } from '../../commands/limits/address-block.ts';
import { type Counters, countersInMemory } from '../../commands/limits/counters.ts';
import type { RequestCounter } from '../../commands/limits/permits.ts';
import { refuse } from '../errors.ts';
import { type Exchange, type Next, sendRefusal } from '../exchange.ts';

const WINDOW_SECONDS = 1;
/** The limit of one address in a minute: people sign in rarely, even from an office. */
export const VISITS = 120;
/** The limit of a /56 of IPv6. */
const VISITS_OF_NETWORK = 2 * VISITS;
const VISITS_SECONDS = 60;

/** Counts the requests of callers that are known. `perSecond` 1 or more; `shared`: the counter of several processes. */
export function rateLimit(perSecond: number, shared?: RequestCounter) {
  const limiter = shared ?? new RateLimiterMemory({ points: perSecond, duration: WINDOW_SECONDS });
  const policy = `"default";q=${perSecond};w=${WINDOW_SECONDS}`;
  const tell = (
    ctx: Exchange,
    { remainingPoints, msBeforeNext }: Pick<RateLimiterRes, 'remainingPoints' | 'msBeforeNext'>,
  ): void => {
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

/** Counts the requests of those who are not signed in yet, before their body is read. */
export function visitorLimit(addressOf: (request: Exchange['req']) => string, counters: Counters = countersInMemory) {
  const limiter = counters({ name: 'visits', seconds: VISITS_SECONDS });
  return async function countVisit(ctx: Exchange, next: Next): Promise<unknown> {
    const address = addressOf(ctx.req);
    const [block, network] = await Promise.all([
      limiter.penalty(addressBlock(address)),
      isIPv6Network(address) ? limiter.penalty(addressNetwork(address)) : undefined,
    ]);
    const isFromBlock = block.consumedPoints > VISITS;
    if (!isFromBlock && (network?.consumedPoints ?? 0) <= VISITS_OF_NETWORK) return next();
    const { msBeforeNext } = isFromBlock || network === undefined ? block : network;
    const most = isFromBlock
      ? `${VISITS} requests a minute from this address`
      : `${VISITS_OF_NETWORK} requests a minute from this network`;
    const retryAfterSeconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
    const refusal = refuse('TooManyRequests', `More than ${most}.`, { retryAfterSeconds });
    return sendRefusal(ctx, refusal, ctx.state.route?.model ?? 'Request');
  };
}
