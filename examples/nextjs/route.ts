// A shop on Next.js, as one route handler: app/[[...path]]/route.ts. In your shop each function has a route of its own.
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { PaymentListItem } from '@counterfoil/client';
import { Counterfoil, CounterfoilError, verifyWebhook, WebhookVerificationError } from '@counterfoil/client';

export const dynamic = 'force-dynamic'; // nothing is cached
const { COUNTERFOIL_URL = 'http://127.0.0.1:4000', COUNTERFOIL_API_KEY: apiKey = '' } = process.env;
const STAFF = `Bearer ${process.env.SHOP_STAFF_TOKEN ?? randomUUID()}`; // without a token no one can refund
const counterfoil = () => new Counterfoil({ apiKey, baseUrl: COUNTERFOIL_URL }); // `next build` has no key

const CURRENCY = 'EUR'; // amounts are in cents
const CATALOGUE = new Map([
  ['shirt', { name: 'Linen shirt', amount: 2500 }],
  ['mug', { name: 'Enamel mug', amount: 1200 }],
]);
type Order = { id: string; amount: number; clientToken: string; payments: Map<string, PaymentListItem> };
const orders = new Map<string, Order>(); // a database, in your shop: Next.js may run several processes

type Context = { params: Promise<{ path?: string[] }> };
export async function GET(_request: Request, { params }: Context): Promise<Response> {
  const [folder, id = ''] = (await params).path ?? [];
  return folder === undefined ? shop() : show(orders.get(id));
}
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const [folder, id] = (await params).path ?? [];
  if (folder === 'webhooks') return webhook(request);
  return id === undefined ? buy(await request.formData()) : refund(request, orders.get(id));
}

function shop(): Response {
  const buttons = [...CATALOGUE].map(
    ([id, { name, amount }]) => `<p>${name} <button name="product" value="${id}">Buy for ${euros(amount)}</button></p>`,
  );
  return page('Shop', `<form method="post" action="/orders">${buttons.join('')}</form>`);
}

async function buy(form: FormData): Promise<Response> {
  const product = CATALOGUE.get(String(form.get('product'))); // the browser names a product, and never a price
  if (product === undefined) return page('Unknown product', '', 404);
  const id = randomUUID();
  const { clientToken } = await counterfoil().clientSessions.create({
    orderId: id,
    currencyCode: CURRENCY,
    order: { lineItems: [{ ...product, quantity: 1 }] },
    paymentMethod: { captureMode: 'AUTOMATIC' }, // takes the money with the payment
  });
  orders.set(id, { id, amount: product.amount, clientToken, payments: new Map() });
  return new Response(null, { status: 303, headers: { Location: `/orders/${id}` } });
}

async function show(order: Order | undefined): Promise<Response> {
  if (order === undefined) return page('Unknown order', '', 404);
  // The webhook may be late. The shop asks Counterfoil, because a page can be manipulated.
  if (!paidBy(order)) for await (const one of counterfoil().payments.list({ order_id: [order.id] })) record(one);
  const refunded = paidBy(order)?.processor.amountRefunded;
  if (refunded === undefined) return page('Pay', checkout(order));
  return page(refunded > 0 ? `Paid, and ${euros(refunded)} refunded` : 'Paid', `<p>Order ${order.id}</p>`);
}

const checkout = ({ clientToken }: Order): string => `<div id="pay"></div><script type="module">
  const sdk = await import('${COUNTERFOIL_URL}/checkout/sdk/v1/counterfoil.mjs').catch(() => undefined);
  if (!sdk) document.querySelector('#pay').append('The payment cannot be loaded. Please try again in a minute.');
  sdk?.Counterfoil.checkout({
    clientToken: '${clientToken}', element: '#pay',
    onComplete: ({ resumed }) => resumed || location.reload(), // the server finds out whether the order is paid
    onError: ({ code, message }) => console.error(code, message),
  });
</script>`;

/** Keeps the newest version of each payment: messages arrive twice, late and out of order. */
function record(payment: PaymentListItem): void {
  const order = orders.get(payment.orderId);
  if (order === undefined || payment.version <= (order.payments.get(payment.id)?.version ?? 0)) return;
  order.payments.set(payment.id, payment);
  console.log(`${order.id}: ${payment.status}${paidBy(order) ? ', paid' : ''}`);
}

/** The payment that took the amount of the order, or undefined if none did. */
const paidBy = ({ amount, payments }: Order): PaymentListItem | undefined =>
  [...payments.values()].find((it) => it.status === 'SETTLED' && it.amount === amount && it.currencyCode === CURRENCY);

// docs: webhook
async function webhook(request: Request): Promise<Response> {
  const secret = process.env.COUNTERFOIL_WEBHOOK_SECRET ?? ''; // '' throws
  try {
    const { payment } = await verifyWebhook(await request.text(), request.headers, secret);
    if (payment !== undefined) record(payment); // other messages are about agreements
    return new Response(null, { status: 204 }); // at once: slow work belongs in a queue
  } catch (fault) {
    if (!(fault instanceof WebhookVerificationError)) throw fault;
    return new Response(fault.message, { status: 400 });
  }
}
// docs: end

async function refund({ headers }: Request, order: Order | undefined): Promise<Response> {
  const given = headers.get('Authorization') ?? '';
  if (!timingSafeEqual(digest(given), digest(STAFF))) return new Response('Only staff can refund.\n', { status: 401 });
  const payment = order && paidBy(order);
  if (payment === undefined) return new Response('The order is not paid.\n', { status: 409 });
  const once = { idempotencyKey: `refund-${payment.orderId}` }; // sent twice, it is one refund
  try {
    const after = await counterfoil().payments.refund(payment.id, { amount: payment.amount }, once);
    record(after);
    return Response.json({ outcomeKnown: after.outcomeKnown, refunded: after.processor.amountRefunded });
  } catch (fault) {
    if (!CounterfoilError.is(fault)) throw fault; // no response: the same request can be sent again
    return new Response(`${fault.description}\n`, { status: 409 });
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const euros = (amount: number): string => `€${(amount / 100).toFixed(2)}`;
function page(title: string, body = '', status = 200): Response {
  const head = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width"><style>:root { color-scheme: light dark; font: 18px/1.6 system-ui }
body { max-width: 30rem; margin: 2rem auto; padding: 0 1rem } button { font: inherit }</style>`;
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' };
  return new Response(`${head}<h1>${title}</h1>${body}</html>`, { status, headers });
}
