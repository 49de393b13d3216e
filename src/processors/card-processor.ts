// Which processor takes a card, or another method: tokenization goes by it, and the checkout offers no more than it.
import type { OfferedMethod } from '../domain/payment-method.ts';
import { connectionAt } from './connections.ts';
import type { Processor } from './processor.ts';

type Processors = ReadonlyMap<string, Processor>;

/**
 * The numbers of cards go to the first processor of this node that takes them from us; undefined if there is none: the
 * fields of the processors themselves take them.
 */
export const cardProcessor = (processors: Processors): Processor | undefined =>
  [...processors.values()].find(({ takesCards = true }) => takesCards);

/** The processor of this node that takes a method from us, and not by its own fields; undefined if there is none. */
export const methodProcessor = (processors: Processors, method: OfferedMethod): Processor | undefined =>
  [...processors.values()].find(
    (one) => one.takesCards !== false && one.capabilities(connectionAt(one.name)).methods?.includes(method) === true,
  );
