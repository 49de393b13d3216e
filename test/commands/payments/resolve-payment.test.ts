// An unknown outcome is settled by an operator: an event with its evidence, and its follow-ups happen.
import { expect } from 'chai';
import type { Resolution } from '../../../src/commands/payments/resolve-payment.ts';
import type { LookUp, Outcome } from '../../../src/domain/payment/outcome.ts';
import { unsettledAttempts } from '../../../src/domain/payment/queries.ts';
import { settleAttempt } from '../../../src/domain/payment/settle.ts';
import { operatorContext } from '../../../src/journal/contexts.ts';
import type { OperationRequest } from '../../../src/processors/processor.ts';
import { transactionIdOf } from '../../../src/processors/sandbox/names.ts';
import { payments } from '../../../src/projections/models/payments.ts';
import { done, known } from '../../support/answers.ts';
import { about, callOf } from '../../support/call-of.ts';
import { card, checkout, memoryStores, merchant, nodeOn, type Stores, type TestNode } from '../../support/node.ts';
import { scripted } from '../../support/scripted-processor.ts';
import { type MovableWorld, movableWorld } from '../../support/test-world.ts';
import { wholeLedger } from '../../support/whole-ledger.ts';

const ACCOUNT = 'acc_1';
const timings = { sendWithinMs: 1_000, answerWithinMs: 40, abandonAfterMs: 60_000 };

