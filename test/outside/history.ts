// The history that is looked at from outside: two accounts, every method, refusals, disputes, what is open, a customer,
// rules, webhooks, users and keys.
import { cpSync, existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { Place } from '../cli/processes.ts';
import { until } from '../support/until.ts';
import { type Ask, askAt, Told } from './ask.ts';

/** Beside `data`: the names by which a recording finds its way. */
export const FILE = 'context.json';
const Account = z.strictObject({ accountId: z.string(), keyId: z.string(), key: z.string(), management: z.string() });
export const Context = z.strictObject({
  shop: Account,
  other: Account,
  customer: z.string(),
  /** One who can be erased. */
  left: z.string(),
  connection: z.string(),
  /** The ids of a payment that was refunded in part, a disputed payment, and a payment whose stream is broken later. */
  payment: z.string(),
  disputed: z.string(),
  broken: z.string(),
});
export type Context = z.output<typeof Context>;

const CUSTOMER = 'customer-1';
const SESSION = { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000, customerId: CUSTOMER };
/** A session of a customer whose payments are over. */
const LEFT = { ...SESSION, customerId: 'customer-2', customer: { firstName: 'Grace' } };
const RICH = {
  ...SESSION,
  metadata: { a: 1 },
  customer: { emailAddress: 'ada@example.com', firstName: 'Ada', billingAddress: { city: 'Paris', countryCode: 'FR' } },
  order: { lineItems: [{ itemId: 'i', name: 'Hat', amount: 500, quantity: 2 }], countryCode: 'FR' },
};
const AUTOMATIC = { ...SESSION, paymentMethod: { captureMode: 'AUTOMATIC' } };
const METHODS: readonly object[] = [
  ...['IDEAL', 'BANCONTACT', 'KLARNA', 'PAYPAL', 'MULTIBANCO'].map((type) => ({ type })),
  { type: 'SEPA_DEBIT', iban: 'DE89370400440532013000', accountHolderName: 'Ada', mandateAccepted: true },
  { type: 'APPLE_PAY', token: 'sandbox:approved' },
  { type: 'GOOGLE_PAY', token: 'sandbox:approved' },
];
const CARDS = {
  approved: '4242424242424242',
  declined: '4000000000000002',
  challenged: '4000000000003220',
  frictionless: '4000009900005029',
  pending: '4000009900001036',
  unknown: '4000009900001077',
  notSent: '4000009900001085',
  lessCaptured: '4000009900003016',
  captureRefusedLater: '4000009900003057',
  refundRefused: '4000009900004014',
  otherCurrency: '4000009900003065',
  disputed: '4000000000000259',
};

/** A merchant's and a customer's calls, refused ones among them. Answers the ids of the payments by their cards. */
export async function payments(ask: Ask): Promise<{ readonly [card: string]: string }> {
  const ids: Record<string, string> = {};
  const session = async (fields: object): Promise<string> =>
    String((await ask('POST', '/client-session', fields)).body.clientToken);
  const pay = async (fields: object, method: object): Promise<string> => {
    const clientToken = await session(fields);
    const checkout = { 'X-Client-Token': clientToken };
    await ask('GET', '/checkout/session', undefined, checkout);
    const { body } = await ask('POST', '/checkout/payment-instruments', method, checkout);
    const made = await ask('POST', '/payments', { clientToken, paymentMethodToken: body.token ?? 'none' });
    return made.body.id ?? 'none';
  };
  const card = (number: string): object => ({
    card: { number, expirationMonth: '12', expirationYear: '2039', cvc: '123', cardholderName: 'Ada' },
  });
  const clientToken = await session(RICH);
  await ask('PATCH', '/client-session', { clientToken, amount: 2_000, customer: { lastName: 'L' } });
  await ask('PATCH', '/client-session', { clientToken, amount: -1, nothing: 1 });
  await ask('GET', `/client-session?clientToken=${clientToken}`);
  for (const [name, number] of Object.entries(CARDS)) {
    const id = await pay(RICH, card(number));
    ids[name] = id;
    if (name === 'challenged') continue;
    await ask('POST', `/payments/${id}/capture`, { amount: 400, final: false });
    await ask('POST', `/payments/${id}/capture`, {});
    await ask('POST', `/payments/${id}/refund`, { amount: 100, reason: 'because' });
    await ask('POST', `/payments/${id}/cancel`, {});
    await ask('GET', `/payments/${id}`);
  }
  const estimated = await pay({ ...SESSION, paymentMethod: { authorizationType: 'ESTIMATED' } }, card(CARDS.approved));
  await ask('POST', `/payments/${estimated}/adjust-authorization`, { amount: 1_500 });
  await ask('POST', `/payments/${estimated}/cancel`, {});
  ids['vaulted'] = await pay({ ...SESSION, paymentMethod: { vaultOnSuccess: true } }, card(CARDS.approved));
  await ask('POST', `/payments/${await pay(LEFT, card(CARDS.approved))}/cancel`, {});
  for (const method of METHODS) await pay(AUTOMATIC, { method });
  await pay(SESSION, { method: { type: 'IDEAL' } });
  const { body: link } = await ask('POST', '/payment-links', { amount: 1_000, currencyCode: 'EUR' });
  await ask('GET', `/payment-links/${link.id ?? 'none'}`);
  const { body: list } = await ask('GET', `/payment-instruments?customer_id=${CUSTOMER}`);
  await ask('POST', `/payment-instruments/${list.data[0]?.token ?? 'none'}/default`, {});
  return ids;
}

const First = z.looseObject({ accountId: z.string() });

/** Makes it with the checkout's own service. Throws if the folder exists. `main`: the checkout's main.js. */
export async function makeHistory(main: string, folder: string): Promise<void> {
  if (existsSync(folder)) throw new Error(`${folder} exists`);
  const place = new Place(main);
  const receiver = createServer((request, response) => request.resume().on('end', () => response.end()));
  await new Promise<void>((done) => void receiver.listen(0, '127.0.0.1', done));
  const { port } = receiver.address() as AddressInfo;
  const json = async (command: string) => Told.parse(await place.json(command));
  try {
    const serving = await place.serve('--json', { COUNTERFOIL_RATE_LIMIT: '0' });
    const account = async (accountId: string): Promise<z.output<typeof Account>> => {
      const at = `--account ${accountId}`;
      const { id: keyId = '', key = '' } = await json(`keys create --name all --scopes all ${at}`);
      const made = await json(`keys create --name terraform --management --grants all ${at}`);
      return { accountId, keyId, key, management: made.key ?? '' };
    };
    const shop = await account(First.parse(JSON.parse(serving.stdout())).accountId);
    const other = await account((await json('accounts create --name Other')).id ?? '');
    const at = `--account ${shop.accountId}`;
    await json(`users add --email owner@shop.example --role owner ${at}`);
    await json(`users add --email support@shop.example --role support ${at}`);
    await json(`webhooks endpoints add --url http://127.0.0.1:${port}/hook ${at}`);
    await json(`webhooks incoming add --processor sandbox --key ${shop.keyId}`);
    const { id: connection = '' } = await json(`connections add --processor sandbox --name second ${at}`);
    const ask = askAt(serving.url, { 'X-Api-Key': shop.key });
    const ids = await payments(ask);
    const disputed = ids['disputed'] ?? '';
    await until(async () => (await ask('GET', `/payments/${disputed}`)).text.includes('"disputes"'));
    await ask('PUT', '/sandbox/faults', {
      seed: 7,
      rules: [{ match: { operation: 'refund', amount: 77 }, do: { phase: 'before_send', fault: 'reset', times: 1 } }],
    });
    // until nothing falls due in the hours of the recordings
    for (const time of ['10m', '40d', '90d']) {
      await json(`sandbox clock advance ${time}`);
      await place.run('sandbox wait --until-settled --timeout 20s');
    }
    const names = { customer: CUSTOMER, left: LEFT.customerId, connection };
    const context = { shop, other, ...names, payment: ids['approved'], disputed, broken: ids['declined'] };
    writeFileSync(join(place.dir, FILE), JSON.stringify(Context.parse(context), undefined, 2));
    await serving.end('SIGTERM');
    cpSync(place.dir, folder, { recursive: true });
  } finally {
    await place.remove();
    receiver.close();
    receiver.closeAllConnections();
  }
}
