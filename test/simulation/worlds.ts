// Runs worlds on several cores and tells their outcomes by number, as if one had run after another.
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { endThread, startThread } from '../../src/stores/sqlite/file/thread.ts';
import type { WorldKind } from './routes.ts';
import type { Outcome } from './run.ts';
import type { Variant } from './variant.ts';

export interface WantedWorld {
  readonly seed: string;
  readonly payments: number;
  /** See planOf. */
  readonly kind: WorldKind | undefined;
}

/** A thread that gets this in place of a world ends. */
export const END = 'end';

export interface WantedWorlds {
  /** The world with the number n is seeded `<seed>.<n>`. */
  readonly seed: string;
  /** Of all worlds together. */
  readonly payments: number;
  /** The number for each world; the last one may have fewer. */
  readonly world: number;
  /** See planOf. */
  readonly kind: WorldKind | undefined;
  readonly variant: Variant;
  /** How many worlds run at once, each in a thread of its own. */
  readonly cores: number;
  /** True if worlds follow one that broke a promise. */
  readonly keepGoing: boolean;
}

/**
 * Calls `tell` with each world and its outcome in the order of their numbers. Without `keepGoing` the last one is the
 * lowest number that broke a promise, whichever ended first: the same calls come on any number of cores. Rejects where
 * a thread of the simulator fails.
 */
export async function runWorlds(
  wanted: WantedWorlds,
  tell: (world: WantedWorld, outcome: Outcome) => void,
): Promise<void> {
  const { seed, payments, world, kind, keepGoing } = wanted;
  const worldOf = (number: number): WantedWorld => ({
    seed: `${seed}.${number}`,
    payments: Math.min(world, payments - number * world),
    kind,
  });
  const outcomes = new Map<number, Outcome>();
  let [end, next, told] = [Math.ceil(payments / world), 0, 0];
  const keep = (number: number, outcome: Outcome): void => {
    if (outcome.violations.length > 0 && !keepGoing) end = Math.min(end, number + 1);
    outcomes.set(number, outcome);
    for (let ready = outcomes.get(told); ready !== undefined && told < end; ready = outcomes.get(told)) {
      outcomes.delete(told);
      tell(worldOf(told), ready);
      told += 1;
    }
  };
  const threads = Array.from({ length: Math.min(wanted.cores, end) }, () => new WorldThread(wanted.variant));
  try {
    await new Promise<void>((resolve, reject) => {
      const work = async (thread: WorldThread): Promise<void> => {
        for (let number = next++; number < end; number = next++) keep(number, await thread.run(worldOf(number)));
        if (told === end) resolve(); // the others run worlds that no longer count
      };
      for (const thread of threads) work(thread).catch(reject);
    });
  } finally {
    await Promise.all(threads.map((thread) => thread.end()));
  }
}

class WorldThread {
  readonly #worker: Worker;
  readonly #gone = new AbortController();

  constructor({ name }: Variant) {
    this.#worker = startThread('./world-thread', import.meta.url, { name: 'worlds', workerData: name });
    this.#worker.once('exit', () => this.#gone.abort(new Error('a thread of the simulator ended')));
  }

  async run(world: WantedWorld): Promise<Outcome> {
    this.#worker.postMessage(world);
    const [outcome]: Outcome[] = await once(this.#worker, 'message', { signal: this.#gone.signal });
    if (outcome === undefined) throw new TypeError('a thread sends an outcome');
    return outcome;
  }

  /** A world that runs is given up. */
  async end(): Promise<void> {
    await endThread(this.#worker, END);
  }
}
