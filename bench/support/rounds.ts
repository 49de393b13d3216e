// Rounds of a load on one server: the calls a second and the server's CPU time of each, as medians.
import type { ChildProcess } from 'node:child_process';
import { cpuMs } from './data-directory.ts';
import { median } from './patches.ts';

export interface Rounds {
  /**
   * Runs a round; keeps and answers what it says of calls a second. What it does before it calls `begin` does not
   * count.
   */
  one(round: (begin: () => Promise<void>) => Promise<number>): Promise<number>;
  perSecond(): number;
  /** The server's CPU time of a call, all its threads, µs. */
  cpuMicros(): number;
  /** The figures in words. */
  cpu(): string;
}

/** `ms`: how long a round lasts. */
export function rounds(server: ChildProcess, ms: number): Rounds {
  const rates: number[] = [];
  const micros: number[] = [];
  const cpuMicros = (): number => median(micros);
  return {
    async one(round) {
      let before = Number.NaN;
      let startedAt = Number.NaN;
      const begin = async (): Promise<void> => {
        [before, startedAt] = [await cpuMs(server), performance.now()];
      };
      await begin();
      const rate = await round(begin);
      // The load's process needs a while to start, in which nothing is asked of the server: it costs no CPU time
      // either.
      const calls = (rate * Math.min(ms, performance.now() - startedAt)) / 1_000;
      rates.push(rate);
      micros.push((((await cpuMs(server)) - before) * 1_000) / calls);
      return rate;
    },
    perSecond: () => median(rates),
    cpuMicros,
    cpu: () => `${Math.round(cpuMicros())} µs of CPU each`,
  };
}
