// A processor that answers again after an outage is asked about open attempts at once, not hours later by the schedule.
import { expect } from 'chai';
import type { CircuitLimits } from '../../src/commands/limits/circuit.ts';
import { isUnanswered } from '../../src/domain/payment/attempt.ts';
import type { LookUp, Outcome } from '../../src/domain/payment/outcome.ts';
import { isKnown } from '../../src/domain/payment/queries.ts';
import { askAboutOpen } from '../../src/policies/ask-after-outages.ts';
import type { Call, OperationRequest, Processor } from '../../src/processors/processor.ts';
import { payments } from '../../src/projections/models/payments.ts';
import type { ReadModels } from '../../src/stores/read-models.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { done } from '../support/answers.ts';
import {
  card,
  checkout,
  lookUpDue,
  memoryStores,
  merchant,
  nodeOn,
  type Stores,
  type TestNode,
} from '../support/node.ts';
import { scripted } from '../support/scripted-processor.ts';
import { type MovableWorld, movableWorld } from '../support/test-world.ts';
import { until } from '../support/until.ts';

const ACCOUNT = 'acc_1';
const LOST = { kind: 'unknown', detail: 'reset' } as const;

const CIRCUIT = { accountId: ACCOUNT, connectionId: 'sandbox' };

describe('a processor that answers again', () => {
  let world: MovableWorld;
  let stores: Stores;
  let node: TestNode;
  let isUnavailable: boolean;
  /** Every answer is lost; effects at the processor stay. */
  const performed = async (outcome: Promise<Outcome>): Promise<Outcome> =>
    isUnavailable ? outcome.then(() => LOST) : outcome;
  let asked: number;
  let running: number;
  let mostAtOnce: number;
  let open: (circuit: CircuitLimits) => Promise<TestNode>;
  beforeEach(async () => {
    world = movableWorld();
    stores = await memoryStores(world);
    [isUnavailable, asked] = [true, 0];
    [running, mostAtOnce] = [0, 0];
    const lookUp = async (request: OperationRequest, call: Call): Promise<LookUp> => {
      asked += 1;
      running += 1;
      mostAtOnce = Math.max(mostAtOnce, running);
      await new Promise((resume) => setImmediate(resume));
      running -= 1;
      return isUnavailable ? LOST : stores.sandbox.lookUp(request, call);
    };
    const perform = (...call: Parameters<Processor['perform']>) => performed(stores.sandbox.perform(...call));
    open = (circuit) =>
      nodeOn(stores, {
        circuit,
        cardTestingLimits: false,
        processor: scripted(stores.sandbox, { perform, lookUp, fence: lookUp }),
      });
    node = await open({ windowMs: 30_000, minCalls: 3, failedShare: 0.5, openMs: 10_000 });
  });

  const pay = async (): Promise<string> => {
    const { service } = node;
    const caller = merchant(ACCOUNT, world);
    const session = await service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 },
      caller,
    );
    if (session.kind === 'rejected') throw new Error(session.errorId);
    const paymentMethodToken = done(
      await service.instruments.tokenizeCard(card(), checkout(ACCOUNT, session.id, world)),
    ).id;
    return done(
      await service.payments.authorizePayment({ clientToken: session.clientToken, paymentMethodToken }, caller),
    ).id;
  };
  const unanswered = async (): Promise<number> => {
    const rows = await node.service.readModels.find(payments, { where: {}, limit: 200 });
    return rows.filter(({ doc }) => isKnown(doc) && doc.attempts.some(isUnanswered)).length;
  };
  const askAfterwards = () => askAboutOpen(node.service.work, node.service.readModels, new AbortController().signal);
  /** Payments whose look-ups failed: the next ones are due in an hour. */
  const outage = async (): Promise<void> => {
    for (let made = 0; made < 3; made += 1) await pay();
    world.pass(31_000);
    expect(await lookUpDue(node)).to.equal(3);
    world.pass(300_000);
    expect(await lookUpDue(node)).to.equal(3);
    expect([await unanswered(), node.service.circuits.isOpen(CIRCUIT)]).to.deep.equal([3, true]);
  };

  it('is asked about all of it when its circuit closes, once', async () => {
    await outage();
    await askAfterwards();
    expect([await unanswered(), asked]).to.deep.equal([3, 6]);
    isUnavailable = false;
    world.pass(10_000);
    await pay(); // any call may try; the tokenization of its card closes the circuit
    expect(node.service.circuits.isOpen(CIRCUIT)).to.equal(false);
    expect(await lookUpDue(node)).to.equal(0);
    await askAfterwards();
    expect([await unanswered(), asked]).to.deep.equal([0, 9]);
    await askAfterwards();
    expect(asked).to.equal(9);
  });

  it('is asked again at its time about attempts that it does not answer after all', async () => {
    await outage();
    const before = await node.service.readModels.find(payments, { where: { dueAt: { from: 0 } }, limit: 10 });
    isUnavailable = false;
    world.pass(10_000);
    await pay();
    isUnavailable = true;
    await askAfterwards();
    expect([await unanswered(), asked]).to.deep.equal([3, 9]);
    expect(await node.service.readModels.find(payments, { where: { dueAt: { from: 0 } }, limit: 10 })).to.deep.equal(
      before,
    );
  });

  it('is asked no more when its circuit opens again meanwhile', async () => {
    node = await open({ windowMs: 30_000, minCalls: 20, failedShare: 0.9, openMs: 10_000 });
    isUnavailable = false;
    for (let made = 0; made < 20; made += 1) await pay();
    isUnavailable = true;
    for (let made = 0; made < 120; made += 1) await pay();
    world.pass(31_000);
    expect(await lookUpDue(node)).to.equal(120);
    expect(node.service.circuits.isOpen(CIRCUIT)).to.equal(true);
    isUnavailable = false;
    world.pass(10_000);
    await pay();
    isUnavailable = true;
    await askAfterwards();
    expect([await unanswered(), asked]).to.deep.equal([120, 220]);
  });

  it('is asked when the read models are back, where they were unavailable as it answered again', async () => {
    await outage();
    isUnavailable = false;
    world.pass(10_000);
    await pay();
    const { work, readModels } = node.service;
    const gone = new StoreUnavailable('unavailable');
    const find: ReadModels['find'] = () => Promise.reject(gone);
    const signal = new AbortController().signal;
    expect(await askAboutOpen(work, { ...readModels, find }, signal).catch((fault: unknown) => fault)).to.equal(gone);
    expect([await unanswered(), asked]).to.deep.equal([3, 6]);
    await askAfterwards();
    expect([await unanswered(), asked]).to.deep.equal([0, 9]);
  });

  it('is not asked about all of it at the same moment', async () => {
    node = await open({ windowMs: 30_000, minCalls: 30, failedShare: 0.5, openMs: 10_000 });
    for (let made = 0; made < 30; made += 1) await pay();
    expect(node.service.circuits.isOpen(CIRCUIT)).to.equal(true);
    isUnavailable = false;
    world.pass(10_000);
    await pay();
    await askAfterwards();
    expect([await unanswered(), asked, mostAtOnce]).to.deep.equal([0, 30, 20]);
  });

  it('wakes a running service', async () => {
    await outage();
    const stop = new AbortController();
    const running = node.service.run(stop.signal);
    isUnavailable = false;
    world.pass(10_000);
    await pay();
    const closedAt = world.monotonic();
    await until(async () => (await unanswered()) === 0);
    expect(world.monotonic() - closedAt).to.be.below(30_000); // on its own it looks once a minute
    stop.abort();
    await running;
    expect(asked).to.equal(9);
  });
});
