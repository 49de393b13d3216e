// An exception on the way of a request becomes an answer and a line in the log; nothing internal leaves (contract §7).
import { NotAdmitted } from '../commands/limits/admission.ts';
import { UnknownEvent } from '../journal/envelope.ts';
import { BrokenStream } from '../stores/broken-stream.ts';
import { StoreBusy, StoreUnavailable } from '../stores/store-unavailable.ts';
import type { World } from '../world.ts';
import { type Refusal, refuse, statusOfError } from './errors.ts';
import { type Exchange, identityOf, sendRefusal } from './exchange.ts';
import { notFound } from './route.ts';

/** Writes the answer to a fault, and its line in the log. */
export type FaultAnswerer = (ctx: Exchange, fault: unknown) => void;

const MODEL = 'Request';
/** Between two lines about unavailable stores: every request meets that fault, also those of unknown callers. */
const UNAVAILABLE_EVERY_MS = 1_000;

export function faultAnswerer(log: Log, world: Pick<World, 'monotonic'>): FaultAnswerer {
  let saidAt = Number.NEGATIVE_INFINITY;
  let unsaid = 0;
  const sayUnavailable = (ctx: Exchange, reason: string): void => {
    const now = world.monotonic();
    unsaid += 1;
    if (now - saidAt < UNAVAILABLE_EVERY_MS) return;
    log.error({ ...identityOf(ctx), reason, others: unsaid - 1 }, 'request refused: a store is unavailable');
    saidAt = now;
    unsaid = 0;
  };
  return (ctx, fault) => {
    const refusal = isMalformedUrl(fault, ctx) ? notFound() : refusalOf(fault);
    // A write of unknown outcome has a line of its own, because somebody may ask about it later; faults that come in
    // thousands are counted.
    if (fault instanceof StoreUnavailable && !fault.outcomeUnknown) sayUnavailable(ctx, fault.message);
    else if (fault instanceof StoreUnavailable)
      log.error({ ...identityOf(ctx), reason: fault.message }, 'outcome not known: a store is unavailable');
    else if (statusOfError(refusal.errorId) >= 500 && !(fault instanceof NotAdmitted))
      log.error({ ...identityOf(ctx), err: fault }, 'request failed');
    sendRefusal(ctx, refusal, ctx.state.route?.model ?? MODEL);
  };
}

/** Node passes on request targets that are no URL; they name no resource. */
const isMalformedUrl = (fault: unknown, { state }: Exchange): boolean =>
  state.route === undefined && fault instanceof TypeError && 'code' in fault && fault.code === 'ERR_INVALID_URL';

const UNAVAILABLE = refuse('ServiceUnavailable', 'A store is unavailable. Nothing was changed.');
const BUSY = refuse('ServiceUnavailable', 'Too many requests of this kind arrived at once. Nothing was changed.');
const OUTCOME_UNKNOWN = refuse(
  'ServiceUnavailable',
  'A store became unavailable during a write: its outcome is not known. Repeat the request with the same idempotency key.',
);
/** A newer node wrote to the stream: this node stops there, and says so (architecture.md, "Events"). */
const UNREADABLE = refuse('ServiceUnavailable', 'This node cannot read the resource now.');
/** Nothing is shown or decided that the record does not prove. */
const BROKEN = refuse(
  'ServiceUnavailable',
  'The record of a resource that this request needs is damaged. It cannot be read until an operator has repaired it.',
);
const INTERNAL = refuse('InternalError', 'The service failed. Find the cause in the log by the diagnosticsId.');

function refusalOf(fault: unknown): Refusal {
  if (fault instanceof StoreBusy || fault instanceof NotAdmitted) return BUSY;
  if (fault instanceof StoreUnavailable) return fault.outcomeUnknown ? OUTCOME_UNKNOWN : UNAVAILABLE;
  if (fault instanceof UnknownEvent) return UNREADABLE;
  if (fault instanceof BrokenStream) return BROKEN;
  return INTERNAL;
}

export interface Log {
  debug(entry: object, message: string): void;
  info(entry: object, message: string): void;
  error(entry: object, message: string): void;
  isLevelEnabled(level: string): boolean;
}
