// /pay/{id}: the page of a payment link. It is one file for every link; its script reads the secret in the fragment,
// which no server receives, and asks for what it shows (contract §3, "Payment links").
import { ANY_PAGE, type CheckoutFiles, ownCalls, PAY_PAGE, permissions, policyOf } from './checkout-files.ts';
import { type Exchange, type Next, send } from './exchange.ts';

const PATH = /^\/pay\/cs_[0-9A-Za-z]{1,64}$/;
/** No policy of embedders: a processor's own fields do not run below one. In no search engine. */
const HEADERS = [...ANY_PAGE, ...permissions('self'), 'X-Robots-Tag', 'noindex, nofollow, noarchive'];

/** Answers GET and HEAD of the page; all else goes on. */
export function servePayPage({ files, publicUrl }: Pick<CheckoutFiles, 'files' | 'publicUrl'>) {
  return function answerPayPage(ctx: Exchange, next: Next): unknown {
    const page = files.get(PAY_PAGE);
    if (page === undefined || !PATH.test(ctx.path ?? '') || (ctx.method !== 'GET' && ctx.method !== 'HEAD'))
      return next();
    const policy = `${policyOf(ownCalls(ctx, publicUrl(), '/pay/'))}; frame-src 'self'; frame-ancestors 'none'`;
    send(ctx, 200, page.content, [...HEADERS, 'Content-Security-Policy', policy]);
  };
}
