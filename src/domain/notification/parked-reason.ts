// Why a notification is parked, in a sentence: made when it is shown, out of what its event holds.
import { inCurrency } from '../in-currency.ts';
import type { ParkedReason } from './events.ts';

/** One sentence for operators: on the command line and in the log. */
export function parkedReason(reason: ParkedReason): string {
  switch (reason.code) {
    case 'payment_unknown':
      return 'It names no known payment of the account.';
    case 'attempt_unknown':
      return 'It names no known attempt of the payment.';
    case 'operation_differs':
      return `It tells of ${reason.told}, and its attempt is ${reason.attempted}.`;
    case 'processor_differs':
      return `It comes from ${reason.told}, and its attempt went to ${reason.attempted}.`;
    case 'content_differs':
      return `Another content came before under the same id: ${reason.firstRecordId}.`;
    case 'return_without_success':
      return `It tells of a return, and ${reason.attemptId} has not succeeded: it is ${reason.state.replace('_', ' ')}.`;
    case 'return_differs':
      return `Only the whole of ${reason.attemptId} can come back: ${inCurrency(reason.amount, reason.currencyCode)}.`;
    case 'dispute':
      return 'It tells of a dispute, in words that were not known here when it was tried.';
    case 'unreadable':
      return 'The stored text can no longer be read.';
    case 'refused':
      return `The payment did not take it: ${reason.errorId}.`;
    default:
      return reason satisfies never;
  }
}
