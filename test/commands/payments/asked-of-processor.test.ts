// The requests to a processor: everything that it needs of the payment and of earlier attempts, by its own names
// (docs/adding-a-processor.md).
import { expect } from 'chai';
import type { LookUp, Outcome } from '../../../src/domain/payment/outcome.ts';
import { settleAttempt } from '../../../src/domain/payment/settle.ts';
import { operatorContext } from '../../../src/journal/contexts.ts';
import type { OperationRequest } from '../../../src/processors/processor.ts';
import { done, known } from '../../support/answers.ts';
import { card, checkout, lookUpDue, memoryStores, merchant, nodeOn, type TestNode } from '../../support/node.ts';
import { scripted } from '../../support/scripted-processor.ts';
import { type MovableWorld, movableWorld } from '../../support/test-world.ts';

const ACCOUNT = 'acc_1';

describe('the request to a processor', () => {
  let world: MovableWorld;
  let node: TestNode;
  let asked: OperationRequest[];
  /** The next call of this operation is done, and its answer is lost; a look-up then finds what `found` says. */
  let lost: OperationRequest['operation'] | undefined;
  let found: LookUp | undefined;
  let lookedUp: OperationRequest[];
  /** The answers to the next calls, in place of the sandbox's. */
  let answers: Outcome[];
  beforeEach(async () => {
    world = movableWorld();
    const stores = await memoryStores(world);
    [asked, lookedUp, answers, lost, found] = [[], [], [], undefined, undefined];
    node = await nodeOn(stores, {
      timings: { sendWithinMs: 1_000, answerWithinMs: 5_000, abandonAfterMs: 60_000 },
      processor: scripted(stores.sandbox, {
        async perform(request, call) {
          asked.push(request);
          const outcome = answers.shift() ?? (await stores.sandbox.perform(request, call));
          return request.operation === lost ? { kind: 'unknown', detail: 'reset' } : outcome;
        },
        lookUp(request) {
          lookedUp.push(request);
          return found;
        },
      }),
    });
  });
  const caller = () => merchant(ACCOUNT, world);
  const pay = async (fields: object = {}) => {
    const made = await node.service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000, ...fields },
      caller(),
    );
    if (made.kind === 'rejected') throw new Error(made.errorId);
    const paymentMethodToken = done(
      await node.service.instruments.tokenizeCard(card(), checkout(ACCOUNT, made.id, world)),
    ).id;
    return done(
      await node.service.payments.authorizePayment({ clientToken: made.clientToken, paymentMethodToken }, caller()),
    ).id;
  };
  const attempts = async (id: string) => known((await node.service.streams.payments.current(id)).state).attempts;
  /** The processor's name for what was done with the request. */
  const nameOf = async (id: string, request: OperationRequest | undefined) => ({
    processorTransactionId: (await attempts(id)).find(({ reference }) => reference === request?.reference)
      ?.processorTransactionId,
  });
  const only = (requests: readonly OperationRequest[]): OperationRequest => {
    const [request, ...more] = requests;
    if (request === undefined || more.length > 0) throw new Error(`${requests.length} requests`);
    return request;
  };

  it('for an authorization names card, descriptor, type and billing address, where the payment has them', async () => {
    const billingAddress = { city: 'Berlin', countryCode: 'DE' };
    const id = await pay({
      customer: { billingAddress },
      paymentMethod: { descriptor: 'SHOP', paymentType: 'ECOMMERCE' },
    });
    const [attempt] = await attempts(id);
    const common = { operation: 'authorization', accountId: ACCOUNT, amount: 1_000, currencyCode: 'EUR' };
    expect(only(asked)).to.deep.include({
      ...common,
      paymentId: id,
      descriptor: 'SHOP',
      paymentType: 'ECOMMERCE',
      billingAddress,
    });
    expect(only(asked)).to.include({ reference: attempt?.reference, processorToken: attempt?.processorToken });
    asked = [];
    await pay();
    expect(only(asked))
      .to.include(common)
      .and.not.to.have.any.keys('descriptor', 'paymentType', 'billingAddress', 'offSession', 'threeDSecure');
  });

  it('for an authorization that the merchant begins says that the customer is not there', async () => {
    await pay({ paymentMethod: { paymentType: 'SUBSCRIPTION' } });
    expect(only(asked)).to.include({ offSession: true });
  });

  it('for a capture says whether the rest is released; for a refund, which captures it takes from, the oldest first', async () => {
    const id = await pay();
    const { payments } = node.service;
    done(await payments.capturePayment(id, { amount: 400, final: false }, caller()));
    done(await payments.capturePayment(id, { amount: 300 }, caller()));
    done(await payments.refundPayment(id, { amount: 500 }, caller()));
    const [authorization, first, second, refund] = asked;
    const about = { authorization: await nameOf(id, authorization) };
    expect(first).to.deep.include({ ...about, operation: 'capture', amount: 400, final: false });
    expect(second).to.deep.include({ ...about, operation: 'capture', amount: 300, final: true });
    expect(refund).to.deep.include({ ...about, operation: 'refund', amount: 500 });
    expect(refund).to.have.deep.property('captures', [await nameOf(id, first), await nameOf(id, second)]);
  });

  it('for a void names the authorization that it releases', async () => {
    const id = await pay();
    done(await node.service.payments.cancelPayment(id, {}, caller()));
    const [authorization, released] = asked;
    expect(released).to.deep.include({
      operation: 'cancellation',
      amount: 0,
      authorization: await nameOf(id, authorization),
    });
  });

  it('for the void of an authorization in whose place another one counts names the first, and the second asks for the customer', async () => {
    const second = {
      kind: 'succeeded',
      processorTransactionId: 'tx_second',
      amount: 1_000,
      currencyCode: 'EUR',
    } as const;
    answers = [{ kind: 'declined', code: 'AUTHENTICATION_REQUIRED', declineType: 'SOFT' }, second];
    const id = await pay();
    expect(
      asked.map((request) => [request.operation, 'threeDSecure' in request && request.threeDSecure]),
    ).to.deep.equal([
      ['authorization', false],
      ['authorization', 'ask'],
    ]);
    const [first] = await attempts(id);
    await node.service.payments.recordFact(id, operatorContext(world, ACCOUNT), (timing) =>
      settleAttempt({
        attemptId: first?.attemptId ?? '',
        outcome: { ...second, processorTransactionId: 'tx_first' },
        evidence: { source: 'notification' },
        source: 'notification',
        ...timing,
      }),
    );
    expect(asked.at(-1)).to.deep.include({
      operation: 'cancellation',
      authorization: { processorTransactionId: 'tx_first' },
    });
    await node.service.payments.capturePayment(id, {}, caller()); // the sandbox knows no such transaction, and says so
    expect(asked.at(-1)).to.deep.include({
      operation: 'capture',
      authorization: { processorTransactionId: 'tx_second' },
    });
  });

  it('names an attempt by our reference where only an operator has vouched for it', async () => {
    lost = 'authorization';
    found = { kind: 'unknown', detail: 'away' };
    const id = await pay();
    expect(await node.service.payments.resolvePayment(id, { as: 'succeeded', evidence: 'they see it' })).to.include({
      kind: 'resolved',
    });
    lost = 'capture';
    done(await node.service.payments.capturePayment(id, {}, caller()));
    const [authorization, capture] = asked;
    expect(capture).to.deep.include({ authorization: { reference: authorization?.reference } });
    expect(await node.service.payments.resolvePayment(id, { as: 'succeeded', evidence: 'they see it' })).to.include({
      kind: 'resolved',
    });
    done(await node.service.payments.refundPayment(id, {}, caller()));
    expect(asked.at(-1)).to.have.deep.property('captures', [{ reference: capture?.reference }]);
  });

  it('for the refund of a capture that was done too late names that capture, which no refund is allocated to', async () => {
    const id = await pay();
    lost = 'capture';
    found = { kind: 'unknown', detail: 'away' };
    done(await node.service.payments.capturePayment(id, { amount: 400, final: false }, caller()));
    expect(await node.service.payments.resolvePayment(id, { as: 'failed', evidence: 'they do not see it' })).to.include(
      {
        kind: 'resolved',
      },
    );
    done(await node.service.payments.cancelPayment(id, {}, caller()));
    const { attemptId, reference } =
      (await attempts(id)).find(({ operation }) => operation === 'capture') ?? expect.fail();
    await node.service.payments.recordFact(id, operatorContext(world, ACCOUNT), (timing) =>
      settleAttempt({
        attemptId,
        outcome: { kind: 'succeeded', processorTransactionId: 'tx_late', amount: 400, currencyCode: 'EUR' },
        evidence: { source: 'notification' },
        source: 'notification',
        ...timing,
      }),
    );
    expect(asked.find(({ operation }) => operation === 'refund')).to.deep.include({
      amount: 400,
      captures: [{ processorTransactionId: 'tx_late' }],
    });
    expect(reference).to.equal(asked.find(({ operation }) => operation === 'capture')?.reference);
  });

  it('is the same in a look-up as in the call', async () => {
    lost = 'authorization';
    found = { kind: 'unknown', detail: 'away' };
    const id = await pay({ paymentMethod: { descriptor: 'SHOP' } });
    world.advance(31_000);
    await lookUpDue(node);
    expect(lookedUp.length).to.be.greaterThan(0);
    // Where the customer comes back to is told to the call alone.
    for (const request of lookedUp) expect({ ...only(asked), ...request }).to.deep.equal(only(asked));
    expect(lookedUp[0])
      .to.include({ descriptor: 'SHOP', reference: only(asked).reference })
      .and.not.to.have.property('returnUrl');
    expect((await attempts(id))[0]).to.include({ state: 'unknown' });
  });

  it('that a look-up finds accepted has the processor’s name from then on', async () => {
    lost = 'authorization';
    found = { kind: 'pending', processorTransactionId: 'tx_working' };
    const id = await pay();
    world.advance(31_000);
    await lookUpDue(node);
    expect((await attempts(id))[0]).to.include({ state: 'pending', processorTransactionId: 'tx_working' });
  });
});
