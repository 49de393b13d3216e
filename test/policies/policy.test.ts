// Due work on several nodes: one does it, the others step in when it stays undone.
import { expect } from 'chai';
import { isKnown } from '../../src/domain/payment/queries.ts';
import { UnknownEvent } from '../../src/journal/envelope.ts';
import { type Policy, runDue, runPolicy } from '../../src/policies/policy.ts';
import { defaultTimings } from '../../src/projections/engine/timings.ts';
import { memoryReadModels } from '../../src/stores/memory/read-models.ts';
import type { Collection, ReadModels } from '../../src/stores/read-models.ts';
import { Alarm } from '../../src/world.ts';
import { SteppedClock } from '../projections/engine/stepped-world.ts';
import { calmWorld } from '../support/calm-world.ts';
import { card, checkout, memoryStores, merchant, nodeOn } from '../support/node.ts';
import { scripted } from '../support/scripted-processor.ts';
import { until } from '../support/until.ts';

interface Task {
  readonly dueAt: number;
}
const tasks: Collection<Task, 'dueAt'> = {
  name: 'tasks',
  version: 1,
  keys: { dueAt: ({ dueAt }) => dueAt },
  indexes: [['dueAt']],
};

describe('due work', () => {
  let readModels: ReadModels;
  let clock: SteppedClock;
  let acted: { readonly id: string; readonly at: number }[];
  beforeEach(async () => {
    readModels = memoryReadModels();
    clock = new SteppedClock();
    acted = [];
    await readModels.write(tasks, [{ id: 'a', revision: 0, doc: { dueAt: 2_000 } }]);
  });

  /** When, ms, the task was done in the first two minutes. */
  const doneAt = async (
    elsewhereMs: number | undefined,
    isWorkElsewhere: () => boolean,
  ): Promise<readonly number[]> => {
    const policy: Policy<Task, 'dueAt'> = {
      name: 'test',
      of: tasks,
      due: 'dueAt',
      graceMs: 500,
      everyMs: 1_000,
      ...(elsewhereMs !== undefined && { elsewhereMs }),
      act: async ({ id }) => void acted.push({ id, at: clock.now }),
    };
    const world = { ...clock.world(), now: () => clock.now };
    const stopping = new AbortController();
    const parts = { readModels, isBuilt: () => true, isWorkElsewhere, alarm: new Alarm() };
    const running = runPolicy(policy, parts, { world, report: () => undefined }, stopping.signal);
    await clock.pass(120_000);
    stopping.abort();
    await running;
    return acted.map(({ at }) => at);
  };

  it('is done when it falls due by the node that holds the lease, or while no other node is known to be alive', async () => {
    expect((await doneAt(30_000, () => false))[0]).to.equal(3_000);
  });

  it('is left to the node that does it, and done by another one when it stays undone', async () => {
    expect((await doneAt(30_000, () => true))[0]).to.equal(33_000);
  });

  it('is never done twice where it may stay due for ever', async () => {
    expect(await doneAt(undefined, () => true)).to.deep.equal([]);
  });

  it('is taken up at the next round when the other node is gone', async () => {
    expect((await doneAt(undefined, () => clock.now < 60_000))[0]).to.equal(60_000);
  });

  it('is done at once when the alarm is rung, even during a round', async () => {
    const alarm = new Alarm();
    let ahead = 0;
    const policy: Policy<Task, 'dueAt'> = {
      name: 'test',
      of: tasks,
      due: 'dueAt',
      graceMs: 0,
      everyMs: 60_000,
      act: async ({ id }) => {
        acted.push({ id, at: clock.now });
        if (acted.length === 1) alarm.ring();
      },
    };
    const world = { ...clock.world(), now: () => clock.now + ahead };
    const stopping = new AbortController();
    const parts = { readModels, isBuilt: () => true, isWorkElsewhere: () => false, alarm };
    const running = runPolicy(policy, parts, { world, report: () => undefined }, stopping.signal);
    await clock.pass(1_000);
    expect(acted).to.deep.equal([]);
    ahead = 7 * 86_400_000;
    alarm.ring();
    await clock.pass(0);
    expect(acted.map(({ at }) => at)).to.deep.equal([1_000, 1_000]);
    await clock.pass(59_000);
    expect(acted.length).to.equal(2);
    stopping.abort();
    await running;
  });

  it('that a movement of the clock made due is left to the node that does it as long as any other', async () => {
    const alarm = new Alarm();
    let ahead = 0;
    const policy: Policy<Task, 'dueAt'> = {
      name: 'test',
      of: tasks,
      due: 'dueAt',
      graceMs: 0,
      everyMs: 1_000,
      elsewhereMs: 30_000,
      act: async ({ id }) => void acted.push({ id, at: clock.now }),
    };
    await readModels.write(tasks, [{ id: 'a', revision: 1, doc: { dueAt: 86_400_000 } }]);
    const world = { ...clock.world(), now: () => clock.now + ahead };
    const stopping = new AbortController();
    const parts = { readModels, isBuilt: () => true, isWorkElsewhere: () => true, alarm };
    const running = runPolicy(policy, parts, { world, report: () => undefined }, stopping.signal);
    await clock.pass(60_500);
    ahead = 7 * 86_400_000;
    alarm.ring();
    await clock.pass(60_000);
    stopping.abort();
    await running;
    expect(acted[0]?.at).to.equal(90_500);
  });

  it('that stays due, thousands of times, delays later work for one round alone', async () => {
    const many = memoryReadModels();
    const stuckTasks = Array.from({ length: 5_000 }, (_, index) => ({
      id: `t-${index}`,
      revision: 0,
      doc: { dueAt: 1_000 },
    }));
    await many.write(tasks, [...stuckTasks, { id: 'later', revision: 0, doc: { dueAt: 2_000 } }]);
    const tried = new Map<string, number>();
    const policy: Policy<Task, 'dueAt'> = {
      name: 'test',
      of: tasks,
      due: 'dueAt',
      graceMs: 0,
      everyMs: 1_000,
      act: async ({ id }) => void tried.set(id, (tried.get(id) ?? 0) + 1),
    };
    const place = {};
    const on = { world: calmWorld, report: () => undefined };
    expect(await runDue(policy, many, on, 0, place)).to.equal(5_000);
    expect(tried.has('later')).to.equal(false);
    expect(await runDue(policy, many, on, 0, place)).to.equal(1);
    expect(tried.get('later')).to.equal(1);
    expect(await runDue(policy, many, on, 0, place)).to.equal(5_000);
    expect(tried.get('t-0')).to.equal(2);
  });

  it('that hangs keeps no other from its turn: a hundred are under way at once, and a place that is free is taken', async () => {
    const many = memoryReadModels();
    await many.write(
      tasks,
      Array.from({ length: 450 }, (_, index) => ({ id: `t-${index}`, revision: 0, doc: { dueAt: 1_000 + index } })),
    );
    const done: string[] = [];
    let [underWay, most] = [0, 0];
    let letGo: () => void = () => undefined;
    const hanging = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const policy: Policy<Task, 'dueAt'> = {
      name: 'test',
      of: tasks,
      due: 'dueAt',
      graceMs: 0,
      everyMs: 1_000,
      act: async ({ id }) => {
        underWay += 1;
        most = Math.max(most, underWay);
        if (id === 't-0') await hanging;
        else await new Promise((resume) => setImmediate(resume));
        underWay -= 1;
        done.push(id);
        if (done.length === 449) letGo();
      },
    };
    expect(await runDue(policy, many, { world: calmWorld, report: () => undefined })).to.equal(450);
    expect([most, done.length, done.at(-1)]).to.deep.equal([100, 450, 't-0']);
  });

  it('that needs an event which only a newer node knows is that node’s, and no fault', async () => {
    const reported: unknown[] = [];
    const failing = (fault: Error): Policy<Task, 'dueAt'> => ({
      name: 'test',
      of: tasks,
      due: 'dueAt',
      graceMs: 0,
      everyMs: 1_000,
      act: () => Promise.reject(fault),
    });
    const on = { world: calmWorld, report: (fault: unknown) => void reported.push(fault) };
    const broken = new Error('broken');
    await runDue(failing(new UnknownEvent({ stream: 'task-a', revision: 1 }, 'unknown type')), readModels, on);
    await runDue(failing(broken), readModels, on);
    expect(reported).to.deep.equal([broken]);
  });
});

