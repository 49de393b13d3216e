// Look-ups that are due come in crowds: the processor is not overrun, and a hanging look-up delays no other.
import { expect } from 'chai';
import pLimit from 'p-limit';
import { LOOK_UPS_AT_ONCE } from '../../src/commands/payments/look-up-attempts.ts';
import { isUnanswered } from '../../src/domain/payment/attempt.ts';
import type { LookUp } from '../../src/domain/payment/outcome.ts';
import { isKnown } from '../../src/domain/payment/queries.ts';
import { attendDisputes } from '../../src/policies/due-work.ts';
import { runDue } from '../../src/policies/policy.ts';
import type { Call, OperationRequest, Processor } from '../../src/processors/processor.ts';
import { payments } from '../../src/projections/models/payments.ts';
import { done } from '../support/answers.ts';
import { about, callOf } from '../support/call-of.ts';
import { disputedPayment, TO_ANSWER_MS } from '../support/disputed-payment.ts';
import { card, checkout, lookUpDue, memoryStores, merchant, nodeOn } from '../support/node.ts';
import { scripted } from '../support/scripted-processor.ts';
import { movableWorld } from '../support/test-world.ts';
import { until } from '../support/until.ts';

const ACCOUNT = 'acc_1';
const PAYMENTS = 150;

describe('a crowd of unknown outcomes', () => {
  it('is looked up a few at a time, even after a look-up that hangs, and a caller with a new request waits for none', async () => {
    const world = movableWorld();
    const stores = await memoryStores(world);
    let [underWay, most] = [0, 0];
    let hangs: string | undefined;
    let isOver = false;
    const lookUp = async ({ reference }: OperationRequest, { signal }: Call): Promise<LookUp> => {
      underWay += 1;
      most = Math.max(most, underWay);
      hangs ??= reference;
      if (reference === hangs && !isOver)
        await new Promise((resume) => signal.addEventListener('abort', resume, { once: true }));
      else await new Promise((resume) => setImmediate(resume));
      underWay -= 1;
      return stores.sandbox.lookUp(about(reference), callOf());
    };
    const { service, reported } = await nodeOn(stores, {
      timings: { sendWithinMs: 1_000, answerWithinMs: 1_500, abandonAfterMs: 60_000 },
      circuit: { windowMs: 30_000, minCalls: Number.POSITIVE_INFINITY, failedShare: 1, openMs: 1 },
      cardTestingLimits: false,
      processor: scripted(stores.sandbox, {
        perform: (request, call) =>
          stores.sandbox.perform(request, call).then(() => ({ kind: 'unknown', detail: 'reset' })),
        lookUp,
      }),
    });
    const caller = () => merchant(ACCOUNT, world);
    const ids: string[] = [];
    for (let made = 0; made < PAYMENTS; made += 1) {
      const session = await service.sessions.createClientSession(
        { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 },
        caller(),
      );
      if (session.kind === 'rejected') throw new Error(session.errorId);
      const paymentMethodToken = done(
        await service.instruments.tokenizeCard(card(), checkout(ACCOUNT, session.id, world)),
      ).id;
      ids.push(
        done(
          await service.payments.authorizePayment({ clientToken: session.clientToken, paymentMethodToken }, caller()),
        ).id,
      );
    }
    world.pass(31_000);
    const round = lookUpDue({ service });
    const last = ids.at(-1) ?? '';
    // asked first, and known: its void is lost as well
    expect(done(await service.payments.cancelPayment(last, {}, caller())).status).to.equal(202);
    const open = async () => {
      const rows = await service.readModels.find(payments, { where: {}, limit: PAYMENTS });
      return rows.filter(
        ({ doc }) => isKnown(doc) && doc.attempts.some((one) => one.operation === 'authorization' && isUnanswered(one)),
      );
    };
    await until(async () => (await open()).length <= 1);
    expect(hangs).to.equal((await open()).map(({ doc }) => isKnown(doc) && doc.attempts[0]?.reference)[0]);
    expect(await round).to.equal(PAYMENTS);
    expect(most).to.be.within(LOOK_UPS_AT_ONCE, LOOK_UPS_AT_ONCE + 1);
    isOver = true;
    world.pass(300_000);
    await lookUpDue({ service });
    expect(await open()).to.deep.equal([]);
    expect(reported).to.deep.equal([]);
  });
});

describe('a crowd of disputes whose time is over', () => {
  it('is looked up as few at a time as unknown outcomes are', async () => {
    const world = movableWorld();
    const stores = await memoryStores(world);
    let [underWay, most] = [0, 0];
    const lookUpDispute: NonNullable<Processor['lookUpDispute']> = async (question, call) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resume) => setImmediate(resume));
      underWay -= 1;
      return stores.sandbox.lookUpDispute(question, call);
    };
    const { service, reported } = await nodeOn(stores, {
      cardTestingLimits: false,
      processor: scripted(stores.sandbox, { lookUpDispute }),
    });
    const disputes = LOOK_UPS_AT_ONCE + 10;
    for (let made = 0; made < disputes; made += 1) await disputedPayment(service, world, ACCOUNT);
    world.advance(TO_ANSWER_MS);
    const attend = () => runDue(attendDisputes(service.work), service.readModels, service.work);
    expect([await attend(), await attend()]).to.deep.equal([disputes, 0]);
    expect(most).to.equal(LOOK_UPS_AT_ONCE);
    expect(reported).to.deep.equal([]);
  });
});

describe('limited work', () => {
  it('is done by so many at once, in its order, and a failure frees its place', async () => {
    const limited = pLimit(2);
    const order: number[] = [];
    const gates = [0, 1, 2, 3].map(() => {
      let open: () => void = () => undefined;
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      return { opened, open: () => open() };
    });
    const works = gates.map(({ opened }, index) =>
      limited(async () => {
        order.push(index);
        await opened;
        if (index === 0) throw new Error('it failed');
        return index;
      }),
    );
    const results = Promise.allSettled(works);
    await new Promise((resume) => setImmediate(resume));
    expect(order).to.deep.equal([0, 1]);
    gates[0]?.open();
    await new Promise((resume) => setImmediate(resume));
    expect(order).to.deep.equal([0, 1, 2]);
    for (const { open } of gates) open();
    expect((await results).map(({ status }) => status)).to.deep.equal([
      'rejected',
      'fulfilled',
      'fulfilled',
      'fulfilled',
    ]);
    expect(await limited(async () => 5)).to.equal(5);
  });
});
