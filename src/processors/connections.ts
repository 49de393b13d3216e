// Connections without secrets: that of a processor which needs none is named like it, and others are as on record.
import type { Connection } from './processor.ts';

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
