// Loaded by mocha into each of its processes: once a test has hung for its whole timeout, the later tests get a tenth of theirs.
import type { Context } from 'mocha';

/** Timeouts are minutes, for machines that stand still; with a service that is broken, hundreds of tests would wait for as long. */
const SHARE = 10;
let hasHung = false;

export const mochaHooks = {
  beforeEach(this: Context): void {
    const { currentTest } = this;
    if (hasHung && currentTest !== undefined) currentTest.timeout(currentTest.timeout() / SHARE);
  },
  afterEach(this: Context): void {
    if (this.currentTest?.timedOut === true) hasHung = true;
  },
};
