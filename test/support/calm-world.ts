// The live world of tests: its clocks stand still while this process is kept from running, so that no deadline ends because a machine is slow.
import { liveWorld, type World } from '../../src/world.ts';

/** How often time is counted, ms, and how much of it counts at the most: who was kept from running for seconds has waited no longer. */
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

const wallAhead = Date.now() - calmMs;

/** Waits until so much time was counted; a timer alone fires at once when the process goes on. */
async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  const until = counted() + ms;
  for (let left = ms; ; left = Math.ceil(until - counted())) {
    await liveWorld.sleep(left, signal);
    if (until - counted() < 1) return;
  }
}

/**
 * Real waits, randomness and network. Deadlines, leases and patience of whatever runs in it are those of an undisturbed machine: a
 * process that was paused for seconds, between any two of its steps, finds that 10 ms have passed. Its wall clock falls behind the
 * real one by as much, up to ten minutes: a test compares its times with `now` of this world, not with Date.now.
 */
export const calmWorld: World = {
  ...liveWorld,
  now: () => Math.floor(Math.max(wallAhead + counted(), Date.now() - BEHIND_MS)),
  monotonic: counted,
  steady: counted,
  sleep,
};

/** The same with the real wall clock: beside processes that have that one. */
export const besideOthers: World = { ...calmWorld, now: liveWorld.now };

/** For a time in which something would happen that must not, or that something else takes as long. */
export const pause = (ms: number): Promise<void> => sleep(ms, new AbortController().signal);
