// A node that pays meets another node's changes between its checks and its own events.
import { expect } from 'chai';
import { contextOf } from '../../../src/commands/caller.ts';
import { accept } from '../../../src/domain/decider.ts';
import { waitingAuthorization } from '../../../src/domain/payment/authentication.ts';
import type { LookUp } from '../../../src/domain/payment/outcome.ts';
import { cardIn } from '../../../src/domain/payment-instrument/recorded-data.ts';
import { transact } from '../../../src/journal/transact.ts';
import type { OperationRequest } from '../../../src/processors/processor.ts';
import { hookedEvents } from '../../crash/hooked-stores.ts';
import { done, known } from '../../support/answers.ts';
import {
  card,
  checkout,
  lookUpDue,
  memoryStores,
  merchant,
  nodeOn,
  type Stores,
  type TestNode,
} from '../../support/node.ts';
import { scripted } from '../../support/scripted-processor.ts';
import { type MovableWorld, movableWorld } from '../../support/test-world.ts';

const ACCOUNT = 'acc_1';
const DECLINED = '4000000000000002';
const CHALLENGED = '4000000000003220';

function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

describe('a payment beside other nodes', () => {
  let world: MovableWorld;
  let stores: Stores;
  let node: TestNode;
  let other: TestNode;
  let sent: OperationRequest[];
  beforeEach(async () => {
    world = movableWorld();
    stores = await memoryStores(world);
    sent = [];
    const perform = (request: OperationRequest): undefined => void sent.push(request);
    // Stream by stream: others come between the claims and the payment.
    node = await nodeOn(
      { ...stores, events: hookedEvents(stores.events, {}) },
      { processor: scripted(stores.sandbox, { perform }) },
    );
    other = await nodeOn(stores);
  });

  const caller = (key?: string, request?: string) => merchant(ACCOUNT, world, key, request);
  const session = async () => {
    const made = await node.service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 },
      caller(),
    );
    if (made.kind === 'rejected') throw new Error(made.errorId);
    return made;
  };
  const tokenize = async (sessionId: string, cardData = card()): Promise<string> =>
    done(await node.service.instruments.tokenizeCard(cardData, checkout(ACCOUNT, sessionId, world))).id;
  const begin = async (number?: string) => {
    const { id, clientToken } = await session();
    return { sessionId: id, asked: { clientToken, paymentMethodToken: await tokenize(id, card(number)) } };
  };
  /** Stops the next such append of the node, before it happens, until the test lets it go on. */
  const holdAppend = (streams: 'sessions' | 'payments', type: string) => {
    const [begun, released] = [gate(), gate()];
    const of = node.service.streams[streams];
    const append: (...args: never[]) => unknown = of.append;
    Object.assign(of, {
      append: async (...args: never[]) => {
        if (JSON.stringify(args[2]).includes(`"${type}"`)) {
          begun.open();
          await released.opened;
        }
        return append.apply(of, args);
      },
    });
    return { underWay: begun.opened, release: released.open };
  };

  it('is refused by a key that may not capture, when its session has become AUTOMATIC since that was asked', async () => {
    const { asked } = await begin();
    const held = holdAppend('sessions', 'ClientSessionClaimed');
    const paying = node.service.payments.authorizePayment(asked, {
      ...caller(),
      scopes: new Set(['transactions:authorize']),
    });
    await held.underWay;
    const automatic = { clientToken: asked.clientToken, paymentMethod: { captureMode: 'AUTOMATIC' as const } };
    done(await other.service.sessions.patchClientSession(automatic, caller()));
    held.release();
    expect(await paying).to.include({ kind: 'rejected', errorId: 'InsufficientScope' });
    expect(sent).to.deep.equal([]);
  });

  it('is sent with the card as it was refreshed, on whatever node', async () => {
    const { id } = await session();
    const first = await tokenize(id);
    const newer = await tokenize(id, { card: { ...card().card, expirationYear: '2041' } });
    done(await node.service.instruments.vaultInstrument(first, { customerId: 'c-1' }, caller()));
    const charge = async () => {
      const fields = { paymentMethodToken: first, orderId: 'o', currencyCode: 'EUR', amount: 5 };
      const { doc } = done(await node.service.payments.authorizePayment(fields, caller()));
      const last = sent.at(-1);
      return [
        last?.operation === 'authorization' && last.processorToken,
        cardIn(known(doc).paymentMethod.paymentMethodData)?.expirationYear,
      ];
    };
    const tokenOf = async (token: string) => {
      const { state } = await other.service.streams.instruments.current(token);
      return state.status === 'absent' ? undefined : state.processorToken;
    };
    expect(await charge()).to.deep.equal([await tokenOf(first), '2039']);
    done(await other.service.instruments.vaultInstrument(newer, { customerId: 'c-1' }, caller()));
    expect(await tokenOf(newer)).not.to.equal(await tokenOf(first));
    expect(await charge()).to.deep.equal([await tokenOf(newer), '2041']);
  });

  describe('whose customer comes back from a challenge', () => {
    /** Approved, and nobody has heard of it. */
    const approved = async () => {
      const { asked, sessionId } = await begin(CHALLENGED);
      const { id } = done(await other.service.payments.authorizePayment(asked, caller()));
      const attempt = waitingAuthorization((await other.service.streams.payments.current(id)).state);
      const challengeId = attempt?.action.kind === 'redirect' ? (attempt.action.url.split('/').at(-1) ?? '') : '';
      await stores.sandbox.answerChallenge(challengeId, true);
      const { returnUrl = '' } = (await stores.sandbox.challenge(challengeId)) ?? {};
      return { id, sessionId, resumeToken: new URL(returnUrl).searchParams.get('resumeToken') ?? '' };
    };
    const current = async (id: string) => known((await other.service.streams.payments.current(id)).state);

    it('asks nothing for a new operation while another node goes on with it, and never waits for the customer again', async () => {
      const { id, resumeToken } = await approved();
      world.advance(31_000);
      const [begun, released] = [gate(), gate()];
      const slow = async (...args: Parameters<typeof stores.sandbox.lookUp>): Promise<LookUp> => {
        begun.open();
        await released.opened;
        return stores.sandbox.lookUp(...args);
      };
      let asked = 0;
      const waits: LookUp = {
        kind: 'requires_action',
        processorTransactionId: 'tx',
        action: { kind: 'redirect', url: 'https://acs.example' },
      };
      const asking = await nodeOn(stores, {
        processor: scripted(stores.sandbox, {
          lookUp: () => {
            asked += 1;
            return waits;
          },
        }),
      });
      const returning = await nodeOn(stores, { processor: scripted(stores.sandbox, { lookUp: slow }) });
      const resumed = returning.service.payments.resumePayment(id, { resumeToken }, caller());
      await begun.opened;
      const capture = await asking.service.payments.capturePayment(id, {}, caller());
      expect(capture).to.include({ kind: 'rejected', errorId: 'PaymentOperationInProgress' });
      expect([asked, (await current(id)).attempts.at(-1)?.state]).to.deep.equal([0, 'open']);
      released.open();
      expect(known(done(await resumed).doc)).to.include({ status: 'AUTHORIZED' });
    });

    /** The customer may act still, and nobody has approved or refused it. */
    const waiting = async () => {
      const { asked, sessionId } = await begin(CHALLENGED);
      const { id } = done(await other.service.payments.authorizePayment(asked, caller()));
      const attempt = waitingAuthorization((await other.service.streams.payments.current(id)).state);
      const challengeId = attempt?.action.kind === 'redirect' ? (attempt.action.url.split('/').at(-1) ?? '') : '';
      const { returnUrl = '' } = (await stores.sandbox.challenge(challengeId)) ?? {};
      return { id, sessionId, resumeToken: new URL(returnUrl).searchParams.get('resumeToken') ?? '' };
    };
    const typesOf = async (id: string) => {
      const types: string[] = [];
      for await (const { event } of other.service.streams.payments.history(id, -1)) types.push(event.type);
      return types;
    };
    /** Its look-up is under way from `asking` on, and asks the processor once it is `released`. */
    const nodeThatAsksSlowly = async () => {
      const [asking, released] = [gate(), gate()];
      const lookUp = async (...args: Parameters<typeof stores.sandbox.lookUp>): Promise<LookUp> => {
        asking.open();
        await released.opened;
        return stores.sandbox.lookUp(...args);
      };
      return { returning: await nodeOn(stores, { processor: scripted(stores.sandbox, { lookUp }) }), asking, released };
    };
    const ENDINGS = {
      'its merchant cancels': ({ id }: { readonly id: string }) =>
        node.service.payments.cancelPayment(id, {}, caller()),
      'it takes another card': ({ id, sessionId }: { readonly id: string; readonly sessionId: string }) =>
        node.service.payments.giveUpPaymentAction(id, checkout(ACCOUNT, sessionId, world)),
    };
    for (const [what, end] of Object.entries(ENDINGS)) {
      it(`is not asked again when ${what} at the same moment, and the fence is recorded first`, async () => {
        const begun = await waiting();
        const { returning, asking, released } = await nodeThatAsksSlowly();
        const held = holdAppend('payments', 'AttemptFenced');
        const ending = end(begun);
        await held.underWay; // the processor has withdrawn the action, and nobody knows
        const resumed = returning.service.payments.resumePayment(
          begun.id,
          { resumeToken: begun.resumeToken },
          caller(),
        );
        await asking.opened;
        held.release();
        expect(known(done(await ending).doc)).to.include({ status: 'CANCELLED' });
        released.open();
        expect(known(done(await resumed).doc)).to.include({ status: 'CANCELLED' });
        const types = await typesOf(begun.id);
        expect(types.filter((type) => type === 'CustomerActionRequired').length, types.join()).to.equal(1);
        expect(types.filter((type) => type === 'CustomerActionExpired').length, types.join()).to.equal(1);
        expect((await other.service.streams.sessions.current(begun.sessionId)).state).to.include({ status: 'open' });
      });

      it(`ends at once when ${what} at the same moment, and the fence is recorded last`, async () => {
        const begun = await waiting();
        const held = holdAppend('payments', 'AttemptFenced');
        const ending = end(begun);
        await held.underWay;
        done(await other.service.payments.resumePayment(begun.id, { resumeToken: begun.resumeToken }, caller()));
        held.release();
        expect(known(done(await ending).doc)).to.include({ status: 'CANCELLED' });
        expect(await current(begun.id)).to.include({ status: 'CANCELLED' });
        expect((await other.service.streams.sessions.current(begun.sessionId)).state).to.include({ status: 'open' });
      });
    }

    it('is not asked again if an older version has died between the fence and the end', async () => {
      const begun = await waiting();
      const { returning, asking, released } = await nodeThatAsksSlowly();
      const resumed = returning.service.payments.resumePayment(begun.id, { resumeToken: begun.resumeToken }, caller());
      await asking.opened;
      const { attemptId = '' } = (await current(begun.id)).attempts.at(-1) ?? {};
      const fenced = { attemptId, operation: 'authorization', evidence: { source: 'lookup' } } as const;
      const context = contextOf(caller(), 'op_older');
      await transact(other.service.streams.payments, begun.id, context, () =>
        accept({ type: 'AttemptFenced', data: fenced }),
      );
      released.open();
      expect(known(done(await resumed).doc)).to.include({ status: 'FAILED' });
      expect((await typesOf(begun.id)).filter((type) => type === 'CustomerActionRequired').length).to.equal(1);
    });

    it('goes on also when the node that it comes back to has no such processor, because the processor has it', async () => {
      const { id, sessionId, resumeToken } = await approved();
      const without = await nodeOn(stores, { processor: { ...scripted(stores.sandbox, {}), name: 'another' } });
      done(await without.service.payments.resumePayment(id, { resumeToken }, caller()));
      expect((await current(id)).attempts.at(-1)?.state).to.equal('unknown');
      expect((await other.service.streams.sessions.current(sessionId)).state).to.have.property('payment');
      world.advance(31_000);
      await lookUpDue(other);
      expect(await current(id)).to.include({ status: 'AUTHORIZED' });
    });
  });

  it('gives back the session that it claimed again after another node had created the payment, and that had ended', async () => {
    const { sessionId, asked } = await begin(DECLINED);
    const held = holdAppend('sessions', 'ClientSessionClaimed');
    const late = node.service.payments.authorizePayment(asked, caller('k', 'body'));
    await held.underWay;
    const first = done(await other.service.payments.authorizePayment(asked, caller('k', 'body')));
    expect(known(first.doc)).to.include({ status: 'DECLINED' });
    held.release();
    expect(done(await late)).to.include({ id: first.id });
    const { state } = await other.service.streams.sessions.current(sessionId);
    expect(state).to.include({ status: 'open' }).and.not.to.have.property('payment');
    expect(sent).to.deep.equal([]);
  });

  it('keeps its key while the call that claimed it is in progress, even if another call under it is refused', async () => {
    const { asked } = await begin();
    const { id } = done(await other.service.payments.authorizePayment(asked, caller()));
    const held = holdAppend('payments', 'CaptureRequested');
    const slow = node.service.payments.capturePayment(id, {}, caller('k', 'all of it'));
    await held.underWay;
    done(await other.service.payments.cancelPayment(id, {}, caller()));
    const again = (request: string) => other.service.payments.capturePayment(id, {}, caller('k', request));
    expect(await again('all of it')).to.include({ kind: 'rejected', errorId: 'InvalidPaymentStatus' });
    expect(await again('another')).to.include({ kind: 'rejected', errorId: 'IdempotencyKeyReused' });
    held.release();
    expect(await slow).to.include({ kind: 'rejected', errorId: 'InvalidPaymentStatus' });
    expect(await again('another')).to.include({ kind: 'rejected', errorId: 'InvalidPaymentStatus' });
  });
});
