// /checkout/3ds/return: where a customer comes back to from a challenge in a frame; the page tells the one that framed
// it (contract §3).
import { accountIn, ancestors, type CheckoutFiles, PAGE_HEADERS, withOwn } from './checkout-files.ts';
import { type Exchange, type Next, send } from './exchange.ts';
import { PLAIN_STYLE_SOURCE, plainPage } from './plain-page.ts';

const AT = '/checkout/3ds/return';
const SCRIPT_AT = `${AT}.js`;

const PAGE = plainPage({
  title: 'Back to the shop',
  main: `<h1>You are back from your bank</h1>
<p>The shop continues with your payment. If nothing happens here, you can close this page and return to the shop.</p>`,
  script: SCRIPT_AT,
});

/**
 * To any origin: who may frame the page stands in its policy, and the token is good once, and only together with the
 * session's own client token or an API key of the merchant.
 */
const SCRIPT = `// Tells the page that opened the challenge that it is over.
const query = new URLSearchParams(location.search);
const told = { type: 'counterfoil.3ds.return', paymentId: query.get('paymentId'), resumeToken: query.get('resumeToken') };
const opener = window.parent === window ? window.opener : window.parent;
if (opener) opener.postMessage(told, '*');
`;

const POLICY = `default-src 'none'; script-src 'self'; style-src ${PLAIN_STYLE_SOURCE}; base-uri 'none'; form-action 'none'`;
const SCRIPT_HEADERS = [
  'Content-Type',
  'text/javascript; charset=utf-8',
  'Cache-Control',
  'no-cache',
  'X-Content-Type-Options',
  'nosniff',
  'Cross-Origin-Resource-Policy',
  'same-origin',
];

/** Answers GET and HEAD of the page and of its script; all else goes on. */
export function serveReturnPage({ framedBy }: Pick<CheckoutFiles, 'framedBy'>) {
  return async function answerReturn(ctx: Exchange, next: Next): Promise<unknown> {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    if (ctx.path === SCRIPT_AT) return send(ctx, 200, SCRIPT, SCRIPT_HEADERS);
    if (ctx.path !== AT) return next();
    // Around it are our own page of the challenge, and the shop's.
    const policy = `${POLICY}; frame-ancestors ${ancestors(withOwn(await framedBy(accountIn(ctx))))}`;
    send(ctx, 200, PAGE, [...PAGE_HEADERS, 'Content-Security-Policy', policy]);
  };
}
