// Assertions that tests share: the command was completed, and the payment exists.
import type { Answer, Completed } from '../../src/commands/caller.ts';
import type { KnownPayment, Payment } from '../../src/domain/payment/payment.ts';
import { isKnown } from '../../src/domain/payment/queries.ts';

/** Throws for a rejection, with its error id and description. */
export function done<Doc>(answer: Answer<Doc>): Completed<Doc> {
  if (answer.kind === 'rejected')
    throw new Error(`${answer.errorId}: ${answer.description} ${JSON.stringify(answer.violations ?? '')}`);
  return answer;
}

/** Throws for a payment that does not exist, or was abandoned before its request. */
export function known(payment: Payment): KnownPayment {
  if (!isKnown(payment)) throw new Error('there is no payment');
  return payment;
}
