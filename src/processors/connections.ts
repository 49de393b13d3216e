// Connections without secrets, named like a processor that needs none or as on record; and the processor of a node that
// takes a card or another method from us.

import type { OfferedMethod } from '../domain/payment-method.ts';
import type { Connection, Processor } from './processor.ts';

/** The connection that new tokens and notifications of a processor come by. */
export const connectionAt = (processor: string): Connection => connectionOf({ processor, connectionId: processor });

/** The connection that an attempt went by, as it is on record. */
export const connectionOf = ({
  processor,
  connectionId,
}: Pick<Connection, 'processor' | 'connectionId'>): Connection => ({
  connectionId,
  processor,
  secrets: {},
});

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
