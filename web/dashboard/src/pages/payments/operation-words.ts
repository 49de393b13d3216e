// The words of each operation: on its dialog, its button, and after it is done.
import { methodText } from '../../parts/method-text.tsx';
import { moneyText } from '../../parts/money.tsx';
import type { Operation } from './ask-payment.ts';
import type { PaymentDetail } from './payment-queries.ts';

interface OperationWords {
  readonly title: string;
  readonly button: string;
  /** The words for an amount in minor units, or undefined while none is given. */
  readonly summary: (amount: number | undefined) => string;
  readonly done: (amount: number | undefined) => string;
}

export function wordsOf(operation: Operation, { payment }: PaymentDetail): OperationWords {
  const { currencyCode, processor } = payment;
  const money = (amount: number | undefined): string =>
    amount === undefined ? 'an amount' : moneyText({ amount, currencyCode });
  const card = methodText(payment.paymentMethod);
  switch (operation) {
    case 'capture':
      return {
        title: 'Capture this payment',
        button: 'Capture',
        summary: (amount) => `Capture ${money(amount)} of ${money(processor.amountCapturable)} from ${card}.`,
        done: (amount) => `${money(amount)} is captured.`,
      };
    case 'refund':
      return {
        title: 'Refund this payment',
        button: 'Refund',
        summary: (amount) => `Refund ${money(amount)} of ${money(processor.amountRefundable)} to ${card}.`,
        done: (amount) => `${money(amount)} is refunded.`,
      };
    case 'adjust':
      return {
        title: 'Adjust the authorization',
        button: 'Adjust',
        summary: (amount) => `Authorize ${money(amount)} in place of ${money(processor.amountAuthorized)} on ${card}.`,
        done: (amount) => `${money(amount)} is authorized now.`,
      };
    case 'cancel':
      return processor.amountCaptured > 0
        ? {
            title: 'Release the remaining amount',
            button: 'Release',
            summary: () =>
              `Release ${money(processor.amountCapturable)} on ${card}. It can no longer be captured. Captured amounts stay.`,
            done: () => 'The remaining amount was released.',
          }
        : {
            title: 'Cancel this payment',
            button: 'Cancel payment',
            summary: () => `Release ${money(payment.amount)} on ${card}. The payment can no longer be captured.`,
            done: () => 'The payment was cancelled.',
          };
    default:
      return operation satisfies never;
  }
}
