// One table of cases over both clients, Node's and Python's: each call, what is repeated, which errors and webhooks.
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { CARDS } from '../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { ROOT } from '../support/root.ts';
import { until } from '../support/until.ts';
import { wholeLedger } from '../support/whole-ledger.ts';
import { type Call, type CallResult, type Driver, nodeDriver, pythonDriver, pythonLacks } from './drivers.ts';
import { pythonTypes } from './python-types.ts';
import { type Misbehaviour, type UnrulyServer, unrulyServer } from './unruly-server.ts';

const lacks = pythonLacks();
const CLIENTS: { readonly [name: string]: () => Driver } = {
  Node: nodeDriver,
  ...(lacks === undefined && { Python: pythonDriver }),
};

describe('the client in Python', () => {
  before(function () {
    if (lacks === undefined) return;
    console.log(`      The Python client is not tested: ${lacks}.`);
    this.skip();
  });

  it('has the types of the description: npm run python-types', async () => {
    const http = await serveHttp({ sandboxInMemory: true });
    try {
      const document = await (await fetch(`http://127.0.0.1:${http.port}/openapi.json`)).text();
      const kept = readFileSync(join(ROOT, 'client-python/counterfoil/api_types.py'), 'utf8');
      expect(pythonTypes(document) === kept).to.equal(true);
    } finally {
      await http.stop();
    }
  });
});

