// Leaves out a test that the given server cannot run, and prints why.
import type { Test } from 'mocha';

let running: Test | undefined;

/**
 * mocha-hooks.ts calls it before each test: a hook of this file would be one of the first file alone that loads it in a
 * process.
 */
export function remember(test: Test | undefined): void {
  running = test;
}

/** Ends the running test as pending. Throws. */
export function leaveOut(why: string): never {
  process.stdout.write(`left out: ${running?.fullTitle() ?? 'a hook'}: ${why}\n`);
  running?.skip();
  throw new Error(`this cannot be left out: ${why}`);
}
