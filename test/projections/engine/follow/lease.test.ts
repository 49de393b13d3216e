// The lease: one process of many does the work, a dead holder is followed within 10 s, and no start waits for it.
import { expect } from 'chai';
import { Lease } from '../../../../src/projections/engine/follow/lease.ts';
import { defaultTimings } from '../../../../src/projections/engine/timings.ts';
import { memoryReadModels } from '../../../../src/stores/memory/read-models.ts';
import type { ReadModelStore } from '../../../../src/stores/read-models.ts';
import { StoreUnavailable } from '../../../../src/stores/store-unavailable.ts';
import { delegate } from '../setup.ts';
import { SteppedClock } from '../stepped-world.ts';

const { leaseBeatMs, leaseDeadMs } = defaultTimings;

describe('a lease', () => {
  let clock: SteppedClock;
  let store: ReadModelStore;
  let isUnavailable: boolean;
  const ending: (() => void)[] = [];

  beforeEach(() => {
    clock = new SteppedClock();
    store = memoryReadModels();
    isUnavailable = false;
  });
  afterEach(async () => {
    for (const end of ending.splice(0)) end();
    await clock.pass(10_000);
  });

  /** A process: `reach` is its way to the store, which a pause or a kill closes. */
  const process = () => {
    const state = { isCutOff: false, isFit: true };
    const reach = async <T>(call: () => Promise<T>): Promise<T> => {
      if (isUnavailable) throw new StoreUnavailable('unplugged');
      while (state.isCutOff) await clock.world().sleep(100, new AbortController().signal);
      return call();
    };
    const through: ReadModelStore = {
      ...delegate(store),
      get: (of, ids) => reach(() => store.get(of, ids)),
      write: (of, rows) => reach(() => store.write(of, rows)),
    };
    // A call that hangs belongs to a process that is paused, not to a slow store: it is waited for.
    const report = (fault: unknown): never => expect.fail(String(fault));
    const lease = new Lease(
      { store: through, world: clock.world(), report, timings: { ...defaultTimings, answerMs: 1e9 } },
      'work',
    );
    const stopping = new AbortController();
    const running = lease.run(() => state.isFit, stopping.signal);
    const stop = async (): Promise<void> => {
      stopping.abort();
      await running;
    };
    ending.push(() => {
      state.isCutOff = false;
      stopping.abort();
    });
    return { lease, state, stop };
  };

  it('is taken at once by the first process, and stays there', async () => {
    const first = process();
    await clock.pass(0);
    expect([first.lease.isMine, first.lease.isElsewhere]).to.deep.equal([true, false]);
    const second = process();
    await clock.pass(2 * leaseBeatMs);
    expect([second.lease.isMine, second.lease.isElsewhere]).to.deep.equal([false, true]);
    await clock.pass(60_000);
    expect([first.lease.isMine, second.lease.isElsewhere]).to.deep.equal([true, true]);
  });

  it('goes to another one within 10 s of its holder’s death, and not before that is certain', async () => {
    for (const offsetMs of [0, 300, 700, 999]) {
      const first = process();
      await clock.pass(offsetMs);
      const others = [process(), process()];
      await clock.pass(3 * leaseBeatMs);
      first.state.isCutOff = true;
      const tookMs = await clock.passUntil(() => others.some(({ lease }) => lease.isMine), 10_000);
      expect(tookMs).to.be.within(leaseDeadMs - leaseBeatMs, 10_000);
      await clock.pass(2 * leaseBeatMs);
      expect(others.filter(({ lease }) => lease.isMine)).to.have.length(1);
      expect(others.filter(({ lease }) => lease.isElsewhere)).to.have.length(1);
      for (const { stop } of others) await Promise.all([stop(), clock.pass(1)]);
      first.state.isCutOff = false;
      await Promise.all([first.stop(), clock.pass(1_000)]);
    }
  });

  it('goes to another one at its next look when its holder stops in order', async () => {
    const first = process();
    const second = process();
    await clock.pass(3 * leaseBeatMs);
    await first.stop();
    expect(await clock.passUntil(() => second.lease.isMine, leaseBeatMs + 100)).to.be.at.most(leaseBeatMs + 50);
  });

  it('of a dead process keeps no starting process from working, and is taken over', async () => {
    const killed = process();
    await clock.pass(leaseBeatMs);
    killed.state.isCutOff = true;
    const next = process();
    let wasElsewhere = false;
    next.lease.onChange(() => {
      wasElsewhere ||= next.lease.isElsewhere;
    });
    await clock.passUntil(() => next.lease.isMine, 10_000);
    expect(wasElsewhere).to.equal(false);
  });

  it('is lost to a holder that was paused, which learns it and leaves the work to the other one', async () => {
    const paused = process();
    const other = process();
    await clock.pass(3 * leaseBeatMs);
    paused.state.isCutOff = true;
    await clock.passUntil(() => other.lease.isMine, 10_000);
    paused.state.isCutOff = false;
    await clock.pass(3 * leaseBeatMs);
    expect([paused.lease.isElsewhere, other.lease.isMine]).to.deep.equal([true, true]);
  });

  it('stays where it is when the store is unavailable for everybody', async () => {
    const first = process();
    await clock.pass(leaseBeatMs / 2);
    const second = process();
    await clock.pass(3 * leaseBeatMs);
    let changes = 0;
    for (const { lease } of [first, second]) lease.onChange(() => (changes += 1));
    isUnavailable = true;
    await clock.pass(19_700);
    isUnavailable = false; // the second one looks before the first one can give a sign of life
    await clock.pass(60_000);
    expect([first.lease.isMine, second.lease.isElsewhere, changes]).to.deep.equal([true, true, 0]);
  });

  it('is given up by a holder that cannot do the work, and taken back only by a process that can', async () => {
    const first = process();
    const second = process();
    await clock.pass(3 * leaseBeatMs);
    first.state.isFit = false;
    await clock.pass(3 * leaseBeatMs);
    expect([first.lease.isElsewhere, second.lease.isMine]).to.deep.equal([true, true]);
    second.state.isFit = false;
    await clock.pass(3 * leaseBeatMs);
    expect([first, second].map(({ lease }) => [lease.isMine, lease.isElsewhere])).to.deep.equal([
      [false, false],
      [false, false],
    ]);
  });
});
