// An exception on the way of a request becomes an answer and a line in the log; nothing internal leaves (contract §7).
import { NotAdmitted } from '../commands/limits/admission.ts';
import { StoreUnavailable } from '../stores/store-unavailable.ts';
import type { World } from '../world.ts';
import { statusOfError } from './errors.ts';
import { type Exchange, sendRefusal } from './exchange.ts';
import { refusalOf } from './faults.ts';
import type { Log } from './log.ts';
import { identityOf } from './middleware/access-log.ts';
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
    // A write of unknown outcome has a line of its own, because somebody may ask about it later; faults that come in thousands are counted.
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
