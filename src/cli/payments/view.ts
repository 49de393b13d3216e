// A payment as the command line prints it: the API's own object, and its attempts that are not settled yet.
import { type Attempt, dueAtOf, isUnanswered } from '../../domain/payment/attempt.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import type { Evidence } from '../../domain/payment/outcome.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { openOverRefund, unsettledAttempts } from '../../domain/payment/queries.ts';
import { type PaymentItem, paymentItem } from '../../http/answers/payment-list.ts';
import type { Unsealed } from '../../journal/envelope.ts';
import type { Stored } from '../../stores/read-models.ts';
import { formatTime } from '../../world.ts';
import { whatIsKnown } from './what-is-known.ts';

/** Requested of the processor, and not known for good; or a reversal that the processor refused, which an operator closes. */
export interface OpenAttemptView {
  readonly attemptId: string;
  /** What the processor knows it by: to ask its support, or to find it in its books. */
  readonly reference: string;
  readonly operation: string;
  readonly state: Attempt['state'];
  /** Minor units. */
  readonly amount: number;
  readonly requestedAt: string;
  /** When the processor is asked next. */
  readonly lookUpAt: string | null;
  readonly lookUps: number;
  /** The newest evidence: of a call, a look-up or a notification. null before the first, and where the processor has only accepted it. */
  readonly evidence: EvidenceView | null;
}

export interface EvidenceView extends Pick<Evidence, 'source' | 'notificationId'> {
  /** The time of that evidence. */
  readonly at: string;
  /** Its meaning, in a sentence. */
  readonly detail?: string;
}

/** Events of a payment, oldest first: `Streams.history`. */
export type History = AsyncIterable<Unsealed<PaymentEvent>> | Iterable<Unsealed<PaymentEvent>>;

/** The newest evidence of each attempt. */
async function evidenceIn(history: History, attempts: readonly Attempt[]): Promise<ReadonlyMap<string, EvidenceView>> {
  const operations = new Map(attempts.map(({ attemptId, operation }) => [attemptId, operation]));
  const newest = new Map<string, EvidenceView>();
  for await (const { event, recorded } of history) {
    const { data } = event;
    if (!('evidence' in data && 'attemptId' in data) || data.evidence === undefined || data.attemptId === undefined) continue;
    const { source, sentAt = recorded.at, notificationId } = data.evidence;
    const operation = operations.get(data.attemptId);
    const detail = (operation && whatIsKnown(event, operation)) ?? data.evidence.detail;
    const named = { ...(notificationId !== undefined && { notificationId }), ...(detail !== undefined && { detail }) };
    newest.set(data.attemptId, { at: formatTime(sentAt), source, ...named });
  }
  return newest;
}

/** Attempts that are not settled. The history is read only where an attempt has no answer, or was refused. */
export async function openAttemptViews(payment: KnownPayment, history: () => History): Promise<readonly OpenAttemptView[]> {
  const open = unsettledAttempts(payment);
  const evidence = open.some((attempt) => isUnanswered(attempt) || attempt.state === 'declined' || attempt.state === 'returned')
    ? await evidenceIn(history(), open)
    : new Map<string, EvidenceView>();
  return open.map((attempt) => {
    const { attemptId, reference, operation, state, amount, requestedAt, lookUps } = attempt;
    const lookUpAt = dueAtOf(attempt);
    return {
      attemptId,
      reference,
      operation,
      state,
      amount,
      requestedAt: formatTime(requestedAt),
      lookUpAt: lookUpAt === undefined ? null : formatTime(lookUpAt),
      lookUps,
      evidence: evidence.get(attemptId) ?? null,
    };
  });
}

export const overRefundedView = (payment: KnownPayment): number | null => openOverRefund(payment) || null;

export interface PaymentLine extends PaymentItem {
  readonly accountId: string;
  /** `OVER_REFUNDED`: refunded beyond what was captured, minor units; null where it is not, or an operator has closed it. */
  readonly overRefunded: number | null;
  readonly openAttempts: readonly OpenAttemptView[];
}

export const paymentLine = async ({ id, revision, doc }: Stored<KnownPayment>, history: () => History): Promise<PaymentLine> => ({
  ...paymentItem(id, revision, doc),
  accountId: doc.accountId,
  overRefunded: overRefundedView(doc),
  openAttempts: await openAttemptViews(doc, history),
});
