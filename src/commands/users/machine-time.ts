// The clock of people: sign-ins, links and codes go by the machine's clock, which the business clock of test mode does
// not move.
import { movedAheadMs, type World } from '../../world.ts';

/** ms since the epoch. */
export const machineTime = (world: Pick<World, 'now' | 'steady' | 'monotonic'>): number =>
  world.now() - movedAheadMs(world);
