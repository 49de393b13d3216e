// Counts what commands and projections tell of their work.
import type { Observer } from '../observer.ts';
import type { World } from '../world.ts';
import type { Meters } from './meters.ts';

export const meteredWork = (
  meters: Pick<Meters, 'decidedAgain' | 'gaveUp' | 'projected' | 'circuit' | 'limited'>,
  world: Pick<World, 'monotonic'>,
): Observer => ({
  transact: (_stream, work) => work(),
  decidesAgain: (category) => meters.decidedAgain(category),
  givesUp: (category) => meters.gaveUp(category),
  circuit: (processor, isOpen) => meters.circuit(processor, isOpen),
  limited: (limit) => meters.limited(limit),
  async project(projection, events, work) {
    const start = world.monotonic();
    await work();
    meters.projected(projection, events, world.monotonic() - start);
  },
});
