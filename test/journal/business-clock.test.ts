// The business clock of a store, as each process keeps it.
import { expect } from 'chai';
import { BusinessClock } from '../../src/journal/business-clock.ts';
import { openStoreStamp } from '../../src/journal/store-stamp.ts';
import { Secrets } from '../../src/secrets.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import { openMemoryEventStore } from '../../src/stores/memory/event-store.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { eventsIn } from '../contract/store-under-test.ts';
import { SteppedClock } from '../projections/engine/stepped-world.ts';
import { calmWorld } from '../support/calm-world.ts';

const DAY_MS = 86_400_000;

describe('the business clock', () => {
  let machine: SteppedClock;
  let events: EventStore;
  let reported: unknown[];
  beforeEach(async () => {
    machine = new SteppedClock();
    events = openMemoryEventStore();
    reported = [];
    await openStoreStamp(events, calmWorld, new Secrets([Buffer.alloc(32, 7)]), 'test');
  });
  const clockOfNode = (): BusinessClock => new BusinessClock({ ...machine.world(), now: () => machine.now });
  const report = (fault: unknown): void => void reported.push(fault);

  it('is the machine’s until it is moved, and moves business time only, never deadlines and leases', async () => {
    const clock = clockOfNode();
    await clock.look({ events });
    const times = () => [clock.world.now(), clock.world.steady(), clock.world.monotonic()];
    expect(times()).to.deep.equal([0, 0, 0]);
    expect(await clock.advance({ events }, 7 * DAY_MS)).to.equal(undefined);
    expect(times()).to.deep.equal([7 * DAY_MS, 7 * DAY_MS, 0]);
    expect(await clock.advance({ events }, -1)).to.include({ kind: 'rejected' });
    expect(times()).to.deep.equal([7 * DAY_MS, 7 * DAY_MS, 0]);
  });

  it('is moved on another node within its next look, which tells its listeners', async () => {
    const [operator, node] = [clockOfNode(), clockOfNode()];
    let told = 0;
    node.onMoved(() => {
      told += 1;
    });
    const stopping = new AbortController();
    const running = node.run({ events, report }, stopping.signal);
    await machine.pass(10_000);
    expect([node.offsetMs, told]).to.deep.equal([0, 0]);
    await operator.advance({ events }, DAY_MS);
    await machine.pass(260);
    expect([node.offsetMs, told]).to.deep.equal([DAY_MS, 1]);
    await machine.pass(10_000);
    expect(told).to.equal(1);
    stopping.abort();
    await running;
    expect(reported).to.deep.equal([]);
  });

  it('adds the movements of two operators at the same time', async () => {
    const [one, other] = [clockOfNode(), clockOfNode()];
    await Promise.all([one.advance({ events }, DAY_MS), other.advance({ events }, 2 * DAY_MS)]);
    const node = clockOfNode();
    await node.look({ events });
    expect(node.offsetMs).to.equal(3 * DAY_MS);
  });

  it('keeps its time while the store is unavailable, or does not answer, and goes on after that', async () => {
    const node = clockOfNode();
    let state: 'there' | 'unavailable' | 'silent' | 'broken' = 'there';
    const shaky: EventStore = {
      ...events,
      async *read(stream, after) {
        if (state === 'unavailable') throw new StoreUnavailable('unavailable');
        if (state === 'broken') throw new TypeError('broken');
        if (state === 'silent') await new Promise(() => undefined);
        yield* events.read(stream, after);
      },
    };
    const stopping = new AbortController();
    const running = node.run({ events: shaky, report }, stopping.signal);
    await machine.pass(300);
    await clockOfNode().advance({ events }, DAY_MS);
    for (const trouble of ['unavailable', 'broken', 'silent'] as const) {
      state = trouble;
      await machine.pass(5_000);
      expect(node.offsetMs).to.equal(0);
    }
    state = 'there';
    await machine.pass(2_500);
    expect(node.offsetMs).to.equal(DAY_MS);
    stopping.abort();
    await running;
    expect(reported.map(String)).to.deep.equal(['TypeError: broken']);
  });

  it('reports a fault once, and again when it comes back after the store has answered', async () => {
    let isBroken = true;
    const faulty: EventStore = {
      ...events,
      async *read(stream, after) {
        if (isBroken) throw new TypeError('broken');
        yield* events.read(stream, after);
      },
    };
    const stopping = new AbortController();
    const running = clockOfNode().run({ events: faulty, report }, stopping.signal);
    await machine.pass(1_000);
    expect(reported).to.have.length(1);
    isBroken = false;
    await machine.pass(1_000);
    isBroken = true;
    await machine.pass(1_000);
    expect(reported).to.have.length(2);
    stopping.abort();
    await running;
  });

  it('is the machine’s in a store that is still empty', async () => {
    const clock = clockOfNode();
    await clock.look({ events: openMemoryEventStore() });
    expect([clock.offsetMs, clock.world.now()]).to.deep.equal([0, 0]);
  });

  it('names the account of the user who moved it', async () => {
    const mover = { accountId: 'acc_1', actor: { kind: 'user' as const, id: 'usr_1' }, requestId: 'req_1' };
    await clockOfNode().advance({ events }, DAY_MS, mover);
    const moved = (await eventsIn(events, 'store-0')).at(-1);
    expect(JSON.parse(moved?.metadata ?? '{}')).to.deep.include({ accountId: 'acc_1', actor: mover.actor });
  });
});
