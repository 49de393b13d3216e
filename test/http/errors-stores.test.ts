// 409 Conflict, 500 and 503: the answers and the log lines when nodes race and stores fail (contract §7).
import { expect } from 'chai';
import { defaultTimings } from '../../src/projections/engine/timings.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { appendedBy } from '../support/http-appended.ts';
import type { Answer } from '../support/http-request.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { card, merchant, nodeOn, type Stores } from '../support/node.ts';
import { type Switches, switchable } from '../support/switchable-stores.ts';

const AWAY = new StoreUnavailable('a secret detail of the store');
const PERHAPS = new StoreUnavailable('a secret detail of the store', { outcomeUnknown: true });

describe('faults below the endpoints', () => {
  const switches: Switches = {};
  let http: HttpService;
  /** The stores as another node has them, whatever this node's switches say. */
  let direct: Stores;
  before(async () => {
    http = await serveHttp({
      through: (stores) => {
        direct = stores;
        return switchable(switches)(stores);
      },
    });
  });
  after(() => http.stop());
  afterEach(() => {
    for (const name of ['events', 'beforeAppend', 'afterAppend', 'readModels', 'readModelWrites', 'rival'] as const)
      delete switches[name];
  });

  it('409 Conflict after five lost races against another node, and none after one', async () => {
    const { shop } = http;
    const clientToken = await shop.session();
    const { service } = await nodeOn(direct, { cardTestingLimits: false });
    let races = 0;
    const raceUpTo = (limit: number): void => {
      races = 0;
      switches.rival = async () => {
        races += 1;
        if (races > limit) return;
        const done = await service.sessions.patchClientSession(
          { clientToken, orderId: `rival-${limit}-${races}` },
          merchant(shop.accountId, http.world),
        );
        expect(done.kind).to.equal('completed');
      };
    };
    raceUpTo(1);
    const once = await shop.ask('PATCH', '/client-session', { clientToken, amount: 5 });
    expect([once.status, once.headers.etag, races]).to.deep.equal([200, '"2"', 2]);
    raceUpTo(100);
    const lost = await shop.ask('PATCH', '/client-session', { clientToken, amount: 6 });
    expect([lost.status, lost.error?.errorId, races]).to.deep.equal([409, 'Conflict', 5]);
    expect((await shop.ask('GET', `/client-session?clientToken=${clientToken}`)).body).to.include({
      amount: 5,
      orderId: 'rival-100-5',
    });
  });

  it('500 InternalError tells a diagnosticsId and no internal detail', async () => {
    const { shop } = http;
    const clientToken = await shop.session();
    const before = http.faults.length;
    switches.beforeAppend = new TypeError('a secret detail of the code');
    const { answer, types } = await appendedBy(direct.events, () =>
      shop.ask('PATCH', '/client-session', { clientToken, amount: 5 }),
    );
    expect([answer.status, answer.error?.errorId, types]).to.deep.equal([500, 'InternalError', []]);
    expect(answer.text).not.to.contain('secret').and.not.to.contain('TypeError');
    expect(http.faults.slice(before)).to.deep.include.members([
      { requestId: answer.requestId, method: 'PATCH', route: '/client-session', err: switches.beforeAppend },
    ]);
  });

  describe('503 ServiceUnavailable', () => {
    it('when the event log is unavailable: the answer says that nothing was changed', async () => {
      const { shop } = http;
      const clientToken = await shop.session();
      const { id } = await shop.paid();
      switches.beforeAppend = AWAY;
      for (const [method, path, body] of [
        ['POST', '/client-session', {}],
        ['PATCH', '/client-session', { clientToken, amount: 5 }],
        ['POST', `/payments/${id}/capture`, {}],
      ] as const) {
        const { answer, types } = await appendedBy(direct.events, () => shop.ask(method, path, body));
        expect([answer.status, answer.error?.errorId, answer.headers['retry-after'], types]).to.deep.equal([
          503,
          'ServiceUnavailable',
          '1',
          [],
        ]);
        expect(answer.error?.description).to.contain('Nothing was changed');
        expect(answer.text).not.to.contain('secret');
      }
      delete switches.beforeAppend;
      expect((await shop.ask('PATCH', '/client-session', { clientToken, amount: 5 })).headers.etag).to.equal('"1"');
    });

    it('while the processor does not answer, for new operations; a finished call is answered again', async () => {
      const { shop, service } = http;
      const { circuits } = service;
      const clientToken = await shop.session();
      const paymentMethodToken = await shop.tokenize(clientToken);
      const headers = { 'x-idempotency-key': 'finished' };
      const { id } = await shop.paid();
      const captured = await shop.ask('POST', `/payments/${id}/capture`, { amount: 5, final: false }, headers);
      const circuit = { accountId: shop.accountId, connectionId: 'sandbox' };
      for (let call = 0; call < 1_000; call += 1) circuits.ended(circuit, 'operation', 'unknown');
      const asked = [
        () => shop.ask('POST', '/payments', { clientToken, paymentMethodToken }, { 'x-idempotency-key': 'new' }),
        () => http.request('POST', '/checkout/payments', { token: clientToken, body: { paymentMethodToken } }),
        () => http.request('POST', '/checkout/payment-instruments', { token: clientToken, body: card() }),
        () => shop.ask('POST', `/payments/${id}/capture`, {}, { 'x-idempotency-key': 'new' }),
        () => shop.ask('POST', `/payments/${id}/cancel`, {}),
        () => shop.ask('POST', `/payments/${id}/refund`, {}),
        () => shop.ask('POST', `/payments/${id}/adjust-authorization`, { amount: 5 }),
      ];
      for (const ask of asked) {
        const { answer, types } = await appendedBy(direct.events, ask);
        expect([answer.status, answer.error?.errorId, types]).to.deep.equal([503, 'ServiceUnavailable', []]);
        expect(answer.headers['retry-after']).to.match(/^(10|9)$/);
      }
      const again = await shop.ask('POST', `/payments/${id}/capture`, { amount: 5, final: false }, headers);
      expect([again.status, again.headers['idempotent-replayed'], again.body]).to.deep.equal([
        200,
        'true',
        captured.body,
      ]);
      circuits.ended(circuit, 'operation', 'declined');
      const paid = await shop.ask(
        'POST',
        '/payments',
        { clientToken, paymentMethodToken },
        { 'x-idempotency-key': 'new' },
      );
      expect(paid.status).to.equal(200);
    });

    it('when the outcome of an append is unknown, and says so; the same key then finds the written events', async () => {
      const { shop } = http;
      const clientToken = await shop.session();
      const headers = { 'x-idempotency-key': 'perhaps' };
      switches.rival = async (stream) => {
        if (stream.startsWith('clientSession-')) switches.afterAppend = PERHAPS;
      };
      const { answer, types } = await appendedBy(direct.events, () =>
        shop.ask('PATCH', '/client-session', { clientToken, amount: 5 }, headers),
      );
      expect([answer.status, answer.error?.errorId]).to.deep.equal([503, 'ServiceUnavailable']);
      expect(answer.error?.description).to.contain('not known');
      expect(types).to.include('clientSession ClientSessionUpdated');
      delete switches.rival;
      delete switches.afterAppend;
      const again = await appendedBy(direct.events, () =>
        shop.ask('PATCH', '/client-session', { clientToken, amount: 5 }, headers),
      );
      expect([
        again.answer.status,
        again.answer.headers.etag,
        again.answer.headers['idempotent-replayed'],
      ]).to.deep.equal([200, '"1"', 'true']);
      expect(again.types.filter((type) => type.startsWith('clientSession'))).to.deep.equal([]);
    });

    it('when the read models are unavailable, for reads and before any write', async () => {
      const { shop, other } = http;
      const clientToken = await shop.session();
      await other.paid();
      switches.readModels = AWAY;
      for (const [method, path, body] of [
        ['GET', '/payments', undefined],
        ['GET', `/client-session?clientToken=${clientToken}`, undefined],
        ['PATCH', '/client-session', { clientToken, amount: 5 }],
      ] as const) {
        const { answer, types } = await appendedBy(direct.events, () => shop.ask(method, path, body));
        expect([answer.status, answer.error?.errorId, types], path).to.deep.equal([503, 'ServiceUnavailable', []]);
        expect(answer.text).not.to.contain('secret');
      }
    });

    it('never once an event is appended: the answer then comes from the fold, and the next write waits until the read models are back', async () => {
      const { shop, world } = http;
      const clientToken = await shop.session();
      switches.readModelWrites = AWAY;
      const written = await appendedBy(direct.events, () =>
        shop.ask('PATCH', '/client-session', { clientToken, amount: 5 }),
      );
      expect([written.answer.status, written.answer.headers.etag, written.types]).to.deep.equal([
        200,
        '"1"',
        ['clientSession ClientSessionUpdated'],
      ]);
      expect(written.answer.body).to.include({ amount: 5 });
      delete switches.readModelWrites;
      const signal = AbortSignal.timeout(120_000);
      for (;;) {
        const read = await shop.ask('GET', `/client-session?clientToken=${clientToken}`);
        if (read.headers.etag === '"1"') break;
        await world.sleep(20, signal); // the follower repairs it from the log, without a signal
      }
    });
  });
});

