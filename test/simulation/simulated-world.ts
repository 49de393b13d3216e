// The world of one incarnation of a node, or of the processor: simulated time, seeded chance, waits that end with their
// owner.
import type { World } from '../../src/world.ts';
import { type Random, randomBytesOf } from './random.ts';
import type { Owner, Timeline } from './timeline.ts';

/** Business time begins at 2027-01-15T08:00:00Z. */
const EPOCH_MS = 1_800_000_000_000;

/** Business time advances for all nodes and the processor at once, as with `sandbox clock advance`. */
export class BusinessClock {
  offsetMs = 0;
}

export interface WorldParts {
  readonly timeline: Timeline;
  readonly clock: BusinessClock;
  readonly random: Random;
  /** Undefined for the processor, which never crashes. */
  readonly owner?: Owner;
  /** How far this machine's clock is ahead of the true time, ms. */
  readonly skewMs?: number;
  readonly fetch?: World['fetch'];
}

const nothing: World['fetch'] = () => Promise.reject(new TypeError('this world fetches nothing'));

export function simulatedWorld({ timeline, clock, random, owner, skewMs = 0, fetch = nothing }: WorldParts): World {
  const bootedAt = timeline.now;
  return {
    now: () => EPOCH_MS + timeline.now + clock.offsetMs + skewMs,
    monotonic: () => timeline.now - bootedAt,
    steady: () => timeline.now - bootedAt + clock.offsetMs,
    randomBytes: randomBytesOf(random),
    sleep: (ms, signal) => sleep(timeline, owner, ms, signal),
    fetch,
  };
}

function sleep(timeline: Timeline, owner: Owner | undefined, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const abort = (): void => {
      callOff();
      reject(signal.reason);
    };
    const callOff = timeline.after(ms, owner, () => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
    signal.addEventListener('abort', abort, { once: true });
  });
}
