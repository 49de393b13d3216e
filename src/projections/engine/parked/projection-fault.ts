// An event that cannot be projected: why a stream, or a projection over the log, is parked. It can be cloned.
import { z } from 'zod';
import { UnknownEvent } from '../../../journal/envelope.ts';
import { type Break, BrokenStream } from '../../../stores/broken-stream.ts';

export const ProjectionFault = z.object({
  /** The event where it began: an earlier one of its stream, or itself. */
  stored: z.object({
    stream: z.string(),
    revision: z.number(),
    position: z.union([z.bigint(), z.string()]),
    type: z.string(),
  }),
  /** See ParkedStream. */
  reason: z.enum(['poison', 'unknown', 'broken']),
  fault: z.string(),
});
export type ProjectionFault = Readonly<z.infer<typeof ProjectionFault>>;

const FAULT_LENGTH = 1_000;

/** A break in the chain, or a fault of the projection: the event at which a caller stops. */
export function faultAt(at: Break, cause: unknown): ProjectionFault {
  const { stream, revision, position, type } = cause instanceof BrokenStream ? cause : at;
  return {
    stored: { stream, revision, position, type },
    reason: cause instanceof BrokenStream ? 'broken' : cause instanceof UnknownEvent ? 'unknown' : 'poison',
    fault: String(cause).slice(0, FAULT_LENGTH),
  };
}