describe('two nodes on the same stores', () => {
  it('look an unknown outcome up once, not once each', async () => {
    const stores = await memoryStores();
    const { sandbox } = stores;
    let lookUps = 0;
    const silent = scripted(sandbox, {
      perform: () => new Promise(() => undefined),
      lookUp: async () => {
        lookUps += 1;
        // longer than a round: a second node would ask as well
        await calmWorld.sleep(1_200, new AbortController().signal);
        return { kind: 'unknown', detail: 'the processor cannot tell' };
      },
    });
    const options = {
      processor: silent,
      timings: { sendWithinMs: 100, answerWithinMs: 1_500, abandonAfterMs: 60_000 },
      engineTimings: { ...defaultTimings, leaseBeatMs: 20 },
      cardTestingLimits: false,
    };
    const [one, other] = [await nodeOn(stores, options), await nodeOn(stores, options)];
    const stopping = new AbortController();
    const running = [one.service.run(stopping.signal)];
    await until(() => one.service.projections.readiness().ready);
    running.push(other.service.run(stopping.signal));
    await until(() => other.service.projections.isWorkElsewhere());
    const { service } = one;
    const session = await service.sessions.createClientSession(
      { orderId: 'o', currencyCode: 'EUR', amount: 5 },
      merchant('acc_1'),
    );
    if (session.kind === 'rejected') throw new Error(session.description);
    const token = await service.instruments.tokenizeCard(card(), checkout('acc_1', session.id));
    if (token.kind === 'rejected') throw new Error(token.description);
    const paid = await service.payments.authorizePayment(
      { clientToken: session.clientToken, paymentMethodToken: token.id },
      merchant('acc_1'),
    );
    if (paid.kind === 'rejected') throw new Error(paid.description);
    await until(async () => {
      const { state } = await service.streams.payments.current(paid.id);
      return isKnown(state) && state.attempts.some((attempt) => attempt.lookUps > 0);
    });
    expect(lookUps).to.equal(1);
    stopping.abort();
    await Promise.all(running);
    expect([...one.reported, ...other.reported]).to.deep.equal([]);
  });
});
