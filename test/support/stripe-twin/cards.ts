// Payment methods by their names in Stripe's test mode, by test card number too, and what confirming with each does.
export interface Decline {
  readonly declineCode: string;
  readonly adviceCode?: string;
  readonly networkDeclineCode?: string;
}

export type Outcome =
  | { readonly kind: 'approved' }
  | ({ readonly kind: 'declined' } & Decline)
  /** A challenge; after it the card approves, or declines. */
  | { readonly kind: 'challenged'; readonly afterwards?: Decline }
  /** `processing` until a control finishes it. */
  | { readonly kind: 'processing' };

export type MethodType = 'card' | 'ideal' | 'bancontact' | 'klarna' | 'sepa_debit';

/** A card, or another payment method, whose `number` is its account then. */
export interface Card {
  readonly type: MethodType;
  readonly wallet?: 'apple_pay' | 'google_pay';
  readonly brand: string;
  readonly number: string;
  readonly outcome: Outcome;
  readonly expMonth: number;
  readonly expYear: number;
  /** Later captures of the rest, and larger authorizations, are possible. */
  readonly isFlexible: boolean;
  /** A refund stays `pending` until a control finishes it. */
  readonly refunds: 'succeeded' | 'pending';
}

const card = (number: string, outcome: Outcome = { kind: 'approved' }, more: Partial<Card> = {}): Card => ({
  type: 'card',
  brand: 'visa',
  number,
  outcome,
  expMonth: 8,
  expYear: 2034,
  isFlexible: true,
  refunds: 'succeeded',
  ...more,
});
const declined = (number: string, declineCode: string, more: Partial<Decline> = {}): Card =>
  card(number, { kind: 'declined', declineCode, ...more });

const CARDS: Readonly<Record<string, Card>> = {
  visa: card('4242424242424242'),
  mastercard: card('5555555555554444', undefined, { brand: 'mastercard' }),
  amex: card('378282246310005', undefined, { brand: 'amex', isFlexible: false }),
  chargeDeclined: declined('4000000000000002', 'generic_decline'),
  chargeDeclinedInsufficientFunds: declined('4000000000009995', 'insufficient_funds', {
    adviceCode: 'try_again_later',
    networkDeclineCode: '51',
  }),
  chargeDeclinedLostCard: declined('4000000000009987', 'lost_card', { adviceCode: 'do_not_try_again' }),
  chargeDeclinedStolenCard: declined('4000000000009979', 'stolen_card', { adviceCode: 'do_not_try_again' }),
  chargeDeclinedExpiredCard: declined('4000000000000069', 'expired_card'),
  chargeDeclinedIncorrectCvc: declined('4000000000000127', 'incorrect_cvc'),
  chargeDeclinedProcessingError: declined('4000000000000119', 'processing_error'),
  chargeDeclinedVelocityLimitExceeded: declined('4000000000006975', 'card_velocity_exceeded'),
  chargeDeclinedFraudulent: declined('4100000000000019', 'fraudulent'),
  threeDSecure2Required: card('4000000000003220', { kind: 'challenged' }),
  threeDSecureRequired: card('4000000000003063', { kind: 'challenged' }),
  authenticationRequired: card('4000002760003184', { kind: 'challenged' }),
  threeDSecureRequiredChargeDeclined: card('4000008400001629', {
    kind: 'challenged',
    afterwards: { declineCode: 'generic_decline' },
  }),
  pendingRefund: card('4000000000007726', undefined, { refunds: 'pending' }),
  /** Not of Stripe: the twin's own, for the status `processing`. */
  processing: card('4000000000000077', { kind: 'processing' }),
};

/** A customer goes to the page of a bank or of Klarna; a debit is `processing` until a control finishes it. */
const other = (type: MethodType, number: string, outcome: Outcome): Card =>
  card(number, outcome, { type, brand: type, isFlexible: false });
const OTHERS: Readonly<Record<string, Card>> = {
  pm_ideal: other('ideal', 'NL39RABO0300065264', { kind: 'challenged' }),
  pm_bancontact: other('bancontact', 'BE62510007547061', { kind: 'challenged' }),
  pm_klarna: other('klarna', 'klarna', { kind: 'challenged' }),
  pm_sepa_debit: other('sepa_debit', 'DE89370400440532013000', { kind: 'processing' }),
  pm_apple_pay: card('4242424242424242', undefined, { wallet: 'apple_pay' }),
  pm_google_pay: card('5555555555554444', undefined, { brand: 'mastercard', wallet: 'google_pay' }),
};

/**
 * The method that is named `pm_ideal`; the card that is named `pm_card_visa`, `pm_card_visa_chargeDeclined` or
 * `pm_card_chargeDeclined`.
 */
export function cardOfName(name: string): Card | undefined {
  if (Object.hasOwn(OTHERS, name)) return OTHERS[name];
  const [, short = ''] = /^pm_card_(?:visa_)?(\w+)$/.exec(name) ?? [];
  return Object.hasOwn(CARDS, short) ? CARDS[short] : undefined;
}

export function cardOfNumber(number: string): Card | undefined {
  return Object.values(CARDS).find((one) => one.number === number.replaceAll(/\D/g, ''));
}
