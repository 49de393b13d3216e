// A valid request for every route, on fresh resources. The tests over all routes start from it.
import { z } from 'zod';
import { parseApiKey } from '../../src/commands/access/api-key-text.ts';
import { signatureOf } from '../../src/processors/sandbox/notifications/notification.ts';
import { formatTime } from '../../src/world.ts';
import { challenged, returning } from './challenged.ts';
import { bodyOf } from './http-merchant.ts';
import type { HttpService } from './http-service.ts';
import { card } from './node.ts';
import { openDispute } from './open-dispute.ts';

export interface Sample {
  readonly path: string;
  readonly body?: object;
  /** Sent unchanged, in place of a body. */
  readonly text?: string;
  /** The client token, where the route takes one instead of an API key. */
  readonly token?: string;
  readonly headers?: { readonly [name: string]: string };
}

/** By `METHOD /path` as the list of routes has them; public routes need none. */
export const SAMPLES: { readonly [route: string]: (http: HttpService) => Promise<Sample> } = {
  'POST /client-session': async () => ({ path: '/client-session', body: SESSION }),
  'PATCH /client-session': async ({ shop }) => ({
    path: '/client-session',
    body: { clientToken: await shop.session(), ...SESSION, paymentMethod: { vaultOnSuccess: true, captureMode: 'MANUAL' } },
  }),
  'GET /client-session': async ({ shop }) => ({ path: `/client-session?clientToken=${await shop.session()}` }),
  'POST /client-session/client-token': async ({ shop }) => ({
    path: '/client-session/client-token',
    body: { clientToken: await shop.session() },
  }),
  'POST /payments': async ({ shop }) => {
    const clientToken = await shop.session();
    const { paymentMethod: _session, ...fields } = SESSION;
    const paymentMethod = {
      vaultOnSuccess: false,
      captureMode: 'MANUAL',
      descriptor: 'SHOP',
      paymentType: 'ECOMMERCE',
      authorizationType: 'FINAL',
    };
    return { path: '/payments', body: { paymentMethodToken: await shop.tokenize(clientToken), clientToken, ...fields, paymentMethod } };
  },
  'GET /payments': async () => ({ path: '/payments?status=AUTHORIZED&limit=1' }),
  'GET /payments/:id': async ({ shop }) => ({ path: `/payments/${(await shop.paid()).id}?expand=transactions.events` }),
  'GET /payments/:id/events': async ({ shop }) => ({ path: `/payments/${(await shop.paid()).id}/events?limit=1` }),
  'GET /payments/:id/why': async ({ shop }) => ({ path: `/payments/${(await shop.paid()).id}/why?limit=1` }),
  'GET /events': async () => ({ path: '/events?limit=1' }),
  'POST /payments/:id/capture': async ({ shop }) => ({
    path: `/payments/${(await shop.paid()).id}/capture`,
    body: { amount: 10, final: false, metadata: { a: { b: 1 } } },
  }),
  'POST /payments/:id/cancel': async ({ shop }) => ({ path: `/payments/${(await shop.paid()).id}/cancel`, body: { reason: 'why not' } }),
  'POST /payments/:id/refund': async ({ shop }) => ({
    path: `/payments/${(await shop.captured()).id}/refund`,
    body: { amount: 10, orderId: 'r-1', reason: 'why not' },
  }),
  'POST /payments/:id/adjust-authorization': async ({ shop }) => ({
    path: `/payments/${(await shop.paid({ session: { paymentMethod: { authorizationType: 'ESTIMATED' } } })).id}/adjust-authorization`,
    body: { amount: 1100 },
  }),
  'POST /payments/:id/resume': async (http) => {
    const { id, resumeToken } = await returning(http);
    return { path: `/payments/${id}/resume`, body: { resumeToken } };
  },
  'POST /checkout/payments/:id/resume': async (http) => {
    const { id, clientToken: token, resumeToken } = await returning(http);
    return { path: `/checkout/payments/${id}/resume`, token, body: { resumeToken } };
  },
  'POST /checkout/payments/:id/cancel': async (http) => {
    const { id, clientToken: token } = await challenged(http);
    return { path: `/checkout/payments/${id}/cancel`, token, body: {} };
  },
  'POST /payments/:id/disputes/:disputeId/evidence': async (http) => ({
    path: `${await openDispute(http)}/evidence`,
    body: { text: 'It was delivered.', customerEmail: 'ada@example.com', shippingTrackingNumber: 'RR1', submit: true },
  }),
  'POST /payments/:id/disputes/:disputeId/accept': async (http) => ({ path: `${await openDispute(http)}/accept`, body: {} }),
  'GET /payment-instruments': async ({ shop }) => {
    await shop.vaulted('c-sample');
    return { path: '/payment-instruments?customer_id=c-sample' };
  },
  'GET /payment-instruments/:token': async ({ shop }) => ({ path: `/payment-instruments/${await shop.tokenize(await shop.session())}` }),
  'POST /payment-instruments/:token/vault': async ({ shop }) => ({
    path: `/payment-instruments/${await shop.tokenize(await shop.session())}/vault`,
    body: { customerId: 'c-sample', description: 'a card' },
  }),
  'POST /payment-instruments/:token/default': async ({ shop }) => ({
    path: `/payment-instruments/${await shop.vaulted('c-sample')}/default`,
  }),
  'DELETE /payment-instruments/:token': async ({ shop }) => ({ path: `/payment-instruments/${await shop.tokenize(await shop.session())}` }),
  'GET /checkout/session': async ({ shop }) => ({ path: '/checkout/session', token: await shop.session() }),
  'POST /checkout/payment-instruments': async ({ shop }) => ({
    path: '/checkout/payment-instruments',
    token: await shop.session(),
    body: card(),
  }),
  'POST /checkout/payments': async ({ shop }) => {
    const token = await shop.session();
    return { path: '/checkout/payments', token, body: { paymentMethodToken: await shop.tokenize(token), vaultOnSuccess: false } };
  },
  'GET /checkout/payments/:id': async ({ shop, request }) => {
    const token = await shop.session();
    const body = { paymentMethodToken: await shop.tokenize(token) };
    const { id } = bodyOf(await request('POST', '/checkout/payments', { token, body }), z.looseObject({ id: z.string() }));
    return { path: `/checkout/payments/${id}`, token };
  },
  'POST /webhooks/:processor': async (http) => ({ path: '/webhooks/sandbox', ...notificationOf(http) }),
  'POST /webhooks/:processor/:token': async (http) => {
    const { key } = await http.shop.keyFor('third_party:webhook_trigger');
    const made = await http.service.access.addIncomingWebhook({ keyId: parseApiKey(key)?.keyId ?? '', processor: 'sandbox' });
    if (made.kind === 'rejected') throw new Error(made.description);
    return { path: `/webhooks/sandbox/${made.token}`, ...notificationOf(http) };
  },
  'GET /sandbox/ledger': async () => ({ path: '/sandbox/ledger' }),
  'GET /sandbox/faults': async () => ({ path: '/sandbox/faults' }),
  'PUT /sandbox/faults': async () => ({
    path: '/sandbox/faults',
    // A rule that no operation matches, so that it does not disturb other tests.
    body: {
      seed: 7,
      rules: [
        {
          match: { operation: 'adjustment', amount: 987_654_321, nth: 3, card: '5555555555554444', chance: 0.5 },
          do: { phase: 'after_reply', fault: 'drop', times: 2, delayMs: 10, duplicate: 2, drop: true, reorder: true },
        },
      ],
    },
  }),
  'GET /sandbox/scenarios': async () => ({ path: '/sandbox/scenarios' }),
};

