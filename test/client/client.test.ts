// The client for Node against a real service: what the table of cases over both clients (table.test.ts) does not prove.
import { expect } from 'chai';
import { Counterfoil, type CounterfoilOptions } from '../../client/src/counterfoil.ts';
import { CounterfoilError, CounterfoilNoAnswer } from '../../client/src/errors.ts';
import type { ClientSessionFields } from '../../client/src/types.ts';
import { CARDS } from '../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { until } from '../support/until.ts';
import { type UnrulyServer, unrulyServer } from './unruly-server.ts';

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

  describe('with payments', () => {
    it('reads the events of a payment’s transactions when they are asked for', async () => {
      const { id } = await pay();
      const { transactions } = await client.payments.get(id, { expand: 'transactions.events' });
      expect(transactions[0]?.events?.length).to.be.above(1);
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
      expect(
        told.map(({ eventType, payment }) => `${eventType} ${payment?.status} ${payment?.id === id}`),
      ).to.deep.equal(['PAYMENT.STATUS AUTHORIZED true', 'PAYMENT.STATUS SETTLED true', 'PAYMENT.REFUND SETTLED true']);
      expect(told.map(({ sequence, payment }) => sequence === payment?.version)).to.deep.equal([true, true, true]);
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

  describe('without a response', () => {
    let unruly: UnrulyServer;
    before(async () => {
      unruly = await unrulyServer(http.port);
    });
    after(() => unruly.close());

    const unanswered = (work: Promise<unknown>): Promise<CounterfoilNoAnswer> =>
      work.then(
        () => expect.fail('the call succeeded'),
        (fault: unknown) => {
          if (fault instanceof CounterfoilNoAnswer) return fault;
          throw fault;
        },
      );

    it('names the address and the cause when no server listens at any address of a name', async () => {
      const closed = await unrulyServer(http.port);
      await closed.close();
      const baseUrl = closed.url.replace('127.0.0.1', 'localhost');
      const fault = await unanswered(clientWith({ baseUrl, retries: 0 }).payments.get('pay_1'));
      expect(fault).to.include({ reason: 'network', attempts: 1, mayHaveHappened: false });
      expect(String(fault)).to.include('ECONNREFUSED').and.include(new URL(baseUrl).host);
    });

    it('says that nothing can have happened when no attempt found a server', async () => {
      const closed = await unrulyServer(http.port);
      await closed.close();
      const refused = await unanswered(clientWith({ baseUrl: closed.url, retries: 1 }).payments.capture('pay_1'));
      expect(refused).to.include({ reason: 'network', attempts: 2, mayHaveHappened: false });
      // A label of a name has at most 63 characters, so no server is asked for this one.
      const nowhere = clientWith({ baseUrl: `http://${'a'.repeat(64)}.invalid`, retries: 0 });
      const unknown = await unanswered(nowhere.payments.capture('pay_1'));
      expect(unknown).to.include({ reason: 'network', attempts: 1, mayHaveHappened: false });
    });

    it('says so when its signal aborts while no server has been found', async () => {
      const closed = await unrulyServer(http.port);
      await closed.close();
      const ending = new AbortController();
      const trying: typeof fetch = (...asked) => fetch(...asked).finally(() => ending.abort());
      const { payments } = clientWith({ baseUrl: closed.url, fetch: trying });
      const fault = await unanswered(payments.capture('pay_1', {}, { signal: ending.signal }));
      expect(fault).to.include({ reason: 'aborted', attempts: 1, mayHaveHappened: false });
    });

    it('says that the call may have happened when the server was lost after the first attempt', async () => {
      const dying = await unrulyServer(http.port);
      dying.misbehave('hang');
      const call = unanswered(clientWith({ baseUrl: dying.url, retries: 1 }).clientSessions.create(ORDER));
      await until(() => dying.seen.length === 1);
      await dying.close();
      const fault = await call;
      expect(fault).to.include({ reason: 'network', attempts: 2, mayHaveHappened: true });
      expect(String(fault)).to.include('ECONNREFUSED');
    });

    it('says that the call may have happened unless every address of the name refused', async () => {
      const faultWith = (...codes: readonly string[]) => {
        const errors = codes.map((code) => Object.assign(new Error(code), { code }));
        const thrown = new TypeError('fetch failed', { cause: new AggregateError(errors) });
        const { payments } = clientWith({ fetch: () => Promise.reject(thrown), retries: 0 });
        return unanswered(payments.capture('pay_1'));
      };
      expect(await faultWith('ECONNREFUSED', 'ECONNREFUSED')).to.include({ mayHaveHappened: false });
      expect(await faultWith('ECONNREFUSED', 'ECONNRESET')).to.include({ mayHaveHappened: true });
      expect(await faultWith()).to.include({ mayHaveHappened: true });
    });

    it('sends nothing under a signal that has aborted', async () => {
      unruly.misbehave();
      const { clientSessions } = clientWith({ baseUrl: unruly.url });
      const fault = await unanswered(clientSessions.create({}, { signal: AbortSignal.abort('not now') }));
      expect(fault).to.include({ reason: 'aborted', mayHaveHappened: false, cause: 'not now' });
      expect(unruly.seen).to.have.length(0);
    });

    it('ends a call that hangs when its signal aborts', async () => {
      unruly.misbehave('hang');
      const ending = new AbortController();
      const { clientSessions } = clientWith({ baseUrl: unruly.url });
      const call = unanswered(clientSessions.create({}, { signal: ending.signal }));
      await until(() => unruly.seen.length === 1);
      ending.abort();
      expect(await call).to.include({ reason: 'aborted' });
    });
  });

  const WRONG: { readonly [words: string]: object } = {
    'apiKey is undefined': { apiKey: undefined },
    'apiKey is null': { apiKey: null },
    'apiKey is empty': { apiKey: '' },
    'apiKey is of type number': { apiKey: 4 },
    'baseUrl is undefined': { baseUrl: undefined },
    'baseUrl is of type object': { baseUrl: new URL('http://127.0.0.1') },
  };
  for (const [words, options] of Object.entries(WRONG))
    it(`is not created, and says why: ${words}`, () => {
      const given = { apiKey: 'cf_test_1', baseUrl: 'http://127.0.0.1', ...options };
      expect(() => Reflect.construct(Counterfoil, [given])).to.throw(TypeError, words);
    });

  it('is not created with an endless attempt', () =>
    expect(() => clientWith({ attemptTimeoutMs: Number.POSITIVE_INFINITY })).to.throw(TypeError));

  const clientWith = (options: Partial<CounterfoilOptions>): Counterfoil =>
    new Counterfoil({ apiKey: http.shop.key, baseUrl: `http://127.0.0.1:${http.port}`, ...options });
});
