// The issuer's codes with which the sandbox refuses, and whether the same may succeed later.
import type { Declined } from '../../domain/payment/outcome.ts';

const SOFT = [
  'INSUFFICIENT_FUNDS',
  'INCORRECT_CVC',
  'PROCESSING_ERROR',
  'AUTHENTICATION_REQUIRED',
  'AUTHENTICATION_FAILED',
] as const;

/** The codes that the row of a card can name. */
export type DeclineCode =
  | (typeof SOFT)[number]
  | 'GENERIC_DECLINE'
  | 'LOST_CARD'
  | 'STOLEN_CARD'
  | 'EXPIRED_CARD'
  | 'AUTHORIZATION_REVOKED'
  /** A refund's: the money goes to an account that the customer names. */
  | 'ACCOUNT_REQUIRED';

/**
 * The type of a code, including those of the acquirer's rules and codes that only a later version knows: no caller is
 * told to retry the latter.
 */
export const declineTypeOf = (code: string): Declined['declineType'] =>
  SOFT.some((soft) => soft === code) ? 'SOFT' : 'HARD';
