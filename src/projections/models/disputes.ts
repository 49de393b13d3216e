// Disputes of all payments, one document each: those that can be answered first, by their last moment, then the newest;
// listed by when they were opened and by their amount, too.

/**
 * A log projection: a payment has several disputes, and a document of the payment could be found by one of them only.
 * It lags by a moment; what the dispute's payment says is what counts.
 */
import type { DisputeStatus, DisputeType } from '../../domain/dispute-status.ts';
import { type PaymentEvent, paymentCategory } from '../../domain/payment/events.ts';
import { metadataOf, unsealEvent } from '../../journal/envelope.ts';
import { idOf } from '../../stores/stream-name.ts';
import { type LogProjection, logProjection, type Reader, readingOf } from '../projection.ts';
import { disputeStatusAfter } from './payment-facts.ts';

export interface ListedDispute {
  readonly accountId: string;
  readonly paymentId: string;
  readonly status: DisputeStatus;
  /** Counted from 1; amount and deadline are those of this round. */
  readonly round: number;
  readonly type: DisputeType;
  /** Minor units. */
  readonly amount: number;
  /** For a prevented dispute: what the processor refunded. */
  readonly amountRefunded?: number;
  readonly currencyCode: string;
  readonly reason?: string;
  readonly reasonCode?: string;
  /** ms */
  readonly openedAt: number;
  readonly challengeRequiredBy?: number;
}

export type DisputeKey = 'accountId' | 'status' | 'place' | 'openedAt' | 'currencyCode' | 'amount';

/** The document of the event's dispute after the event; undefined if the event changes none. */
function after(event: PaymentEvent, known: Known, paymentId: string, accountId: string): ListedDispute | undefined {
  if (event.type === 'DisputeOpened') {
    const { round, type, amount, currencyCode, reason, reasonCode, openedAt, challengeRequiredBy } = event.data;
    return {
      accountId,
      paymentId,
      status: 'OPEN',
      round,
      type,
      amount,
      currencyCode,
      ...(reason !== undefined && { reason }),
      ...(reasonCode !== undefined && { reasonCode }),
      openedAt,
      ...(challengeRequiredBy !== undefined && { challengeRequiredBy }),
    };
  }
  const status = disputeStatusAfter(event);
  if (status === undefined || !('disputeId' in event.data)) return undefined;
  const before = known.get(event.data.disputeId);
  if (before === undefined) throw new Error(`${event.type} before DisputeOpened`);
  return event.type === 'DisputePrevented'
    ? { ...before, status, amountRefunded: event.data.amount }
    : { ...before, status };
}

const SEPARATOR = '.';
/** A payment's dispute, whatever its own id is. */
const disputeIn = (paymentId: string, disputeId: string): string => `${paymentId}${SEPARATOR}${disputeId}`;
/** The dispute's own id, of a document's. */
export const disputeIdIn = (id: string): string => id.slice(id.indexOf(SEPARATOR) + 1);

/** Later than any time of an open dispute, ms: the others come after these, the newest first. */
const LAST_TIME = 8.64e15;
const placeOf = ({ status, openedAt, challengeRequiredBy = openedAt }: ListedDispute): number =>
  status === 'OPEN' ? challengeRequiredBy : LAST_TIME - openedAt;

/** The payment's disputes by their own ids. */
type Known = ReadonlyMap<string, ListedDispute>;

const reader: Reader<Known, ListedDispute> = {
  categories: [paymentCategory.name],
  initial: new Map(),
  read: (known, stored) => {
    if (!stored.type.startsWith('Dispute')) return { known, changes: [] };
    const { event } = unsealEvent(paymentCategory, stored);
    const paymentId = idOf(stored.stream);
    const doc = after(event, known, paymentId, metadataOf(stored).accountId);
    if (doc === undefined || !('disputeId' in event.data)) return { known, changes: [] };
    const { disputeId } = event.data;
    return {
      known: new Map([...known, [disputeId, doc]]),
      changes: [{ id: disputeIn(paymentId, disputeId), doc }],
    };
  },
};

export const disputes: LogProjection<ListedDispute, DisputeKey> = logProjection(readingOf(reader), {
  name: 'disputes',
  version: 3,
  keys: {
    accountId: ({ accountId }) => accountId,
    status: ({ status }) => status,
    place: placeOf,
    openedAt: ({ openedAt }) => openedAt,
    currencyCode: ({ currencyCode }) => currencyCode,
    amount: ({ amount }) => amount,
  },
  // A list of all names every status: no index is without.
  indexes: [
    ['accountId', 'status', 'place'],
    ['accountId', 'status', 'openedAt'],
    ['accountId', 'status', 'amount'],
  ],
});
