// A payment as the command line lists it: the API's own object, and its attempts and answers to disputes that are not
// settled yet.
import type { KnownPayment } from '../../domain/payment/payment.ts';
import {
  type History,
  type OpenAttemptView,
  openAttemptViews,
  overRefundedView,
} from '../../http/answers/open-attempts.ts';
import { type OpenDisputeAnswerView, openDisputeAnswerViews } from '../../http/answers/open-dispute-answers.ts';
import { type PaymentItem, paymentItem } from '../../http/answers/payment-list.ts';
import type { Stored } from '../../stores/read-models.ts';

export interface PaymentLine extends PaymentItem {
  readonly accountId: string;
  /**
   * `OVER_REFUNDED`: refunded beyond what was captured, minor units; null where it is not, or an operator has closed
   * it.
   */
  readonly overRefunded: number | null;
  readonly openAttempts: readonly OpenAttemptView[];
  readonly openDisputeAnswers: readonly OpenDisputeAnswerView[];
}

export const paymentLine = async (
  { id, revision, doc }: Stored<KnownPayment>,
  history: () => History,
): Promise<PaymentLine> => ({
  ...paymentItem(id, revision, doc),
  accountId: doc.accountId,
  overRefunded: overRefundedView(doc),
  openAttempts: await openAttemptViews(doc, history),
  openDisputeAnswers: await openDisputeAnswerViews(doc, history),
});
