// Everything that metrics watch, as one watcher.
import type { World } from '../world.ts';
import { meteredEventStore } from './metered-event-store.ts';
import { meteredProcessor } from './metered-processor.ts';
import { meteredRequests } from './metered-requests.ts';
import { meteredWork } from './metered-work.ts';
import type { Meters } from './meters.ts';
import type { Watcher } from './observed.ts';

export const metered = (meters: Meters, world: Pick<World, 'monotonic'>): Watcher => ({
  events: (store) => meteredEventStore(store, meters, world),
  processor: (processor) => meteredProcessor(processor, meters, world),
  requests: meteredRequests(meters, world),
  observer: meteredWork(meters, world),
});
