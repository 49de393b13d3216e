// A shop on Express 5: it opens a session, shows the checkout, receives the webhook and refunds.
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { Counterfoil, CounterfoilError, verifyWebhook, WebhookVerificationError } from '@counterfoil/client';
import express from 'express';

const { COUNTERFOIL_URL = 'http://127.0.0.1:4000', PORT = '3000' } = process.env;
const { COUNTERFOIL_API_KEY, COUNTERFOIL_WEBHOOK_SECRET, SHOP_STAFF_TOKEN } = process.env;
if (!COUNTERFOIL_API_KEY || !COUNTERFOIL_WEBHOOK_SECRET || !SHOP_STAFF_TOKEN)
  throw new Error('Set COUNTERFOIL_API_KEY, COUNTERFOIL_WEBHOOK_SECRET and SHOP_STAFF_TOKEN.');
const counterfoil = new Counterfoil({ apiKey: COUNTERFOIL_API_KEY, baseUrl: COUNTERFOIL_URL });

const CURRENCY = 'EUR'; // amounts are in cents
const CATALOGUE = new Map([
  ['shirt', { name: 'Linen shirt', amount: 2500 }],
  ['mug', { name: 'Enamel mug', amount: 1200 }],
]);
const orders = new Map(); // a database, in your shop
const app = express();

app.get('/', (_request, response) => {
  const buttons = [...CATALOGUE].map(
    ([id, { name, amount }]) => `<p>${name} <button name="product" value="${id}">Buy for ${euros(amount)}</button></p>`,
  );
  response.send(page('Shop', `<form method="post" action="/orders">${buttons.join('')}</form>`));
});

// docs: session
app.post('/orders', express.urlencoded(), async (request, response) => {
  const product = CATALOGUE.get(request.body?.product); // the browser names a product, and never a price
  if (product === undefined) return response.status(404).send(page('Unknown product'));
  const id = randomUUID();
  const { clientToken } = await counterfoil.clientSessions.create({
    orderId: id,
    currencyCode: CURRENCY,
    order: { lineItems: [{ ...product, quantity: 1 }] },
    paymentMethod: { captureMode: 'AUTOMATIC' }, // takes the money with the payment
  });
  orders.set(id, { id, amount: product.amount, clientToken, payments: new Map() });
  response.redirect(303, `/orders/${id}`);
});
// docs: end

app.get('/orders/:id', async (request, response) => {
  const order = orders.get(request.params.id);
  if (order === undefined) return response.status(404).send(page('Unknown order'));
  // The webhook may be late. The shop asks Counterfoil, because a page can be manipulated.
  if (!paidBy(order)) for await (const payment of counterfoil.payments.list({ order_id: [order.id] })) record(payment);
  response.set('Cache-Control', 'no-store');
  const refunded = paidBy(order)?.processor.amountRefunded;
  if (refunded === undefined) return response.send(page('Pay', checkout(order)));
  response.send(page(refunded > 0 ? `Paid, and ${euros(refunded)} refunded` : 'Paid', `<p>Order ${order.id}</p>`));
});

const checkout = ({ clientToken }) => `<div id="pay"></div><script type="module">
  const sdk = await import('${COUNTERFOIL_URL}/checkout/sdk/v1/counterfoil.mjs').catch(() => undefined);
  if (!sdk) document.querySelector('#pay').append('The payment cannot be loaded. Please try again in a minute.');
  sdk?.Counterfoil.checkout({
    clientToken: '${clientToken}', element: '#pay',
    onComplete: ({ resumed }) => resumed || location.reload(), // the server finds out whether the order is paid
    onError: ({ code, message }) => console.error(code, message),
  });
</script>`;

// docs: paid
/** Keeps the newest version of each payment: messages arrive twice, late and out of order. */
function record(payment) {
  const order = orders.get(payment.orderId);
  if (order === undefined || payment.version <= (order.payments.get(payment.id)?.version ?? 0)) return;
  order.payments.set(payment.id, payment);
  console.log(`${order.id}: ${payment.status}${paidBy(order) ? ', paid' : ''}`);
}

/** The payment that took the amount of the order, or undefined if none did. */
const paidBy = ({ amount, payments }) =>
  [...payments.values()].find((it) => it.status === 'SETTLED' && it.amount === amount && it.currencyCode === CURRENCY);
// docs: end

// docs: webhook
app.post('/webhooks', express.raw({ type: '*/*', limit: '2mb' }), async (request, response) => {
  try {
    const { payment } = await verifyWebhook(request.body ?? '', request.headers, COUNTERFOIL_WEBHOOK_SECRET);
    if (payment !== undefined) record(payment); // other messages are about agreements
    response.sendStatus(204); // at once: slow work belongs in a queue
  } catch (fault) {
    if (!(fault instanceof WebhookVerificationError)) throw fault;
    response.status(400).send(fault.message);
  }
});
// docs: end

app.post('/orders/:id/refund', async (request, response) => {
  if (!isStaff(request.get('Authorization') ?? '')) return response.status(401).send('Only staff can refund.\n');
  const order = orders.get(request.params.id);
  const payment = order && paidBy(order);
  if (payment === undefined) return response.status(409).send('The order is not paid.\n');
  const once = { idempotencyKey: `refund-${order.id}` }; // sent twice, it is one refund
  try {
    const after = await counterfoil.payments.refund(payment.id, { amount: order.amount }, once);
    record(after);
    response.send({ outcomeKnown: after.outcomeKnown, refunded: after.processor.amountRefunded });
  } catch (fault) {
    if (!CounterfoilError.is(fault)) throw fault; // no response: the same request can be sent again
    response.status(409).send(`${fault.description}\n`);
  }
});

const digest = (text) => createHash('sha256').update(text).digest();
const isStaff = (given) => timingSafeEqual(digest(given), digest(`Bearer ${SHOP_STAFF_TOKEN}`));
const euros = (amount) => `€${(amount / 100).toFixed(2)}`;
const page = (title, body = '') => `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width"><style>:root { color-scheme: light dark; font: 18px/1.6 system-ui }
body { max-width: 30rem; margin: 2rem auto; padding: 0 1rem } button { font: inherit }</style>
<h1>${title}</h1>${body}</html>`;

app.use((fault, _request, response, _next) => {
  console.error(fault);
  response.status(fault.expose ? fault.status : 502).send(page('Please try again in a minute'));
});
app.listen(PORT, (fault) => console.log(fault ?? `The shop: http://127.0.0.1:${PORT}`));
