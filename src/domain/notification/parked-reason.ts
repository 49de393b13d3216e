// Why a notification is parked, in a sentence: made when it is shown, out of what its event holds.
import { inCurrency } from '../in-currency.ts';
import type { ParkedReason } from './events.ts';

/** One sentence for operators: on the command line and in the log. */
export function parkedReason(reason: ParkedReason): string {
  switch (reason.code) {
    case 'payment_unknown':
      return 'The notification names no known payment of the account.';
    case 'attempt_unknown':
      return 'The notification names no known attempt of the payment.';
    case 'operation_differs':
      return `The notification reports ${reason.told}, but the attempt is ${reason.attempted}.`;
    case 'processor_differs':
      return `The notification comes from ${reason.told}, but the attempt was sent to ${reason.attempted}.`;
    case 'content_differs':
      return `An earlier notification with the same id has different content: ${reason.firstRecordId}.`;
    case 'return_without_success':
      return `The notification reports a return, but ${reason.attemptId} has not succeeded: its state is ${reason.state.replace('_', ' ')}.`;
    case 'return_differs':
      return `Only the whole amount of ${reason.attemptId} can be returned: ${inCurrency(reason.amount, reason.currencyCode)}.`;
    case 'dispute':
      return 'The notification reports a dispute in terms that the service did not know when it tried.';
    case 'unreadable':
      return 'The stored text can no longer be read.';
    case 'refused':
      return `The payment rejected the notification: ${reason.errorId}.`;
    default:
      return reason satisfies never;
  }
}
