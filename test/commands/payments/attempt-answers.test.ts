// The answer to a caller about what was asked of the processor: 200 once it is known, 202 until then, 422 for a
// refusal, and the same again (contract §§4, 6).
import { expect } from 'chai';
import type { Answer } from '../../../src/commands/caller.ts';
import type { Outcome } from '../../../src/domain/payment/outcome.ts';
import type { Payment } from '../../../src/domain/payment/payment.ts';
import { settleAttempt } from '../../../src/domain/payment/settle.ts';
import { operatorContext } from '../../../src/journal/contexts.ts';
import type { OperationRequest } from '../../../src/processors/processor.ts';
import { done, known } from '../../support/answers.ts';
import { card, checkout, memoryStores, merchant, nodeOn, type Stores, type TestNode } from '../../support/node.ts';
import { scripted } from '../../support/scripted-processor.ts';
import { type MovableWorld, movableWorld } from '../../support/test-world.ts';

const ACCOUNT = 'acc_1';
const timings = { sendWithinMs: 1_000, answerWithinMs: 40, abandonAfterMs: 60_000 };
const lost: Outcome = { kind: 'unknown', detail: 'reset' };
const refused: Outcome = { kind: 'declined', code: 'GENERIC_DECLINE', declineType: 'HARD' };
const unsent: Outcome = { kind: 'not_sent', detail: 'connection refused' };

describe('the answer about an operation', () => {
  let world: MovableWorld;
  let stores: Stores;
  let node: TestNode;
  /** The processor's responses from now on; it performs an operation that is left out. */
  let says: { [operation in OperationRequest['operation']]?: Outcome };
  beforeEach(async () => {
    world = movableWorld();
    stores = await memoryStores(world);
    says = {};
    node = await nodeOn(stores, {
      timings,
      processor: scripted(stores.sandbox, {
        perform: ({ operation }) => (says[operation] === undefined ? undefined : Promise.resolve(says[operation])),
        lookUp: () => ({ kind: 'unknown', detail: 'away' }),
      }),
    });
  });
  const caller = (key?: string) => merchant(ACCOUNT, world, key, 'the same body');
  const pay = async (paymentMethod: object = {}) => {
    const made = await node.service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000, paymentMethod },
      caller(),
    );
    if (made.kind === 'rejected') throw new Error(made.errorId);
    const paymentMethodToken = done(
      await node.service.instruments.tokenizeCard(card(), checkout(ACCOUNT, made.id, world)),
    ).id;
    return done(
      await node.service.payments.authorizePayment({ clientToken: made.clientToken, paymentMethodToken }, caller()),
    );
  };
  const captured = async () => {
    const { id } = await pay();
    done(await node.service.payments.capturePayment(id, {}, caller()));
    return id;
  };
  const status = (answer: Answer<Payment>) => (answer.kind === 'rejected' ? answer.errorId : answer.status);

  it('is 200 when it was done, or accepted; 202 while it is not known', async () => {
    for (const [outcome, expected] of [
      [undefined, 200],
      [{ kind: 'pending', processorTransactionId: 'tx' }, 200],
      [lost, 202],
    ] as const) {
      const { id } = await pay();
      says = outcome === undefined ? {} : { capture: outcome };
      expect(status(await node.service.payments.capturePayment(id, {}, caller()))).to.equal(expected);
    }
  });

  it('is a refusal with its reason when the processor refuses it, or never gets it', async () => {
    const id = await captured();
    for (const [outcome, type] of [
      [refused, 'ISSUER_DECLINE'],
      [unsent, 'GATEWAY_UNAVAILABLE'],
    ] as const) {
      says = { refund: outcome };
      const answer = await node.service.payments.refundPayment(id, {}, caller());
      expect(answer).to.deep.include({
        kind: 'rejected',
        errorId: 'RefundDeclined',
        paymentId: id,
        paymentStatus: 'SETTLED',
      });
      expect(answer).to.have.nested.property('statusReason.type', type);
      expect(answer).to.have.property('description', 'statusReason' in answer ? answer.statusReason?.message : '');
    }
  });

  it('is about the operation that was asked for, whatever is not known of another', async () => {
    const id = await captured();
    says = { refund: lost };
    expect(status(await node.service.payments.refundPayment(id, { amount: 300 }, caller()))).to.equal(202);
    says = {};
    expect(status(await node.service.payments.refundPayment(id, { amount: 200 }, caller()))).to.equal(200);
    says = { refund: refused };
    expect(status(await node.service.payments.refundPayment(id, { amount: 100 }, caller()))).to.equal('RefundDeclined');
  });

  it('of an authorization is 202 while its automatic capture is not known, and 200 when that is refused', async () => {
    for (const [outcome, expected] of [
      [lost, 202],
      [refused, 200],
      [unsent, 200],
    ] as const) {
      says = { capture: outcome };
      const { status, doc } = await pay({ captureMode: 'AUTOMATIC' });
      expect([status, known(doc).status]).to.deep.equal([expected, 'AUTHORIZED']);
    }
  });

  it('to a cancellation of a payment that waits is that of the void that follows', async () => {
    const cancelled = async (outcome: Outcome | undefined) => {
      says = { authorization: lost };
      const { id } = await pay();
      says = outcome === undefined ? {} : { cancellation: outcome };
      node = await nodeOn(stores, {
        timings,
        processor: scripted(stores.sandbox, {
          perform: ({ operation }) => (says[operation] === undefined ? undefined : Promise.resolve(says[operation])),
          lookUp: ({ operation }) =>
            operation === 'authorization'
              ? { kind: 'succeeded', processorTransactionId: 'tx', amount: 1_000, currencyCode: 'EUR' }
              : lost,
        }),
      });
      return node.service.payments.cancelPayment(id, {}, caller());
    };
    expect(
      await cancelled({ kind: 'succeeded', processorTransactionId: 'v', amount: 0, currencyCode: 'EUR' }),
    ).to.deep.nested.include({
      status: 200,
      'doc.status': 'CANCELLED',
    });
    for (const outcome of [lost, unsent, { kind: 'pending' } as const])
      expect(status(await cancelled(outcome)), outcome.kind).to.equal(202);
    expect(await cancelled(refused)).to.deep.include({ errorId: 'CancellationDeclined', paymentStatus: 'AUTHORIZED' });
  });
});

