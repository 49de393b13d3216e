// Mocha loads this into each of its processes: each file of tests begins with the right time, and after some tests have
// hung for their whole timeout, later tests get a tenth of theirs. A run that does not come to its end has failed.
import type { Context } from 'mocha';
import { setWallClock } from './calm-world.ts';
import { remember } from './left-out.ts';

/**
 * Timeouts are minutes, because machines can be very slow. With a broken service hundreds of tests would wait that
 * long; one slow test says nothing of those after it.
 */
const SHARE = 10;
const ENOUGH = 3;
let hung = 0;

/**
 * Runs once, in Mocha's first process. When a worker dies, by a rejection that nobody awaits, the results of its file
 * never come, nothing is left to wait for, and Node would end the run with 0. Mocha's own code takes the place of this
 * one at the end.
 */
export function mochaGlobalSetup(): void {
  process.exitCode = 1;
  process.once('beforeExit', sayDied);
}

/** Runs once, in Mocha's first process, at the end of the run. */
export function mochaGlobalTeardown(): void {
  process.removeListener('beforeExit', sayDied);
}

const sayDied = (): void => console.error('The run has not come to its end: one of its processes died.');

export const mochaHooks = {
  beforeAll: setWallClock,
  beforeEach(this: Context): void {
    const { currentTest } = this;
    remember(currentTest);
    if (hung >= ENOUGH && currentTest !== undefined) currentTest.timeout(currentTest.timeout() / SHARE);
  },
  afterEach(this: Context): void {
    if (this.currentTest?.timedOut === true) hung += 1;
  },
};
