// A valid request for every route, on fresh resources: the example of the route, with tokens of our own. The tests over
// all routes start from it.
import { expect } from 'chai';
import { z } from 'zod';
import { parseApiKey } from '../../src/commands/access/api-key-text.ts';
import { type Given, OWN, type Route } from '../../src/http/route.ts';
import { allRoutes } from '../../src/http/routes/all.ts';
import type { RouteParts } from '../../src/http/routes/parts.ts';
import { FaultPlan, FaultReport } from '../../src/processors/sandbox/fault-plan.ts';
import { signatureOf } from '../../src/processors/sandbox/notifications.ts';
import { formatTime, newId } from '../../src/world.ts';
import { agreementOf, firstPayment, proposing, shownText } from './agreement-made.ts';
import { challenged, returning } from './challenged.ts';
import { bodyOf, CARDS } from './http-merchant.ts';
import type { HttpService } from './http-service.ts';
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

const UNASKED: object = {
  parts: {
    payments: {},
    queries: {},
    notifications: {},
    processors: new Map(),
    sandbox: { faultPlan: FaultPlan, faultReport: FaultReport },
  },
};
/** No part of the service: a description asks no handler. */
const unasked: RouteParts = Reflect.get(UNASKED, 'parts');

/** The routes that need credentials, as a service has them; only their descriptions are of use. */
export const guardedRoutes: readonly Route[] = allRoutes(unasked).filter(({ scope }) => scope !== 'public');

/** `METHOD /path` as the list of routes has it. */
export const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`;

/** The subject of a call: the names in its path, and the tokens in its query and body by the names of their members. */
interface Made {
  readonly path?: { readonly [name: string]: string };
  readonly tokens?: {
    readonly [member in
      | 'clientToken'
      | 'paymentMethodToken'
      | 'resumeToken'
      | 'customer_id'
      | 'paymentId'
      | 'textDigest']?: string;
  };
}

const MADE: { readonly [G in Given]: (http: HttpService) => Promise<Made> } = {
  session: async ({ shop }) => ({ tokens: { clientToken: await shop.session() } }),
  'session with an agreement': async (http) => {
    const { clientToken } = await proposing(http);
    return { tokens: { clientToken, textDigest: (await shownText(http, clientToken)).textDigest } };
  },
  card: async ({ shop }) => {
    const clientToken = await shop.session();
    const token = await shop.tokenize(clientToken);
    return { path: { token }, tokens: { clientToken, paymentMethodToken: token } };
  },
  'vaulted card': async ({ shop, world }) => {
    const customer = newId(world, 'customer');
    await shop.vaulted(customer, CARDS.approved); // the customer's default
    const token = await shop.vaulted(customer, CARDS.otherApproved);
    return { path: { token, customerId: customer }, tokens: { customer_id: customer } };
  },
  payment: async ({ shop }) => ({ path: { id: (await shop.paid()).id } }),
  'estimated payment': async ({ shop }) => ({
    path: { id: (await shop.paid({ session: { paymentMethod: { authorizationType: 'ESTIMATED' } } })).id },
  }),
  'captured payment': async ({ shop }) => ({ path: { id: (await shop.captured()).id } }),
  'challenged payment': async (http) => {
    const { id, clientToken } = await challenged(http);
    return { path: { id }, tokens: { clientToken } };
  },
  'returning payment': async (http) => {
    const { id, clientToken, resumeToken } = await returning(http);
    return { path: { id }, tokens: { clientToken, resumeToken } };
  },
  'checkout payment': async ({ shop, request }) => {
    const clientToken = await shop.session();
    const body = { paymentMethodToken: await shop.tokenize(clientToken) };
    const { id } = bodyOf(
      await request('POST', '/checkout/payments', { token: clientToken, body }),
      z.looseObject({ id: z.string() }),
    );
    return { path: { id }, tokens: { clientToken } };
  },
  'open dispute': async (http) => {
    const [, , id = '', , disputeId = ''] = (await openDispute(http)).split('/');
    return { path: { id, disputeId } };
  },
  'payment link': async ({ shop }) => {
    const made = await shop.ask('POST', '/payment-links', { amount: 1_000, currencyCode: 'EUR' });
    return { path: { id: bodyOf(made, z.looseObject({ id: z.string() })).id } };
  },
  'first payment': async (http) => ({ tokens: { paymentId: (await firstPayment(http)).id } }),
  agreement: async (http) => {
    const customerId = newId(http.world, 'customer');
    const id = await agreementOf(http, await firstPayment(http, customerId));
    return { path: { id }, tokens: { paymentId: (await firstPayment(http, customerId)).id } };
  },
  'paused agreement': async (http) => {
    const id = await agreementOf(http, await firstPayment(http));
    await http.shop.ask('POST', `/agreements/${id}/pause`, {});
    return { path: { id } };
  },
  notification: async ({ shop, service }) => {
    const { key } = await shop.keyFor('third_party:webhook_trigger');
    const made = await service.access.addIncomingWebhook({
      keyId: parseApiKey(key)?.keyId ?? '',
      processor: 'sandbox',
    });
    if (made.kind === 'rejected') throw new Error(made.description);
    return { path: { processor: 'sandbox', token: made.token } };
  },
};

/** A sample of the route, on resources that are new. `body`: by default the one that /openapi.json shows. */
export async function sampleOf(
  route: Route,
  http: HttpService,
  body = FULL[nameOf(route)] ?? route.description.example?.body,
): Promise<Sample> {
  const { example } = route.description;
  if (example === undefined)
    throw new Error(
      `${nameOf(route)} has no example: give its route one, in src/http/routes/, with what it is \`on\`, its query and its body.`,
    );
  const { path = {}, tokens = {} }: Made = example.on === undefined ? {} : await MADE[example.on](http);
  const filled = (members: object): { readonly [name: string]: unknown } =>
    Object.fromEntries(
      Object.entries(members).map(([name, value]) => [name, value === OWN ? Reflect.get(tokens, name) : value]),
    );
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filled(example.query ?? {}))) query.set(name, String(value));
  const at = route.path.replaceAll(
    /:(\w+)/g,
    (_, name: string) => path[name] ?? expect.fail(`${nameOf(route)}: no ${name} on "${example.on}"`),
  );
  return {
    path: query.size === 0 ? at : `${at}?${query}`,
    ...(example.on === 'notification' ? notificationOf(http) : body !== undefined && { body: filled(body) }),
    ...(route.scope === 'clientToken' && tokens.clientToken !== undefined && { token: tokens.clientToken }),
  };
}

