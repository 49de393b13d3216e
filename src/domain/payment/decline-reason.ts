// Why a processor refused, in the words of contract §4: one row for each code, and what to do about it by what was
// asked; and the refusals that several operations share.

import { type Rejection, reject } from '../decider.ts';
import type { Operation } from '../operation.ts';
import { type Attempt, isOpen } from './attempt.ts';
import { rulesOf } from './operations.ts';
import type { Declined, Reason } from './outcome.ts';
import type { KnownPayment } from './payment.ts';

interface ReasonRow {
  readonly type: Reason['type'];
  readonly message: string;
  /** Overrides the default advice of the decline type. */
  readonly advisedAction?: string;
}
const issuer = (message: string, advisedAction?: string): ReasonRow => ({
  type: 'ISSUER_DECLINE',
  message,
  ...(advisedAction !== undefined && { advisedAction }),
});
/** A rule of the acquirer itself. */
const rule = (message: string): ReasonRow => ({ type: 'APPLICATION_ERROR', message });

const ROWS: { readonly [code: string]: ReasonRow } = {
  GENERIC_DECLINE: issuer('The issuer declined without giving a reason.'),
  LOST_CARD: issuer('The card was reported lost.'),
  STOLEN_CARD: issuer('The card was reported stolen.'),
  EXPIRED_CARD: issuer('The card has expired.'),
  ACCOUNT_CLOSED: issuer('The card or the account was closed.'),
  INSUFFICIENT_FUNDS: issuer(
    'The account or card has insufficient funds.',
    'Try again later, or ask for another payment method.',
  ),
  RESTRICTED_CARD: issuer('The card may not be used for this purchase.'),
  SUSPECTED_FRAUD: issuer('The payment is suspected of fraud.'),
  DO_NOT_HONOR: issuer('The issuer declined, and says no more.'),
  REFER_TO_CARD_ISSUER: issuer('The issuer wants the customer to call.', 'Ask the customer to call the issuer.'),
  WITHDRAWAL_LIMIT_EXCEEDED: issuer('The card has reached a limit of its issuer.'),
  INVALID_CARD_NUMBER: issuer('The number of the card is not valid.', 'Ask the customer to enter the card again.'),
  INCORRECT_ADDRESS: issuer('The billing address is wrong.', 'Ask the customer to enter the address again.'),
  CARD_NOT_SUPPORTED: issuer('The card does not support this kind of purchase, or its currency.'),
  INCORRECT_CVC: issuer('The security code is wrong.', 'Ask the customer to enter the security code again.'),
  PROCESSING_ERROR: issuer('The issuer could not process the request.'),
  AUTHENTICATION_REQUIRED: {
    type: 'AUTHENTICATION_REQUIRED',
    message: 'The issuer requires the customer to authenticate.',
    advisedAction: 'Ask the customer to pay with 3-D Secure. Without the customer, the issuer declines again.',
  },
  CARD_ENTRY_REQUIRED: {
    type: 'AUTHENTICATION_REQUIRED',
    message: 'The issuer requires the customer to authenticate, and the entered card details were for one attempt.',
    advisedAction: 'Ask the customer to enter the card again.',
  },
  AUTHENTICATION_FAILED: {
    type: 'AUTHENTICATION_REQUIRED',
    message: 'The customer was not authenticated.',
    advisedAction: 'Ask the customer to pay again or to use another payment method.',
  },
  AUTHORIZATION_REVOKED: issuer(
    'The customer has withdrawn the consent to charges in their absence.',
    'Do not charge this card again without the customer. Ask for a new consent or another payment method.',
  ),
  REQUEST_REFUSED: rule('The processor refused the request.'),
  AMOUNT_TOO_SMALL: rule('The amount is less than the processor takes.'),
  AMOUNT_TOO_LARGE: rule('The amount is more than the processor takes.'),
  AMOUNT_NOT_DIVISIBLE: rule('The processor does not take such a fraction of the currency.'),
  CHARGE_DISPUTED: rule('The payment is disputed.'),
  EVIDENCE_TOO_LONG: rule('The evidence is longer than the processor takes.'),
  AMOUNT_ABOVE_CAPTURABLE: rule('The amount exceeds the amount that can be captured.'),
  AMOUNT_ABOVE_REFUNDABLE: rule('The amount exceeds the amount that can be refunded.'),
  AMOUNT_BELOW_CAPTURED: rule('The amount is less than the captured amount.'),
  CURRENCY_MISMATCH: rule('The currency differs from the currency of the authorization.'),
  CARD_UNKNOWN: rule('The processor does not know the card.'),
  CARD_DETAILS_USED: rule('The entered card details were for one attempt. Ask the customer to enter the card again.'),
  TRANSACTION_UNKNOWN: rule('The processor does not know the transaction.'),
  AUTHORIZATION_PENDING: rule('The authorization is still pending.'),
  AUTHORIZATION_DECLINED: rule('The transaction was not authorized.'),
  AUTHORIZATION_EXPIRED: rule('The authorization has expired.'),
  AUTHORIZATION_CLOSED: rule('The authorization is closed.'),
  NOTHING_TO_CAPTURE: rule('Nothing is left to capture: the amount was captured, released or cancelled.'),
  NOTHING_TO_CANCEL: rule('Nothing is left to cancel: the amount was captured, released or cancelled.'),
};

