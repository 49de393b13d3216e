// Stores that are unavailable, slow, or silent about their writes: 503 only before a write, and a retry has one effect.
import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import type { RawNotification } from '../../src/commands/notifications/receive-notification.ts';
import { SCOPES } from '../../src/domain/scopes.ts';
import { defaultTimings } from '../../src/projections/engine/timings.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { formatTime } from '../../src/world.ts';
import { faultOf } from '../projections/engine/setup.ts';
import { appendedSince, typesOf } from '../races/arena.ts';
import {
  authorized,
  createSession,
  failureIn,
  ledgerOf,
  linesOf,
  ok,
  paymentIn,
  tokenize,
  verdictOf,
} from '../support/load-calls.ts';
import { type Answer, Client } from '../support/load-client.ts';
import { serveNode } from '../support/load-node.ts';
import { memoryStores, merchant, nodeOn, type Stores, type TestNode } from '../support/node.ts';
import { movableWorld } from '../support/test-world.ts';
import { until } from '../support/until.ts';
import { wholeLedger } from '../support/whole-ledger.ts';
import { type Appending, hookedEvents, hookedReadModels, type Verb } from './hooked-stores.ts';

/** Short, so that no test waits seconds for a catalog to expire. */
const engineTimings = { ...defaultTimings, pollMs: 20, staleMs: 60, joinMs: 60, abandonedMs: 1_000, checkpointMs: 20 };

interface Served {
  readonly stores: Stores;
  readonly node: TestNode;
  readonly client: Client;
  readonly accountId: string;
  readonly keyId: string;
  readonly logged: readonly string[];
  /** The faults of the stores before and after a call; none at first. */
  readonly faults: {
    beforeAppend?: ((appending: Appending) => Promise<void> | void) | undefined;
    afterAppend?: ((appending: Appending) => Promise<void> | void) | undefined;
    beforeReadModel?: ((verb: Verb, name: string) => Promise<void> | void) | undefined;
  };
}

const unavailable = (outcomeUnknown = false): never => {
  throw new StoreUnavailable('the store is unavailable', { outcomeUnknown });
};

/** A notification, signed as the sandbox would. */
const notificationOf = ({ stores: { secrets, world } }: Served, reference: string): RawNotification => {
  const about = { processorTransactionId: 'sbx_1', amount: 100, currencyCode: 'EUR', reference };
  const raw = JSON.stringify({
    notificationId: 'n-1',
    type: 'capture.succeeded',
    occurredAt: formatTime(world.now()),
    ...about,
  });
  const seconds = Math.floor(world.now() / 1_000);
  const [key = ''] = secrets.keys('sandbox-signature');
  const signature = createHmac('sha256', key).update(`${seconds}.${raw}`).digest('hex');
  return { processor: 'sandbox', raw, headers: { 'x-sandbox-signature': `t=${seconds},v1=${signature}` } };
};

