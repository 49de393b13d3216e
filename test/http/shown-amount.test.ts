// POST /checkout/payments with the amount that the customer was shown: it is charged, or nothing (contract §3).
import { expect } from 'chai';
import { z } from 'zod';
import { appendedBy } from '../support/http-appended.ts';
import { bodyOf, CARDS } from '../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';

const Paid = z.looseObject({ id: z.string(), status: z.string(), amount: z.int() });
const Events = z.looseObject({
  data: z.array(z.looseObject({ type: z.string(), data: z.looseObject({ shown: z.unknown().optional() }) })),
});
const Why = z.looseObject({ data: z.array(z.looseObject({ type: z.string(), words: z.string() })) });
const Refused = z.looseObject({ error: z.looseObject({ errorId: z.string() }) });
const SHOWN = { amount: 1_000, currencyCode: 'EUR' };

describe('the amount that a customer was shown', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp();
  });
  after(() => http.stop());

  const press = async (
    token: string,
    shown?: object,
    number?: string,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const body = { paymentMethodToken: await http.shop.tokenize(token, number), ...(shown !== undefined && { shown }) };
    return { body, send: () => http.request('POST', '/checkout/payments', { token, body, headers }) };
  };
  const errorOf = ({ body }: { readonly body: unknown }) => Refused.parse(body).error;

  it('is charged, and is in the payment’s first event and in its why', async () => {
    const token = await http.shop.session();
    const { id, status } = bodyOf(await (await press(token, SHOWN)).send(), Paid);
    expect(status).to.equal('AUTHORIZED');
    const [created] = bodyOf(await http.shop.ask('GET', `/payments/${id}/events`), Events).data;
    expect([created?.type, created?.data.shown]).to.deep.equal(['PaymentCreated', SHOWN]);
    const [asked] = bodyOf(await http.shop.ask('GET', `/payments/${id}/why`), Why).data;
    expect(asked?.words).to.match(/asked for a payment of 10\.00 EUR for o-1\. The pay button showed 10\.00 EUR\.$/);
  });

  for (const [title, change, now] of [
    ['another amount', { amount: 1_001 }, { amount: 1_001, currencyCode: 'EUR' }],
    ['another currency', { currencyCode: 'USD' }, { amount: 1_000, currencyCode: 'USD' }],
    [
      'the sum of lines',
      { amount: null, order: { lineItems: [{ amount: 700, quantity: 3 }] } },
      { amount: 2_100, currencyCode: 'EUR' },
    ],
  ] as const) {
    it(`is not charged after a PATCH to ${title}: 409 with what is asked for now, and nothing is on record`, async () => {
      const token = await http.shop.session();
      const { send } = await press(token, SHOWN);
      bodyOf(await http.shop.ask('PATCH', '/client-session', { clientToken: token, ...change }), z.looseObject({}));
      const { answer, types } = await appendedBy(http.stores.events, send);
      expect(answer.status).to.equal(409);
      expect(errorOf(answer)).to.include({ errorId: 'AmountChanged', ...now });
      expect(types).to.deep.equal([]);
      // The token was not used up, and the customer presses again.
      expect(bodyOf(await (await press(token, now)).send(), Paid)).to.include({
        status: 'AUTHORIZED',
        amount: now.amount,
      });
    });
  }

  it('comes after the payment that the session carries', async () => {
    const token = await http.shop.session();
    const first = bodyOf(await (await press(token, SHOWN, CARDS.pendingForEver)).send(), Paid);
    expect(errorOf(await (await press(token, { ...SHOWN, amount: 1 })).send())).to.include({
      errorId: 'ClientSessionCompleted',
      paymentId: first.id,
    });
  });

  it('is returned again to the same press under the same key, even after the session is open again', async () => {
    const token = await http.shop.session();
    const { send } = await press(token, SHOWN, CARDS.declined, { 'x-idempotency-key': 'one-press' });
    const first = await send();
    expect(bodyOf(first, Paid).status).to.equal('DECLINED');
    bodyOf(await http.shop.ask('PATCH', '/client-session', { clientToken: token, amount: 9_900 }), z.looseObject({}));
    const again = await send();
    expect([again.status, again.text, again.headers['idempotent-replayed']]).to.deep.equal([200, first.text, 'true']);
  });

  it('may be left out', async () => {
    const token = await http.shop.session();
    const { id } = bodyOf(await (await press(token)).send(), Paid);
    const [created] = bodyOf(await http.shop.ask('GET', `/payments/${id}/events`), Events).data;
    expect(created?.data).not.to.have.property('shown');
  });

  it('says nothing about a session without an amount, which is not complete', async () => {
    const token = await http.shop.session({ amount: undefined });
    expect(errorOf(await (await press(token, SHOWN)).send())).to.include({ errorId: 'RequestValidationError' });
  });

  for (const shown of [
    { amount: 1_000 },
    { amount: -1, currencyCode: 'EUR' },
    { amount: 1_000, currencyCode: 'eur' },
    { ...SHOWN, tip: 1 },
  ]) {
    it(`is refused as ${JSON.stringify(shown)}`, async () => {
      const answer = await (await press(await http.shop.session(), shown)).send();
      expect([answer.status, errorOf(answer).errorId]).to.deep.equal([422, 'RequestValidationError']);
    });
  }
});
