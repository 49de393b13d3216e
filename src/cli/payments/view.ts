// A payment as the command line prints it: the API's own object, and what of it is not settled yet.
import type { Evidence } from '../../domain/payment/outcome.ts';
import {
  type Attempt,
  isInDoubt,
  type KnownPayment,
  openOverRefund,
  type PaymentEvent,
  unsettledAttempts,
} from '../../domain/payment/state.ts';
import { type PaymentItem, paymentItem } from '../../http/answers/payment-list.ts';
import type { Unsealed } from '../../journal/envelope.ts';
import type { Stored } from '../../stores/read-models.ts';
import { formatTime } from '../../world.ts';

/** Asked of the processor, and not known for good; or a reversal that the processor refused, which an operator closes. */
export interface OpenAttemptView {
  readonly attemptId: string;
  readonly operation: string;
  readonly state: Attempt['state'];
  /** Minor units. */
  readonly amount: number;
  readonly requestedAt: string;
  /** When the processor is asked next. */
  readonly lookUpAt: string | null;
  readonly lookUps: number;
  /** What the last call, look-up or notification left; null before the first, and where it is of no use: nothing is in doubt. */
  readonly evidence: EvidenceView | null;
}

export interface EvidenceView extends Omit<Evidence, 'sentAt'> {
  readonly at: string;
}

/** Events of a payment, oldest first: `Streams.history`. */
export type History = AsyncIterable<Unsealed<PaymentEvent>> | Iterable<Unsealed<PaymentEvent>>;

/** The newest evidence of each attempt. */
async function evidenceIn(history: History): Promise<ReadonlyMap<string, EvidenceView>> {
  const newest = new Map<string, EvidenceView>();
  for await (const { event } of history) {
    if (!('evidence' in event.data && 'attemptId' in event.data) || event.data.evidence === undefined) continue;
    const { attemptId, at } = event.data;
    const { sentAt = at, ...evidence } = event.data.evidence;
    newest.set(attemptId, { at: formatTime(sentAt), ...evidence });
  }
  return newest;
}

/** What is not settled. The history is read only where something is in doubt, or was refused. */
export async function openAttemptViews(payment: KnownPayment, history: () => History): Promise<readonly OpenAttemptView[]> {
  const open = unsettledAttempts(payment);
  const evidence = open.some((attempt) => isInDoubt(attempt) || attempt.state === 'declined')
    ? await evidenceIn(history())
    : new Map<string, EvidenceView>();
  return open.map(({ attemptId, operation, state, amount, requestedAt, lookUpAt, lookUps }) => ({
    attemptId,
    operation,
    state,
    amount,
    requestedAt: formatTime(requestedAt),
    lookUpAt: lookUpAt === undefined ? null : formatTime(lookUpAt),
    lookUps,
    evidence: evidence.get(attemptId) ?? null,
  }));
}

export const overRefundedView = (payment: KnownPayment): number | null => openOverRefund(payment) || null;

export interface PaymentLine extends PaymentItem {
  readonly accountId: string;
  /** `OVER_REFUNDED`: refunded beyond what was captured, minor units; null where it is not, or an operator has seen to it. */
  readonly overRefunded: number | null;
  readonly openAttempts: readonly OpenAttemptView[];
}

export const paymentLine = async ({ id, revision, doc }: Stored<KnownPayment>, history: () => History): Promise<PaymentLine> => ({
  ...paymentItem(id, revision, doc),
  accountId: doc.accountId,
  overRefunded: overRefundedView(doc),
  openAttempts: await openAttemptViews(doc, history),
});
