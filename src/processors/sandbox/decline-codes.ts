// The codes with which the sandbox refuses, and whether the same may succeed later.
import type { Declined } from '../processor.ts';

const SOFT = ['INSUFFICIENT_FUNDS', 'INCORRECT_CVC', 'PROCESSING_ERROR'] as const;
const HARD = ['GENERIC_DECLINE', 'LOST_CARD', 'STOLEN_CARD', 'EXPIRED_CARD'] as const;

/** An issuer's: the codes that the row of a card can name. */
export type DeclineCode = (typeof SOFT | typeof HARD)[number];

/** The acquirer's own: which of its rules a request breaks. */
export type RuleCode =
  | 'AMOUNT_TOO_SMALL'
  | 'AMOUNT_ABOVE_CAPTURABLE'
  | 'AMOUNT_ABOVE_REFUNDABLE'
  | 'AMOUNT_BELOW_CAPTURED'
  | 'CURRENCY_MISMATCH'
  | 'CARD_UNKNOWN'
  | 'TRANSACTION_UNKNOWN'
  | 'AUTHORIZATION_PENDING'
  | 'AUTHORIZATION_DECLINED'
  | 'AUTHORIZATION_EXPIRED'
  | 'AUTHORIZATION_CLOSED'
  | 'NOTHING_TO_CAPTURE'
  | 'NOTHING_TO_CANCEL';

/** Also of a code that only a later version knows: no caller is told to try that again. */
export const declineTypeOf = (code: string): Declined['declineType'] => (SOFT.some((soft) => soft === code) ? 'SOFT' : 'HARD');