/** The codes for which an issuer declines an authorization; a processor may report others. */
export const issuerDeclineCodes: readonly string[] = Object.entries(ROWS).flatMap(([code, { type }]) =>
  type === 'APPLICATION_ERROR' ? [] : [code],
);

/** All codes that have a row: those of the rules of a processor, too. */
export const refusalCodes: readonly string[] = Object.keys(ROWS);

/** An outcome must always be recordable and shown, whatever codes a processor adds. */
const UNLISTED = issuer('The issuer declined.');

/** The advice to a shop for a declined payment. */
const OTHERWISE = { SOFT: 'Try again later.', HARD: 'Ask the customer for another payment method.' } as const;

function adviceOn(operation: Operation, declineType: Declined['declineType'], { advisedAction }: ReasonRow): string {
  const { instead } = rulesOf(operation);
  if (instead === undefined) return advisedAction ?? OTHERWISE[declineType];
  return declineType === 'SOFT' ? `Try the ${operation} again later.` : instead;
}

/**
 * The public reason of a refusal; an acquirer's own rule has no decline type and no advice, because the issuer was
 * never asked.
 */
export function declineReason(
  { code, declineType }: Pick<Declined, 'code' | 'declineType'>,
  operation: Operation,
): Reason {
  const row = (Object.hasOwn(ROWS, code) ? ROWS[code] : undefined) ?? UNLISTED;
  const { type, message } = row;
  if (type === 'APPLICATION_ERROR') return { type, code, message };
  return { type, declineType, code, message, advisedAction: adviceOn(operation, declineType, row) };
}

/** Codes that would help someone who tests stolen cards: a shopper's browser gets a plain decline. */
const TOLD_TO_NO_BROWSER: ReadonlySet<string> = new Set([
  'AUTHORIZATION_REVOKED',
  'LOST_CARD',
  'RESTRICTED_CARD',
  'STOLEN_CARD',
  'SUSPECTED_FRAUD',
]);

/** The code of a refusal for a shopper's browser (contract §4). */
export const shopperCode = (code: string): string => (TOLD_TO_NO_BROWSER.has(code) ? 'GENERIC_DECLINE' : code);

export const noSuchPayment = (): Rejection => reject('NotFound', 'There is no such payment.');

/** 400: the operation is not one for the payment's status. */
export const wrongStatus = (payment: KnownPayment, paymentId: string, operation: string): Rejection =>
  reject('InvalidPaymentStatus', `A payment with the status ${payment.status} cannot be ${operation}.`, {
    paymentId,
    paymentStatus: payment.status,
  });

/**
 * 409 while one of these attempts is open, unknown, or accepted by the processor and not confirmed (contract §4): what
 * is held, and what may still be taken of it, is not known before.
 */
export function inProgress(
  payment: KnownPayment,
  paymentId: string,
  at: number,
  attempts: readonly Attempt[] = payment.attempts,
): Rejection | undefined {
  const attempt = attempts.find(isOpen);
  if (attempt === undefined) return undefined;
  const lookUpInSeconds = Math.ceil((attempt.nextLookUpAt - at) / 1_000);
  return reject('PaymentOperationInProgress', `The outcome of the previous ${attempt.operation} is not known yet.`, {
    paymentId,
    paymentStatus: payment.status,
    // An answer comes any moment, a look-up at its time.
    retryAfterSeconds: attempt.state === 'open' ? 1 : Math.max(1, lookUpInSeconds),
  });
}
