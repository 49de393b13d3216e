// The disputes of a payment, as far as the totals of a day need them: whose money it is after each event.
import type { DisputeStatus } from '../../domain/dispute-status.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';

export interface DisputedAmount {
  readonly disputeId: string;
  /** Minor units, in the dispute's own currency. */
  readonly amount: number;
  readonly currencyCode: string;
  readonly connectionId: string;
  readonly network: string;
  readonly isLost: boolean;
}

/** The customer has the money, until a later word says otherwise. */
export const isLost = (status: DisputeStatus): boolean =>
  status === 'ACCEPTED' || status === 'EXPIRED' || status === 'LOST';

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
    default:
      return undefined;
  }
}

/** The amounts after an event; the list itself if the event is not about a dispute. */
export function disputedAfter(before: readonly DisputedAmount[], event: PaymentEvent): readonly DisputedAmount[] {
  if (event.type === 'DisputeOpened') {
    const { disputeId, amount, currencyCode, connectionId, network } = event.data;
    return [...before, { disputeId, amount, currencyCode, connectionId, network, isLost: false }];
  }
  const status = disputeStatusAfter(event);
  if (status === undefined || !('disputeId' in event.data)) return before;
  const { disputeId } = event.data;
  return before.map((one) => (one.disputeId === disputeId ? { ...one, isLost: isLost(status) } : one));
}

/** The dispute that an event has lost, or regained; undefined of any other event. */
export const changedHands = (
  before: readonly DisputedAmount[],
  after: readonly DisputedAmount[],
): DisputedAmount | undefined =>
  before === after
    ? undefined
    : after.find((one, place) => before[place] !== undefined && before[place].isLost !== one.isLost);
