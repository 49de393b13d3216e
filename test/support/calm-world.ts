// The live world of tests: its clocks stop while this process is kept from running, so that no deadline passes because
// a machine is slow.
import { liveWorld, type World } from '../../src/world.ts';

/**
 * The beat of the clocks, ms, and the most that one beat counts: a process that was kept from running for seconds has
 * waited one beat.
 */
const BEAT_MS = 5;
const MOST_MS = 10;
/** The most that the wall clock may lag behind the real one, ms. */
const BEHIND_MS = 600_000;

let countedAt = performance.now();
let calmMs = countedAt;

function counted(): number {
  const at = performance.now();
  calmMs += Math.min(at - countedAt, MOST_MS);
  countedAt = at;
  return calmMs;
}
setInterval(counted, BEAT_MS).unref();

let wallAhead = Date.now() - calmMs;

/**
 * Between two files of tests the wall clock is set right: receivers of webhooks take messages of the last five minutes.
 */
export function setWallClock(): void {
  wallAhead = Date.now() - counted();
}

/** Waits until this much time was counted. A timer alone would fire at once when the process resumes. */
async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  const until = counted() + ms;
  for (let left = ms; ; left = Math.ceil(until - counted())) {
    await liveWorld.sleep(left, signal);
    if (until - counted() < 1) return;
  }
}

/**
 * Real waits, randomness and network. Deadlines, leases and patience pass as on an undisturbed machine: a process that
 * was paused for seconds, between any two of its steps, finds that 10 ms have passed. Its wall clock then lags behind
 * the real one, by up to ten minutes, until the next file of tests begins: a test compares its times with `now` of this
 * world, not with Date.now.
 */
export const calmWorld: World = {
  ...liveWorld,
  now: () => Math.floor(Math.max(wallAhead + counted(), Date.now() - BEHIND_MS)),
  monotonic: counted,
  steady: counted,
  sleep,
};

/** A calm world with the real wall clock, for tests with several processes. */
export const besideOthers: World = { ...calmWorld, now: liveWorld.now };

/** Waits long enough for a forbidden effect to show, or for as long as other work takes. */
export const pause = (ms: number): Promise<void> => sleep(ms, new AbortController().signal);
