// Why the sandbox refuses, in the words of contract §4: one row per decline code of an issuer, and what to do about it by what was asked.
import type { Declined, Operation } from '../processor.ts';

type Reason = Declined['reason'];

interface Row {
  readonly declineType: 'SOFT' | 'HARD';
  readonly message: string;
  /** What a shop does about a payment that is declined. */
  readonly advisedAction: string;
}
const soft = (message: string, advisedAction: string): Row => ({ declineType: 'SOFT', message, advisedAction });
const hard = (message: string): Row => ({ declineType: 'HARD', message, advisedAction: 'Ask the customer for another payment method.' });

const ROWS = {
  GENERIC_DECLINE: hard('The issuer declined without saying why.'),
  LOST_CARD: hard('The card was reported lost.'),
  STOLEN_CARD: hard('The card was reported stolen.'),
  EXPIRED_CARD: hard('The card has expired.'),
  INSUFFICIENT_FUNDS: soft('The card has insufficient funds.', 'Try again later, or ask for another payment method.'),
  INCORRECT_CVC: soft('The security code is wrong.', 'Ask the customer to enter the security code again.'),
  PROCESSING_ERROR: soft('The issuer could not process the request.', 'Try again later.'),
} as const;

export type DeclineCode = keyof typeof ROWS;

const isDeclineCode = (code: string): code is DeclineCode => Object.hasOwn(ROWS, code);

/** Nobody stands at a checkout any more: what a shop does when one of these is refused for good. */
const INSTEAD: { readonly [O in Exclude<Operation, 'authorization'>]: string } = {
  capture: 'Cancel what is not captured, and ask the customer for a new payment.',
  cancellation: 'Leave it to expire, or capture it and refund that.',
  refund: 'Pay the customer back in another way.',
  adjustment: 'Go on with the amount that is authorized, or ask for a new payment.',
};

function adviceOn(operation: Operation, { declineType, advisedAction }: Row): string {
  if (operation === 'authorization') return advisedAction;
  return declineType === 'SOFT' ? `Try the ${operation} again later.` : INSTEAD[operation];
}

/** A code that this version does not know is still a decline of the issuer: an outcome must always be recordable. */
export function issuerDecline(code: string, operation: Operation): Reason {
  if (!isDeclineCode(code)) return { type: 'ISSUER_DECLINE', message: code };
  const row = ROWS[code];
  return { type: 'ISSUER_DECLINE', declineType: row.declineType, code, message: row.message, advisedAction: adviceOn(operation, row) };
}

/** A request that breaks a rule of the acquirer itself, such as a capture above the authorization. */
export const ruleDecline = (message: string): Reason => ({ type: 'APPLICATION_ERROR', message });
