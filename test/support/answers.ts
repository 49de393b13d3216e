// What tests take for granted of an answer: that it was done, and that the payment is there.
import type { Answer, Completed } from '../../src/commands/caller.ts';
import { isKnown, type KnownPayment, type Payment } from '../../src/domain/payment/state.ts';

/** Throws what a rejection says. */
export function done<Doc>(answer: Answer<Doc>): Completed<Doc> {
  if (answer.kind === 'rejected') throw new Error(`${answer.errorId}: ${answer.description} ${JSON.stringify(answer.violations ?? '')}`);
  return answer;
}

/** Throws for a payment that is not there, or was given up. */
export function known(payment: Payment): KnownPayment {
  if (!isKnown(payment)) throw new Error('there is no payment');
  return payment;
}
