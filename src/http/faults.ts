// What was thrown on the way of a request, as the refusal that the caller gets: nothing internal ever leaves (contract §7).
import { AppError } from '../app-error.ts';
import { UnknownEvent } from '../journal/envelope.ts';
import { StoreBusy, StoreUnavailable } from '../stores/store-unavailable.ts';
import { type Refusal, refuse } from './errors.ts';

const UNAVAILABLE = refuse('ServiceUnavailable', 'A store is away; nothing was changed.');
const BUSY = refuse('ServiceUnavailable', 'Too much of this kind is asked for at once; nothing was changed.');
const OUTCOME_UNKNOWN = refuse(
  'ServiceUnavailable',
  'A store went away while it was writing: whether the change took place is not known. Repeat the request with the same idempotency key.',
);
/** A newer node wrote to the stream, or its record is damaged: this node stops there, and says so (architecture.md, "Events"). */
const UNREADABLE = refuse('ServiceUnavailable', 'This node cannot read the resource now.');
const INTERNAL = refuse('InternalError', 'Something went wrong here. The diagnosticsId finds it in the log.');

export function refusalOf(fault: unknown): Refusal {
  if (fault instanceof StoreBusy) return BUSY;
  if (fault instanceof StoreUnavailable) return fault.outcomeUnknown ? OUTCOME_UNKNOWN : UNAVAILABLE;
  if (fault instanceof UnknownEvent || (fault instanceof AppError && fault.code === 'BrokenEvent')) return UNREADABLE;
  return INTERNAL;
}
