// /checkout/sandbox-acs/<id>: the page on which the sandbox challenges a customer, in test mode only (contract §10). It
// works without script.
import { inCurrency } from '../domain/money.ts';
import { METHODS, type PaymentMethodType } from '../domain/payment-method.ts';
import { isSource, PAGE_HEADERS } from './checkout-files.ts';
import { PLAIN_STYLE_SOURCE, plainPage } from './checkout-pages.ts';
import { refuse } from './errors.ts';
import { type Exchange, type Next, send, sendRefusal } from './exchange.ts';
import { readForm } from './middleware/body.ts';
import { notFound } from './route.ts';

/** A challenge as the page shows it. */
interface ShownChallenge {
  readonly accountId?: string;
  readonly last4Digits?: string;
  /** Whose page it is, where nobody pays by card. */
  readonly method?: PaymentMethodType;
  /** Minor units. */
  readonly amount: number;
  readonly currencyCode: string;
  readonly state: 'waiting' | 'approved' | 'failed' | 'fenced';
  readonly returnUrl?: string;
}

/** The challenges of the sandbox, wherever it runs. */
interface Challenges {
  readonly challenge: (id: string) => Promise<ShownChallenge | undefined>;
  /** The first answer counts; the challenge as it is then. */
  readonly answerChallenge: (id: string, isApproved: boolean) => Promise<ShownChallenge | undefined>;
}

export interface AcsNeeds {
  readonly challenges: Challenges;
  /** The name of a shop: the customer has to know who asks. Undefined for one without a name. */
  readonly readShopName: (accountId: string) => Promise<string | undefined>;
}

const PATH = /^\/checkout\/sandbox-acs\/([0-9a-f]{16,64})$/;
const MODEL = 'SandboxChallenge';
const MAX_BODY_BYTES = 1_024;

/** Answers GET, HEAD and POST of a challenge's page; passes other requests on. */
export function serveSandboxAcs({ challenges: { challenge, answerChallenge }, readShopName }: AcsNeeds) {
  const show = async (ctx: Exchange, shown: ShownChallenge | undefined): Promise<void> => {
    const { accountId } = shown ?? {};
    showPage(ctx, shown, accountId === undefined ? undefined : await readShopName(accountId));
  };
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
      return sendRefusal(
        ctx,
        refuse('RequestValidationError', 'The form must contain `outcome=approve` or `outcome=fail`.'),
        MODEL,
      );
    const answered = await answerChallenge(id, outcome === 'approve');
    if (answered?.returnUrl === undefined || answered.state === 'fenced' || isVoucher(answered))
      return show(ctx, answered);
    send(ctx, 303, '', ['Location', answered.returnUrl, 'Cache-Control', 'no-store', 'Referrer-Policy', 'no-referrer']);
  };
}

function showPage(ctx: Exchange, shown: ShownChallenge | undefined, merchant: string | undefined): void {
  if (shown === undefined) {
    sendRefusal(ctx, notFound(), MODEL);
    return;
  }
  const policy = `default-src 'none'; style-src ${PLAIN_STYLE_SOURCE}; base-uri 'none'; form-action 'self'${goesTo(shown)}; frame-ancestors *`;
  send(ctx, shown.state === 'fenced' && !isVoucher(shown) ? 410 : 200, pageOf(shown, merchant), [
    ...PAGE_HEADERS,
    'Cache-Control',
    'no-store',
    'Content-Security-Policy',
    policy,
  ]);
}

/**
 * A form's policy also applies to the page that its answer leads to. A host that a policy cannot name leads nowhere: no
 * such host has a DNS name.
 */
function goesTo({ returnUrl }: ShownChallenge): string {
  if (returnUrl === undefined) return '';
  const { origin, protocol } = new URL(returnUrl);
  const source = origin === 'null' ? protocol : origin;
  return isSource(source) ? ` ${source}` : '';
}

/** Five columns under a roof: the sign of no bank. */
const SIGN =
  '<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false" fill="currentColor"><path d="M12 2 2 7.500V10h20V7.500zM4 11.500h3V18H4zm6.500 0h3V18h-3zm6.500 0h3V18h-3zM2 19.500h20V22H2z"/></svg>';