for (const [name, open] of Object.entries(CLIENTS)) {
  describe(`the table of cases, over the client in ${name},`, () => {
    let http: HttpService;
    let unruly: UnrulyServer;
    let driver: Driver;
    before(async () => {
      http = await serveHttp({ sandboxInMemory: true });
      unruly = await unrulyServer(http.port);
      driver = open();
    });
    after(async () => {
      await driver.close();
      await unruly.close();
      await http.stop();
    });

    type Asked = readonly [subject: Call['subject'], method: string, ...args: unknown[]];
    type Own = Partial<Omit<Call, 'subject' | 'method' | 'args'>>;
    const call = ([subject, method, ...args]: Asked, own: Own = {}): Promise<CallResult> =>
      driver.call({
        apiKey: http.shop.key,
        baseUrl: `${unruly.url}/`,
        limits: { attemptTimeoutMs: 20_000 },
        quick: true,
        options: {},
        first: 100,
        ...own,
        ...{ subject, method, args },
      });
    type Answer = Extract<CallResult, { kind: 'answer' }>;
    const answer = async (asked: Asked, own?: Own): Promise<Answer> => {
      const result = await call(asked, own);
      return result.kind === 'answer' ? result : expect.fail(JSON.stringify(result));
    };
    const items = async (asked: Asked, own?: Own): Promise<readonly { readonly [name: string]: unknown }[]> => {
      const result = await call(asked, own);
      return result.kind === 'list' ? result.items : expect.fail(JSON.stringify(result));
    };

    const ORDER = { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 };
    const session = async (fields: object = {}): Promise<string> =>
      String((await answer(['clientSessions', 'create', { ...ORDER, ...fields }])).resource['clientToken']);
    async function pay(card?: string, fields: object = {}): Promise<Answer & { readonly id: string }> {
      const clientToken = await session(fields);
      const paymentMethodToken = await http.shop.tokenize(clientToken, card);
      const paid = await answer(['payments', 'authorize', { clientToken, paymentMethodToken }]);
      return { ...paid, id: String(paid.resource['id']) };
    }
    /** The status of the payment, and whether the outcome of the call is known. */
    const seen = ({ resource, outcomeKnown }: Answer): readonly unknown[] => [outcomeKnown, resource['status']];
    const charges = async (): Promise<number> =>
      (await wholeLedger(http.stores.sandbox)).filter(({ operation }) => operation === 'authorization').length;

    describe('with client sessions', () => {
      it('creates, changes at a version, reads and renews', async () => {
        const token = await session({ customer: { emailAddress: 'ada@example.com', firstName: 'Ada' } });
        const { etag } = (await answer(['clientSessions', 'get', token])).response;
        const change = { amount: 1_200, customer: { firstName: null } };
        const changed = await answer(['clientSessions', 'update', token, change], { options: { ifMatch: etag } });
        expect(changed.resource).to.deep.include({ amount: 1_200, customer: { emailAddress: 'ada@example.com' } });
        const late = await call(['clientSessions', 'update', token, { amount: 1 }], { options: { ifMatch: etag } });
        expect(late).to.include({ kind: 'refused', status: 412, errorId: 'PreconditionFailed' });
        const renewed = await answer(['clientSessions', 'renewToken', token]);
        const read = await answer(['clientSessions', 'get', renewed.resource['clientToken']]);
        expect(read.resource).to.deep.equal(changed.resource);
      });
    });

    describe('with payments', () => {
      it('captures in parts, refunds and reads', async () => {
        const paid = await pay();
        expect(seen(paid)).to.deep.equal([true, 'AUTHORIZED']);
        const part = await answer(['payments', 'capture', paid.id, { amount: 400, final: false }]);
        expect(seen(part)).to.deep.equal([true, 'PARTIALLY_SETTLED']);
        expect(seen(await answer(['payments', 'capture', paid.id, {}]))).to.deep.equal([true, 'SETTLED']);
        const refunded = await answer(['payments', 'refund', paid.id, { amount: 250 }]);
        expect(refunded.outcomeKnown).to.equal(true);
        const read = await answer(['payments', 'get', paid.id]);
        expect(read.resource).to.deep.equal(refunded.resource);
        const history = await items(['payments', 'events', paid.id]);
        expect(history[0]).to.include({ type: 'PaymentCreated' });
        expect((await items(['payments', 'why', paid.id])).length).to.be.above(3);
      });

      it('cancels, and adjusts an estimated authorization', async () => {
        expect(seen(await answer(['payments', 'cancel', (await pay()).id, {}]))).to.deep.equal([true, 'CANCELLED']);
        const { id } = await pay(undefined, { paymentMethod: { authorizationType: 'ESTIMATED' } });
        const adjusted = await answer(['payments', 'adjustAuthorization', id, { amount: 1_500 }]);
        expect([adjusted.outcomeKnown, adjusted.resource['amount']]).to.deep.equal([true, 1_500]);
      });

      it('answers a declined payment, and never calls a pending outcome known', async () => {
        expect(seen(await pay(CARDS.declined))).to.deep.equal([true, 'DECLINED']);
        const pending = await pay(CARDS.pendingForEver);
        expect(seen(pending)).to.deep.equal([false, 'PENDING']);
        expect(seen(await answer(['payments', 'get', pending.id]))).to.deep.equal([false, 'PENDING']);
        const later = await pay(CARDS.captureLater);
        expect(seen(await answer(['payments', 'capture', later.id, {}]))).to.deep.equal([false, 'SETTLING']);
        const { id } = await pay(CARDS.refundLater);
        await answer(['payments', 'capture', id, {}]);
        expect(seen(await answer(['payments', 'refund', id, {}]))).to.deep.equal([false, 'SETTLED']);
        expect(seen(await answer(['payments', 'get', id]))).to.deep.equal([false, 'SETTLED']);
      });

      it('lists over pages, by ids with a comma, and no further than asked', async () => {
        const customerId = `a,${name}`;
        for (let at = 0; at < 3; at += 1) await pay(undefined, { customerId });
        const filter = { customer_id: [customerId, 'nobody'], status: ['AUTHORIZED', 'SETTLED'], limit: 2 };
        unruly.misbehave();
        expect(await items(['payments', 'list', filter])).to.have.length(3);
        expect(unruly.seen).to.have.length(2);
        expect(await items(['payments', 'list', filter], { first: 2 })).to.have.length(2);
        expect(unruly.seen).to.have.length(3);
      });
    });

    it('tries operations out: nothing happens, and a refusal is an answer', async () => {
      const clientToken = await session();
      const fields = { clientToken, paymentMethodToken: await http.shop.tokenize(clientToken) };
      unruly.misbehave();
      const before = await charges();
      const tried = await answer(['payments', 'dryRun.authorize', fields]);
      expect(tried.resource).to.include({ allowed: true, operation: 'authorization', amount: 1_000, charged: 0 });
      expect([tried.response.idempotencyKey ?? undefined, await charges()]).to.deep.equal([undefined, before]);
      const id = String((await answer(['payments', 'authorize', fields])).resource['id']);
      const over = await answer(['payments', 'dryRun.capture', id, { amount: 1_001 }]);
      expect(over.resource).to.include({ allowed: false, rule: 'AMOUNT' });
      expect(over.resource).to.nested.include({ 'error.errorId': 'UnprocessableCaptureAmount', 'error.status': 422 });
      expect((await answer(['payments', 'dryRun.cancel', id, {}])).resource).to.include({ allowed: true });
      expect((await answer(['payments', 'dryRun.refund', id, {}])).resource).to.include({ rule: 'STATUS' });
      expect((await answer(['payments', 'get', id])).resource).to.include({ status: 'AUTHORIZED' });
      expect(await call(['payments', 'dryRun.refund', 'pay_1', {}])).to.include({ errorId: 'NotFound' });
    });

    it('lists the connections', async () => {
      const [sandbox, ...others] = await items(['connections', 'list']);
      expect(sandbox).to.deep.include({ id: 'sandbox', status: 'ACTIVE', circuit: { state: 'CLOSED' } });
      expect(others).to.deep.equal([]);
    });

    it('vaults, makes the default, deletes and lists instruments', async () => {
      const customerId = `wallet-${name}`;
      const tokens = [CARDS.approved, CARDS.otherApproved].map(async (card) =>
        http.shop.tokenize(await session(), card),
      );
      for (const token of await Promise.all(tokens)) await answer(['instruments', 'vault', token, { customerId }]);
      const [first = '', second = ''] = await Promise.all(tokens);
      expect((await answer(['instruments', 'setDefault', second])).resource).to.include({ default: true });
      expect((await answer(['instruments', 'delete', first])).resource).to.include({ deleted: true });
      expect((await answer(['instruments', 'get', first])).resource).to.include({ deleted: true });
      expect(await items(['instruments', 'list', { customer_id: customerId }])).to.have.length(1);
    });

    it('makes agreements, charges a period once, pauses, resumes and cancels them', async () => {
      const customerId = `customer-${name}`;
      const kept = { customerId, paymentMethod: { vaultOnSuccess: true } };
      const first = await pay(undefined, kept);
      const terms = { amountRule: 'VARIABLE', currencyCode: 'EUR', description: 'Top-ups' };
      const consent = { acceptedAt: '2026-01-01T00:00:00Z', channel: 'ONLINE', textDigest: 'ab'.repeat(32) };
      const made = await answer(['agreements', 'create', { paymentId: first.id, kind: 'UNSCHEDULED', terms, consent }]);
      const id = String(made.resource['id']);
      expect((await answer(['agreements', 'get', id])).resource).to.deep.equal(made.resource);
      expect(await items(['agreements', 'list', { customer_id: customerId }])).to.deep.equal([made.resource]);
      const asked = { periodKey: 'p', orderId: 'o-p', amount: 500 };
      const paid = await answer(['agreements', 'charge', id, asked]);
      expect(seen(paid)).to.deep.equal([true, 'SETTLED']);
      expect((await answer(['agreements', 'charge', id, asked])).resource).to.deep.equal(paid.resource);
      expect(await call(['agreements', 'charge', id, { ...asked, amount: 501 }])).to.include({
        kind: 'refused',
        status: 422,
        errorId: 'PeriodKeyReused',
      });
      expect((await answer(['agreements', 'pause', id])).resource).to.include({ status: 'PAUSED' });
      expect((await answer(['agreements', 'resume', id])).resource).to.include({ status: 'ACTIVE' });
      const metadata = { plan: 'print' };
      const changed = await answer(['agreements', 'update', id, { metadata }]);
      expect(changed.resource).to.deep.include({ metadata, status: 'ACTIVE' });
      const notice = {
        kind: 'PRE_NOTIFICATION',
        sentAt: '2026-01-01T00:00:00.000Z',
        channel: 'SMS',
        dueOn: '2026-12-01',
      };
      const noticed = await answer(['agreements', 'recordNotice', id, notice]);
      expect(noticed.resource).to.have.property('notices').that.deep.equals([notice]);
      const steps = await items(['agreements', 'why', id]);
      expect(steps.map(({ type }) => type)).to.include.members(['ChargeClaimed', 'AgreementNoticeRecorded']);
      const second = await pay(undefined, kept);
      const replaced = await answer(['agreements', 'replaceInstrument', id, { paymentId: second.id }]);
      expect(replaced.resource).to.have.nested.property('initial.paymentId', second.id);
      const cancelled = await answer(['agreements', 'cancel', id, { reason: 'moved' }]);
      expect(cancelled.resource).to.include({ status: 'CANCELLED' });
    });

    it('creates payment links, reads, lists and cancels them', async () => {
      const made = await answer(['paymentLinks', 'create', { ...ORDER, orderId: `link-${name}` }]);
      expect(made.resource).to.include({ status: 'OPEN', orderId: `link-${name}` });
      const id = String(made.resource['id']);
      expect((await answer(['paymentLinks', 'get', id])).resource).to.deep.equal(made.resource);
      const other = String((await answer(['paymentLinks', 'create', ORDER])).resource['id']);
      const listed = await items(['paymentLinks', 'list', { limit: 1 }], { first: 2 });
      expect(listed.map((link) => link['id'])).to.deep.equal([other, id]);
      expect((await answer(['paymentLinks', 'cancel', id])).resource).to.include({ id, status: 'CANCELLED' });
      const refused = await call(['paymentLinks', 'create', { ...ORDER, amount: 0 }]);
      expect(refused).to.include({ kind: 'refused', errorId: 'RequestValidationError' });
    });

    it('lists events after one of them', async () => {
      const { id: earlier } = await pay();
      // The list follows the payments: when it has the latest message, it has those of all earlier tests.
      let last: Awaited<ReturnType<typeof items>>[number] | undefined;
      await until(async () => {
        last = (await items(['events', 'list', {}], { first: 1_000 })).at(-1);
        return JSON.stringify(last ?? {}).includes(earlier);
      });
      const { id } = await pay();
      const later = () => items(['events', 'list', { after: last?.['eventId'] }]);
      await until(async () => (await later()).length === 1);
      const [event] = await later();
      expect(event).to.include({ eventType: 'PAYMENT.STATUS' }).and.nested.include({ 'payment.id': id });
    });

    it('lists the checkpoints of the log, newest first, page by page', async () => {
      const { signal } = new AbortController();
      for (let made = 0; made < 3; made += 1) {
        await session();
        expect(await http.service.work.makeCheckpoint(0, 'test', signal)).to.equal(true);
      }
      await until(async () => (await items(['checkpoints', 'list', {}])).length === 3);
      const all = await items(['checkpoints', 'list', { limit: 2 }]);
      const sizes = all.map(({ treeSize }) => Number(treeSize));
      expect(sizes)
        .to.deep.equal([...sizes].sort((one, other) => other - one))
        .and.to.have.length(3);
      const [newest] = await items(['checkpoints', 'list'], { first: 1 });
      expect(newest).to.include({ format: 'counterfoil-checkpoint-1', treeSize: sizes[0] });
      expect(newest).to.have.property('extends');
    });

    describe('with refusals', () => {
      it('names all violations, and the id of the request', async () => {
        const order = { lineItems: [{ amount: 1.5, quantity: -2 }] };
        const result = await call(['clientSessions', 'create', { order }], { options: { requestId: 'my-request' } });
        expect(result).to.include({ kind: 'refused', status: 422, errorId: 'RequestValidationError' });
        expect(result).to.include({ diagnosticsId: 'my-request', attempts: 1 });
        expect(result)
          .to.have.property('paths')
          .with.members(['$.order.lineItems[0].amount', '$.order.lineItems[0].quantity']);
        expect(result).to.have.property('message').that.includes('$.order.lineItems[0].amount');
      });

      it('names the payment of a completed session, and a reused key', async () => {
        const clientToken = await session();
        const paymentMethodToken = await http.shop.tokenize(clientToken);
        const { resource } = await answer(['payments', 'authorize', { clientToken, paymentMethodToken }]);
        const completed = await call(['clientSessions', 'update', clientToken, { amount: 2 }]);
        expect(completed).to.include({ errorId: 'ClientSessionCompleted', paymentId: resource['id'] });
        const options = { idempotencyKey: `reused-${name}` };
        const made = await answer(['clientSessions', 'create', ORDER], { options });
        const again = await answer(['clientSessions', 'create', ORDER], { options });
        expect([made.response.replayed, again.response.replayed]).to.deep.equal([false, true]);
        const reused = await call(['clientSessions', 'create', { orderId: 'b' }], { options });
        expect(reused).to.include({ errorId: 'IdempotencyKeyReused', idempotencyKey: options.idempotencyKey });
      });

      for (const id of ['', '.', '..', 'pay_1/events', 'pay_1?x'])
        it(`sends nothing for the id "${id}", which would be another endpoint`, async () => {
          unruly.misbehave();
          expect(await call(['payments', 'get', id])).to.include({ kind: 'wrong argument' });
          expect(unruly.seen).to.have.length(0);
        });

      const WRONG: { readonly [why: string]: Own } = {
        'no key': { apiKey: '' },
        'a key with a line break': { apiKey: 'cf_test\n' },
        'a URL without a scheme': { baseUrl: 'localhost:4000' },
        'a URL with a password': { baseUrl: 'http://a:b@localhost' },
        'a URL with a query': { baseUrl: 'http://localhost?a' },
        'no time': { limits: { timeoutMs: 0 } },
        'a negative number of retries': { limits: { retries: -1 } },
      };
      for (const [why, own] of Object.entries(WRONG))
        it(`is not created with ${why}`, async () =>
          expect(await call(['payments', 'list', {}], own)).to.include({ kind: 'wrong argument' }));
    });

    const refusal = (status: number, errorId: string, headers = {}): Misbehaviour => ({
      status,
      body: JSON.stringify({ error: { errorId, description: 'No.', diagnosticsId: 'req_1' } }),
      headers,
    });

    describe('in front of a misbehaving server', () => {
      const REPEATED: { readonly [what: string]: Misbehaviour } = {
        'a reset before the effect': 'reset before',
        'a reset after the effect': 'reset after',
        'a response that is cut off': 'cut off',
        'a success that is not JSON': { status: 200, body: '<p>down</p>', headers: { 'Content-Type': 'text/html' } },
        'a success that is not an object': { status: 200, body: '[]' },
        'a proxy that finds no service': { status: 502, body: 'Bad gateway' },
        'a proxy that waited too long': { status: 504, body: '' },
        'a 503': refusal(503, 'ServiceUnavailable'),
        'a 429': refusal(429, 'TooManyRequests'),
        'a first request that still runs': refusal(409, 'IdempotencyKeyInProgress'),
      };
      for (const [what, misbehaviour] of Object.entries(REPEATED))
        it(`repeats a refund after ${what}, under the same key, and the money moves once`, async () => {
          const { id } = await pay();
          await answer(['payments', 'capture', id, {}]);
          unruly.misbehave(misbehaviour, misbehaviour);
          const refunded = await answer(['payments', 'refund', id, { amount: 300 }]);
          expect(refunded.resource).to.nested.include({ 'processor.amountRefunded': 300 });
          expect(refunded.response.attempts).to.equal(3);
          expect(unruly.seen.map(({ key }) => key)).to.deep.equal(Array(3).fill(refunded.response.idempotencyKey));
        });

      it('charges once when the response to an authorization is lost again and again', async () => {
        const before = await charges();
        const clientToken = await session();
        const paymentMethodToken = await http.shop.tokenize(clientToken);
        unruly.misbehave('reset after', 'cut off', 'reset after', 'reset before');
        const paid = await answer(['payments', 'authorize', { clientToken, paymentMethodToken }]);
        expect(seen(paid)).to.deep.equal([true, 'AUTHORIZED']);
        expect(paid.response).to.include({ replayed: true, attempts: 5 });
        expect((await charges()) - before).to.equal(1);
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
      for (const [errorId, status] of Object.entries(FINAL))
        it(`does not repeat a ${status} ${errorId}`, async () => {
          unruly.misbehave(refusal(status, errorId));
          const result = await call(['clientSessions', 'create', {}]);
          expect(result).to.include({ kind: 'refused', errorId, status, attempts: 1, diagnosticsId: 'req_1' });
          expect(unruly.seen).to.have.length(1);
        });

      it('repeats neither the page of another server nor a redirect', async () => {
        unruly.misbehave({ status: 404, body: '<h1>Not found</h1>', headers: { 'Content-Type': 'text/html' } });
        const page = await call(['payments', 'get', 'pay_1']);
        expect(page).to.include({ kind: 'no answer', reason: 'unreadable' });
        expect(page).to.have.property('message').that.includes(`${unruly.url} `).and.includes('404, text/html');
        expect(unruly.seen).to.have.length(1);
        unruly.misbehave({ status: 307, body: '', headers: { Location: `http://127.0.0.1:${http.port}/` } });
        expect(await call(['clientSessions', 'create', {}])).to.include({ kind: 'no answer', reason: 'unreadable' });
        expect(unruly.seen).to.have.length(1);
      });

      it('waits as long as Retry-After asks and a little, if its deadline allows it', async () => {
        unruly.misbehave(refusal(429, 'TooManyRequests', { 'Retry-After': '3' }));
        const { pauses = [] } = await call(['payments', 'list', {}]);
        expect(pauses).to.have.length(1);
        expect(pauses[0]).to.be.within(3_125, 3_250);
        unruly.misbehave(refusal(503, 'ServiceUnavailable', { 'Retry-After': '7200' }));
        const refused = await call(['payments', 'list', {}]);
        expect(refused).to.include({ errorId: 'ServiceUnavailable', retryAfterMs: 7_200_000, attempts: 1 });
      });

      it('gives up after its retries, with growing pauses', async () => {
        unruly.misbehave(...Array.from({ length: 9 }, () => 'reset before' as const));
        const result = await call(['clientSessions', 'create', {}], { limits: { retries: 3 } });
        expect(result).to.include({ kind: 'no answer', reason: 'network', attempts: 4, mayHaveHappened: true });
        const parts = (result.pauses ?? []).map((ms, at) => ms / (250 * 2 ** at));
        expect(parts).to.have.length(3);
        expect(parts.every((part) => part >= 0.5 && part < 1)).to.equal(true);
      });

      it('names the address and the cause when no server listens', async () => {
        const closed = await unrulyServer(http.port);
        await closed.close();
        const result = await call(['payments', 'get', 'pay_1'], { baseUrl: closed.url, limits: { retries: 1 } });
        expect(result).to.include({ kind: 'no answer', reason: 'network', attempts: 2, mayHaveHappened: false });
        expect(result).to.have.property('message').that.includes(closed.url).and.includes('ECONNREFUSED');
      });

      it('says that the call may have happened when the server was lost after the first attempt', async () => {
        const dying = await unrulyServer(http.port);
        dying.misbehave('hang');
        const lost = call(['clientSessions', 'create', ORDER], { baseUrl: dying.url, limits: { retries: 1 } });
        await until(() => dying.seen.length === 1);
        await dying.close();
        const result = await lost;
        expect(result).to.include({ kind: 'no answer', reason: 'network', attempts: 2, mayHaveHappened: true });
        expect(result).to.have.property('message').that.includes('ECONNREFUSED');
      });

      it('ends at its deadline while a server hangs, and the call can be repeated under its key', async () => {
        const { id } = await pay();
        unruly.misbehave('hang after');
        const result = await call(['payments', 'capture', id, {}], { quick: false, options: { timeoutMs: 300 } });
        expect(result).to.include({ kind: 'no answer', reason: 'timeout', attempts: 1, mayHaveHappened: true });
        const idempotencyKey = result.kind === 'no answer' ? result.idempotencyKey : undefined;
        const repeated = await answer(['payments', 'capture', id, {}], { options: { idempotencyKey } });
        expect(seen(repeated)).to.deep.equal([true, 'SETTLED']);
        expect(repeated.response.replayed).to.equal(true);
      });

      it('repeats an attempt that hangs, when the call has time left', async () => {
        unruly.misbehave('hang');
        const created = await answer(['clientSessions', 'create', ORDER], {
          quick: false,
          limits: { attemptTimeoutMs: 300 },
        });
        expect(created.response.attempts).to.be.at.least(2); // on a busy machine others may take 300 ms, too
      });
    });

    describe('with webhooks', () => {
      const NOW_S = 1_767_268_800;
      const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
      const OTHER = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
      const MESSAGE = {
        eventId: 'evt_1',
        eventType: 'PAYMENT.STATUS',
        sequence: 3,
        previousSequence: 1,
        payment: { id: 'pay_1', status: 'SETTLED', metadata: { note: 'naïve ☂ "quoted" \\u0041' } },
      };
      const TEXT = JSON.stringify(MESSAGE);
      const signatureOf = (text: string | Buffer, secret = SECRET, at: number | string = NOW_S): string => {
        const hmac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'));
        return `v1,${hmac.update(`evt_1.${at}.`).update(text).digest('base64')}`;
      };
      interface Case {
        readonly text?: string | Buffer;
        /** The text that was signed; otherwise `text`. */
        readonly signed?: string;
        readonly at?: number | string;
        readonly signature?: string;
        readonly secrets?: readonly string[];
        readonly headers?: { readonly [name: string]: string };
        readonly without?: string;
        readonly checkpoints?: true;
      }
      const verified = ({
        text = TEXT,
        signed,
        at = NOW_S,
        signature,
        secrets = [SECRET],
        headers,
        without,
        checkpoints,
      }: Case) => {
        const all = {
          'Webhook-Id': 'evt_1',
          'Webhook-Timestamp': String(at),
          'Webhook-Signature': signature ?? signatureOf(signed ?? text, SECRET, at),
          ...headers,
        };
        const kept = Object.fromEntries(Object.entries(all).filter(([header]) => header !== without));
        const body = Buffer.from(text).toString('hex');
        const delivered = { body, headers: kept, secrets, tolerance: 300, now: NOW_S + 0.9 };
        return driver.verify({ ...delivered, ...(checkpoints && { checkpoints }) });
      };

      const TRUSTED: { readonly [what: string]: Case } = {
        'the message that was signed': {},
        'one of several secrets': { secrets: [OTHER, SECRET] },
        'one of several signatures': { signature: `v1a,x v1, ${signatureOf(TEXT, OTHER)} ${signatureOf(TEXT)}` },
        'an age of the tolerance': { at: NOW_S - 300 },
        'a time ahead by the tolerance': { at: NOW_S + 300 },
      };
      for (const [what, one] of Object.entries(TRUSTED))
        it(`returns the message: ${what}`, async () =>
          expect(await verified(one)).to.deep.equal({ kind: 'message', message: MESSAGE }));

      it('returns a message about an agreement', async () => {
        const { payment: _payment, ...envelope } = MESSAGE;
        const message = { ...envelope, agreement: { id: 'agr_1', status: 'ACTIVE' } };
        expect(await verified({ text: JSON.stringify(message) })).to.deep.equal({ kind: 'message', message });
        const text = JSON.stringify({ ...envelope, agreement: { id: 'agr_1' } });
        expect(await verified({ text })).to.include({ kind: 'untrusted', reason: 'not_a_message' });
      });

      it('returns a message about a checkpoint to a receiver that accepts those, and to no other', async () => {
        const message = { ...MESSAGE, payment: undefined, checkpoint: { root: 'a', treeSize: 3, signature: 'b' } };
        const text = JSON.stringify(message);
        expect(await verified({ text, checkpoints: true })).to.deep.equal({
          kind: 'message',
          message: JSON.parse(text),
        });
        expect(await verified({ text })).to.include({ kind: 'untrusted', reason: 'not_a_message' });
        const unsigned = JSON.stringify({ ...message, checkpoint: { root: 'a', treeSize: 3 } });
        expect(await verified({ text: unsigned, checkpoints: true })).to.include({ reason: 'not_a_message' });
        expect(await verified({ checkpoints: true })).to.deep.equal({ kind: 'message', message: MESSAGE });
      });

      const right = signatureOf(TEXT);
      const changed = (fields: object): Case => ({ text: JSON.stringify({ ...MESSAGE, ...fields }) });
      const UNTRUSTED: { readonly [reason: string]: { readonly [what: string]: Case } } = {
        bad_signature: {
          'another secret': { secrets: [OTHER] },
          'a changed body': { text: TEXT.replace('SETTLED', 'SETTLEd'), signed: TEXT },
          'a blank at the end': { text: `${TEXT} `, signed: TEXT },
          'a changed time': { at: NOW_S + 1, signature: right },
          'a changed id': { headers: { 'Webhook-Id': 'evt_10' } },
          'a signature that is cut': { signature: right.slice(0, -1) },
          'a signature with more': { signature: `${right}x` },
          'a signature of another version': { signature: right.replace('v1', 'v2') },
          'a signature without a version': { signature: right.slice(3) },
          'an empty signature': { signature: 'v1,' },
          'characters that are not ASCII': { signature: 'v1,ü' },
        },
        missing_header: {
          'no id': { without: 'Webhook-Id' },
          'no time': { without: 'Webhook-Timestamp' },
          'no signature': { without: 'Webhook-Signature' },
          'an empty time': { at: '' },
          'a header twice': { headers: { 'webhook-id': 'evt_1' } },
        },
        bad_timestamp: Object.fromEntries(
          ['1e9', '-1', '0x10', `${NOW_S}.0`, ' 1', '9'.repeat(40)].map((at) => [at, { at }]),
        ),
        too_old: { 'a second more than the tolerance': { at: NOW_S - 301 } },
        too_new: { 'a second more than the tolerance': { at: NOW_S + 301 } },
        not_a_message: {
          'not JSON': { text: '{' },
          nothing: { text: '' },
          'a list': { text: '[]' },
          'not UTF-8': { text: Buffer.from(TEXT, 'latin1') },
          'another eventId': changed({ eventId: 'evt_another' }),
          'no eventType': changed({ eventType: undefined }),
          'a sequence as text': changed({ sequence: '3' }),
          'half a sequence': changed({ sequence: 0.5 }),
          'a sequence that is true': changed({ sequence: true }),
          'a previousSequence of null': changed({ previousSequence: null }),
          'a payment without a status': changed({ payment: { id: 'pay_1' } }),
        },
      };
      for (const [reason, cases] of Object.entries(UNTRUSTED))
        for (const [what, one] of Object.entries(cases))
          it(`refuses, as ${reason}: ${what}`, async () =>
            expect(await verified(one)).to.include({ kind: 'untrusted', reason }));

      for (const secret of ['', 'whsec_', 'whsec_YQ==', SECRET.slice(6), `${SECRET}\n`, 'cf_test_key'])
        it(`says that a secret is wrong: ${JSON.stringify(secret)}`, async () =>
          expect(await verified({ secrets: [secret] })).to.include({ kind: 'wrong argument' }));

      it('returns a message of a new type', async () => {
        const result = await verified(changed({ eventType: 'PAYMENT.TELEPORTED', previousSequence: undefined }));
        expect(result).to.nested.include({ 'message.eventType': 'PAYMENT.TELEPORTED' });
      });
    });
  });
}