describe('readiness', () => {
  const switches: Switches = {};
  let http: HttpService;
  let direct: Stores;
  before(async () => {
    http = await serveHttp({
      engineTimings: {
        ...defaultTimings,
        pollMs: 50,
        staleMs: 400,
        joinMs: 400,
        abandonedMs: 5_000,
        checkpointMs: 100,
      },
      through: (stores) => {
        direct = stores;
        return switchable(switches)(stores);
      },
    });
  });
  after(() => http.stop());

  const until = async (status: number): Promise<Answer> => {
    const signal = AbortSignal.timeout(120_000);
    for (;;) {
      const answer = await http.request('GET', '/health/ready');
      if (answer.status === status) return answer;
      await http.world.sleep(20, signal); // the engine looks at its own pace, without a signal
    }
  };

  it('is 503 with the reason while the read models are unavailable, and 200 when they are back; liveness stays 200', async () => {
    const { shop, request } = http;
    const clientToken = await shop.session();
    await until(200);
    switches.readModels = AWAY;
    const red = await until(503);
    expect([red.error?.errorId, red.headers['retry-after']]).to.deep.equal(['ServiceUnavailable', '1']);
    expect(red.error?.description).to.contain('Not ready: ').and.not.to.contain('secret');
    expect((await request('GET', '/health/live')).status).to.equal(200);
    const { answer, types } = await appendedBy(direct.events, () =>
      shop.ask('PATCH', '/client-session', { clientToken, amount: 5 }),
    );
    expect([answer.status, types]).to.deep.equal([503, []]);
    delete switches.readModels;
    await until(200);
    expect((await shop.ask('PATCH', '/client-session', { clientToken, amount: 5 })).headers.etag).to.equal('"1"');
  });
});
