// What each event of a payment adds to sums: which measure moves, by how much, and where it is counted.

/**
 * The facts name amount, currency, connection and network themselves. Four things they do not repeat, and a reader
 * knows them from the events before in the payment's own stream: the account, how much was authorized before an
 * adjustment, how much is disputed, and whether a refunded or returned amount was in a total at all. Documents beside
 * the totals that would keep this for every payment cost a write for each of its events, and a follower that comes late
 * would read them newer than its event; the stream has it as it was.
 */
import type { DisputeStatus } from '../../domain/dispute-status.ts';
import { plus, type Sum } from '../../domain/money.ts';
import type { Operation } from '../../domain/operation.ts';
import { amountLostIn, keptSums } from '../../domain/payment/dispute-fold.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import { isOutside, isRequested, isSucceeded, operationOf } from '../../domain/payment/fact-names.ts';
import { rulesOf } from '../../domain/payment/operations.ts';
import type { Dispute } from '../../domain/payment/payment.ts';

/** The number of facts, and their sum, minor units. */
export interface Counted {
  readonly count: number;
  readonly amount: Sum;
}

export const measures = [
  /** The held amount; an adjustment adds, or subtracts, its difference, and counts as none. */
  'authorized',
  /**
   * Authorizations that were refused, by their requested amount; none that the payment went on from, because payments
   * are counted.
   */
  'declined',
  'captured',
  'refunded',
  /** Captures and refunds that had succeeded and came back. */
  'captureReturned',
  'refundReturned',
  /** Amounts that are held no longer: voided or expired. */
  'cancelled',
  /** Disputes that were opened, however they end. */
  'disputed',
  /** The part of them that the customer keeps: accepted, expired, or decided for the customer. */
  'disputeLost',
  /** The amount that had been lost, and is no longer lost after a later report. */
  'disputeRegained',
] as const;
export type Measure = (typeof measures)[number];

export const withCounted = (sum: Counted, { count, amount }: Counted): Counted => ({
  count: sum.count + count,
  amount: plus(sum.amount, amount),
});

const none: Counted = { count: 0, amount: 0 };
/** Where no fact is counted yet. */
export const nothing: Readonly<Record<Measure, Counted>> = {
  authorized: none,
  declined: none,
  captured: none,
  refunded: none,
  captureReturned: none,
  refundReturned: none,
  cancelled: none,
  disputed: none,
  disputeLost: none,
  disputeRegained: none,
};

/** The knowledge that the facts of a payment need about earlier events. */
export interface FactsKnown {
  readonly accountId: string;
  /** Authorizations and adjustments in the order of their requests, with their booked amounts, minor units. */
  readonly holds: readonly { readonly attemptId: string; readonly amount?: number }[];
  /** Refunds that give back amounts which are in no total. */
  readonly reversals: readonly string[];
  /** Successes that the payment had no place for. */
  readonly late: readonly string[];
  readonly disputes: readonly DisputedAmount[];
}

export const nothingKnown: FactsKnown = { accountId: '', holds: [], reversals: [], late: [], disputes: [] };

/** The knowledge after an event of the payment. */
export function learnt(known: FactsKnown, event: PaymentEvent): FactsKnown {
  if (isRequested(event)) {
    const { attemptId, follows } = event.data;
    const { money } = rulesOf(operationOf(event));
    if (money === 'held') return { ...known, holds: [...known.holds, { attemptId }] };
    return money === 'refunded' && follows !== undefined
      ? { ...known, reversals: [...known.reversals, attemptId] }
      : known;
  }
  if (isOutside(event)) {
    const { attemptId, amount } = event.data;
    const isHold = rulesOf(operationOf(event)).money === 'held';
    return isHold ? { ...known, holds: [...known.holds, { attemptId, amount }] } : known;
  }
  if (isSucceeded(event)) return booked(known, operationOf(event), event.data);
  switch (event.type) {
    case 'PaymentCreated':
      return { ...known, accountId: event.data.accountId };
    case 'LateSuccessRecorded':
      return { ...known, late: [...known.late, event.data.attemptId] };
    case 'SuccessConfirmed':
      return booked(known, event.data.operation, event.data);
    default:
      return event.type.startsWith('Dispute') ? { ...known, disputes: disputedAfter(known.disputes, event) } : known;
  }
}

interface Success extends Place {
  readonly attemptId: string;
  /** Minor units, in the payment's currency; absent if a void released nothing. */
  readonly amount?: number | undefined;
  readonly currencyCode?: string | undefined;
}

function booked(known: FactsKnown, operation: Operation, { attemptId, amount }: Success): FactsKnown {
  const { money } = rulesOf(operation);
  if (money === 'held' && amount !== undefined) {
    return {
      ...known,
      holds: known.holds.map((hold) => (hold.attemptId === attemptId ? { attemptId, amount } : hold)),
    };
  }
  return money === 'captured' && known.late.length > 0
    ? { ...known, late: known.late.filter((one) => one !== attemptId) }
    : known;
}

