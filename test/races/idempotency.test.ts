// Twenty concurrent calls with one idempotency key on two nodes: one effect in the log and at the processor, and one
// answer (contract §6).
import { expect } from 'chai';
import {
  authorized,
  clientTokenIn,
  createSession,
  instrumentIn,
  ledgerOf,
  linesOf,
  ok,
  paymentIn,
  tally,
  tokenIn,
  tokenize,
} from '../support/load-calls.ts';
import type { Answer, Client } from '../support/load-client.ts';
import { card } from '../support/node.ts';
import { type Arena, appendedSince, arenas, atOnce, typesOf } from './arena.ts';

/**
 * A caller that comes to an open session after another node's decline has released it claims it again, finds the
 * payment created, and releases it: such pairs change nothing.
 */
function withoutReclaims({
  ClientSessionClaimed: claims = 0,
  ClientSessionReleased: releases = 0,
  ...others
}: Readonly<Record<string, number>>) {
  const pairs = Math.max(0, Math.min(claims, releases) - 1);
  return {
    ...others,
    ...(claims > 0 && { ClientSessionClaimed: claims - pairs }),
    ...(releases > 0 && { ClientSessionReleased: releases - pairs }),
  };
}

type Call = (node: Client, headers: Readonly<Record<string, string>>) => Promise<Answer>;

