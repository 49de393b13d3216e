// What a shop does with a payment that was made: which act its state has a place for, and how each is called.
import type { Answer, Caller } from '../../src/commands/caller.ts';
import { type Attempt, isBooked, isOpen } from '../../src/domain/payment/attempt.ts';
import type { KnownPayment, Payment } from '../../src/domain/payment/payment.ts';
import type { Service } from '../../src/service.ts';
import { LABEL } from './log-audit.ts';
import { chance, type Random, weighted } from './random.ts';

type Acts = readonly [readonly [number, Act], ...(readonly [number, Act])[]];
export type Act = 'capture' | 'capture a part' | 'refund' | 'refund a part' | 'refund a capture' | 'cancel' | 'adjust';

/** Of everything in the simulation. */
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

/** What somebody does who is given back a part, is told that it failed, asks for it once more, and then for all the rest. */
export const GIVING_BACK: readonly Act[] = ['capture a part', 'capture', 'refund a part', 'refund a part', 'refund'];

/** As a rule something that the payment, as the shop last saw it, has a place for. */
export function actOn(random: Random, { status }: KnownPayment, isEstimated: boolean): Act {
  if (chance(random, 0.12)) return weighted(random, ANY);
  if (isEstimated && status === 'AUTHORIZED' && chance(random, 0.4)) return 'adjust';
  switch (status) {
    case 'SETTLED':
      return weighted(random, PAID);
    case 'PARTIALLY_SETTLED':
    case 'SETTLING':
      return weighted(random, IN_PARTS);
    default:
      return weighted(random, ON_HOLD);
  }
}

/** What the call is, in words of the shop that the log keeps: one call must have one effect whatever its key was good for. */
export const labelOf = ({ idempotency }: Caller): { readonly [LABEL]: string } => ({ [LABEL]: idempotency?.request ?? '' });

/** A refund that may still come to nothing. */
export const openRefund = ({ attempts }: KnownPayment): Attempt | undefined =>
  attempts.findLast((attempt) => attempt.operation === 'refund' && attempt.follows === undefined && isOpen(attempt));

/** An event of the newest capture that the shop knows of, as answers give its id. */
const captureEvent = ({ attempts }: KnownPayment): string | undefined =>
  attempts.findLast((attempt) => attempt.operation === 'capture' && isBooked(attempt))?.events[0]?.id;

export function doIt(
  service: Service,
  id: string,
  act: Act,
  { part, known }: { readonly part: number; readonly known: KnownPayment },
  caller: Caller,
): Promise<Answer<Payment>> {
  const reason = caller.idempotency?.request ?? '';
  switch (act) {
    case 'capture':
      return service.payments.capturePayment(id, { metadata: labelOf(caller) }, caller);
    case 'capture a part':
      return service.payments.capturePayment(id, { amount: part, final: false, metadata: labelOf(caller) }, caller);
    case 'refund':
      return service.payments.refundPayment(id, { reason }, caller);
    case 'refund a part':
      return service.payments.refundPayment(id, { amount: part, reason }, caller);
    case 'refund a capture': {
      const event = captureEvent(known);
      return service.payments.refundPayment(id, { reason, ...(event !== undefined && { transactionEventId: `evt_${event}` }) }, caller);
    }
    case 'cancel':
      return service.payments.cancelPayment(id, { reason }, caller);
    case 'adjust':
      return service.payments.adjustAuthorization(id, { amount: part * 2 }, caller);
    default:
      return act satisfies never;
  }
}
