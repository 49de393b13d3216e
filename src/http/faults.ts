// Exceptions on the way of a request as the refusal that the caller gets: nothing internal ever leaves (contract §7).
import { NotAdmitted } from '../commands/limits/admission.ts';
import { UnknownEvent } from '../journal/envelope.ts';
import { BrokenStream } from '../stores/broken-stream.ts';
import { StoreBusy, StoreUnavailable } from '../stores/store-unavailable.ts';
import { type Refusal, refuse } from './errors.ts';

const UNAVAILABLE = refuse('ServiceUnavailable', 'A store is unavailable; nothing was changed.');
const BUSY = refuse('ServiceUnavailable', 'Too many requests of this kind arrive at once; nothing was changed.');
const OUTCOME_UNKNOWN = refuse(
  'ServiceUnavailable',
  'A store became unavailable during a write: its outcome is not known. Repeat the request with the same idempotency key.',
);
/** A newer node wrote to the stream: this node stops there, and says so (architecture.md, "Events"). */
const UNREADABLE = refuse('ServiceUnavailable', 'This node cannot read the resource now.');
/** Nothing is shown or decided that the record does not prove. */
const BROKEN = refuse(
  'ServiceUnavailable',
  'The record of a resource that this request needs is damaged, and is not read until an operator has mended it.',
);
const INTERNAL = refuse('InternalError', 'The service failed. The diagnosticsId finds it in the log.');

export function refusalOf(fault: unknown): Refusal {
  if (fault instanceof StoreBusy || fault instanceof NotAdmitted) return BUSY;
  if (fault instanceof StoreUnavailable) return fault.outcomeUnknown ? OUTCOME_UNKNOWN : UNAVAILABLE;
  if (fault instanceof UnknownEvent) return UNREADABLE;
  if (fault instanceof BrokenStream) return BROKEN;
  return INTERNAL;
}
