// The words of a 422 for each violation: one sentence a place, which says the rule (contract §7).
import { expect } from 'chai';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { card } from '../support/node.ts';

const AMOUNT = 'Must be a whole number of minor units, 0 to 2^53 - 1: 1250 for 12.50.';
const PAID = 'Must be a whole number of minor units, 1 to 2^53 - 1: 1250 for 12.50.';
const line = (fields: object): object => ({ order: { lineItems: [{ amount: 1, ...fields }] } });

const SESSION: readonly (readonly [body: object, path: string, words: string])[] = [
  [{ amount: 12.5 }, '$.amount', AMOUNT],
  [{ amount: '1250' }, '$.amount', AMOUNT],
  [{ amount: -1.5 }, '$.amount', AMOUNT],
  [{ amount: 2 ** 53 }, '$.amount', AMOUNT],
  [{ amount: true }, '$.amount', AMOUNT],
  [{ order: { lineItems: [{}] } }, '$.order.lineItems[0].amount', 'Required.'],
  [line({ quantity: 1.5 }), '$.order.lineItems[0].quantity', 'Must be a whole number.'],
  [line({ quantity: '2' }), '$.order.lineItems[0].quantity', 'Must be a number.'],
  [line({ quantity: 0 }), '$.order.lineItems[0].quantity', 'Must be at least 1.'],
  [line({ amount: 0, quantity: 1e300 }), '$.order.lineItems[0].quantity', 'Must be at most 1000000.'],
  [line({ productType: 'FOOD' }), '$.order.lineItems[0].productType', 'Must be one of PHYSICAL or DIGITAL.'],
  [line({ productData: { weight: -1 } }), '$.order.lineItems[0].productData.weight', 'Must be at least 0.'],
  [
    line({ productData: { pageUrl: 'x'.repeat(1_025) } }),
    '$.order.lineItems[0].productData.pageUrl',
    'Must have at most 1024 characters.',
  ],
  [{ order: { lineItems: 'x'.repeat(600) } }, '$.order.lineItems', 'Must be an array.'],
  [
    { order: { lineItems: Array.from({ length: 501 }, () => ({ amount: 1 })) } },
    '$.order.lineItems',
    'Must have at most 500 items.',
  ],
  [
    { order: { fees: Array.from({ length: 51 }, () => ({ amount: 1 })) } },
    '$.order.fees',
    'Must have at most 50 items.',
  ],
  [{ order: { lineItems: [null] } }, '$.order.lineItems[0]', 'Must be an object.'],
  [{ metadata: [] }, '$.metadata', 'Must be an object.'],
  [{ customer: { firstName: 5 } }, '$.customer.firstName', 'Must be a string.'],
  [{ customer: { firstName: 'x'.repeat(256) } }, '$.customer.firstName', 'Must have at most 255 characters.'],
  [
    { customer: { emailAddress: 'ada' } },
    '$.customer.emailAddress',
    'Must be an e-mail address, such as ada@example.com.',
  ],
  [{ orderId: '' }, '$.orderId', 'Must have 1 to 255 characters.'],
  [
    { currencyCode: 'eur' },
    '$.currencyCode',
    'Must be the ISO 4217 code of a currency in circulation, in upper case, such as EUR.',
  ],
  [
    { order: { countryCode: 'fr' } },
    '$.order.countryCode',
    'Must be an ISO 3166-1 alpha-2 country code in upper case, such as FR.',
  ],
  [{ returnUrl: '/back' }, '$.returnUrl', 'Must be an absolute URL, such as https://shop.example/back.'],
  [{ paymentMethod: { vaultOnSuccess: 'yes' } }, '$.paymentMethod.vaultOnSuccess', 'Must be true or false.'],
  [{ paymentMethod: { captureMode: 'LATER' } }, '$.paymentMethod.captureMode', 'Must be one of MANUAL or AUTOMATIC.'],
  [{ orderID: 'o-1' }, '$.orderID', 'Unknown field.'],
  [{ customer: { billingAddress: { zip: '1' } } }, '$.customer.billingAddress.zip', 'Unknown field.'],
];

