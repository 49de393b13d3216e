// An authorization as its PaymentIntent shows it.
import type { Check, Declined, LookUp, Succeeded, TakenBack } from '../../domain/payment/outcome.ts';
import type { AuthorizationRequest } from '../processor.ts';
import { fromStripe } from './amounts.ts';
import { declinedBy } from './declines.ts';
import { succeeded } from './grading.ts';
import type { Charge, ChargedCard, PaymentIntent } from './wire.ts';

/** The reason that a fence cancels with: by it a later read knows who has taken a success back. */
export const FENCED = 'abandoned';
/** What is written into the metadata of a PaymentIntent for a raise: by it a read knows the amount before. */
export const raiseTo = (amount: number): string => `${RAISE}${amount}`;
const RAISE = 'adjustment ';
/** The total of such a note, in Stripe's units; undefined for another note. */
export const raisedTo = (note: string | undefined): number | undefined =>
  note?.startsWith(RAISE) === true ? Number(note.slice(RAISE.length)) : undefined;

/** `unconfirmed`: nothing happened by it so far. `taken_back`: it had succeeded, and a fence released it. */
type AuthorizationState =
  | Exclude<LookUp, { readonly kind: 'not_found' | 'unreachable' }>
  | { readonly kind: 'unconfirmed' }
  | { readonly kind: 'taken_back'; readonly released: TakenBack };

export function authorizationOf(
  intent: PaymentIntent,
  request: AuthorizationRequest,
  detail: string,
): AuthorizationState {
  const state = stateOf(intent, request, detail);
  if (state.kind !== 'declined') return state;
  const told = refusedBy(state, request);
  return intent.status === 'canceled' ? told : { ...told, fence: 'owed' };
}

/**
 * A refusal in its own words. A confirmation token is good for one confirmation, and what Stripe makes of it cannot be
 * used again without a customer of Stripe's: no second attempt follows, and the card has to be entered again.
 */
export function refusedBy(
  declined: Declined,
  { processorToken, offSession, paymentMethodType }: AuthorizationRequest,
): Declined {
  // a customer who refuses on the page of a bank was not authenticated for a card
  if (paymentMethodType !== undefined && declined.code === 'AUTHENTICATION_FAILED')
    return { ...declined, code: 'GENERIC_DECLINE', declineType: 'HARD' };
  const isRepeatable = declined.code !== 'AUTHENTICATION_REQUIRED' || offSession === true;
  return isRepeatable || !isFieldToken(processorToken)
    ? declined
    : { ...declined, code: 'CARD_ENTRY_REQUIRED', advice: 'UPDATE_DATA' };
}

/** True if the fields in the browser made it of one entry of a card. */
export const isFieldToken = (processorToken: string): boolean => processorToken.startsWith('ctoken_');

function stateOf(intent: PaymentIntent, request: AuthorizationRequest, detail: string): AuthorizationState {
  const { id, status, last_payment_error: error } = intent;
  switch (status) {
    case 'requires_capture':
    case 'succeeded':
      return authorized(intent, request, detail);
    case 'processing':
      return { kind: 'pending', processorTransactionId: id };
    case 'requires_action':
      return waiting(intent, request);
    case 'requires_payment_method':
    case 'requires_confirmation':
      return error == null ? { kind: 'unconfirmed' } : { ...declinedBy(error, id), ...namesIn(intent) };
    case 'canceled':
      return canceled(intent, request, detail);
    default:
      return { kind: 'unknown', detail: `its status is new: ${detail}` };
  }
}

/** A merchant without the customer never waits for one: by its request Stripe declines instead. */
function waiting({ id, next_action: next }: PaymentIntent, { offSession }: AuthorizationRequest): AuthorizationState {
  if (offSession === true)
    return { kind: 'declined', code: 'AUTHENTICATION_REQUIRED', declineType: 'SOFT', processorTransactionId: id };
  const url = next?.redirect_to_url?.url;
  return {
    kind: 'requires_action',
    processorTransactionId: id,
    action: url == null ? { kind: 'sdk', data: { type: next?.type ?? 'none' } } : { kind: 'redirect', url },
  };
}

function canceled(intent: PaymentIntent, request: AuthorizationRequest, detail: string): AuthorizationState {
  const { id, latest_charge: charge, last_payment_error: error, payment_method: method } = intent;
  const { cancellation_reason: reason } = intent;
  if (typeof charge === 'string') return { kind: 'unknown', detail: `its charge is not shown: ${detail}` };
  if (charge != null && isSuccess(charge)) {
    if (reason !== FENCED) return authorized(intent, request, detail);
    const released = releasedOf(intent, charge);
    return released === undefined
      ? { kind: 'unknown', detail: `what was released has a fraction: ${detail}` }
      : { kind: 'taken_back', released };
  }
  if (error != null) return { ...declinedBy(error, id), ...namesIn(intent) };
  if (method == null) return { kind: 'unconfirmed' };
  // It waited for its customer, who can no longer act. What a fence withdrew stays as the fence found it.
  return reason === FENCED
    ? waiting(intent, request)
    : { kind: 'declined', code: 'AUTHENTICATION_FAILED', declineType: 'SOFT', processorTransactionId: id };
}