describe('a store that is unavailable', () => {
  let served: Served;
  let close: () => Promise<void>;

  beforeEach(async () => {
    const faults: Served['faults'] = {};
    const stores = await memoryStores();
    const hooked = {
      ...stores,
      events: hookedEvents(stores.events, {
        before: (appending) => faults.beforeAppend?.(appending),
        after: (appending) => faults.afterAppend?.(appending),
      }),
      readModels: hookedReadModels(stores.readModels, (verb, name) => faults.beforeReadModel?.(verb, name)),
    };
    const node = await nodeOn(hooked, { engineTimings, cardTestingLimits: false });
    const account = await node.service.access.createAccount('Shop');
    const accountId = account.kind === 'rejected' ? '' : account.id;
    const key = await node.service.access.createApiKey({ accountId, name: 'test', scopes: SCOPES });
    const logged: string[] = [];
    const { url, close: closeNode } = await serveNode(node, stores.sandbox, logged);
    const client = new Client(url, key.kind === 'rejected' ? '' : key.key);
    served = { stores, node, client, accountId, keyId: key.kind === 'rejected' ? '' : key.id, logged, faults };
    await untilReady(true);
    close = async () => {
      client.close();
      await closeNode();
    };
  });
  afterEach(() => close());

  const untilReady = async (wanted: boolean): Promise<void> => {
    const { service } = served.node;
    await until(() => service.readiness().ready === wanted);
  };
  const head = () => served.stores.events.head();
  const appended = async (position: bigint) => typesOf(await appendedSince(served.stores.events, position));

  describe('the read models', () => {
    it('before the append: 503, no event is written, and readiness names them until they are back', async () => {
      const { client, faults } = served;
      const clientToken = await createSession(client);
      const { id } = await authorized(client);
      const before = await head();
      faults.beforeReadModel = () => unavailable();
      // The follower may find them unavailable first; appends are refused only once the catalog has, whose reason
      // begins so.
      await until(() => served.node.service.readiness().reasons.some((reason) => reason.startsWith('the read models')));
      const calls: readonly Promise<Answer>[] = [
        client.call('POST', '/client-session', { orderId: 'o' }),
        client.call('PATCH', '/client-session', { clientToken, amount: 5 }),
        client.call('POST', `/payments/${id}/capture`),
        client.call('GET', `/payments/${id}`),
      ];
      for (const answer of await Promise.all(calls)) {
        expect(verdictOf(answer)).to.equal('503 ServiceUnavailable');
        expect(answer.headers['retry-after']).to.equal('1');
      }
      // The request without an API key to read: a checkout, and the command itself.
      expect(
        verdictOf(await client.inCheckout(clientToken, 'POST', '/checkout/payments', { paymentMethodToken: 'pm_x' })),
      ).to.equal('503 ServiceUnavailable');
      // And for calls of operators and processors.
      const { service } = served.node;
      const refused = [
        service.access.createAccount('Other shop'),
        service.access.createApiKey({ accountId: served.accountId, name: 'other', scopes: SCOPES }),
        service.access.revokeApiKey(served.keyId),
        service.notifications.receiveNotification(notificationOf(served, id), merchant(served.accountId)),
      ];
      for (const call of refused) expect(await faultOf(call)).to.be.instanceOf(StoreUnavailable);
      expect(await head()).to.equal(before);
      faults.beforeReadModel = undefined;
      await untilReady(true);
      expect(paymentIn(ok(await client.call('POST', `/payments/${id}/capture`))).status).to.equal('SETTLED');
    });

    it('after the append: 200 from the fold, and the follower repairs', async () => {
      const { client, faults, node } = served;
      const clientToken = await createSession(client);
      const paymentMethodToken = await tokenize(client, clientToken);
      faults.beforeReadModel = (verb) => (verb === 'write' ? unavailable() : undefined);
      const patched = ok(await client.call('PATCH', '/client-session', { clientToken, amount: 7 }));
      const paid = ok(await client.call('POST', '/payments', { clientToken, paymentMethodToken }));
      expect(paymentIn(paid)).to.include({ status: 'AUTHORIZED', amount: 7 });
      const { id } = paymentIn(paid);
      expect((await client.call('GET', `/payments/${id}`)).status).to.equal(404); // the payment cannot be read yet
      faults.beforeReadModel = undefined;
      let read = await client.call('GET', `/payments/${id}`);
      for (; read.status !== 200 || read.revision < paid.revision; read = await client.call('GET', `/payments/${id}`))
        await untilReady(true);
      expect(read.text).to.equal(paid.text);
      // the payment's document may come before its session's
      await until(
        async () =>
          (await client.call('GET', `/client-session?clientToken=${clientToken}`)).revision > patched.revision,
      );
      expect(node.reported.every((fault) => fault instanceof StoreUnavailable)).to.equal(true);
      expect(client.faults).to.deep.equal([]);
    });
  });

  describe('the event store', () => {
    it('before its write: 503, no event is written, and the retry works', async () => {
      const { client, faults } = served;
      const clientToken = await createSession(client);
      const before = await head();
      faults.beforeAppend = () => unavailable();
      const refused = await client.call('PATCH', '/client-session', { clientToken, amount: 5 });
      expect(verdictOf(refused)).to.equal('503 ServiceUnavailable');
      expect(failureIn(refused)['description']).to.contain('Nothing was changed');
      expect(await head()).to.equal(before);
      faults.beforeAppend = undefined;
      ok(await client.call('PATCH', '/client-session', { clientToken, amount: 5 }));
    });

    /** The n-th append of the call is written, and its answer is lost. */
    const losesAnswerOf = (n: number): void => {
      let appends = 0;
      served.faults.afterAppend = () => {
        appends += 1;
        if (appends === n) unavailable(true);
      };
    };

    type Prepare = (client: Client) => Promise<(headers: Readonly<Record<string, string>>) => Promise<Answer>>;
    const calls: readonly (readonly [string, Prepare, Readonly<Record<string, number>>])[] = [
      [
        'a session',
        async (client) => (headers) => client.call('POST', '/client-session', { orderId: 'o' }, headers),
        { ClientSessionCreated: 1 },
      ],
      [
        'a patch',
        async (client) => {
          const clientToken = await createSession(client);
          return (headers) => client.call('PATCH', '/client-session', { clientToken, amount: 5 }, headers);
        },
        { ClientSessionUpdated: 1 },
      ],
      [
        'a capture',
        async (client) => {
          const { id } = await authorized(client);
          return (headers) => client.call('POST', `/payments/${id}/capture`, { amount: 100, final: false }, headers);
        },
        { CaptureRequested: 1, PaymentCaptured: 1 },
      ],
      [
        'a refund',
        async (client) => {
          const { id } = await authorized(client);
          ok(await client.call('POST', `/payments/${id}/capture`));
          return (headers) => client.call('POST', `/payments/${id}/refund`, { amount: 100 }, headers);
        },
        { RefundRequested: 1, RefundSucceeded: 1 },
      ],
      [
        'a payment',
        async (client) => {
          const clientToken = await createSession(client);
          const paymentMethodToken = await tokenize(client, clientToken);
          return (headers) => client.call('POST', '/payments', { clientToken, paymentMethodToken }, headers);
        },
        {
          ClientSessionClaimed: 1,
          InstrumentClaimed: 1,
          PaymentCreated: 1,
          AuthorizationRequested: 1,
          PaymentAuthorized: 1,
        },
      ],
    ];

    for (const [what, prepare, effect] of calls) {
      it(`silent about its write of ${what}: the 503 says so, and the retry with the same key has one effect`, async () => {
        const { client, faults } = served;
        let silences = 0;
        for (let n = 1, isOver = false; !isOver; n += 1) {
          const headers = { 'X-Idempotency-Key': `key-${n}` };
          const call = await prepare(client);
          const before = await head();
          losesAnswerOf(n);
          const first = await call(headers);
          faults.afterAppend = undefined;
          if (first.status === 503) {
            silences += 1;
            expect(failureIn(first)['description']).to.contain('not known');
          }
          const again = await call(headers);
          expect(['200', '202', '409 IdempotencyKeyInProgress']).to.include(verdictOf(again));
          const types = await appended(before);
          // No event twice; and if the retry is answered finally, every event once.
          for (const [type, count] of Object.entries({ ...effect, IdempotencyClaimed: 1 }))
            expect(types[type] ?? 0, type).to.be.at.most(count);
          if (again.status === 200) expect(types).to.deep.equal({ IdempotencyClaimed: 1, ...effect });
          isOver = first.status === 200; // the call had fewer appends
        }
        expect(silences).to.be.at.least(2); // the key's own append, and the first of the work
      });
    }

    it('unavailable when the outcome is recorded: the payment is answered, and later looked up', async () => {
      const { client, faults } = served;
      const clientToken = await createSession(client);
      const paymentMethodToken = await tokenize(client, clientToken);
      faults.beforeAppend = ({ types }) => (types.includes('PaymentAuthorized') ? unavailable() : undefined);
      const paid = await client.call('POST', '/payments', { clientToken, paymentMethodToken });
      expect([paid.status, paymentIn(paid).status]).to.deep.equal([202, 'PENDING']);
      expect(linesOf(await ledgerOf(client), paymentIn(paid).id)).to.have.length(1);
      faults.beforeAppend = undefined;
      expect(client.faults).to.deep.equal([]);
    });
  });

  it('slow: every call takes longer, with the same result', async () => {
    const { client, faults, node } = served;
    const slow = (): Promise<void> => node.service.world.sleep(20, new AbortController().signal);
    faults.beforeAppend = slow;
    faults.afterAppend = slow;
    faults.beforeReadModel = (verb) => (verb === 'write' ? slow() : undefined);
    const paid = await Promise.all(Array.from({ length: 10 }, () => authorized(client)));
    const captured = await Promise.all(paid.map(({ id }) => client.call('POST', `/payments/${id}/capture`)));
    for (const answer of captured) expect(paymentIn(ok(answer)).status).to.equal('SETTLED');
    for (const { id } of paid) expect(linesOf(await ledgerOf(client), id)).to.have.length(2);
    expect([...client.faults, ...node.reported]).to.deep.equal([]);
  });
});

