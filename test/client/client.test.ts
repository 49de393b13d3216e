// The client against a real service: each of its calls, what it answers and what it throws.
import { expect } from 'chai';
import { Counterfoil, type CounterfoilOptions } from '../../client/src/counterfoil.ts';
import { CounterfoilError } from '../../client/src/errors.ts';
import type { ClientSessionFields } from '../../client/src/types.ts';
import { CARDS } from '../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { until } from '../support/until.ts';

describe('the client', () => {
  let http: HttpService;
  let client: Counterfoil;

  before(async () => {
    http = await serveHttp({ sandboxInMemory: true });
    client = new Counterfoil({ apiKey: http.shop.key, baseUrl: `http://127.0.0.1:${http.port}/` });
  });
  after(() => http.stop());

  const ORDER: ClientSessionFields = { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 };
  const pay = async (card?: string, fields: ClientSessionFields = {}) => {
    const { clientToken } = await client.clientSessions.create({ ...ORDER, ...fields });
    return client.payments.authorize({ clientToken, paymentMethodToken: await http.shop.tokenize(clientToken, card) });
  };
  const caught = async (work: Promise<unknown>): Promise<CounterfoilError> => {
    try {
      await work;
    } catch (fault) {
      if (CounterfoilError.is(fault)) return fault;
      throw fault;
    }
    return expect.fail('the call succeeded');
  };

  describe('with client sessions', () => {
    it('creates, reads, changes one and renews its token', async () => {
      const made = await client.clientSessions.create({
        ...ORDER,
        customer: { emailAddress: 'ada@example.com', firstName: 'Ada' },
      });
      const changed = await client.clientSessions.update(made.clientToken, {
        amount: 1_200,
        customer: { firstName: null },
      });
      expect(changed).to.deep.include({ amount: 1_200, customer: { emailAddress: 'ada@example.com' } });
      const { clientToken } = await client.clientSessions.renewToken(made.clientToken);
      expect(await client.clientSessions.get(clientToken)).to.deep.equal(changed);
    });

    it('changes one only at the version that ifMatch names', async () => {
      const { clientToken } = await client.clientSessions.create(ORDER);
      const { response } = await client.clientSessions.get(clientToken);
      await client.clientSessions.update(clientToken, { amount: 1 }, { ifMatch: response.etag });
      const refused = await caught(
        client.clientSessions.update(clientToken, { amount: 2 }, { ifMatch: response.etag }),
      );
      expect(refused).to.include({ status: 412, errorId: 'PreconditionFailed' });
    });

    it('names the payment that completes one', async () => {
      const { clientToken } = await client.clientSessions.create(ORDER);
      const { id } = await client.payments.authorize({
        clientToken,
        paymentMethodToken: await http.shop.tokenize(clientToken),
      });
      const refused = await caught(client.clientSessions.update(clientToken, { amount: 2 }));
      expect(refused).to.include({ errorId: 'ClientSessionCompleted', paymentId: id });
    });
  });

  describe('with payments', () => {
    it('authorizes, captures in parts, refunds and reads one', async () => {
      const { id, outcomeKnown, status } = await pay();
      expect({ outcomeKnown, status }).to.deep.equal({ outcomeKnown: true, status: 'AUTHORIZED' });
      const part = await client.payments.capture(id, { amount: 400, final: false });
      expect(part).to.include({ outcomeKnown: true, status: 'PARTIALLY_SETTLED' });
      expect(await client.payments.capture(id)).to.include({ outcomeKnown: true, status: 'SETTLED' });
      const refunded = await client.payments.refund(id, { amount: 250, reason: 'one came back' });
      expect(refunded).to.include({ outcomeKnown: true }).and.nested.include({ 'processor.amountRefunded': 250 });
      expect(await client.payments.get(id)).to.deep.equal(refunded);
      const { transactions } = await client.payments.get(id, { expand: 'transactions.events' });
      expect(transactions[0]?.events?.length).to.be.above(2);
    });

    it('cancels one', async () => {
      const { id } = await pay();
      expect(await client.payments.cancel(id, { reason: 'out of stock' })).to.include({
        outcomeKnown: true,
        status: 'CANCELLED',
      });
    });

    it('adjusts an estimated authorization', async () => {
      const { id } = await pay(undefined, { paymentMethod: { authorizationType: 'ESTIMATED' } });
      const adjusted = await client.payments.adjustAuthorization(id, { amount: 1_500 });
      expect(adjusted).to.include({ outcomeKnown: true, amount: 1_500 });
    });

    it('takes a declined payment for an answer, not for an error', async () => {
      const payment = await pay(CARDS.declined);
      expect(payment).to.include({ outcomeKnown: true, status: 'DECLINED' });
      expect(payment.response.status).to.equal(200);
    });

    it('says of a pending payment, capture and refund that their outcome is not known', async () => {
      expect(await pay(CARDS.pendingForEver)).to.include({ outcomeKnown: false, status: 'PENDING' });
      const later = await pay(CARDS.captureLater);
      expect(await client.payments.capture(later.id)).to.include({ outcomeKnown: false, status: 'SETTLING' });
      const captured = await pay(CARDS.refundLater);
      await client.payments.capture(captured.id);
      expect(await client.payments.refund(captured.id)).to.include({ outcomeKnown: false, status: 'SETTLED' });
    });

    it('reads whether the outcome of all operations of a payment is known', async () => {
      const outcomeKnown = async (id: string) => (await client.payments.get(id)).outcomeKnown;
      expect(await outcomeKnown((await pay()).id)).to.equal(true);
      expect(await outcomeKnown((await pay(CARDS.declined)).id)).to.equal(true);
      expect(await outcomeKnown((await pay(CARDS.pendingForEver)).id)).to.equal(false);
      const { id } = await pay(CARDS.refundLater);
      await client.payments.capture(id);
      expect(await outcomeKnown(id)).to.equal(true);
      expect((await client.payments.refund(id)).status).to.equal('SETTLED');
      expect(await outcomeKnown(id)).to.equal(false);
    });

    it('lists all payments, and asks for no page that nobody reads', async () => {
      const customerId = 'list';
      for (let at = 0; at < 5; at += 1) await pay(undefined, { customerId });
      const asked: string[] = [];
      const watched = clientWith({
        fetch: async (url, init) => {
          asked.push(String(url));
          return fetch(url, init);
        },
      });
      const list = watched.payments.list({ customer_id: [customerId], limit: 2 });
      const ids: string[] = [];
      for await (const { id } of list) ids.push(id);
      expect(new Set(ids).size).to.equal(5);
      expect(asked).to.have.length(3);
      for await (const _ of list) break;
      expect(await list.first(2)).to.have.length(2);
      expect(asked).to.have.length(5);
      const sizes: number[] = [];
      for await (const { data, response } of list.pages()) sizes.push(data.length, response.status);
      expect(sizes).to.deep.equal([2, 200, 2, 200, 1, 200]);
    });

    it('lists by an id that holds a comma', async () => {
      await pay(undefined, { customerId: 'a,b' });
      const found = await client.payments
        .list({ customer_id: ['a,b', 'nobody'], status: ['AUTHORIZED', 'SETTLED'] })
        .first(10);
      expect(found.map(({ customerId }) => customerId)).to.deep.equal(['a,b']);
    });

    it('reads the history of one', async () => {
      const { id } = await pay();
      const types: string[] = [];
      for await (const { type } of client.payments.events(id)) types.push(type);
      expect(types[0]).to.equal('PaymentCreated');
    });

    it('refuses an id that would be another endpoint', async () => {
      for (const id of ['', '.', '..', 'pay_1/events', 'pay_1?x']) {
        expect(
          await client.payments.get(id).then(
            () => undefined,
            (fault: unknown) => fault,
          ),
        ).to.be.instanceOf(TypeError);
      }
    });
  });

  describe('with instruments', () => {
    it('vaults, lists, makes the default, deletes and still reads one', async () => {
      const customer_id = 'wallet';
      const tokenOf = async (card?: string): Promise<string> =>
        http.shop.tokenize((await client.clientSessions.create()).clientToken, card);
      const first = await client.instruments.vault(await tokenOf(), { customerId: customer_id, description: 'blue' });
      const second = await client.instruments.vault(await tokenOf(CARDS.otherApproved), { customerId: customer_id });
      expect(await client.instruments.setDefault(second.token)).to.include({ default: true });
      expect(await client.instruments.list({ customer_id }).first(10)).to.have.length(2);
      expect(await client.instruments.delete(first.token)).to.include({ deleted: true });
      expect(await client.instruments.get(first.token)).to.include({ deleted: true, description: 'blue' });
      expect(await client.instruments.list({ customer_id }).first(10)).to.have.length(1);
    });
  });

  describe('with events', () => {
    it('lists them after one of them, a page at a time, with the payment as it was', async () => {
      const last = (await client.events.list().first(1_000)).at(-1)?.eventId;
      const { id } = await pay();
      await client.payments.capture(id);
      await client.payments.refund(id, { amount: 100 });
      const later = () => client.events.list({ ...(last !== undefined && { after: last }), limit: 2 });
      await until(async () => (await later().first(100)).length === 3);
      const told = await later().first(100);
      expect(told.map(({ eventType, payment }) => `${eventType} ${payment.status} ${payment.id === id}`)).to.deep.equal(
        ['PAYMENT.STATUS AUTHORIZED true', 'PAYMENT.STATUS SETTLED true', 'PAYMENT.REFUND SETTLED true'],
      );
      expect(told.map(({ sequence, payment }) => sequence === payment.version)).to.deep.equal([true, true, true]);
      const pages: number[] = [];
      for await (const { data } of later().pages()) pages.push(data.length);
      expect(pages).to.deep.equal([2, 1]);
    });

    it('says that an eventId is of no message', async () => {
      const refused = await caught(client.events.list({ after: 'evt_6f0f1c1e-7a4f-4a52-9a5b-0d8f1f0f6b11' }).first(1));
      expect(refused).to.include({ status: 400, errorId: 'InvalidCursor' });
    });
  });

  describe('with a refusal', () => {
    it('throws all violations, and the id that finds the request in the log', async () => {
      const order = { lineItems: [{ amount: 1.5, quantity: -2 }] };
      const fault = await caught(client.clientSessions.create({ order }, { requestId: 'my-request' }));
      expect(fault).to.include({ status: 422, errorId: 'RequestValidationError', diagnosticsId: 'my-request' });
      const paths = fault.validationErrors.flatMap(({ errors }) => errors.map(({ path }) => path));
      expect(paths).to.have.members(['$.order.lineItems[0].amount', '$.order.lineItems[0].quantity']);
      expect(fault.message).to.include('$.order.lineItems[0].amount');
    });

    it('tells a reused key from other refusals', async () => {
      const idempotencyKey = 'reused';
      await client.clientSessions.create({ orderId: 'a' }, { idempotencyKey });
      const fault = await caught(client.clientSessions.create({ orderId: 'b' }, { idempotencyKey }));
      expect(CounterfoilError.is(fault, 'IdempotencyKeyReused')).to.equal(true);
      expect(CounterfoilError.is(fault, 'NotFound', 'Conflict')).to.equal(false);
      expect(fault).to.include({ attempts: 1, idempotencyKey });
    });

    it('never prints the API key', async () => {
      const secret = 'cf_test_nobody_secret';
      const stranger = clientWith({ apiKey: secret });
      const fault = await caught(stranger.payments.get('pay_1'));
      expect(fault.errorId).to.equal('Unauthorized');
      const { inspect } = await import('node:util');
      expect(`${inspect(fault, { depth: 9 })}${inspect(stranger, { depth: 9, showHidden: true })}`).not.to.include(
        secret,
      );
    });
  });

  it('answers the facts of the response beside the resource, and not in its JSON', async () => {
    const made = await client.clientSessions.create(ORDER, { idempotencyKey: 'facts' });
    expect(made.response).to.include({ status: 200, replayed: false, idempotencyKey: 'facts', attempts: 1 });
    expect(JSON.stringify(made)).not.to.include('attempts');
    expect((await client.clientSessions.create(ORDER, { idempotencyKey: 'facts' })).response.replayed).to.equal(true);
  });

  const WRONG: { readonly [name: string]: Partial<CounterfoilOptions> } = {
    'no key': { apiKey: '' },
    'a key with a line break': { apiKey: 'cf_test\n' },
    'a URL that is none': { baseUrl: 'localhost:4000' },
    'a URL with a password': { baseUrl: 'http://a:b@localhost' },
    'a URL with a query': { baseUrl: 'http://localhost?a' },
    'no time': { timeoutMs: 0 },
    'a retry less than none': { retries: -1 },
    'an endless attempt': { attemptTimeoutMs: Number.POSITIVE_INFINITY },
  };
  for (const [name, options] of Object.entries(WRONG))
    it(`is not made with ${name}`, () => expect(() => clientWith(options)).to.throw(TypeError));

  const clientWith = (options: Partial<CounterfoilOptions>): Counterfoil =>
    new Counterfoil({ apiKey: http.shop.key, baseUrl: `http://127.0.0.1:${http.port}`, ...options });
});
