// The live world for tests that want real time, and one whose clock the test moves.
import { liveWorld, type World } from '../../src/world.ts';

export interface MovableWorld extends World {
  /** Moves business time forward by ms. */
  advance(ms: number): void;
}

/** Real waits and randomness; business time is real time plus what the test added. */
export function movableWorld(): MovableWorld {
  let offset = 0;
  return {
    ...liveWorld,
    now: () => liveWorld.now() + offset,
    steady: () => liveWorld.monotonic() + offset,
    advance: (ms) => {
      offset += ms;
    },
  };
}
