// The shop's pages, written on the server: they work without a script, but for the card fields.
import type { Payment } from '@counterfoil/client';
import { type Cart, CURRENCY, type Line, linesOf, MOST_OF_ONE, PRODUCTS, type Product, totalsOf } from './catalogue.ts';
import { Html, html } from './html.ts';
import { ICONS } from './pictures.ts';

const SHOP = 'Folio';

/** `amount`: minor units of the currency. */
function money(amount: number, currency: string = CURRENCY): string {
  const format = new Intl.NumberFormat('en-IE', { style: 'currency', currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 0));
}
const picture = ({ picture: svg }: Product): Html => new Html(svg);

interface Frame {
  readonly title: string;
  readonly cart: Cart;
  readonly main: Html;
  readonly head?: Html;
}

function page({ title, cart, main, head }: Frame): string {
  const count = [...cart.lines.values()].reduce((sum, quantity) => sum + quantity, 0);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${SHOP}</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/style.css">
${head}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><div class="row">
<a class="brand" href="/">${new Html(ICONS.brand)}<span>${SHOP}</span></a>
<span class="pill">Demo</span>
<nav aria-label="Shop"><a href="/">Products</a><a href="/cart">Cart <span class="count">${count}</span><span class="unseen"> ${count === 1 ? 'item' : 'items'}</span></a></nav>
</div></header>
<main id="main" tabindex="-1">${main}</main>
<footer class="row"><p>A demonstration: nothing is for sale, and no money moves.</p></footer>
</body>
</html>
`.text;
}

const quantityForm = (id: string, quantity: number, inner: Html): Html =>
  html`<form method="post" action="/cart/${id}"><button name="quantity" value="${quantity}" ${inner}</button></form>`;

export function productsPage(cart: Cart): string {
  const card = (product: Product): Html => {
    const next = Math.min(MOST_OF_ONE, (cart.lines.get(product.id) ?? 0) + 1);
    return html`<li class="card"><div class="picture picture-${product.id}">${picture(product)}</div>
<div class="card-words"><h2>${product.name}</h2><p class="muted">${product.words}</p></div>
<div class="card-buy"><span class="price">${money(product.price)}</span>${quantityForm(product.id, next, html`class="quiet">Add to cart <span class="unseen">${product.name}</span>`)}</div></li>`;
  };
  const main = html`<section class="hero row"><h1>Good tools for slow work.</h1><p>Six things for a desk, made to be used up, refilled and handed on.</p></section>
<ul class="grid row">${PRODUCTS.map(card)}</ul>`;
  return page({ title: 'Products', cart, main });
}

const totals = (cart: Cart): Html => {
  const { goods, shipping, total } = totalsOf(cart.lines);
  return html`<dl class="totals"><div><dt>Goods</dt><dd>${money(goods)}</dd></div>
<div><dt>Shipping</dt><dd>${shipping === 0 ? 'free' : money(shipping)}</dd></div>
<div class="total"><dt>Total</dt><dd>${money(total)}</dd></div></dl>`;
};

export function cartPage(cart: Cart): string {
  const lines = linesOf(cart.lines);
  if (lines.length === 0) {
    const main = html`<section class="row narrow centred"><h1>Your cart is empty</h1><p class="muted">You have not added anything yet.</p><p><a class="button" href="/">View the products</a></p></section>`;
    return page({ title: 'Cart', cart, main });
  }
  const stepper = ({
    product,
    quantity,
  }: Line): Html => html`<div class="stepper" role="group" aria-label="Quantity of ${product.name}">
${quantityForm(product.id, quantity - 1, html`class="step" aria-label="− One ${product.name} less">−`)}<span class="quantity">${quantity}</span>
${quantityForm(product.id, Math.min(MOST_OF_ONE, quantity + 1), html`class="step" aria-label="+ One ${product.name} more">+`)}</div>`;
  const row = (
    line: Line,
  ): Html => html`<li class="line"><div class="thumb picture-${line.product.id}">${picture(line.product)}</div>
<div class="line-words"><h2>${line.product.name}</h2><p class="muted">${money(line.product.price)} each</p></div>
${stepper(line)}<span class="price">${money(line.product.price * line.quantity)}</span></li>`;
  const main = html`<section class="row two"><div><h1>Cart</h1><ul class="lines">${lines.map(row)}</ul></div>
<aside class="panel" aria-label="Order"><h2>Order</h2>${totals(cart)}<p><a class="button wide" href="/checkout">Check out</a></p></aside></section>`;
  return page({ title: 'Cart', cart, main });
}

const summary = (cart: Cart): Html =>
  html`<ul class="summary">${linesOf(cart.lines).map(
    ({ product, quantity }) =>
      html`<li><div class="thumb picture-${product.id}">${picture(product)}</div><span><bdi>${product.name}</bdi> <span class="muted">× ${quantity}</span></span><span class="price">${money(product.price * quantity)}</span></li>`,
  )}</ul>${totals(cart)}`;

type TestCard = readonly [number: string, what: string];

/** The bank accounts of the sandbox. */
const TEST_ACCOUNTS: readonly TestCard[] = [
  ['DE89 3704 0044 0532 0130 00', 'direct debit, paid after 5 days'],
  ['DE62 3704 0044 0532 0130 01', 'direct debit, refused after 5 days'],
  ['DE35 3704 0044 0532 0130 02', 'direct debit, returned 3 weeks later'],
];

/** Some cards of the sandbox. */
export const TEST_CARDS: readonly TestCard[] = [
  ['4242 4242 4242 4242', 'approved'],
  ['4000 0000 0000 0002', 'declined'],
  ['4000 0099 0000 1010', 'pending, approved 5 s later'],
  ['4000 0099 0000 1044', 'no answer for 25 s, although the money moved'],
];

export function checkoutPage(cart: Cart, counterfoilUrl: string, testCards: readonly TestCard[]): string {
  const words =
    testCards.length === 0
      ? 'Your processor lists its test cards in its documentation. Use any future expiry and any security code.'
      : 'Use any future expiry and any security code.';
  const main = html`<section class="row two"><div><h1>Payment</h1>
<div id="checkout" data-counterfoil="${counterfoilUrl}"></div>
<p id="notice" class="notice" role="status" hidden></p>
<noscript><p class="notice">The card fields need JavaScript.</p></noscript>
<details class="cards"><summary>Test cards${testCards.length > 0 && ' and accounts'}</summary>${testCards.length > 0 && html`<dl>${[...testCards, ...TEST_ACCOUNTS].map(([number, what]) => html`<div class="test-card"><dt>${number}</dt><dd>${what}</dd></div>`)}</dl>`}
<p class="muted">${words}</p></details></div>
<aside class="panel" aria-label="Your order"><h2>Your order</h2>${summary(cart)}<p><a href="/cart">Change the cart</a></p></aside></section>`;
  return page({ title: 'Payment', cart, main, head: html`<script type="module" src="/assets/checkout.js"></script>` });
}

interface Told {
  readonly tone: 'good' | 'back' | 'wait' | 'odd' | 'bad';
  readonly title: string;
  readonly words: string;
}

const ODD: Told = {
  tone: 'odd',
  title: 'We are checking your payment',
  words:
    'The payment has a different amount from this order. Please do not pay again. We will write to you before we send anything.',
};

const refundedOf = (payment: Payment | undefined): number => payment?.processor.amountRefunded ?? 0;

/** The words for a payment that was refunded in full or in part. */
function refunded(payment: Payment): Told | undefined {
  const amount = refundedOf(payment);
  if (amount === 0) return undefined;
  const words = `${money(amount, payment.currencyCode)} is on its way back to you. Your bank shows it in a few days.`;
  return {
    tone: 'back',
    title: amount < payment.amount ? 'Your order was partly refunded' : 'Your order was refunded',
    words,
  };
}

/** The words for money that comes in days: a voucher that the shopper pays, or a debit. */
function awaited({ statusReason, requiredAction }: Payment): Told | undefined {
  if (statusReason?.type !== 'AWAITING_FUNDS') return undefined;
  const { expiresAt } = requiredAction ?? {};
  if (expiresAt !== undefined)
    return {
      tone: 'wait',
      title: 'Waiting for your payment',
      words: `Pay with these numbers at a cash machine or in your bank’s app, by ${dayOf(expiresAt)}. This page updates when the money has arrived.`,
    };
  return {
    tone: 'wait',
    title: 'Your direct debit is on its way',
    words:
      'Your bank needs about five business days. We send your order when the money has arrived. Please do not pay again.',
  };
}

const dayOf = (time: string): string => new Intl.DateTimeFormat('en-IE', { dateStyle: 'long' }).format(new Date(time));

/** What this shop knows of a payment besides the payment. */
interface Known {
  /** True if the payment has the amount of the order. */
  readonly isExact: boolean;
  /** True if its money had arrived. */
  readonly wasPaid: boolean;
}

/** The shopper has to go on at the bank, in the checkout. The numbers of a voucher are on the order page. */
export const isUnfinished = ({ status, requiredAction }: Payment): boolean =>
  status === 'PENDING' && requiredAction !== undefined && requiredAction.name !== 'PAYMENT_METHOD_VOUCHER';

/** A new status is treated like any payment whose outcome is not known. */
function told(payment: Payment | undefined, { isExact, wasPaid }: Known): Told {
  const other = payment && (refunded(payment) ?? awaited(payment));
  if (other !== undefined) return other;
  if (payment !== undefined && isUnfinished(payment))
    return {
      tone: 'wait',
      title: 'Your payment is not finished',
      words: 'You have left the page of your bank. You can go on with the payment, or pay in another way.',
    };
  if (payment?.status === 'FAILED' && wasPaid)
    return {
      tone: 'odd',
      title: 'Your bank took the payment back',
      words: 'The direct debit of this order was returned. We will write to you about how you can pay.',
    };
  switch (payment?.status) {
    case undefined:
      return {
        tone: 'wait',
        title: 'Not paid yet',
        words: 'We have not received a payment for this order. This page updates when we do.',
      };
    case 'PARTIALLY_SETTLED':
      return ODD;
    case 'AUTHORIZED':
    case 'SETTLED':
      if (!isExact) return ODD;
      return {
        tone: 'good',
        title: 'Thank you for your payment',
        words: 'We will pack your order today. You need not do anything else.',
      };
    case 'DECLINED':
    case 'FAILED':
    case 'CANCELLED':
      return {
        tone: 'bad',
        title: 'The payment did not go through',
        words: 'You were not charged. You can try again, or pay in another way.',
      };
    default:
      return {
        tone: 'wait',
        title: 'Waiting for your bank',
        words: 'Your bank has not confirmed the payment yet. Please do not pay again. This page updates when it does.',
      };
  }
}

const METHOD_NAMES: { readonly [type: string]: string } = {
  IDEAL: 'iDEAL',
  BANCONTACT: 'Bancontact',
  KLARNA: 'Klarna',
  PAYPAL: 'PayPal',
  SEPA_DEBIT: 'SEPA direct debit',
  MULTIBANCO: 'Multibanco',
  APPLE_PAY: 'Apple Pay',
  GOOGLE_PAY: 'Google Pay',
};

/** What the shopper paid with, as the shopper knows it. */
function paidWith({ paymentMethod: { paymentMethodType = '', paymentMethodData = {} } }: Payment): string {
  if ('network' in paymentMethodData) {
    const { network, last4Digits, wallet = '' } = paymentMethodData;
    return [METHOD_NAMES[wallet], network, '••••', last4Digits].filter((part) => part !== undefined).join(' ');
  }
  const account = 'ibanLast4' in paymentMethodData ? ` •••• ${paymentMethodData.ibanLast4}` : '';
  return (METHOD_NAMES[paymentMethodType] ?? paymentMethodType) + account;
}

/** The numbers of a voucher. In test mode a page of the sandbox pays it. */
function voucherOf({ requiredAction }: Payment): Html {
  const { entity, reference, url } = requiredAction?.data ?? {};
  if (typeof entity !== 'string' || typeof reference !== 'string') return html``;
  return html`<div><dt>Entity</dt><dd>${entity}</dd></div><div><dt>Reference</dt><dd>${reference}</dd></div>${
    typeof url === 'string' &&
    html`<div><dt>Try it</dt><dd><a href="${url}" target="_blank">Pay the voucher in the sandbox</a></dd></div>`
  }`;
}

/** `now`: the shopper's current cart. `ordered`: the cart of the order. */
export function orderPage(now: Cart, ordered: Cart, payment: Payment | undefined, known: Known): string {
  const { tone, title, words } = told(payment, known);
  const main = html`<section class="row two" data-tone="${tone}"><div class="outcome ${tone}"><div class="mark">${new Html(ICONS[tone])}</div>
<h1>${title}</h1><p>${words}</p>
<dl class="facts"><div><dt>Order</dt><dd>${ordered.orderId}</dd></div>${
    payment !== undefined &&
    html`<div><dt>Payment</dt><dd>${payment.id}</dd></div><div><dt>Amount</dt><dd>${money(payment.amount, payment.currencyCode)}</dd></div>${
      refundedOf(payment) > 0 &&
      html`<div><dt>Refunded</dt><dd>${money(refundedOf(payment), payment.currencyCode)}</dd></div>`
    }<div><dt>Paid with</dt><dd>${paidWith(payment)}</dd></div>${voucherOf(payment)}`
  }</dl>
<p>${tone === 'bad' || payment === undefined || isUnfinished(payment) ? html`<a class="button" href="/checkout">Back to the payment</a>` : html`<a class="button" href="/">View the products</a>`}</p></div>
<aside class="panel" aria-label="Your order"><h2>Your order</h2>${summary(ordered)}</aside></section>`;
  const head = html`<script type="module" src="/assets/order.js"></script>`;
  return page({ title, cart: now, main, head });
}

const EMPTY: Cart = { orderId: '', lines: new Map() };

/** `words`: the explanation of a mistake of the shopper. */
export function errorPage(status: number, words: string | undefined): string {
  const title = status === 404 ? 'Page not found' : status < 500 ? 'That did not work' : 'The shop has a problem';
  const text = status < 500 ? words : 'This page has not charged you. Please try again in a minute.';
  const main = html`<section class="row narrow centred"><h1>${title}</h1><p class="muted">${text}</p><p><a class="button" href="/">View the products</a></p></section>`;
  return page({ title, cart: EMPTY, main });
}