const ELSEWHERE: readonly (readonly [
  method: string,
  path: string,
  body: object | undefined,
  place: string,
  words: string,
])[] = [
  ['PATCH', '/client-session', {}, '$.clientToken', 'Required.'],
  ['PATCH', '/client-session', { clientToken: '' }, '$.clientToken', 'Must not be empty.'],
  [
    'PATCH',
    '/client-session',
    { clientToken: 'x'.repeat(2_049) },
    '$.clientToken',
    'Must have at most 2048 characters.',
  ],
  [
    'PATCH',
    '/client-session',
    { clientToken: 't', order: { fees: Array.from({ length: 51 }, () => ({ amount: 1 })) } },
    '$.order.fees',
    'Must have at most 50 items.',
  ],
  [
    'PATCH',
    '/client-session',
    { clientToken: 't', order: { fees: [{ amount: 1, type: null }] } },
    '$.order.fees[0].type',
    'Must be a string.',
  ],
  ['POST', '/payments/pay_0/refund', { amount: 0 }, '$.amount', PAID],
  ['POST', '/payments/pay_0/capture', { final: 1 }, '$.final', 'Must be true or false.'],
  ['GET', '/payments?limit=ten', undefined, '$.limit', 'Must be a whole number from 1 to 100.'],
  ['GET', '/payments?limit=101', undefined, '$.limit', 'Must be a whole number from 1 to 100.'],
  ['GET', '/payments?cursor=a&cursor=b', undefined, '$.cursor', 'Must be sent once.'],
  [
    'GET',
    '/payments?from_date=yesterday',
    undefined,
    '$.from_date',
    'Must be an RFC 3339 date and time, such as 2026-01-31T12:00:00Z.',
  ],
  ['GET', '/payments?min_amount=1.5&currency_code=EUR', undefined, '$.min_amount', AMOUNT],
  ['GET', '/payments?orderId=o-1', undefined, '$.orderId', 'Unknown parameter.'],
  ['GET', `/payments?order_id=${'a,'.repeat(50)}a`, undefined, '$.order_id', 'Must have at most 50 items.'],
  ['GET', '/payments/pay_0?expand=all', undefined, '$.expand', 'Must be transactions.events.'],
  ['GET', '/payment-instruments', undefined, '$.customer_id', 'Required.'],
  ['GET', '/sandbox/ledger?limit=0', undefined, '$.limit', 'Must be a whole number from 1 to 1000.'],
  [
    'PUT',
    '/sandbox/faults',
    { rules: [{ match: { operation: 'capture' }, do: { drop: 'x' } }] },
    '$.rules[0].do.drop',
    'Must be true, false or a number from 0 to 1.',
  ],
  [
    'PUT',
    '/sandbox/faults',
    { rules: [{ match: { operation: 'capture', chance: 0 }, do: { drop: true } }] },
    '$.rules[0].match.chance',
    'Must be more than 0.',
  ],
];

describe('a violation', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp();
  });
  after(() => http.stop());

  const told = async (method: string, path: string, body: object | undefined): Promise<unknown> => {
    const { status, error } = await http.shop.ask(method, path, body);
    return [status, error?.validationErrors?.flatMap(({ errors }) => errors)];
  };

  for (const [body, path, words] of SESSION) {
    it(`at ${path} of ${JSON.stringify(body).slice(0, 70)} says: ${words}`, async () => {
      expect(await told('POST', '/client-session', body)).to.deep.equal([422, [{ path, description: words }]]);
    });
  }

  for (const [method, path, body, place, words] of ELSEWHERE) {
    it(`at ${place} of ${method} ${path.slice(0, 60)} says: ${words}`, async () => {
      expect(await told(method, path, body)).to.deep.equal([422, [{ path: place, description: words }]]);
    });
  }

  it('of a card names the members of the card, and does not repeat their values', async () => {
    const token = await http.shop.session();
    const wrong = { number: '4242424242424241', expirationMonth: '13', expirationYear: '39', cvc: '12' };
    const { error, text, requestId } = await http.request('POST', '/checkout/payment-instruments', {
      token,
      body: { card: { ...card().card, ...wrong } },
    });
    expect(error?.validationErrors?.[0]?.errors).to.deep.equal([
      { path: '$.card.number', description: 'Must be a card number of 12 to 19 digits with a valid check digit.' },
      { path: '$.card.expirationMonth', description: 'Must be a month from 01 to 12.' },
      { path: '$.card.expirationYear', description: 'Must be a year of four digits, such as 2030.' },
      { path: '$.card.cvc', description: 'Must be 3 or 4 digits.' },
    ]);
    // the diagnosticsId is hex, which may contain four digits by chance
    expect(text.replaceAll(requestId, '')).not.to.contain('4242');
  });
});
