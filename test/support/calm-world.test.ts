// The world that most tests run in: its time passes like real time, except while this process is paused.
import { expect } from 'chai';
import { besideOthers, calmWorld, pause } from './calm-world.ts';

const STOOD_MS = 400;
/** Blocks this process, as a loaded machine would. */
function standStill(): void {
  for (const from = performance.now(); performance.now() - from < STOOD_MS; );
}

describe('the calm world', () => {
  it('lets time pass while other work runs, and never faster than real time', async () => {
    const [real, from] = [performance.now(), calmWorld.monotonic()];
    await pause(100);
    const passed = calmWorld.monotonic() - from;
    expect(passed).to.be.within(99, performance.now() - real + 0.01);
  });

  it('counts at most one beat of the time in which its process is paused', () => {
    const from = [calmWorld.monotonic(), calmWorld.steady()];
    standStill();
    expect(calmWorld.monotonic() - (from[0] ?? 0)).to.be.below(STOOD_MS / 4);
    expect(calmWorld.steady() - (from[1] ?? 0)).to.be.below(STOOD_MS / 4);
  });

  it('does not end a sleep early because its process was paused, and ends an aborted sleep at once', async () => {
    const sleeping = pause(200);
    standStill();
    const from = performance.now();
    await sleeping;
    expect(performance.now() - from).to.be.above(100);
    const leaving = new AbortController();
    const aborted = calmWorld.sleep(600_000, leaving.signal).catch((fault: unknown) => fault);
    leaving.abort(new Error('enough'));
    expect(await aborted).to.be.instanceOf(Error);
  });

  it('has a wall clock that is never ahead of the machine’s and not much slower; its variant for several processes has the machine’s own', () => {
    const before = Date.now();
    expect(calmWorld.now()).to.be.within(before - 600_001, Date.now() + 1);
    expect(besideOthers.now()).to.be.within(before, Date.now());
  });
});
