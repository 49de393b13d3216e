// The meaning of a payment's status for the shopper, and the sentence for a decline. Unknown is never failed.
import type { Notice } from '../words/words.ts';
import type { Payment } from './answers.ts';

type Outcome = 'complete' | 'pending' | 'refused';

const COMPLETE: ReadonlySet<string> = new Set(['AUTHORIZED', 'SETTLING', 'SETTLED', 'PARTIALLY_SETTLED']);
const REFUSED: ReadonlySet<string> = new Set(['DECLINED', 'FAILED', 'CANCELLED']);

/** A new status says nothing about the outcome (contract §4: enumerations are open), so the frame waits. */
export const outcomeOf = ({ status }: Pick<Payment, 'status'>): Outcome =>
  COMPLETE.has(status) ? 'complete' : REFUSED.has(status) ? 'refused' : 'pending';

const BY_CODE: { readonly [code: string]: Notice } = {
  INSUFFICIENT_FUNDS: 'insufficientFunds',
  INCORRECT_CVC: 'incorrectCvc',
  EXPIRED_CARD: 'expiredCard',
  PROCESSING_ERROR: 'tryLater',
  AUTHENTICATION_REQUIRED: 'needsAuthentication',
  AUTHENTICATION_FAILED: 'authenticationFailed',
};

/**
 * True if an issuer or a processor has refused the card. A payment that failed in another way says nothing about it.
 */
export const isDecline = ({ status }: Pick<Payment, 'status'>): boolean => status === 'DECLINED';

/**
 * The notice for a payment that is over. A lost or stolen card is declined like any other, so that its finder learns
 * nothing.
 */
export function noticeOf({
  status,
  method = 'PAYMENT_CARD',
  reasonCode,
  reasonType,
}: Pick<Payment, 'status' | 'reasonCode'> & Partial<Pick<Payment, 'method' | 'reasonType'>>): Notice {
  if (reasonType === 'PAYMENT_EXPIRED') return 'notPaidInTime';
  if (method !== 'PAYMENT_CARD') return status === 'DECLINED' ? 'methodDeclined' : 'notSent';
  const listed = reasonCode !== undefined && Object.hasOwn(BY_CODE, reasonCode) ? BY_CODE[reasonCode] : undefined;
  return listed ?? (status === 'DECLINED' ? 'declined' : 'notSent');
}
