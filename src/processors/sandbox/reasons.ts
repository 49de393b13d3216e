// Why the sandbox refuses, in the words of contract §4: one row per decline code of an issuer.
import type { Declined } from '../processor.ts';

type Reason = Declined['reason'];

const soft = (code: string, message: string, advisedAction: string): Reason => ({
  type: 'ISSUER_DECLINE',
  declineType: 'SOFT',
  code,
  message,
  advisedAction,
});
const hard = (code: string, message: string): Reason => ({
  type: 'ISSUER_DECLINE',
  declineType: 'HARD',
  code,
  message,
  advisedAction: 'Ask the customer for another payment method.',
});

const REASONS = {
  GENERIC_DECLINE: hard('GENERIC_DECLINE', 'The issuer declined without saying why.'),
  LOST_CARD: hard('LOST_CARD', 'The card was reported lost.'),
  STOLEN_CARD: hard('STOLEN_CARD', 'The card was reported stolen.'),
  EXPIRED_CARD: hard('EXPIRED_CARD', 'The card has expired.'),
  INSUFFICIENT_FUNDS: soft('INSUFFICIENT_FUNDS', 'The card has insufficient funds.', 'Try again later, or ask for another payment method.'),
  INCORRECT_CVC: soft('INCORRECT_CVC', 'The security code is wrong.', 'Ask the customer to enter the security code again.'),
  PROCESSING_ERROR: soft('PROCESSING_ERROR', 'The issuer could not process the request.', 'Try again later.'),
} as const;

export type DeclineCode = keyof typeof REASONS;

const isDeclineCode = (code: string): code is DeclineCode => Object.hasOwn(REASONS, code);

/** A code that this version does not know is still a decline of the issuer: an outcome must always be recordable. */
export const issuerDecline = (code: string): Reason => (isDeclineCode(code) ? REASONS[code] : { type: 'ISSUER_DECLINE', message: code });

/** A request that breaks a rule of the acquirer itself, such as a capture above the authorization. */
export const ruleDecline = (message: string): Reason => ({ type: 'APPLICATION_ERROR', message });
