// A processor whose calls are counted and timed, up to their deadline.
import type { LookUp, Outcome, Processor, Tokenized } from '../processors/processor.ts';
import type { World } from '../world.ts';
import type { Meters, ProcessorOperation } from './meters.ts';
import { outcomeOf } from './processor-outcome.ts';

export function meteredProcessor(
  processor: Processor,
  meters: Pick<Meters, 'processorCalled'>,
  world: Pick<World, 'monotonic'>,
): Processor {
  const { name, consistencyWindowMs } = processor;
  const watch = <T extends Outcome | LookUp | Tokenized>(
    verb: 'perform' | 'lookUp' | 'tokenize',
    operation: ProcessorOperation,
    call: Promise<T>,
    signal: AbortSignal,
  ): Promise<T> => {
    const start = world.monotonic();
    void outcomeOf(verb, call, signal).then((outcome) => meters.processorCalled(name, operation, outcome, world.monotonic() - start));
    return call;
  };
  return {
    name,
    consistencyWindowMs,
    perform: (request, signal) => watch('perform', request.operation, processor.perform(request, signal), signal),
    lookUp: (reference, signal) => watch('lookUp', 'look_up', processor.lookUp(reference, signal), signal),
    tokenize: (request, signal) => watch('tokenize', 'tokenization', processor.tokenize(request, signal), signal),
    readNotification: (raw, headers, now) => processor.readNotification(raw, headers, now),
    rereadNotification: (raw) => processor.rereadNotification(raw),
  };
}
