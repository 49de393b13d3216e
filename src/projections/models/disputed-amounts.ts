// The disputes of a payment, as far as the totals of a day need them: whose money it is after each event.
import type { DisputeStatus } from '../../domain/dispute-status.ts';
import { amountLostIn, keptSums } from '../../domain/payment/dispute-fold.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import type { Dispute } from '../../domain/payment/payment.ts';

/** Minor units, in the dispute's own currency. */
export interface DisputedAmount
  extends Pick<Dispute, 'disputeId' | 'status' | 'amount' | 'lostBefore' | 'refunded' | 'currencyCode'> {
  readonly connectionId: string;
  readonly network: string;
}

/** The status that a dispute has after an event; undefined if the event gives it none. */
export function disputeStatusAfter(event: PaymentEvent): DisputeStatus | undefined {
  switch (event.type) {
    case 'DisputeOpened':
      return 'OPEN';
    case 'DisputeEvidenceSubmitted':
      return event.data.submitted ? 'CHALLENGED' : undefined;
    case 'DisputeAccepted':
      return 'ACCEPTED';
    case 'DisputeExpired':
      return 'EXPIRED';
    case 'DisputeWon':
      return 'WON';
    case 'DisputeLost':
      return 'LOST';
    case 'DisputePrevented':
      return 'PREVENTED';
    default:
      return undefined;
  }
}

/** The amounts after an event; the list itself if the event is not about a dispute. */
export function disputedAfter(before: readonly DisputedAmount[], event: PaymentEvent): readonly DisputedAmount[] {
  if (event.type === 'DisputeOpened') {
    const { disputeId, amount, currencyCode, connectionId, network } = event.data;
    const opened = { disputeId, status: 'OPEN', amount, currencyCode, connectionId, network } as const;
    const earlier = disputedIn(before, disputeId);
    if (earlier === undefined) return [...before, opened];
    return before.map((one) => (one === earlier ? { ...opened, ...keptSums(earlier) } : one));
  }
  const status = disputeStatusAfter(event);
  if (status === undefined || !('disputeId' in event.data)) return before;
  const { disputeId } = event.data;
  const refunded = event.type === 'DisputePrevented' ? { refunded: event.data } : {};
  return before.map((one) => (one.disputeId === disputeId ? { ...one, status, ...refunded } : one));
}

export const disputedIn = (amounts: readonly DisputedAmount[], disputeId: string): DisputedAmount | undefined =>
  amounts.find((one) => one.disputeId === disputeId);

/** The dispute that an event has lost, or regained, and by how much more is lost; undefined of any other event. */
export function changedHands(
  before: readonly DisputedAmount[],
  after: readonly DisputedAmount[],
): { readonly dispute: DisputedAmount; readonly lost: number } | undefined {
  if (before === after) return undefined;
  return after
    .map((dispute, place) => ({ dispute, lost: amountLostIn(dispute) - amountLostIn(before[place] ?? dispute) }))
    .find(({ lost }) => lost !== 0);
}
