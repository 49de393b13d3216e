// Waits for states that have no signal: it looks every few milliseconds, less often where a look takes longer, up to a
// deadline.
import { calmWorld, pause } from './calm-world.ts';

/** Counted on the calm world's clock, so that a slow machine does not look like a broken promise. */
const WITHIN_MS = 60_000;
const EVERY_MS = 5;

/** A look must not take the machine from what it waits for: the pause after one is as long as the look. */
const pauseAfterLook = (begunAt: number): Promise<void> => pause(Math.max(EVERY_MS, calmWorld.monotonic() - begunAt));

/** Resolves when `holds` is true. Throws after a minute, with the text of `holds`. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = calmWorld.monotonic() + WITHIN_MS;
  for (;;) {
    const begunAt = calmWorld.monotonic();
    if (await holds()) return;
    if (calmWorld.monotonic() > deadline)
      throw new Error(`After ${WITHIN_MS / 1_000} s this still does not hold: ${holds}`);
    await pauseAfterLook(begunAt);
  }
}

/** The answer of `work` once it no longer throws. Throws its last fault, after a minute. */
export async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  const deadline = calmWorld.monotonic() + WITHIN_MS;
  for (;;) {
    const begunAt = calmWorld.monotonic();
    try {
      return await work();
    } catch (fault) {
      if (calmWorld.monotonic() > deadline) throw fault;
      await pauseAfterLook(begunAt);
    }
  }
}