/** Nobody is sent to its page: it is paid whenever the customer has time, also too late. */
const isVoucher = ({ method }: ShownChallenge): boolean => method !== undefined && METHODS[method].action === 'show';

const pageOf = (shown: ShownChallenge, merchant: string | undefined): string =>
  plainPage({
    title: 'Confirm your payment · Sandbox bank',
    main: `<p class="bank">${SIGN}<strong>Sandbox bank</strong><span>Test mode</span></p>\n${contentOf(shown, merchant)}`,
  });

function contentOf(shown: ShownChallenge, merchant: string | undefined): string {
  if (shown.method !== undefined) return contentOfMethod(shown, shown.method, merchant);
  switch (shown.state) {
    case 'waiting':
      return `<h1>Confirm your payment</h1>
<p>Are you paying with this card?</p>
${askedOf(shown, merchant)}
<p class="soft">This sandbox page takes the place of your bank. No money moves, whatever you choose.</p>
<form method="post">
<button class="act" name="outcome" value="approve">Approve</button>
<button name="outcome" value="fail">Fail the authentication</button>
</form>`;
    case 'fenced':
      return `<h1>This request is over</h1>
<p>The shop has stopped waiting or cancelled the payment. Nothing was charged.</p>`;
    case 'approved':
    case 'failed':
      return `<h1>${shown.state === 'approved' ? 'You have approved this payment' : 'The authentication has failed'}</h1>
<p>There is nothing more to do here.</p>${backOf(shown)}`;
    default:
      return shown.state satisfies never;
  }
}

/** The page of a bank or of a wallet on which a customer pays, and the cash machine for a voucher. */
function contentOfMethod(shown: ShownChallenge, method: PaymentMethodType, merchant: string | undefined): string {
  const { name } = METHODS[method];
  const isOpen = shown.state === 'waiting' || (isVoucher(shown) && shown.state === 'fenced');
  if (isOpen)
    return `<h1>Pay with ${name}</h1>
${shown.state === 'fenced' ? '<p>The shop no longer waits for this voucher. It can still be paid, too late.</p>\n' : ''}${askedOf(shown, merchant)}
<p class="soft">This sandbox page takes the place of ${name}. No money moves, whatever you choose.</p>
<form method="post">
<button class="act" name="outcome" value="approve">Pay</button>
${isVoucher(shown) ? '' : '<button name="outcome" value="fail">Refuse to pay</button>\n'}</form>${isVoucher(shown) ? '' : leaveOf(shown)}`;
  if (shown.state === 'fenced')
    return `<h1>This payment is over</h1>
<p>The shop has stopped waiting or cancelled the payment. Nothing was charged.</p>`;
  return `<h1>${shown.state === 'approved' ? 'You have paid' : 'You have not paid'}</h1>
<p>There is nothing more to do here.</p>${backOf(shown)}`;
}

const leaveOf = ({ returnUrl }: ShownChallenge): string =>
  returnUrl === undefined ? '' : `\n<a class="back" href="${escaped(returnUrl)}">Leave without paying</a>`;

const backOf = ({ returnUrl }: ShownChallenge): string =>
  returnUrl === undefined ? '' : `\n<a class="back act" href="${escaped(returnUrl)}">Back to the shop</a>`;

/**
 * The merchant, the amount and the card: all that lets customers recognize their payment. A name keeps its direction of
 * writing to itself.
 */
function askedOf({ last4Digits, ...shown }: ShownChallenge, merchant: string | undefined): string {
  const rows = [
    merchant === undefined ? '' : `<div><dt>Shop</dt><dd><bdi>${escaped(merchant)}</bdi></dd></div>\n`,
    `<div class="sum"><dt>Amount</dt><dd>${amountOf(shown)}</dd></div>\n`,
    last4Digits === undefined
      ? ''
      : `<div><dt>Card</dt><dd><span aria-hidden="true">••••</span> <span class="unseen">ending in</span> ${escaped(last4Digits)}</dd></div>\n`,
  ];
  return `<dl>\n${rows.join('')}</dl>`;
}

const amountOf = ({ amount, currencyCode }: ShownChallenge): string => escaped(inCurrency(amount, currencyCode));

const ESCAPES: { readonly [character: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? '');
