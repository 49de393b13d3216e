// Payments with an unknown outcome: the list of the command line and the metric show the same ones, and no call under
// way.
import { expect } from 'chai';
import type { Outcome } from '../../src/domain/payment/outcome.ts';
import { isKnown } from '../../src/domain/payment/queries.ts';
import { settleAttempt } from '../../src/domain/payment/settle.ts';
import { processorContext } from '../../src/journal/contexts.ts';
import { payments } from '../../src/projections/models/payments.ts';
import { awaitingOperator, unknownOutcomes, unresolvedPayments } from '../../src/queries/unknown-outcomes.ts';
import { done } from '../support/answers.ts';
import { card, checkout, memoryStores, merchant, nodeOn, type Stores, type TestNode } from '../support/node.ts';
import { scripted } from '../support/scripted-processor.ts';
import { type MovableWorld, movableWorld } from '../support/test-world.ts';
import { until } from '../support/until.ts';

const ACCOUNT = 'acc_1';
const APPROVED = '4242424242424242';
const PENDING = '4000009900001036';

describe('payments with an unknown outcome', () => {
  let world: MovableWorld;
  let stores: Stores;
  let node: TestNode;
  /** Answers the calls that hang. */
  let answer: (outcome: Outcome) => void;
  let told: Outcome | 'hangs' | undefined;
  beforeEach(async () => {
    world = movableWorld();
    stores = await memoryStores(world);
    told = undefined;
    const hanging = new Promise<Outcome>((resolve) => {
      answer = resolve;
    });
    const perform = () => (told === 'hangs' ? hanging : told && Promise.resolve(told));
    node = await nodeOn(stores, { processor: scripted(stores.sandbox, { perform }) });
  });

  const authorize = async (number: string, accountId = ACCOUNT) => {
    const { service } = node;
    const caller = merchant(accountId, world);
    const session = await service.sessions.createClientSession(
      { orderId: 'o', currencyCode: 'EUR', amount: 1_000 },
      caller,
    );
    if (session.kind === 'rejected') throw new Error(session.errorId);
    const token = done(await service.instruments.tokenizeCard(card(number), checkout(accountId, session.id, world)));
    return service.payments.authorizePayment(
      { clientToken: session.clientToken, paymentMethodToken: token.id },
      caller,
    );
  };
  const unknown = async (limit = 10, where = {}): Promise<readonly string[]> =>
    (await unknownOutcomes(node.service.readModels, world.now(), { where, limit })).rows.map(({ id }) => id);
  const forOperators = async (): Promise<readonly string[]> =>
    (await awaitingOperator(node.service.readModels, world.now(), { limit: 10 })).rows.map(({ id }) => id);
  const LOST: Outcome = { kind: 'unknown', detail: 'reset' };

  it('are none while the call is under way, and none when the processor has accepted it', async () => {
    await authorize(PENDING);
    told = 'hangs';
    const running = authorize(APPROVED);
    await until(
      async () =>
        (await node.service.readModels.find(payments, { where: { status: ['PENDING'] }, limit: 3 })).length === 2,
    );
    expect(await unknown()).to.deep.equal([]);
    answer({ kind: 'not_sent', detail: 'refused' });
    await running;
    expect(await unknown()).to.deep.equal([]);
  });

  it('are those whose answer was lost, at once', async () => {
    told = LOST;
    const { id } = done(await authorize(APPROVED));
    expect(await unknown()).to.deep.equal([id]);
  });

  it('are those without an answer when their call must be over, because the process that made it is gone', async () => {
    told = 'hangs';
    const running = authorize(APPROVED);
    await until(
      async () =>
        (await node.service.readModels.find(payments, { where: { status: ['PENDING'] }, limit: 1 })).length === 1,
    );
    world.advance(10_000);
    expect(await unknown()).to.deep.equal([]);
    world.advance(21_000);
    expect(await unknown()).to.have.length(1);
    answer({ kind: 'declined', code: 'GENERIC_DECLINE', declineType: 'HARD' });
    await running;
    expect(await unknown()).to.deep.equal([]);
  });

  it('are listed in the order of their next look-up, within a limit, and of one account or status where that is asked for', async () => {
    told = LOST;
    const first = done(await authorize(APPROVED)).id;
    world.advance(1_000);
    const second = done(await authorize(APPROVED, 'acc_2')).id;
    expect(await unknown()).to.deep.equal([first, second]);
    expect(await unknown(1)).to.deep.equal([first]);
    expect(await unknown(10, { accountId: ['acc_2'] })).to.deep.equal([second]);
    expect(await unknown(10, { status: ['AUTHORIZED'] })).to.deep.equal([]);
  });

  it('are looked for among a bounded number of payments where that is asked for', async () => {
    await authorize(PENDING);
    world.advance(1_000);
    told = LOST;
    const { id } = done(await authorize(APPROVED));
    const lookedAt = async (most: number) => {
      const { rows, isWhole } = await unknownOutcomes(node.service.readModels, world.now(), {
        limit: 10,
        lookedAt: most,
      });
      return { ids: rows.map((row) => row.id), isWhole };
    };
    expect([await lookedAt(1), await lookedAt(2)]).to.deep.equal([
      { ids: [], isWhole: false },
      { ids: [id], isWhole: true },
    ]);
  });

  it('are a whole list when as many are listed as there are, and not when there is one more', async () => {
    told = LOST;
    for (let n = 0; n < 3; n += 1) {
      await authorize(APPROVED);
      world.advance(1_000);
    }
    const isWhole = async (limit: number) =>
      (await unresolvedPayments(node.service.readModels)(ACCOUNT, world.now(), limit)).isWhole;
    expect([await isWhole(2), await isWhole(3)]).to.deep.equal([false, true]);
  });

  it('are told apart from payments that only an operator closes, and a payment that is both is listed once', async () => {
    const { id } = done(await authorize(APPROVED));
    const { service } = node;
    const caller = merchant(ACCOUNT, world);
    done(await service.payments.capturePayment(id, {}, caller));
    told = LOST;
    done(await service.payments.refundPayment(id, { amount: 50 }, caller));
    told = { kind: 'declined', code: 'GENERIC_DECLINE', declineType: 'HARD' };
    for (const amount of [900, 901])
      expect(await service.payments.refundPayment(id, { amount }, caller)).to.include({ kind: 'rejected' });
    const { state } = await service.streams.payments.current(id);
    const [lost, ...declined] = isKnown(state) ? state.attempts.filter(({ operation }) => operation === 'refund') : [];
    const settle = (attemptId: string, outcome: Outcome) =>
      service.payments.recordFact(id, processorContext(world, 'sandbox', ACCOUNT, { correlationId: 'c' }), (timing) =>
        settleAttempt({ attemptId, outcome, evidence: { source: 'notification' }, source: 'notification', ...timing }),
      );
    // Both refunds succeeded after all: more is refunded than was captured.
    for (const { attemptId, amount } of declined)
      await settle(attemptId, { kind: 'succeeded', processorTransactionId: attemptId, amount, currencyCode: 'EUR' });
    expect([await unknown(), await forOperators()]).to.deep.equal([[id], []]);
    await settle(lost?.attemptId ?? '', { kind: 'declined', code: 'GENERIC_DECLINE', declineType: 'HARD' });
    expect([await unknown(), await forOperators()]).to.deep.equal([[], [id]]);
  });
});
