// A payment as the command line prints it: the API's own object, and what of it is not settled yet.
import { type Attempt, type KnownPayment, openAttempts } from '../../domain/payment/state.ts';
import { type PaymentItem, paymentItem } from '../../http/answers/payment-list.ts';
import type { Stored } from '../../stores/read-models.ts';
import { formatTime } from '../../world.ts';

/** Asked of the processor, and not known for good. */
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
}

export const openAttemptViews = (payment: KnownPayment): readonly OpenAttemptView[] =>
  openAttempts(payment).map(({ attemptId, operation, state, amount, requestedAt, lookUpAt, lookUps }) => ({
    attemptId,
    operation,
    state,
    amount,
    requestedAt: formatTime(requestedAt),
    lookUpAt: lookUpAt === undefined ? null : formatTime(lookUpAt),
    lookUps,
  }));

export interface PaymentLine extends PaymentItem {
  readonly accountId: string;
  readonly openAttempts: readonly OpenAttemptView[];
}

export const paymentLine = ({ id, revision, doc }: Stored<KnownPayment>): PaymentLine => ({
  ...paymentItem(id, revision, doc),
  accountId: doc.accountId,
  openAttempts: openAttemptViews(doc),
});