/** The newest booked amount counts: a late older one changes nothing. */
const heldBy = ({ holds }: FactsKnown): number => holds.findLast(({ amount }) => amount !== undefined)?.amount ?? 0;

/** Where a fact is counted. */
interface Place {
  readonly connectionId: string;
  readonly network: string;
}
/** The additions of an event to the totals. */
export interface MovedMoney {
  readonly count: number;
  /** Minor units. */
  readonly amount: number;
  readonly measure: Measure;
  readonly at: Place;
  readonly currencyCode: string;
  readonly declineCode?: string;
}

/** The measure of an event: none, or one. */
export function movedBy(event: PaymentEvent, before: FactsKnown, after: FactsKnown): readonly MovedMoney[] {
  if (isSucceeded(event) || isOutside(event)) return successOf(operationOf(event), event.data, 1, before, after);
  switch (event.type) {
    case 'SuccessConfirmed': {
      // An amount that an operator had vouched for is counted already: only a different word of the processor is added.
      const { operation, amount, vouchedAmount } = event.data;
      return successOf(operation, { ...event.data, amount: amount - vouchedAmount }, 0, before, after);
    }
    case 'AuthorizationDeclined':
      if (event.data.retriedAs !== undefined) return [];
      return moved('declined', event.data, 1, event.data.amount ?? 0, event.data.code);
    case 'CaptureReturned':
      return isLate(before, event.data) ? [] : moved('captureReturned', event.data, 1, event.data.amount);
    case 'RefundReturned':
      return isReversal(before, event.data) ? [] : moved('refundReturned', event.data, 1, event.data.amount);
    case 'AuthorizationExpired':
      return event.data.amount === undefined ? [] : moved('cancelled', event.data, 1, event.data.amount);
    case 'DisputeOpened': {
      // A later round is not another dispute: its amount replaces the previous one.
      const earlier = disputedIn(before.disputes, event.data.disputeId);
      return earlier === undefined
        ? moved('disputed', event.data, 1, event.data.amount)
        : moved('disputed', earlier, 0, event.data.amount - earlier.amount);
    }
    default: {
      const changed = changedHands(before.disputes, after.disputes);
      if (changed === undefined) return [];
      const { dispute, lost } = changed;
      return moved(lost > 0 ? 'disputeLost' : 'disputeRegained', dispute, 1, Math.abs(lost));
    }
  }
}

/** `count`: 1 for a success, 0 for another word about one. */
function successOf(
  operation: Operation,
  data: Success,
  count: 0 | 1,
  before: FactsKnown,
  after: FactsKnown,
): readonly MovedMoney[] {
  const { amount } = data;
  const { money } = rulesOf(operation);
  switch (money) {
    case 'held':
      return moved('authorized', data, operation === 'authorization' ? count : 0, heldBy(after) - heldBy(before));
    case 'captured':
      return moved('captured', data, count, amount ?? 0);
    case 'refunded':
      return isReversal(before, data) ? [] : moved('refunded', data, count, amount ?? 0);
    case 'released':
      return count === 0 || amount === undefined ? [] : moved('cancelled', data, count, amount);
    case undefined:
      return [];
    default:
      return money satisfies never;
  }
}

const isLate = ({ late }: FactsKnown, { attemptId }: { readonly attemptId: string }): boolean =>
  late.includes(attemptId);
const isReversal = ({ reversals }: FactsKnown, { attemptId }: { readonly attemptId: string }): boolean =>
  reversals.includes(attemptId);

const moved = (
  measure: Measure,
  { connectionId, network, currencyCode = '' }: Place & { readonly currencyCode?: string | undefined },
  count: number,
  amount: number,
  declineCode?: string,
): readonly MovedMoney[] =>
  count === 0 && amount === 0
    ? []
    : [
        {
          measure,
          at: { connectionId, network },
          currencyCode,
          count,
          amount,
          ...(declineCode !== undefined && { declineCode }),
        },
      ];

/** Minor units, in the dispute's own currency. */
interface DisputedAmount
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
function disputedAfter(before: readonly DisputedAmount[], event: PaymentEvent): readonly DisputedAmount[] {
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

const disputedIn = (amounts: readonly DisputedAmount[], disputeId: string): DisputedAmount | undefined =>
  amounts.find((one) => one.disputeId === disputeId);

/** The dispute that an event has lost, or regained, and by how much more is lost; undefined of any other event. */
function changedHands(
  before: readonly DisputedAmount[],
  after: readonly DisputedAmount[],
): { readonly dispute: DisputedAmount; readonly lost: number } | undefined {
  if (before === after) return undefined;
  return after
    .map((dispute, place) => ({ dispute, lost: amountLostIn(dispute) - amountLostIn(before[place] ?? dispute) }))
    .find(({ lost }) => lost !== 0);
}
