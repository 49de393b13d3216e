// Worlds of tests: one with real time, and one whose clock the test moves.
import type { World } from '../../src/world.ts';
import { calmWorld } from './calm-world.ts';

export interface MovableWorld extends World {
  /** Moves business time forward by ms. */
  advance(ms: number): void;
  /** Lets ms pass on every clock, that of deadlines too, as if this process had been paused that long. */
  pass(ms: number): void;
}

/** Real waits and randomness; the clocks are the real ones plus what the test added. */
export function movableWorld(): MovableWorld {
  let offset = 0;
  let passed = 0;
  return {
    ...calmWorld,
    now: () => calmWorld.now() + offset,
    monotonic: () => calmWorld.monotonic() + passed,
    steady: () => calmWorld.monotonic() + offset,
    advance: (ms) => {
      offset += ms;
    },
    pass: (ms) => {
      offset += ms;
      passed += ms;
    },
  };
}
