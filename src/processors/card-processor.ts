// Which processor takes a card: tokenization goes by it, and the checkout offers no more than it.
import type { Processor } from './processor.ts';

type Processors = ReadonlyMap<string, Processor>;

/**
 * The numbers of cards go to the first processor of this node that takes them from us; undefined if there is none: the
 * fields of the processors themselves take them.
 */
export const cardProcessor = (processors: Processors): Processor | undefined =>
  [...processors.values()].find(({ takesCards = true }) => takesCards);