describe('the answer to the same request again', () => {
  it('is the first one: a refusal names the request that was refused, and a payment that went on since does not matter', async () => {
    const world = movableWorld();
    const stores = await memoryStores(world);
    let says: Outcome | undefined = refused;
    const node = await nodeOn(stores, {
      timings,
      processor: scripted(stores.sandbox, {
        perform: ({ operation }) => (operation === 'capture' && says ? Promise.resolve(says) : undefined),
      }),
    });
    const { payments, sessions, instruments } = node.service;
    const caller = (key?: string) => merchant(ACCOUNT, world, key, 'the same body');
    const made = await sessions.createClientSession({ orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 }, caller());
    if (made.kind === 'rejected') throw new Error(made.errorId);
    const paymentMethodToken = done(await instruments.tokenizeCard(card(), checkout(ACCOUNT, made.id, world))).id;
    const { id } = done(
      await payments.authorizePayment({ clientToken: made.clientToken, paymentMethodToken }, caller()),
    );
    const first = caller('refused');
    const refusal = await payments.capturePayment(id, { amount: 400, final: false }, first);
    expect(refusal).to.include({ kind: 'rejected', errorId: 'CaptureDeclined' });
    says = undefined;
    const booked = done(await payments.capturePayment(id, { amount: 400, final: false }, caller('booked')));
    done(await payments.capturePayment(id, { amount: 100, final: false }, caller()));
    const again = await payments.capturePayment(id, { amount: 400, final: false }, caller('refused'));
    expect(again).to.deep.include({
      kind: 'rejected',
      errorId: 'CaptureDeclined',
      paymentStatus: 'AUTHORIZED',
      diagnosticsId: first.requestId,
    });
    const bookedAgain = done(await payments.capturePayment(id, { amount: 400, final: false }, caller('booked')));
    expect(bookedAgain).to.deep.equal({ ...booked, replayed: true });
  });

  it('is that of a notification before the response of the call, and not the later state of the payment', async () => {
    const world = movableWorld();
    const stores = await memoryStores(world);
    const node: TestNode = await nodeOn(stores, {
      timings: { ...timings, answerWithinMs: 5_000 },
      processor: scripted(stores.sandbox, {
        async perform(request, call) {
          const outcome = await stores.sandbox.perform(request, call);
          const { payments: streams } = node.service.streams;
          const { attempts } = known((await streams.current(request.paymentId)).state);
          const attemptId = attempts.find(({ reference }) => reference === request.reference)?.attemptId ?? '';
          const told = { attemptId, outcome, evidence: { source: 'notification' }, source: 'notification' } as const;
          await node.service.payments.recordFact(request.paymentId, operatorContext(world, ACCOUNT), (timing) =>
            settleAttempt({ ...told, ...timing }),
          );
          return outcome;
        },
      }),
    });
    const { payments, sessions, instruments } = node.service;
    const caller = (key?: string) => merchant(ACCOUNT, world, key, 'the same body');
    const begin = async (paymentMethod: object) => {
      const made = await sessions.createClientSession(
        { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000, paymentMethod },
        caller(),
      );
      if (made.kind === 'rejected') throw new Error(made.errorId);
      const paymentMethodToken = done(await instruments.tokenizeCard(card(), checkout(ACCOUNT, made.id, world))).id;
      return { clientToken: made.clientToken, paymentMethodToken };
    };
    const asked = await begin({ captureMode: 'AUTOMATIC' });
    const paid = done(await payments.authorizePayment(asked, caller('pay')));
    expect(paid).to.deep.nested.include({ status: 200, 'doc.status': 'SETTLED' });
    done(await payments.refundPayment(paid.id, { amount: 100 }, caller()));
    expect(done(await payments.authorizePayment(asked, caller('pay')))).to.deep.equal({ ...paid, replayed: true });

    const { id } = done(await payments.authorizePayment(await begin({}), caller()));
    const captured = done(await payments.capturePayment(id, { amount: 400, final: false }, caller('capture')));
    expect(captured).to.deep.nested.include({ status: 200, 'doc.amountCaptured': 400 });
    done(await payments.refundPayment(id, { amount: 100 }, caller()));
    expect(done(await payments.capturePayment(id, { amount: 400, final: false }, caller('capture')))).to.deep.equal({
      ...captured,
      replayed: true,
    });
  });
});
