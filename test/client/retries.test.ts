// The client in front of servers that misbehave: what it repeats, what it does not, and that no card is charged twice.
import { expect } from 'chai';
import { Counterfoil } from '../../client/src/counterfoil.ts';
import { CounterfoilError, CounterfoilNoAnswer } from '../../client/src/errors.ts';
import { liveOutside, type Outside } from '../../client/src/outside.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { until } from '../support/until.ts';
import { wholeLedger } from '../support/whole-ledger.ts';
import { type Misbehaviour, type UnrulyServer, unrulyServer } from './unruly-server.ts';

describe('the client in front of a misbehaving server', () => {
  let http: HttpService;
  let unruly: UnrulyServer;
  let client: Counterfoil;
  /** The pauses between attempts, ms; they pass at once. */
  let pauses: number[];

  before(async () => {
    http = await serveHttp({ sandboxInMemory: true });
    unruly = await unrulyServer(http.port);
  });
  after(async () => {
    await unruly.close();
    await http.stop();
  });

  beforeEach(() => {
    pauses = [];
    client = clientWith({ attemptTimeoutMs: 5_000 });
  });

  const clientWith = (
    options: { readonly attemptTimeoutMs?: number; readonly retries?: number },
    outside = withoutPauses,
  ): Counterfoil => new Counterfoil({ apiKey: http.shop.key, baseUrl: unruly.url, ...options }, outside);
  /**
   * Deadlines of attempts, 5 s here, are real; the shorter waits are pauses, which are written down and pass at once.
   */
  const withoutPauses: Outside = {
    ...liveOutside,
    after(ms, then) {
      if (ms >= 4_000) return liveOutside.after(ms, then);
      pauses.push(ms);
      return liveOutside.after(0, then);
    },
  };

  const paid = async (): Promise<string> => {
    const { clientToken } = await client.clientSessions.create({ orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 });
    const paymentMethodToken = await http.shop.tokenize(clientToken);
    return (await client.payments.authorize({ clientToken, paymentMethodToken })).id;
  };
  const caught = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => expect.fail('the call succeeded'),
      (fault: unknown) => fault,
    );
  const refusal = (status: number, errorId: string, headers = {}): Misbehaviour => ({
    status,
    body: JSON.stringify({ error: { errorId, description: 'No.', diagnosticsId: 'req_1' } }),
    headers,
  });

  const REPEATED: { readonly [name: string]: Misbehaviour } = {
    'a reset before the effect': 'reset before',
    'a reset after the effect': 'reset after',
    'an answer that is cut off': 'cut off',
    'a success that is no JSON': { status: 200, body: '<p>maintenance</p>', headers: { 'Content-Type': 'text/html' } },
    'a success that is not an object': { status: 200, body: '[]' },
    'a proxy that finds no service': { status: 502, body: 'Bad gateway', headers: { 'Content-Type': 'text/plain' } },
    'a proxy that waited too long': { status: 504, body: '' },
    'a 503': refusal(503, 'ServiceUnavailable'),
    'a 429': refusal(429, 'TooManyRequests'),
    'a first request that still runs': refusal(409, 'IdempotencyKeyInProgress'),
  };
  for (const [name, misbehaviour] of Object.entries(REPEATED)) {
    it(`repeats a refund after ${name}, under the same key, and the money moves once`, async () => {
      const id = await paid();
      await client.payments.capture(id);
      unruly.misbehave(misbehaviour, misbehaviour);
      const payment = await client.payments.refund(id, { amount: 300 });
      expect(payment.processor.amountRefunded).to.equal(300);
      expect(payment.response.attempts).to.equal(3);
      expect(unruly.seen).to.have.length(3);
      expect(new Set(unruly.seen.map(({ key }) => key))).to.deep.equal(new Set([payment.response.idempotencyKey]));
    });
  }

  it('charges once when the answer to an authorization is lost again and again', async () => {
    const before = await authorizations();
    const { clientToken } = await client.clientSessions.create({ orderId: 'once', currencyCode: 'EUR', amount: 700 });
    const paymentMethodToken = await http.shop.tokenize(clientToken);
    unruly.misbehave('reset after', 'cut off', 'reset after', 'reset before');
    const payment = await client.payments.authorize({ clientToken, paymentMethodToken });
    expect(payment.status).to.equal('AUTHORIZED');
    expect(payment.response).to.include({ replayed: true, attempts: 5 });
    expect(await client.payments.list({ order_id: ['once'] }).first(10)).to.have.length(1);
    expect((await authorizations()) - before).to.equal(1);
  });
  const authorizations = async (): Promise<number> =>
    (await wholeLedger(http.stores.sandbox)).filter(({ operation }) => operation === 'authorization').length;

  it('waits as long as Retry-After asks, and a little', async () => {
    unruly.misbehave(refusal(429, 'TooManyRequests', { 'Retry-After': '3' }));
    await client.payments.list().first(1);
    expect(pauses).to.have.length(1);
    expect(pauses[0]).to.be.within(3_125, 3_250);
  });

  it('gives up at once when Retry-After is longer than its deadline', async () => {
    unruly.misbehave(refusal(503, 'ServiceUnavailable', { 'Retry-After': '7200' }));
    const fault = await caught(client.payments.list().first(1));
    expect(CounterfoilError.is(fault, 'ServiceUnavailable') && fault.retryAfterMs).to.equal(7_200_000);
    expect(unruly.seen).to.have.length(1);
  });

  it('gives up after its retries, with the pauses growing', async () => {
    unruly.misbehave(...Array.from({ length: 9 }, () => 'reset before' as const));
    const fault = await caught(clientWith({ retries: 3 }).clientSessions.create());
    expect(fault)
      .to.be.instanceOf(CounterfoilNoAnswer)
      .and.include({ reason: 'network', attempts: 4, mayHaveHappened: true });
    expect(pauses.map((ms, at) => ms / (250 * 2 ** at)).every((part) => part >= 0.5 && part < 1)).to.equal(true);
  });

  const FINAL: { readonly [errorId: string]: number } = {
    MalformedJson: 400,
    Unauthorized: 401,
    InsufficientScope: 403,
    NotFound: 404,
    Conflict: 409,
    PaymentOperationInProgress: 409,
    PreconditionFailed: 412,
    IdempotencyKeyReused: 422,
    InternalError: 500,
    SomethingNew: 418,
  };
  for (const [errorId, status] of Object.entries(FINAL)) {
    it(`does not repeat a ${status} ${errorId}`, async () => {
      unruly.misbehave(refusal(status, errorId));
      const fault = await caught(client.clientSessions.create());
      expect(fault)
        .to.be.instanceOf(CounterfoilError)
        .and.include({ errorId, status, attempts: 1, diagnosticsId: 'req_1' });
      expect(unruly.seen).to.have.length(1);
    });
  }

  it('does not repeat an answer of another server', async () => {
    unruly.misbehave({ status: 404, body: '<h1>Not found</h1>', headers: { 'Content-Type': 'text/html' } });
    const fault = await caught(client.payments.get('pay_1'));
    expect(fault).to.be.instanceOf(CounterfoilNoAnswer).and.include({ reason: 'unreadable' });
    expect(String(fault)).to.include('404, text/html');
    expect(unruly.seen).to.have.length(1);
  });

  it('follows no redirect, so that the API key goes nowhere else', async () => {
    const { port } = http;
    unruly.misbehave({ status: 307, body: '', headers: { Location: `http://127.0.0.1:${port}/client-session` } });
    const fault = await caught(clientWith({ retries: 0 }).clientSessions.create());
    expect(fault).to.be.instanceOf(CounterfoilNoAnswer);
    expect(unruly.seen).to.have.length(1);
  });

  it('names the address and the cause when no server listens', async () => {
    const closed = await unrulyServer(http.port);
    await closed.close();
    for (const baseUrl of [closed.url, closed.url.replace('127.0.0.1', 'localhost')]) {
      const lonely = new Counterfoil({ apiKey: http.shop.key, baseUrl, retries: 1 }, withoutPauses);
      const fault = await caught(lonely.payments.get('pay_1'));
      expect(fault).to.be.instanceOf(CounterfoilNoAnswer).and.include({ reason: 'network', attempts: 2 });
      expect(String(fault)).to.include('ECONNREFUSED').and.include(new URL(baseUrl).host);
    }
  });

  const DEADLINE_MS = 300;

  it('ends at its deadline while a server hangs, and names the key under which the call can be repeated', async () => {
    const id = await paid();
    unruly.misbehave('hang after');
    const fault = await caught(clientWith({}, liveOutside).payments.capture(id, {}, { timeoutMs: DEADLINE_MS }));
    if (!(fault instanceof CounterfoilNoAnswer)) throw fault;
    expect(fault).to.include({ reason: 'timeout', attempts: 1, mayHaveHappened: true });
    const { idempotencyKey } = fault;
    const repeated = await client.payments.capture(id, {}, { idempotencyKey });
    expect(repeated).to.include({ status: 'SETTLED', outcomeKnown: true });
    expect(repeated.response.replayed).to.equal(true);
  });

  it('repeats an attempt that hangs, when the call has time left', async () => {
    unruly.misbehave('hang');
    const impatient = clientWith({ attemptTimeoutMs: DEADLINE_MS }, liveOutside);
    const session = await impatient.clientSessions.create({ orderId: 'patient' });
    expect(session.orderId).to.equal('patient');
    expect(session.response.attempts).to.equal(2);
  });

  it('sends nothing under a signal that has aborted', async () => {
    unruly.misbehave();
    const fault = await caught(client.clientSessions.create({}, { signal: AbortSignal.abort('not now') }));
    expect(fault)
      .to.be.instanceOf(CounterfoilNoAnswer)
      .and.include({ reason: 'aborted', mayHaveHappened: false, cause: 'not now' });
    expect(unruly.seen).to.have.length(0);
  });

  it('ends a call that hangs when its signal aborts', async () => {
    unruly.misbehave('hang');
    const ending = new AbortController();
    const call = caught(client.clientSessions.create({}, { signal: ending.signal }));
    await until(() => unruly.seen.length === 1);
    ending.abort();
    expect(await call)
      .to.be.instanceOf(CounterfoilNoAnswer)
      .and.include({ reason: 'aborted' });
  });
});