const ADDRESS = {
  firstName: 'A',
  lastName: 'B',
  addressLine1: '1 Way',
  city: 'Paris',
  state: 'IDF',
  postalCode: '75001',
  countryCode: 'FR',
};
/** A session with every member that it may have. */
const SESSION = {
  orderId: 'o-1',
  customerId: 'customer-1',
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

const { paymentMethod: _session, ...PAYMENT } = SESSION;
/**
 * Bodies with every member that there may be, so that a test can break each; other routes are asked with their example.
 */
const FULL: { readonly [route: string]: object } = {
  'POST /client-session': SESSION,
  'PATCH /client-session': {
    clientToken: OWN,
    ...SESSION,
    paymentMethod: { vaultOnSuccess: true, captureMode: 'MANUAL' },
  },
  'POST /payments': {
    clientToken: OWN,
    paymentMethodToken: OWN,
    ...PAYMENT,
    paymentMethod: {
      vaultOnSuccess: false,
      captureMode: 'MANUAL',
      descriptor: 'SHOP',
      paymentType: 'ECOMMERCE',
      authorizationType: 'FINAL',
    },
  },
  'POST /payments/:id/capture': { amount: 10, final: false, metadata: { a: { b: 1 } } },
  'POST /payments/:id/disputes/:disputeId/evidence': {
    text: 'It was delivered.',
    customerEmail: 'ada@example.com',
    shippingTrackingNumber: 'RR1',
    submit: true,
  },
  'PUT /sandbox/faults': {
    seed: 7,
    // A rule that no operation matches, so that it does not disturb other tests.
    rules: [
      {
        match: { operation: 'adjustment', amount: 987_654_321, nth: 3, card: '5555555555554444', chance: 0.5 },
        do: { phase: 'after_reply', fault: 'drop', times: 2, delayMs: 10, duplicate: 2, drop: true, reorder: true },
      },
    ],
  },
};

/** A signed notification that names no known payment. */
export function notificationOf({
  stores,
  world,
}: Pick<HttpService, 'stores' | 'world'>): Pick<Sample, 'text' | 'headers'> {
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
  return {
    text,
    headers: { 'content-type': 'application/json', 'x-sandbox-signature': signatureOf(secret, text, world.now()) },
  };
}
