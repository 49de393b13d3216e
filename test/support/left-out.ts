// Leaves out a test that the given server cannot run, and prints why.
import type { Context, Test } from 'mocha';

let running: Test | undefined;

beforeEach(function remember(this: Context): void {
  running = this.currentTest;
});

/** Ends the running test as pending. Throws. */
export function leaveOut(why: string): never {
  process.stdout.write(`left out: ${running?.fullTitle() ?? 'a hook'}: ${why}\n`);
  running?.skip();
  throw new Error(`this cannot be left out: ${why}`);
}
