// Which processor takes a card: tokenization goes by it, and the checkout offers no more than it.
import type { Processor } from './processor.ts';

type Processors = ReadonlyMap<string, Processor>;

/** New cards are tokenized at the first processor of this node; undefined: no connection takes cards. */
export const cardProcessor = (processors: Processors): Processor | undefined => [...processors.values()][0];
