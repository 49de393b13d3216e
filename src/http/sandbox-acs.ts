// /checkout/sandbox-acs/<id>: the page on which the sandbox challenges a customer, in test mode only (contract §10). It works without script.
import { hash } from 'node:crypto';
import { inCurrency } from '../domain/in-currency.ts';
import { PAGE_HEADERS } from './checkout-files.ts';
import { refuse } from './errors.ts';
import { type Exchange, type Next, send, sendRefusal } from './exchange.ts';
import { readForm } from './middleware/body.ts';
import { notFound } from './route.ts';

/** A challenge as the page shows it. */
export interface ShownChallenge {
  /** Minor units. */
  readonly amount: number;
  readonly currencyCode: string;
  readonly state: 'waiting' | 'approved' | 'failed' | 'fenced';
  readonly returnUrl?: string;
}

/** The challenges of the sandbox, wherever it runs. */
export interface Challenges {
  readonly challenge: (id: string) => Promise<ShownChallenge | undefined>;
  /** The first answer counts; the challenge as it is then. */
  readonly answerChallenge: (id: string, isApproved: boolean) => Promise<ShownChallenge | undefined>;
}

const PATH = /^\/checkout\/sandbox-acs\/([0-9a-f]{16,64})$/;
const MODEL = 'SandboxChallenge';
const MAX_BODY_BYTES = 1_024;

const STYLE = `
:root { color-scheme: light dark; --ground: #f4f5f7; --card: #fff; --ink: #1a1f2b; --soft: #5a6375; --line: #d9dde5; --act: #2447d8; --on-act: #fff; --focus: #2447d8; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #11141b; --card: #1b202b; --ink: #eef0f5; --soft: #a7b0c2; --line: #343c4d; --act: #8ea6ff; --on-act: #10142a; --focus: #b9c7ff; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 16px; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { width: 100%; max-width: 400px; background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 24px; }
.bank { margin: 0 0 20px; display: flex; justify-content: space-between; gap: 12px; font-size: 13px; color: var(--soft); }
.bank strong { color: var(--ink); }
h1 { margin: 0 0 4px; font-size: 20px; line-height: 1.3; }
.amount { margin: 12px 0; font-size: 32px; line-height: 1.2; font-weight: 650; font-variant-numeric: tabular-nums; }
p { margin: 0 0 12px; }
.soft { color: var(--soft); font-size: 14px; }
form { display: grid; gap: 10px; margin-top: 20px; }
button, .back { display: block; min-height: 44px; padding: 10px 16px; border-radius: 8px; border: 1px solid var(--line); background: transparent; color: var(--ink); font: inherit; font-weight: 600; cursor: pointer; text-align: center; text-decoration: none; }
button[value="approve"], .back { background: var(--act); border-color: var(--act); color: var(--on-act); }
button:focus-visible, .back:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
`;
const STYLE_SOURCE = `'sha256-${hash('sha256', STYLE, 'base64')}'`;

/** Answers GET, HEAD and POST of a challenge's page; all else goes on. */
export function serveSandboxAcs({ challenge, answerChallenge }: Challenges) {
  return async function answerAcs(ctx: Exchange, next: Next): Promise<unknown> {
    const id = PATH.exec(ctx.path ?? '')?.[1];
    if (id === undefined) return next();
    if (ctx.method === 'GET' || ctx.method === 'HEAD') return show(ctx, await challenge(id));
    if (ctx.method !== 'POST') return next();
    const form = await readForm(ctx, MAX_BODY_BYTES);
    if (form === 'gone') return undefined;
    if ('kind' in form) return sendRefusal(ctx, form, MODEL);
    const outcome = form.get('outcome');
    if (outcome !== 'approve' && outcome !== 'fail')
      return sendRefusal(ctx, refuse('RequestValidationError', 'The form has `outcome=approve` or `outcome=fail`.'), MODEL);
    const answered = await answerChallenge(id, outcome === 'approve');
    if (answered?.returnUrl === undefined || answered.state === 'fenced') return show(ctx, answered);
    send(ctx, 303, '', ['Location', answered.returnUrl, 'Cache-Control', 'no-store', 'Referrer-Policy', 'no-referrer']);
  };
}

function show(ctx: Exchange, shown: ShownChallenge | undefined): void {
  if (shown === undefined) {
    sendRefusal(ctx, notFound(), MODEL);
    return;
  }
  const policy = `default-src 'none'; style-src ${STYLE_SOURCE}; base-uri 'none'; form-action 'self'${goesTo(shown)}; frame-ancestors *`;
  send(ctx, shown.state === 'fenced' ? 410 : 200, pageOf(shown), [
    ...PAGE_HEADERS,
    'Cache-Control',
    'no-store',
    'Content-Security-Policy',
    policy,
  ]);
}

/** A form's policy holds for where its answer leads, too. */
function goesTo({ returnUrl }: ShownChallenge): string {
  if (returnUrl === undefined) return '';
  const { origin, protocol } = new URL(returnUrl);
  return ` ${origin === 'null' ? protocol : origin}`;
}

const pageOf = (shown: ShownChallenge): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Confirm your payment · Sandbox bank</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<p class="bank"><strong>Sandbox bank</strong><span>Test mode</span></p>
${contentOf(shown)}
</main>
</body>
</html>
`;

function contentOf(shown: ShownChallenge): string {
  switch (shown.state) {
    case 'waiting':
      return `<h1>Confirm your payment</h1>
<p class="amount">${amountOf(shown)}</p>
<p class="soft">This page stands in for the customer's bank. No money moves, whatever you choose.</p>
<form method="post">
<button name="outcome" value="approve">Approve</button>
<button name="outcome" value="fail">Fail the authentication</button>
</form>`;
    case 'fenced':
      return `<h1>This request is over</h1>
<p>The shop has given up waiting, or has cancelled the payment. Nothing was charged.</p>`;
    case 'approved':
    case 'failed':
      return `<h1>${shown.state === 'approved' ? 'You have approved this payment' : 'The authentication has failed'}</h1>
<p>There is nothing more to do here.</p>${backOf(shown)}`;
    default:
      return shown.state satisfies never;
  }
}

const backOf = ({ returnUrl }: ShownChallenge): string =>
  returnUrl === undefined ? '' : `\n<p><a class="back" href="${escaped(returnUrl)}">Back to the shop</a></p>`;

const amountOf = ({ amount, currencyCode }: ShownChallenge): string => escaped(inCurrency(amount, currencyCode));

const ESCAPES: { readonly [character: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? '');
