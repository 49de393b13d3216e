// A payment as the command line lists it: the API's own object, and its attempts and answers to disputes that are not
// settled yet.
import { inCurrency } from '../../domain/in-currency.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import {
  differsView,
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
  /** `DIFFERS`: the totals that the processor shows; null where no difference is open. */
  readonly differs: ReturnType<typeof differsView>;
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
  differs: differsView(doc),
  openAttempts: await openAttemptViews(doc, history),
  openDisputeAnswers: await openDisputeAnswerViews(doc, history),
});

/** What an operator sees of a difference. */
export const differsWords = ({
  captured,
  capturable,
  refunded,
  currencyCode,
}: NonNullable<PaymentLine['differs']>): string =>
  `The processor shows ${inCurrency(captured, currencyCode)} captured, ${inCurrency(capturable, currencyCode)} held, ${inCurrency(refunded, currencyCode)} refunded. See to it, then close it: payments resolve --as succeeded.`;