describe('an event store that is slower than the time to send a request', () => {
  it('makes the payment fail as not sent: no money moves, session and token are free', async () => {
    const world = movableWorld();
    const stores = await memoryStores(world);
    const faults: { before?: (appending: Appending) => Promise<void> | void } = {};
    const events = hookedEvents(stores.events, { before: (appending) => faults.before?.(appending) });
    const { service } = await nodeOn(
      { ...stores, events },
      { timings: { sendWithinMs: 5_000, answerWithinMs: 10_000, abandonAfterMs: 60_000 } },
    );
    const session = await service.sessions.createClientSession(
      { orderId: 'o', currencyCode: 'EUR', amount: 5 },
      merchant('acc_1', world),
    );
    if (session.kind === 'rejected') throw new Error(session.description);
    const token = await service.instruments.tokenizeCard(
      { card: { number: '4242424242424242', expirationMonth: '12', expirationYear: '2039', cvc: '123' } },
      { ...merchant('acc_1', world), sessionId: session.id },
    );
    if (token.kind === 'rejected') throw new Error(token.description);
    const pay = () =>
      service.payments.authorizePayment(
        { clientToken: session.clientToken, paymentMethodToken: token.id },
        merchant('acc_1', world),
      );
    faults.before = ({ types }) => (types.includes('PaymentCreated') ? world.pass(5_001) : undefined);
    expect(await pay()).to.nested.include({ kind: 'completed', 'doc.status': 'FAILED' });
    expect(await wholeLedger(stores.sandbox)).to.deep.equal([]);
    delete faults.before;
    expect(await pay()).to.nested.include({ kind: 'completed', 'doc.status': 'AUTHORIZED' });
  });
});