for (const [name, open] of arenas) {
  describe(`one idempotency key, sent twenty times at once to ${name},`, () => {
    let arena: Arena;
    let keys = 0;
    before(async () => {
      arena = await open();
    });
    after(() => arena.close());
    afterEach(() => expect(arena.faults()).to.deep.equal([]));

    /** Calls twenty times with one key, then again on each node. `effect`: the only events that the log may gain. */
    async function once(call: Call, effect: Readonly<Record<string, number>>): Promise<Answer> {
      const headers = { 'X-Idempotency-Key': `key-${keys++}` };
      const head = await arena.events.head();
      const answers = await atOnce(20, arena, (node) => call(node, headers));
      const { '200': done = 0, '409 IdempotencyKeyInProgress': running = 0, ...others } = tally(answers);
      expect(others).to.deep.equal({});
      expect(done).to.be.greaterThan(0);
      expect(done + running).to.equal(20);
      const first = answers.find(({ status }) => status === 200);
      if (first === undefined) throw new Error('at least one call was answered');
      const again = await Promise.all(arena.nodes.map((node) => call(node, headers)));
      for (const repeat of again)
        expect([repeat.status, repeat.headers['idempotent-replayed']]).to.deep.equal([200, 'true']);
      for (const { status, text, revision } of [...answers, ...again]) {
        if (status === 200) expect({ text, revision }).to.deep.equal({ text: first.text, revision: first.revision });
      }
      expect(withoutReclaims(typesOf(await appendedSince(arena.events, head)))).to.deep.equal({
        IdempotencyClaimed: 1,
        ...effect,
      });
      return first;
    }

    /** Changes the resource by other calls, and still expects the old answer from both nodes. */
    const linesFor = async (id: string): Promise<readonly string[]> =>
      linesOf(await ledgerOf(arena.nodes[0]), id).map(
        ({ operation, amount, outcome }) => `${operation} ${amount} ${outcome}`,
      );

    it('makes one session', async () => {
      const made = await once(
        (node, headers) => node.call('POST', '/client-session', { orderId: 'o', metadata: { a: 1 } }, headers),
        {
          ClientSessionCreated: 1,
        },
      );
      expect(clientTokenIn(made)).to.be.a('string');
    });

    it('changes a session once', async () => {
      const clientToken = await createSession(arena.nodes[0]);
      const patch = { clientToken, customer: { firstName: 'Ada', lastName: 'Lovelace' } };
      const changed = await once((node, headers) => node.call('PATCH', '/client-session', patch, headers), {
        ClientSessionUpdated: 1,
      });
      expect(changed.revision).to.equal(1);
    });

    it('issues one client token', async () => {
      const clientToken = await createSession(arena.nodes[0]);
      await once((node, headers) => node.call('POST', '/client-session/client-token', { clientToken }, headers), {
        ClientTokenIssued: 1,
      });
    });

    it('tokenizes a card once', async () => {
      const clientToken = await createSession(arena.nodes[0]);
      const made = await once(
        (node, headers) => node.inCheckout(clientToken, 'POST', '/checkout/payment-instruments', card(), headers),
        {
          InstrumentTokenized: 1,
        },
      );
      expect(tokenIn(made)).to.match(/^pm_/);
    });

    const PAID = {
      ClientSessionClaimed: 1,
      InstrumentClaimed: 1,
      PaymentCreated: 1,
      AuthorizationRequested: 1,
      PaymentAuthorized: 1,
    };
    for (const [where, pay] of [
      ['', (node, headers, body) => node.call('POST', '/payments', body, headers)],
      [
        ' in a checkout',
        (node, headers, { clientToken, paymentMethodToken }) =>
          node.inCheckout(clientToken, 'POST', '/checkout/payments', { paymentMethodToken }, headers),
      ],
    ] as const satisfies readonly (readonly [
      string,
      (
        node: Client,
        headers: Readonly<Record<string, string>>,
        body: { readonly clientToken: string; readonly paymentMethodToken: string },
      ) => Promise<Answer>,
    ])[]) {
      it(`pays once${where}`, async () => {
        const clientToken = await createSession(arena.nodes[0]);
        const paymentMethodToken = await tokenize(arena.nodes[0], clientToken);
        const before = (await ledgerOf(arena.nodes[0])).length;
        const paid = await once((node, headers) => pay(node, headers, { clientToken, paymentMethodToken }), PAID);
        expect(paid.body).to.include({ status: 'AUTHORIZED' });
        expect((await ledgerOf(arena.nodes[0])).slice(before)).to.have.length(1);
      });
    }

    it('captures automatically once, and vaults once', async () => {
      const clientToken = await createSession(arena.nodes[0], {
        customerId: `c-${name}`,
        paymentMethod: { captureMode: 'AUTOMATIC', vaultOnSuccess: true },
      });
      const paymentMethodToken = await tokenize(arena.nodes[0], clientToken);
      const vaulted = {
        VaultingRequested: 1,
        InstrumentAdded: 1,
        DefaultInstrumentChanged: 1,
        InstrumentVaulted: 1,
        VaultingRecorded: 1,
      };
      const paid = await once(
        (node, headers) => node.call('POST', '/payments', { clientToken, paymentMethodToken }, headers),
        {
          ...PAID,
          ...vaulted,
          CaptureRequested: 1,
          PaymentCaptured: 1,
        },
      );
      expect(await linesFor(paymentIn(paid).id)).to.deep.equal([
        'authorization 1000 succeeded',
        'capture 1000 succeeded',
      ]);
    });

    it('is declined once', async () => {
      const clientToken = await createSession(arena.nodes[0]);
      const paymentMethodToken = await tokenize(arena.nodes[0], clientToken, '4000000000000002');
      const { PaymentAuthorized: _succeeded, ...asked } = PAID;
      const declined = await once(
        (node, headers) => node.call('POST', '/payments', { clientToken, paymentMethodToken }, headers),
        {
          ...asked,
          AuthorizationDeclined: 1,
          ClientSessionReleased: 1,
        },
      );
      expect(paymentIn(declined).status).to.equal('DECLINED');
      expect(await linesFor(paymentIn(declined).id)).to.deep.equal(['authorization 1000 declined']);
    });

    it('captures once, even a part that would fit twenty times', async () => {
      const { id } = await authorized(arena.nodes[0]);
      const captured = await once(
        (node, headers) =>
          node.call('POST', `/payments/${id}/capture`, { amount: 50, final: false, metadata: { part: 1 } }, headers),
        { CaptureRequested: 1, PaymentCaptured: 1 },
      );
      expect(paymentIn(captured).processor.amountCaptured).to.equal(50);
      expect(await linesFor(id)).to.deep.equal(['authorization 1000 succeeded', 'capture 50 succeeded']);
    });

    it('refunds once, even a part that would fit twenty times', async () => {
      const { id } = await authorized(arena.nodes[0]);
      ok(await arena.nodes[0].call('POST', `/payments/${id}/capture`));
      const refunded = await once(
        (node, headers) => node.call('POST', `/payments/${id}/refund`, { amount: 50 }, headers),
        {
          RefundRequested: 1,
          RefundSucceeded: 1,
        },
      );
      expect(paymentIn(refunded).processor.amountRefunded).to.equal(50);
      expect(await linesFor(id)).to.have.length(3);
    });

    it('cancels once', async () => {
      const { id } = await authorized(arena.nodes[0]);
      const cancelled = await once(
        (node, headers) => node.call('POST', `/payments/${id}/cancel`, { reason: 'r' }, headers),
        {
          CancellationRequested: 1,
          AuthorizationVoided: 1,
          ...(await sessionOf(id)),
        },
      );
      expect(paymentIn(cancelled).status).to.equal('CANCELLED');
    });
    /** A cancelled payment gives its session back. */
    const sessionOf = async (_id: string) => ({ ClientSessionReleased: 1 });

    it('adjusts once', async () => {
      const { id } = await authorized(arena.nodes[0], { paymentMethod: { authorizationType: 'ESTIMATED' } });
      await once(
        (node, headers) => node.call('POST', `/payments/${id}/adjust-authorization`, { amount: 1_500 }, headers),
        {
          AdjustmentRequested: 1,
          AuthorizationAdjusted: 1,
        },
      );
      expect(await linesFor(id)).to.deep.equal(['authorization 1000 succeeded', 'adjustment 1500 succeeded']);
    });

    it('vaults once, makes the default once and deletes once', async () => {
      const customerId = `c-${keys}-${name}`;
      const [first, second] = await Promise.all(
        ['5555555555554444', '4242424242424242'].map(async (number) =>
          tokenize(arena.nodes[0], await createSession(arena.nodes[0]), number),
        ),
      );
      const change =
        (method: string, path: string, body?: object) => (node: Client, headers: Readonly<Record<string, string>>) =>
          node.call(method, `/payment-instruments/${path}`, body, headers);
      const vaulted = await once(change('POST', `${first}/vault`, { customerId, description: 'blue' }), {
        VaultingRequested: 1,
        InstrumentAdded: 1,
        DefaultInstrumentChanged: 1,
        InstrumentVaulted: 1,
      });
      expect(instrumentIn(vaulted)).to.include({ tokenType: 'MULTI_USE', default: true });
      await once(change('POST', `${second}/vault`, { customerId }), {
        VaultingRequested: 1,
        InstrumentAdded: 1,
        InstrumentVaulted: 1,
      });
      const made = await once(change('POST', `${second}/default`), { DefaultInstrumentChanged: 1 });
      expect(instrumentIn(made)).to.include({ default: true });
      const deleted = await once(change('DELETE', `${second}`), {
        InstrumentDeleted: 1,
        InstrumentRemoved: 1,
        DefaultInstrumentChanged: 1,
      });
      expect(instrumentIn(deleted)).to.include({ deleted: true });
    });
  });
}