export const isSuccess = ({ status }: Charge): boolean => status === 'succeeded';

export function releasedOf(intent: PaymentIntent, charge: Charge): TakenBack | undefined {
  const amount = fromStripe(amountOf(intent, charge), intent.currency);
  if (amount === undefined) return undefined;
  const currencyCode = intent.currency.toUpperCase();
  return { kind: 'released', processorTransactionId: intent.id, amount, currencyCode };
}

function authorized(
  intent: PaymentIntent,
  { amount: asked }: AuthorizationRequest,
  detail: string,
): AuthorizationState {
  const { id, currency, latest_charge: charge } = intent;
  const shown = typeof charge === 'string' || charge == null ? undefined : charge;
  const told = succeeded(id, { amount: amountOf(intent, shown), currency, detail }, checksOf(intent, shown));
  // A raise is an operation of its own: it changes nothing about what was authorized first.
  return told.kind === 'succeeded' && isRaised(intent) && told.amount > asked ? { ...told, amount: asked } : told;
}

const isRaised = ({ amount, metadata }: PaymentIntent): boolean =>
  Object.values(metadata ?? {}).includes(raiseTo(amount));

/**
 * The amount that the issuer approved, which may be a part of the amount asked for, in Stripe's units. Before the first
 * capture it is what can be captured; a capture leaves the charge's own amount as it was.
 */
function amountOf(
  { status, amount, amount_capturable: capturable, amount_received: received }: PaymentIntent,
  charge: Charge | undefined,
): number {
  if (status === 'requires_capture' && !received) return capturable ?? amount;
  return charge?.payment_method_details?.card?.amount_authorized ?? charge?.amount ?? amount;
}

function checksOf(
  { status, canceled_at: canceledAt, capture_method: captureMethod }: PaymentIntent,
  charge: Charge | undefined,
): Succeeded['authorization'] {
  const { card, type } = charge?.payment_method_details ?? {};
  const endsAt = status === 'canceled' ? canceledAt : card?.capture_before;
  const avsResult = addressCheckOf(card);
  const cvcResult = checkOf(card?.checks?.cvc_check);
  const threeDSecure = threeDSecureOf(card);
  const names = networkNamesOf(card);
  const possible = (card != null || (type != null && type !== 'card')) && {
    multipleCaptures: card?.multicapture?.status === 'available',
    adjustment: card?.incremental_authorization?.status === 'available',
  };
  const captured = status === 'succeeded' && captureMethod != null && captureMethod !== 'manual';
  const checks = {
    ...(possible !== false && { possible }),
    ...(captured && { captured: true as const }),
    ...(endsAt != null && { holdExpiresAt: endsAt * 1_000 }),
    ...(avsResult !== undefined && { avsResult }),
    ...(cvcResult !== undefined && { cvcResult }),
    ...(threeDSecure !== undefined && { threeDSecure }),
    ...names,
  };
  return Object.keys(checks).length === 0 ? undefined : checks;
}

type ChargeNames = Pick<Declined, 'networkTransactionId' | 'transactionLinkId'>;

function networkNamesOf(card: ChargedCard | null | undefined): ChargeNames {
  const { network_transaction_id: networkTransactionId, transaction_link_id: transactionLinkId } = card ?? {};
  return {
    ...(networkTransactionId != null && { networkTransactionId }),
    ...(transactionLinkId != null && { transactionLinkId }),
  };
}

/** The network's names of the newest charge, where the PaymentIntent shows it. */
export const namesIn = ({ latest_charge: charge }: Pick<PaymentIntent, 'latest_charge'>): ChargeNames =>
  typeof charge === 'string' ? {} : networkNamesOf(charge?.payment_method_details?.card);

const CHECKS: { readonly [result: string]: Check | undefined } = {
  pass: 'MATCH',
  fail: 'NO_MATCH',
  unchecked: 'NOT_CHECKED',
  unavailable: 'UNAVAILABLE',
};
const checkOf = (result: string | null | undefined): Check | undefined =>
  result != null && Object.hasOwn(CHECKS, result) ? CHECKS[result] : undefined;

/** The worse result of the two checks of the address. */
function addressCheckOf(card: ChargedCard | null | undefined): Check | undefined {
  const { address_line1_check: line, address_postal_code_check: code } = card?.checks ?? {};
  const results = [line, code].map((result) => checkOf(result));
  return (['NO_MATCH', 'MATCH', 'UNAVAILABLE', 'NOT_CHECKED'] as const).find((check) => results.includes(check));
}

const AUTHENTICATED: ReadonlySet<string> = new Set(['authenticated', 'attempt_acknowledged', 'exempted']);

function threeDSecureOf(card: ChargedCard | null | undefined): object | undefined {
  const told = card?.three_d_secure;
  if (told == null || told.result == null) return undefined;
  const eci = told.electronic_commerce_indicator ?? card?.electronic_commerce_indicator;
  return {
    responseCode: AUTHENTICATED.has(told.result) ? 'AUTH_SUCCESS' : 'AUTH_FAILED',
    ...(told.version != null && { protocolVersion: told.version }),
    challengeIssued: told.authentication_flow === 'challenge',
    ...(eci != null && { eci }),
  };
}
