// The acts of a shop on a payment: which of them the payment's status allows, and the service call for each.
import type { Answer, Caller } from '../../src/commands/caller.ts';
import { type Attempt, isBooked, isOpen } from '../../src/domain/payment/attempt.ts';
import type { KnownPayment, Payment } from '../../src/domain/payment/payment.ts';
import type { Service } from '../../src/service.ts';
import { OF_CANCEL } from './cancel-audit.ts';
import { LABEL } from './log-audit.ts';
import { chance, type Random, weighted } from './random.ts';

type Acts = readonly [readonly [number, Act], ...(readonly [number, Act])[]];
export type Act = 'capture' | 'capture a part' | 'refund' | 'refund a part' | 'refund a capture' | 'cancel' | 'adjust';

/** The one currency of the simulation. */
export const CURRENCY = 'EUR';

const ANY: Acts = [
  [1, 'capture'],
  [1, 'capture a part'],
  [1, 'refund'],
  [1, 'refund a part'],
  [1, 'refund a capture'],
  [1, 'cancel'],
  [1, 'adjust'],
];
const ON_HOLD: Acts = [
  [5, 'capture'],
  [3, 'capture a part'],
  [2, 'cancel'],
];
/** Nobody knows yet whether it is authorized. */
const WAITING: Acts = [
  [1, 'capture'],
  [3, 'cancel'],
];
const IN_PARTS: Acts = [
  [2, 'capture'],
  [2, 'capture a part'],
  [2, 'refund a part'],
  [1, 'refund a capture'],
  [1, 'cancel'],
];
const PAID: Acts = [
  [1, 'refund'],
  [2, 'refund a part'],
  [1, 'refund a capture'],
];

/**
 * A customer gets a part back, and the refund is reported as failed. The shop refunds that part again, and then all the
 * rest.
 */
export const GIVING_BACK: readonly Act[] = ['capture a part', 'capture', 'refund a part', 'refund a part', 'refund'];

/** Chooses an act: mostly one that the payment allows, as the shop last saw it; in 12 % of the cases any. */
export function actOn(random: Random, { status }: KnownPayment, isEstimated: boolean): Act {
  if (chance(random, 0.12)) return weighted(random, ANY);
  if (isEstimated && status === 'AUTHORIZED' && chance(random, 0.4)) return 'adjust';
  switch (status) {
    case 'PENDING':
      return weighted(random, WAITING);
    case 'SETTLED':
      return weighted(random, PAID);
    case 'PARTIALLY_SETTLED':
    case 'SETTLING':
      return weighted(random, IN_PARTS);
    default:
      return weighted(random, ON_HOLD);
  }
}

/**
 * The shop's own name for the call, which the log keeps. One call must have one effect, even if its idempotency key
 * fails.
 */
export const labelOf = ({ idempotency }: Caller): { readonly [LABEL]: string } => ({
  [LABEL]: idempotency?.request ?? '',
});

/** A refund that may still fail. */
export const openRefund = ({ attempts }: KnownPayment): Attempt | undefined =>
  attempts.findLast((attempt) => attempt.operation === 'refund' && attempt.follows === undefined && isOpen(attempt));

/** The id of an event of the newest capture that the shop knows of, as answers show it. */
const captureEvent = ({ attempts }: KnownPayment): string | undefined =>
  attempts.findLast((attempt) => attempt.operation === 'capture' && isBooked(attempt))?.events[0]?.id;

export function doIt(
  service: Service,
  id: string,
  act: Act,
  { part, isLast, known }: { readonly part: number; readonly isLast: boolean; readonly known: KnownPayment },
  caller: Caller,
): Promise<Answer<Payment>> {
  const reason = caller.idempotency?.request ?? '';
  switch (act) {
    case 'capture':
      return service.payments.capturePayment(id, { metadata: labelOf(caller) }, caller);
    case 'capture a part':
      return service.payments.capturePayment(id, { amount: part, final: isLast, metadata: labelOf(caller) }, caller);
    case 'refund':
      return service.payments.refundPayment(id, { reason }, caller);
    case 'refund a part':
      return service.payments.refundPayment(id, { amount: part, reason }, caller);
    case 'refund a capture': {
      const event = captureEvent(known);
      return service.payments.refundPayment(
        id,
        { reason, ...(event !== undefined && { transactionEventId: `evt_${event}` }) },
        caller,
      );
    }
    case 'cancel':
      return service.payments.cancelPayment(
        id,
        { reason },
        { ...caller, requestId: `${caller.requestId}${OF_CANCEL}` },
      );
    case 'adjust':
      return service.payments.adjustAuthorization(id, { amount: part * 2 }, caller);
    default:
      return act satisfies never;
  }
}
