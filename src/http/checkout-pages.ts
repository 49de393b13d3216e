// Pages for customers outside the documentation: plain ones, the return page of a payment, the page of a payment
// link.
import { hash } from 'node:crypto';
import {
  ANY_PAGE,
  accountIn,
  ancestors,
  type CheckoutFiles,
  ownCalls,
  PAGE_HEADERS,
  PAY_PAGE,
  permissions,
  policyOf,
  withOwn,
} from './checkout-files.ts';
import { type Exchange, type Next, send } from './exchange.ts';

const STYLE = `
:root { color-scheme: light dark; --ground: #f4f5f7; --card: #fff; --ink: #1a1f2b; --soft: #566072; --line: #d9dde5; --edge: #858e9f; --act: #2447d8; --on-act: #fff; --mark: #0f5a63; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #11141b; --card: #1b202b; --ink: #eef0f5; --soft: #a7b0c2; --line: #343c4d; --edge: #76809a; --act: #8ea6ff; --on-act: #10142a; --mark: #6fd0da; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 16px; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: break-word; }
body * { unicode-bidi: isolate; }
main { display: flex; flex-direction: column; width: 100%; max-width: 440px; padding: 24px; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
.bank { display: flex; align-items: center; gap: 10px; margin: 0 0 24px; padding-bottom: 16px; border-bottom: 1px solid var(--line); font-size: 15px; }
.bank svg { flex: none; width: 28px; height: 28px; color: var(--mark); }
.bank span { margin-left: auto; padding: 2px 10px; border: 1px solid var(--edge); border-radius: 99px; color: var(--soft); font-size: 13px; }
h1 { margin: 0 0 8px; font-size: 20px; line-height: 1.3; }
p { margin: 0 0 12px; }
p:last-child { margin: 0; }
dl { margin: 8px 0 16px; border-block: 1px solid var(--line); }
dl div { display: flex; justify-content: space-between; align-items: baseline; gap: 24px; padding: 9px 0; }
dl div + div { border-top: 1px solid var(--line); }
dt { flex: none; color: var(--soft); }
dd { min-width: 0; margin: 0; font-weight: 600; font-variant-numeric: tabular-nums; text-align: right; overflow-wrap: anywhere; }
.sum dd { font-size: 22px; font-weight: 650; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.soft { color: var(--soft); font-size: 14px; }
form { display: grid; gap: 12px; margin-top: 12px; }
button, .back { display: block; min-height: 48px; padding: 11px 16px; border: 1px solid var(--edge); border-radius: 8px; background: transparent; color: var(--ink); font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer; }
.act { border-color: var(--act); background: var(--act); color: var(--on-act); }
button:hover, .back:hover { filter: brightness(0.94); }
button:focus-visible, .back:focus-visible { outline: 3px solid var(--act); outline-offset: 2px; }
@media (max-width: 480px) {
  body { padding: 0; background: var(--card); place-items: stretch; }
  main { max-width: none; min-height: 100vh; border: 0; border-radius: 0; padding: 20px; }
}
`;

/** The style-src of a policy, which allows these pages their own style and no other. */
export const PLAIN_STYLE_SOURCE = `'sha256-${hash('sha256', STYLE, 'base64')}'`;

interface Plain {
  readonly title: string;
  /** HTML: the caller has escaped what came from elsewhere. */
  readonly main: string;
  /** The path of a script. */
  readonly script?: string;
}

export const plainPage = ({ title, main, script }: Plain): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${STYLE}</style>${script === undefined ? '' : `\n<script src="${script}" defer></script>`}
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`;

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

/** Answers GET and HEAD of the page and of its script; passes other requests on. */
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

const PATH = /^\/pay\/cs_[0-9A-Za-z]{1,64}$/;
/** No policy of embedders: a processor's own fields do not run below one. In no search engine. */
const HEADERS = [...ANY_PAGE, ...permissions('self'), 'X-Robots-Tag', 'noindex, nofollow, noarchive'];

/** Answers GET and HEAD of the page; passes other requests on. */
export function servePayPage({ files, publicUrl }: Pick<CheckoutFiles, 'files' | 'publicUrl'>) {
  return function answerPayPage(ctx: Exchange, next: Next): unknown {
    const page = files.get(PAY_PAGE);
    if (page === undefined || !PATH.test(ctx.path ?? '') || (ctx.method !== 'GET' && ctx.method !== 'HEAD'))
      return next();
    const policy = `${policyOf(ownCalls(ctx, publicUrl(), '/pay/'))}; frame-src 'self'; frame-ancestors 'none'`;
    send(ctx, 200, page.content, [...HEADERS, 'Content-Security-Policy', policy]);
  };
}
