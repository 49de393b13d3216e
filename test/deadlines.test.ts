// Deadlines that share a timer: each call has its own, to the millisecond.
import { expect } from 'chai';
import { Deadlines } from '../src/deadlines.ts';

/** Its time is what a test says; it counts the timers under way. */
class Clock {
  #now = 0;
  #timers: { readonly at: number; readonly wake: () => void }[] = [];

  readonly monotonic = (): number => this.#now;
  readonly sleep = (ms: number): Promise<void> =>
    new Promise((wake) => {
      this.#timers.push({ at: this.#now + ms, wake });
    });

  get timers(): number {
    return this.#timers.length;
  }

  async passTo(end: number): Promise<void> {
    for (;;) {
      const next = this.#timers.toSorted((one, other) => one.at - other.at)[0];
      if (next === undefined || next.at > end) break;
      this.#now = next.at;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      next.wake();
      await new Promise(setImmediate);
    }
    this.#now = end;
  }
}

const never = (): Promise<never> => new Promise(() => undefined);

describe('deadlines', () => {
  it('end each call at its own time, abort its signal then, and share one timer', async () => {
    const clock = new Clock();
    const deadlines = new Deadlines(clock, 1_000);
    const ended: string[] = [];
    const begin = (name: string): void => {
      void deadlines
        .within((signal) => {
          signal.addEventListener('abort', () => ended.push(`${name} aborted at ${clock.monotonic()}`));
          return never();
        })
        .then((outcome) => ended.push(`${name} ${outcome}`));
    };
    begin('first');
    await clock.passTo(130);
    begin('second');
    begin('third');
    expect(clock.timers).to.equal(1);
    await clock.passTo(999);
    expect(ended).to.deep.equal([]);
    await clock.passTo(1_129);
    expect(ended).to.deep.equal(['first aborted at 1000', 'first timeout']);
    await clock.passTo(1_130);
    expect(ended.slice(2)).to.have.members([
      'second aborted at 1130',
      'third aborted at 1130',
      'second timeout',
      'third timeout',
    ]);
    expect(clock.timers).to.equal(0);
  });

  it('leave alone what ends in time, with its answer or its fault, and stop their timer soon', async () => {
    const clock = new Clock();
    const deadlines = new Deadlines(clock, 1_000);
    const signals: AbortSignal[] = [];
    const answer = await deadlines.within(async (signal) => {
      signals.push(signal);
      return 'done';
    });
    const fault = new Error('refused');
    const thrown = await deadlines
      .within(async (signal) => {
        signals.push(signal);
        throw fault;
      })
      .catch((caught: unknown) => caught);
    expect([answer, thrown, clock.timers]).to.deep.equal(['done', fault, 1]);
    await clock.passTo(100);
    expect(clock.timers).to.equal(0);
    await clock.passTo(5_000);
    expect(signals.map(({ aborted }) => aborted)).to.deep.equal([false, false]);
  });
});
