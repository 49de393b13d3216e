// A processor whose calls are counted and timed, up to their deadline.
import type { Processor } from '../processors/processor.ts';
import type { World } from '../world.ts';
import type { Meters } from './meters.ts';
import { outcomeOf } from './processor-outcome.ts';
import { watchedProcessor } from './watched-processor.ts';

export const meteredProcessor = (
  processor: Processor,
  meters: Pick<Meters, 'processorCalled'>,
  world: Pick<World, 'monotonic'>,
): Processor =>
  watchedProcessor(processor, ({ verb, operation, signal }, work) => {
    const start = world.monotonic();
    const call = work();
    void outcomeOf(verb, call, signal).then((outcome) =>
      meters.processorCalled(processor.name, operation, outcome, world.monotonic() - start),
    );
    return call;
  });
