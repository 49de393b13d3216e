// Around every request: what the developers of its account may see of it later, as a note for the request log.
import type { NotedRequest } from '../../projections/models/request-log.ts';
import type { World } from '../../world.ts';
import { type Exchange, type Next, statusOf } from '../exchange.ts';

/**
 * Notes each request of a known API key or checkout. Nothing of its body, its query, its headers or its real path is
 * looked at, but for the ids that its route names; of the answer the error's id and the payment's. The dashboard's own
 * requests are left out.
 */
export const recordRequests = (note: (request: NotedRequest) => void, world: Pick<World, 'monotonic'>) =>
  async function recordRequest(ctx: Exchange, next: Next): Promise<void> {
    const start = world.monotonic();
    await next();
    const { asked, route } = ctx.state;
    if (asked === undefined || route === undefined || 'userId' in asked.holder) return;
    const { holder, at } = asked;
    const { handled, requestId } = ctx.state;
    const refusal = handled?.kind === 'rejected' ? handled : undefined;
    const paymentId = refusal?.paymentId ?? paymentOf(ctx);
    const { method, path } = route;
    note({
      accountId: holder.accountId,
      at,
      ms: Math.round((world.monotonic() - start) * 10) / 10,
      method,
      route: path,
      status: statusOf(ctx),
      requestId,
      ...('keyId' in holder ? { keyId: holder.keyId } : { sessionId: holder.sessionId }),
      ...(refusal !== undefined && { errorId: refusal.errorId }),
      ...(paymentId !== undefined && { paymentId }),
      ...(path.startsWith(INSTRUMENTS) && instrumentOf(ctx)),
    });
  };

const INSTRUMENTS = '/payment-instruments/:token';
const PAYMENT_ID = /^pay_[0-9A-Za-z]{1,64}$/;

/** The payment in the path or in the response: nothing else is the id of a payment. */
function paymentOf(ctx: Exchange): string | undefined {
  const { handled } = ctx.state;
  const inPath: unknown = paramsOf(ctx)?.['id'];
  const answered = handled?.kind === 'reply' && 'id' in handled.body ? handled.body.id : undefined;
  const id = inPath ?? answered;
  return typeof id === 'string' && PAYMENT_ID.test(id) ? id : undefined;
}

/** The last four characters: enough to recognise a token, not enough to pay with it. */
function instrumentOf(ctx: Exchange): { readonly instrument: string } | undefined {
  const token: unknown = paramsOf(ctx)?.['token'];
  return typeof token === 'string' && /^pm_[0-9A-Za-z]{8,}$/.test(token)
    ? { instrument: `pm_…${token.slice(-4)}` }
    : undefined;
}

/** The router leaves the parameters on the context. */
const paramsOf = (ctx: Exchange): Readonly<Record<string, unknown>> | undefined => ctx['params'];
