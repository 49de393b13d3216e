// What Stripe's refusals mean in the words of the port (docs.stripe.com/declines/codes, and error-codes).
import type { DeclineAdvice, Declined } from '../../domain/payment/outcome.ts';
import type { StripeError } from './wire.ts';

type DeclineRow = Pick<Declined, 'code' | 'declineType' | 'advice'>;
const soft = (code: string, advice?: DeclineAdvice): DeclineRow => ({
  code,
  declineType: 'SOFT',
  ...(advice && { advice }),
});
const hard = (code: string, advice?: DeclineAdvice): DeclineRow => ({
  code,
  declineType: 'HARD',
  ...(advice && { advice }),
});

/** One row under each of the names, which a blank separates. */
export const rows = <Row>(names: string, row: Row): { readonly [name: string]: Row } =>
  Object.fromEntries(names.split(' ').map((name) => [name, row]));

/** By `decline_code`, otherwise by the `code` of the error. */
const DECLINES: { readonly [name: string]: DeclineRow } = {
  ...rows('insufficient_funds', soft('INSUFFICIENT_FUNDS', 'RETRY_LATER')),
  ...rows('withdrawal_count_limit_exceeded card_velocity_exceeded', soft('WITHDRAWAL_LIMIT_EXCEEDED', 'RETRY_LATER')),
  ...rows(
    'do_not_honor no_action_taken not_permitted transaction_not_allowed service_not_allowed security_violation',
    soft('DO_NOT_HONOR'),
  ),
  ...rows('call_issuer', soft('REFER_TO_CARD_ISSUER')),
  ...rows(
    'issuer_not_available processing_error reenter_transaction try_again_later payment_method_not_available ' +
      'payment_method_provider_timeout',
    soft('PROCESSING_ERROR', 'RETRY_LATER'),
  ),
  ...rows('authentication_required', soft('AUTHENTICATION_REQUIRED')),
  ...rows(
    'payment_intent_authentication_failure setup_intent_authentication_failure authentication_failure ' +
      'three_d_secure_authentication_not_supported three_d_secure_authentication_upstream_error',
    soft('AUTHENTICATION_FAILED'),
  ),
  ...rows('incorrect_cvc invalid_cvc', soft('INCORRECT_CVC', 'UPDATE_DATA')),
  ...rows(
    'expired_card expired_payment_method invalid_expiry_month invalid_expiry_year',
    hard('EXPIRED_CARD', 'UPDATE_DATA'),
  ),
  ...rows(
    'incorrect_number invalid_number invalid_account no_account account_closed new_account_information_available',
    hard('INVALID_CARD_NUMBER', 'UPDATE_DATA'),
  ),
  ...rows(
    'incorrect_zip incorrect_address incorrect_postal_code postal_code_invalid',
    soft('INCORRECT_ADDRESS', 'UPDATE_DATA'),
  ),
  ...rows('card_not_supported currency_not_supported', hard('CARD_NOT_SUPPORTED')),
  ...rows('lost_card', hard('LOST_CARD', 'DO_NOT_RETRY')),
  ...rows('stolen_card', hard('STOLEN_CARD', 'DO_NOT_RETRY')),
  ...rows('pickup_card restricted_card', hard('RESTRICTED_CARD', 'DO_NOT_RETRY')),
  ...rows('fraudulent merchant_blacklist highest_risk_level', hard('SUSPECTED_FRAUD', 'DO_NOT_RETRY')),
  ...rows(
    'revocation_of_authorization revocation_of_all_authorizations stop_payment_order debit_not_authorized ' +
      'billing_invalid_mandate india_recurring_payment_mandate_canceled payment_intent_mandate_invalid ' +
      'setup_intent_mandate_invalid',
    hard('AUTHORIZATION_REVOKED', 'DO_NOT_RETRY'),
  ),
  ...rows('card_decline_rate_limit_exceeded', hard('GENERIC_DECLINE', 'RETRY_LATER')),
  ...rows('token_already_used token_in_use', hard('CARD_DETAILS_USED')),
};
/** `generic_decline`, and every code that a later version adds. */
const OTHER = hard('GENERIC_DECLINE');

/** What the card network advises wins over the table: it knows this refusal, and the table only its kind. */
const ADVICE: { readonly [adviceCode: string]: Partial<DeclineRow> } = {
  do_not_try_again: { advice: 'DO_NOT_RETRY', declineType: 'HARD' },
  try_again_later: { advice: 'RETRY_LATER', declineType: 'SOFT' },
  confirm_card_data: { advice: 'UPDATE_DATA' },
};

/** The row of that name; undefined without one, even for a name that every object has, such as `constructor`. */
export const ownOf = <T>(table: { readonly [name: string]: T }, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** A card error, or the last error of a PaymentIntent. */
export function declinedBy(error: StripeError, processorTransactionId?: string): Declined {
  const { code, decline_code: declineCode, advice_code: adviceCode, network_decline_code: networkCode } = error;
  const { network_advice_code: networkAdviceCode } = error;
  return {
    kind: 'declined',
    ...(ownOf(DECLINES, declineCode ?? code ?? '') ?? OTHER),
    ...ownOf(ADVICE, adviceCode ?? ''),
    ...(networkCode != null && { networkCode }),
    ...(networkAdviceCode != null && { networkAdviceCode }),
    ...(processorTransactionId !== undefined && { processorTransactionId }),
  };
}

/** The amount lies between two steps of the currency at Stripe: refused here, before anything is sent. */
export const INDIVISIBLE: Declined = { kind: 'declined', code: 'AMOUNT_NOT_DIVISIBLE', declineType: 'HARD' };
