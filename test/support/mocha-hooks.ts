// Mocha loads this into each of its processes: each file of tests begins with the right time, and after some tests have
// hung for their whole timeout, later tests get a tenth of theirs.
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
