// An event that cannot be projected: the reason that a stream, or a projection over the log, is parked.
import { type Break, BrokenStream } from '../../../stores/broken-stream.ts';
import type { StoredEvent } from '../../../stores/event-store.ts';

export interface ProjectionFault {
  /** The event where it began: an earlier one of its stream, or itself. */
  readonly stored: Break;
  readonly cause: unknown;
}

/** A break in the chain, or a fault of the projection: the event at which a caller stops. */
export const faultAt = (stored: StoredEvent, cause: unknown): ProjectionFault => ({
  stored: cause instanceof BrokenStream ? cause : stored,
  cause,
});