const ADDRESS = {
  firstName: 'A',
  lastName: 'B',
  addressLine1: '1 Way',
  city: 'Paris',
  state: 'IDF',
  postalCode: '75001',
  countryCode: 'FR',
};
/** A session with every member that it may have, so that a test can break each. */
const SESSION = {
  orderId: 'o-1',
  customerId: 'c-sample',
  currencyCode: 'EUR',
  amount: 1000,
  metadata: { a: 1, b: { c: ['d'] } },
  customer: {
    emailAddress: 'ada@example.com',
    mobileNumber: '+33 1 23',
    firstName: 'Ada',
    lastName: 'Lovelace',
    billingAddress: ADDRESS,
    shippingAddress: { ...ADDRESS, addressLine2: 'back' },
    taxId: 't',
    nationalDocumentId: 'n',
  },
  order: {
    lineItems: [
      {
        amount: 500,
        quantity: 2,
        discountAmount: 1,
        taxAmount: 2,
        itemId: 'i-1',
        name: 'Hat',
        description: 'a hat',
        taxCode: 'x',
        productType: 'PHYSICAL',
        productData: {
          sku: 's',
          brand: 'b',
          color: 'c',
          globalTradeItemNumber: 'g',
          manufacturerPartNumber: 'm',
          weight: 1.5,
          weightUnit: 'kg',
          pageUrl: 'https://x',
        },
      },
    ],
    countryCode: 'FR',
    retailerCountryCode: 'FR',
    fees: [{ amount: 1, type: 'SURCHARGE', description: 'd' }],
    shipping: { amount: 5, methodId: 'm', methodName: 'Post', methodDescription: 'd' },
  },
  paymentMethod: {
    vaultOnSuccess: false,
    captureMode: 'MANUAL',
    descriptor: 'SHOP',
    paymentType: 'ECOMMERCE',
    orderedAllowedCardNetworks: ['VISA'],
    authorizationType: 'FINAL',
    options: { PAYMENT_CARD: { cvv: true } },
  },
  returnUrl: 'https://shop.example/back',
};

/** A signed notification that names no known payment. */
function notificationOf({ stores, world }: Pick<HttpService, 'stores' | 'world'>): Pick<Sample, 'text' | 'headers'> {
  const [secret = Buffer.alloc(0)] = stores.secrets.keys('sandbox-signature');
  const text = JSON.stringify({
    notificationId: `sample-${Buffer.from(world.randomBytes(8)).toString('hex')}`,
    type: 'capture.succeeded',
    occurredAt: formatTime(world.now()),
    reference: 'pay_nobody.1',
    processorTransactionId: 'sbx_1',
    amount: 1,
    currencyCode: 'EUR',
  });
  return { text, headers: { 'content-type': 'application/json', 'x-sandbox-signature': signatureOf(secret, text, world.now()) } };
}
