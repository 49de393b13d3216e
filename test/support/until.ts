// Waits for states that have no signal: it looks every few milliseconds, up to a deadline.
import { calmWorld, pause } from './calm-world.ts';

/** Counted on the calm world's clock, so that a slow machine does not look like a broken promise. */
const WITHIN_MS = 60_000;
const EVERY_MS = 5;

/** Resolves when `holds` is true. Throws after a minute, with the text of `holds`. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = calmWorld.monotonic() + WITHIN_MS;
  while (!(await holds())) {
    if (calmWorld.monotonic() > deadline) throw new Error(`After ${WITHIN_MS / 1_000} s this still does not hold: ${holds}`);
    await pause(EVERY_MS);
  }
}

/** The answer of `work` once it no longer throws. Throws its last fault, after a minute. */
export async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  const deadline = calmWorld.monotonic() + WITHIN_MS;
  for (;;) {
    try {
      return await work();
    } catch (fault) {
      if (calmWorld.monotonic() > deadline) throw fault;
      await pause(EVERY_MS);
    }
  }
}