describe('an operator who knows more', () => {
  let world: MovableWorld;
  let stores: Stores;
  let node: TestNode;
  /** Operations that happen, and are not answered. */
  let lost: ReadonlySet<string>;
  /** True if look-ups settle no attempt. */
  let silent: boolean;
  beforeEach(async () => {
    world = movableWorld();
    stores = await memoryStores(world);
    lost = new Set();
    silent = true;
    node = await nodeOn(stores, {
      timings,
      processor: scripted(stores.sandbox, {
        perform: (request, call) =>
          lost.has(request.operation)
            ? stores.sandbox.perform(request, call).then(() => ({ kind: 'unknown', detail: 'reset' }))
            : undefined,
        lookUp: () => (silent ? { kind: 'unknown', detail: 'away' } : undefined),
      }),
    });
  });
  const caller = () => merchant(ACCOUNT, world);
  const pay = async (paymentMethod: object = {}) => {
    const { service } = node;
    const made = await service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000, paymentMethod },
      caller(),
    );
    if (made.kind === 'rejected') throw new Error(made.errorId);
    const paymentMethodToken = done(
      await service.instruments.tokenizeCard(card(), checkout(ACCOUNT, made.id, world)),
    ).id;
    const { id, doc } = done(
      await service.payments.authorizePayment({ clientToken: made.clientToken, paymentMethodToken }, caller()),
    );
    const [attempt] = known(doc).attempts;
    return { id, attemptId: attempt?.attemptId ?? '', reference: attempt?.reference ?? '' };
  };
  const resolve = (id: string, resolution: Partial<Resolution> = {}) =>
    node.service.payments.resolvePayment(id, { as: 'succeeded', evidence: 'asked their support', ...resolution });
  const resolved = async (id: string, resolution: Partial<Resolution> = {}) => {
    const answer = await resolve(id, resolution);
    if (answer.kind !== 'resolved') throw new Error(JSON.stringify(answer));
    return { ...answer, payment: known(answer.folded.state) };
  };
  const current = async (id: string) => known((await node.service.streams.payments.current(id)).state);
  const ledger = async () =>
    (await wholeLedger(stores.sandbox)).map(({ operation, outcome }) => `${operation} ${outcome}`);
  const lastEvent = async (id: string, type: string) => {
    for await (const one of node.service.streams.payments.history(id, -1)) if (one.event.type === type) return one;
    throw new Error(`no ${type}`);
  };

  it('says that it succeeded, and it is booked, with the evidence', async () => {
    lost = new Set(['authorization']);
    const { id, reference } = await pay();
    const transactionId = transactionIdOf('authorization', reference);
    const answer = await resolved(id, { evidence: 'they see card 4242424242424242', transactionId });
    expect(answer.payment).to.include({
      status: 'AUTHORIZED',
      amountAuthorized: 1_000,
      processorTransactionId: transactionId,
    });
    expect(answer).to.include({ transactionId, isOwnReference: false });
    const { event, metadata } = await lastEvent(id, 'PaymentAuthorized');
    expect(event.data).to.deep.include({ evidence: { source: 'operator', detail: 'they see card 4242420000004242' } });
    expect(metadata.actor).to.deep.equal({ kind: 'operator', id: 'cli' });
    expect(known(done(await node.service.payments.capturePayment(id, {}, caller())).doc)).to.include({
      status: 'SETTLED',
    });
  });

  it('is refused a card number in place of the transaction’s id, and no event is written', async () => {
    lost = new Set(['authorization']);
    const { id } = await pay();
    const before = await stores.events.head();
    const answer = await resolve(id, { transactionId: 'their 4242 4242 4242 4242' });
    expect(answer).to.deep.include({ kind: 'rejected', errorId: 'CardNumberNotAllowed' });
    expect(await stores.events.head()).to.deep.equal(before);
  });

  it('says that it did not happen, and the payment is FAILED; a success that comes later is taken back', async () => {
    lost = new Set(['authorization']);
    const { id, reference } = await pay();
    const { payment } = await resolved(id, { as: 'failed' });
    expect(payment).to.deep.include({
      status: 'FAILED',
      statusReason: { because: 'did_not_happen', operation: 'authorization' },
    });
    expect(await resolve(id)).to.deep.include({ kind: 'rejected', errorId: 'InvalidPaymentStatus' });
    const found = await stores.sandbox.lookUp(about(reference), callOf());
    if (found.kind !== 'succeeded') throw new Error(found.kind);
    const told = await nodeOn(stores, {
      timings,
      processor: scripted(stores.sandbox, {
        notifications: () => [
          {
            notificationId: 'n-1',
            occurredAt: world.now(),
            subject: { reference },
            about: { operation: 'authorization', outcome: found },
          },
        ],
      }),
    });
    const received = await told.service.notifications.receiveNotification(
      { processor: 'sandbox', raw: '{}', headers: {} },
      caller(),
    );
    if (received.kind !== 'received') throw new Error(received.kind);
    await received.handled;
    expect(await current(id)).to.include({ status: 'FAILED' });
    expect(await ledger()).to.deep.equal(['authorization succeeded', 'cancellation succeeded']);
  });

  it('is followed by an automatic capture', async () => {
    lost = new Set(['authorization']);
    const { id, reference } = await pay({ captureMode: 'AUTOMATIC' });
    const { payment } = await resolved(id, { transactionId: transactionIdOf('authorization', reference) });
    expect(payment).to.include({ status: 'SETTLED', amountCaptured: 1_000 });
  });

  it('is followed by the void that was requested meanwhile', async () => {
    lost = new Set(['authorization']);
    const { id, reference } = await pay();
    expect(done(await node.service.payments.cancelPayment(id, {}, caller())).status).to.equal(202);
    const { payment } = await resolved(id, { transactionId: transactionIdOf('authorization', reference) });
    expect(payment).to.include({ status: 'CANCELLED' });
    expect(await ledger()).to.deep.equal(['authorization succeeded', 'cancellation succeeded']);
  });

  it('who does not know the processor’s id leaves our own reference in its place, and is told', async () => {
    lost = new Set(['authorization']);
    const { id, reference } = await pay();
    const answer = await resolved(id);
    expect(answer).to.include({ isOwnReference: true, transactionId: reference });
    expect(answer.payment).to.include({ status: 'AUTHORIZED', processorTransactionId: reference });
    expect(known(done(await node.service.payments.capturePayment(id, { amount: 400 }, caller())).doc)).to.include({
      amountCaptured: 400,
    });
    expect(known(done(await node.service.payments.refundPayment(id, {}, caller())).doc)).to.include({
      amountRefunded: 400,
    });
    expect(await ledger()).to.deep.equal(['authorization succeeded', 'capture succeeded', 'refund succeeded']);
  });

  it('is not needed if the processor reports the outcome when asked, and does not override it', async () => {
    lost = new Set(['authorization']);
    const [agreed, contradicted] = [await pay(), await pay()];
    silent = false;
    for (const [{ id, attemptId, reference }, as] of [
      [agreed, 'succeeded'],
      [contradicted, 'failed'],
    ] as const) {
      const answer = await resolve(id, { as });
      if (answer.kind !== 'told') throw new Error(answer.kind);
      expect(answer.attempt).to.include({ attemptId, state: 'succeeded' });
      expect(await current(id)).to.include({
        status: 'AUTHORIZED',
        processorTransactionId: transactionIdOf('authorization', reference),
      });
      const { event } = await lastEvent(id, 'PaymentAuthorized');
      expect(event.data).to.have.nested.property('evidence.source', 'lookup');
    }
  });

  it('is not believed about money that the processor says was moved in another currency, whether it says so now or did before', async () => {
    const { id } = await pay();
    const inDollars = {
      kind: 'succeeded',
      processorTransactionId: 'tx_usd',
      amount: 1_000,
      currencyCode: 'USD',
    } as const;
    const telling = async (lookUp: LookUp): Promise<void> => {
      node = await nodeOn(stores, {
        timings,
        processor: scripted(stores.sandbox, { perform: async () => inDollars, lookUp: () => lookUp }),
      });
    };
    await telling(inDollars);
    done(await node.service.payments.capturePayment(id, {}, caller()));
    world.pass(600_000);
    for (const lookUp of [inDollars, { kind: 'not_found' }, { kind: 'unknown', detail: 'away' }] as const) {
      await telling(lookUp);
      const answer = await resolve(id, { as: 'failed' });
      expect(answer).to.deep.include({ kind: 'rejected', errorId: 'InvalidPaymentStatus' });
      expect(answer).to.have.property('description').that.contains('the processor reports success with 10.00 USD.');
      expect(await current(id)).to.include({ status: 'AUTHORIZED', amountCapturePending: 1_000 });
    }
    expect((await resolved(id, { transactionId: 'tx_put_right' })).payment).to.include({
      status: 'SETTLED',
      amountCaptured: 1_000,
    });
  });

  describe('and closes a reversal that the processor refused', () => {
    const refusal = { kind: 'declined', code: 'TRANSACTION_UNKNOWN', declineType: 'HARD' } as const;
    /** Authorized in another amount than asked, and the void is refused. */
    const wronglyHeld = async () => {
      const perform = async ({ operation }: OperationRequest): Promise<Outcome> =>
        operation === 'authorization'
          ? { kind: 'succeeded', processorTransactionId: 'tx', amount: 999, currencyCode: 'EUR' }
          : refusal;
      node = await nodeOn(stores, { timings, processor: scripted(stores.sandbox, { perform, lookUp: () => lookUp }) });
      const { id, attemptId } = await pay();
      expect(await current(id)).to.deep.nested.include({ status: 'PENDING', 'statusReason.because': 'mismatched' });
      return { id, voided: `${attemptId}-void` };
    };
    let lookUp: LookUp;
    beforeEach(() => {
      lookUp = refusal;
    });
    const found = async (): Promise<readonly string[]> => {
      const where = { awaitsOperatorAt: { from: 0 } };
      return (await node.service.readModels.find(payments, { where, limit: 5 })).map((row) => row.id);
    };

    it('which is open until then', async () => {
      const { id, voided } = await wronglyHeld();
      expect(await found()).to.deep.equal([id]);
      expect(unsettledAttempts(await current(id)).map(({ attemptId, state }) => [attemptId, state])).to.deep.equal([
        [voided, 'declined'],
      ]);
      const { payment, attempt } = await resolved(id, {
        evidence: 'they released it by hand',
        transactionId: 'their-void',
      });
      expect(attempt).to.include({ attemptId: voided });
      expect(payment).to.deep.nested.include({ status: 'FAILED', 'statusReason.because': 'mismatched' });
      expect(await found()).to.deep.equal([]);
      expect(unsettledAttempts(await current(id))).to.deep.equal([]);
      const { event } = await lastEvent(id, 'AuthorizationVoided');
      expect(event.data).to.deep.include({
        attemptId: voided,
        evidence: { source: 'operator', detail: 'they released it by hand' },
      });
    });

    it('but not by the word that it did not happen, which is the processor’s already', async () => {
      const { id, voided } = await wronglyHeld();
      const answer = await resolve(id, { as: 'failed' });
      expect(answer).to.deep.include({ kind: 'rejected', errorId: 'InvalidPaymentStatus' });
      expect(answer)
        .to.have.property('description')
        .that.contains(voided)
        .and.contains('refused')
        .and.contains('--as succeeded');
      expect(await found()).to.deep.equal([id]);
    });

    it('and is not needed where the processor says by now that it was done', async () => {
      const { id } = await wronglyHeld();
      lookUp = { kind: 'succeeded', processorTransactionId: 'tx_void', amount: 0, currencyCode: 'EUR' };
      expect(await resolve(id)).to.deep.nested.include({ kind: 'told', 'folded.state.status': 'FAILED' });
    });

    it('also of a success that came when the payment was over', async () => {
      lost = new Set(['authorization']);
      const { id, attemptId } = await pay();
      await resolved(id, { as: 'failed' });
      const found = { kind: 'succeeded', processorTransactionId: 'tx', amount: 1_000, currencyCode: 'EUR' } as const;
      node = await nodeOn(stores, {
        timings,
        processor: scripted(stores.sandbox, { perform: async () => refusal, lookUp: () => lookUp }),
      });
      await node.service.payments.recordFact(id, operatorContext(node.service.world, ACCOUNT), (timing) =>
        settleAttempt({
          attemptId,
          outcome: found,
          evidence: { source: 'notification' },
          source: 'notification',
          ...timing,
        }),
      );
      expect(unsettledAttempts(await current(id)).map(({ attemptId }) => attemptId)).to.deep.equal([
        `${attemptId}-void`,
      ]);
      expect((await resolved(id)).payment).to.include({ status: 'FAILED' });
      expect(unsettledAttempts(await current(id))).to.deep.equal([]);
    });
  });

  it('who did not know the processor’s id is helped by the processor before the next operation needs it', async () => {
    lost = new Set(['authorization']);
    const { id, reference } = await pay();
    expect(await resolved(id)).to.include({ isOwnReference: true });
    silent = false;
    lost = new Set();
    expect(known(done(await node.service.payments.capturePayment(id, {}, caller())).doc)).to.include({
      status: 'SETTLED',
      amountCaptured: 1_000,
    });
    expect(await current(id)).to.include({
      processorTransactionId: transactionIdOf('authorization', reference),
      amountAuthorized: 1_000,
    });
    expect(await ledger()).to.deep.equal(['authorization succeeded', 'capture succeeded']);
  });

  it('must say which of several attempts is meant', async () => {
    const { id } = await pay();
    done(await node.service.payments.capturePayment(id, {}, caller()));
    lost = new Set(['refund']);
    for (const amount of [300, 200])
      expect(done(await node.service.payments.refundPayment(id, { amount }, caller())).status).to.equal(202);
    const answer = await resolve(id);
    if (answer.kind !== 'several') throw new Error(answer.kind);
    const [first, second] = answer.attempts;
    expect([first?.amount, second?.amount]).to.deep.equal([300, 200]);
    expect((await resolved(id, { attemptId: second?.attemptId })).payment).to.include({
      amountRefunded: 200,
      amountRefundPending: 300,
    });
    expect((await resolved(id, { as: 'failed' })).payment).to.include({ amountRefunded: 200, amountRefundable: 800 });
    const wrong = await resolve(id, { attemptId: 'pay_1.nothing' });
    expect(wrong).to.deep.include({
      kind: 'rejected',
      errorId: 'InvalidPaymentStatus',
      description: `${id} has no unknown outcome.`,
    });
  });

  it('closes refunds beyond the captured amount, and leaves the refunds as they are', async () => {
    const { id } = await pay();
    done(await node.service.payments.capturePayment(id, {}, caller()));
    lost = new Set(['refund']);
    const references: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      done(await node.service.payments.refundPayment(id, {}, caller()));
      references.push((await resolved(id, { as: 'failed' })).attempt.reference);
    }
    const told = await nodeOn(stores, {
      timings,
      processor: scripted(stores.sandbox, {
        notifications: (reference) => [
          {
            notificationId: `n-${reference}`,
            occurredAt: world.now(),
            subject: { reference },
            about: {
              operation: 'refund',
              outcome: {
                kind: 'succeeded',
                processorTransactionId: transactionIdOf('refund', reference),
                amount: 1_000,
                currencyCode: 'EUR',
              },
            },
          },
        ],
      }),
    });
    for (const raw of references) {
      const received = await told.service.notifications.receiveNotification(
        { processor: 'sandbox', raw, headers: {} },
        caller(),
      );
      if (received.kind !== 'received') throw new Error(received.kind);
      await received.handled;
    }
    const totals = { status: 'SETTLED', amountCaptured: 1_000, amountRefunded: 2_000, amountRefundable: 0 };
    expect(await current(id)).to.include(totals);
    expect(await resolve(id, { as: 'failed' })).to.deep.include({ kind: 'rejected', errorId: 'InvalidPaymentStatus' });
    const closed = await resolve(id, { evidence: 'the customer paid back by card 4242424242424242' });
    expect(closed).to.include({ kind: 'matter_closed', matter: 'OVER_REFUNDED', amount: 1_000 });
    const { event, metadata } = await lastEvent(id, 'OverRefundAccepted');
    expect(event.data).to.deep.include({
      amount: 1_000,
      evidence: { source: 'operator', detail: 'the customer paid back by card 4242420000004242' },
    });
    expect(metadata.actor).to.deep.equal({ kind: 'operator', id: 'cli' });
    expect(await current(id)).to.include(totals);
    expect(await resolve(id)).to.deep.include({ kind: 'rejected', errorId: 'InvalidPaymentStatus' });
  });

  it('settles an attempt that the processor accepted and never answered', async () => {
    node = await nodeOn(stores, {
      timings,
      processor: scripted(stores.sandbox, { perform: async () => ({ kind: 'pending', processorTransactionId: 'tx' }) }),
    });
    const { id } = await pay();
    expect(await resolved(id)).to.include({ isOwnReference: false, transactionId: 'tx' });
    const { id: other } = await pay();
    expect((await resolved(other, { as: 'failed' })).payment).to.include({ status: 'FAILED' });
  });

  it('is refused while the call may be under way, when no attempt is unknown, and where the processor cannot be reached', async () => {
    const { id: settled } = await pay();
    expect(await resolve(settled)).to.deep.include({ kind: 'rejected', errorId: 'InvalidPaymentStatus' });
    expect(await resolve('pay_none')).to.deep.include({ kind: 'rejected', errorId: 'NotFound' });
    let begun: () => void = () => undefined;
    const underWay = new Promise<void>((resume) => {
      begun = resume;
    });
    const dying = await nodeOn(stores, {
      processor: scripted(stores.sandbox, {
        perform: () => {
          begun();
          return new Promise(() => undefined);
        },
      }),
    });
    const alive = node;
    node = dying;
    void pay();
    await underWay;
    node = await nodeOn(stores);
    const { rows } = await node.service.queries.listPayments(ACCOUNT, { status: ['PENDING'] }, 1);
    const id = rows[0]?.id ?? '';
    expect(await resolve(id)).to.deep.include({ kind: 'rejected', errorId: 'Conflict' });
    world.pass(30_000);
    expect((await resolved(id, { as: 'failed' })).payment).to.include({ status: 'FAILED' });
    lost = new Set(['authorization']);
    node = alive;
    const { id: unknown } = await pay();
    node = await nodeOn(stores, { processor: { ...scripted(stores.sandbox, {}), name: 'another' } });
    expect(await resolve(unknown)).to.deep.include({ kind: 'rejected', errorId: 'ServiceUnavailable' });
    expect(await current(unknown)).to.include({ status: 'PENDING' });
  });
});
