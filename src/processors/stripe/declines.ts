// What Stripe's refusals mean in the words of the port (docs.stripe.com/declines/codes), and what each error code of
// the pinned version proves (docs.stripe.com/error-codes).
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
const rows = <Row>(names: string, row: Row): { readonly [name: string]: Row } =>
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

/**
 * `declined`: by the issuer or the provider; its row is in declines.ts. `not_sent`: the connection cannot be used now.
 * `unclear`: it tells a state, or that the request runs: a read shows what is so. Otherwise our code of a
 * refusal by Stripe itself: nothing was done, and nobody else was asked.
 */
type CodeRow = 'declined' | 'not_sent' | 'unclear' | { readonly refused: string };
const refused = (code: string): CodeRow => ({ refused: code });

/** Without a code of its own: the words of Stripe say what is wrong. */
export const REFUSED = 'REQUEST_REFUSED';

export const ERROR_CODES: { readonly [code: string]: CodeRow } = {
  ...rows<CodeRow>(
    'account_closed authentication_failure authentication_required bank_account_declined bank_account_restricted ' +
      'bank_account_unusable billing_invalid_mandate card_decline_rate_limit_exceeded card_declined ' +
      'debit_not_authorized expired_card expired_payment_method incorrect_address incorrect_cvc incorrect_number ' +
      'incorrect_postal_code incorrect_zip india_recurring_payment_mandate_canceled insufficient_funds invalid_cvc ' +
      'invalid_expiry_month invalid_expiry_year invalid_number no_account payment_intent_authentication_failure ' +
      'payment_intent_mandate_invalid payment_method_bank_account_blocked payment_method_customer_decline ' +
      'payment_method_not_available payment_method_provider_decline payment_method_provider_timeout ' +
      'payment_method_restricted postal_code_invalid processing_error refer_to_customer ' +
      'setup_intent_authentication_failure setup_intent_mandate_invalid three_d_secure_authentication_not_supported ' +
      'three_d_secure_authentication_upstream_error token_already_used token_in_use',
    'declined',
  ),
  ...rows<CodeRow>(
    'api_key_expired livemode_mismatch payment_intent_rate_limit_exceeded platform_api_key_expired rate_limit ' +
      'secret_key_required tls_version_unsupported',
    'not_sent',
  ),
  ...rows<CodeRow>(
    'forwarding_api_retryable_upstream_error forwarding_api_upstream_connection_error ' +
      'forwarding_api_upstream_connection_timeout forwarding_api_upstream_error idempotency_key_in_use ' +
      'intent_invalid_state invoice_payment_intent_requires_action lock_timeout payment_intent_action_required ' +
      'payment_intent_payment_attempt_expired payment_intent_payment_attempt_failed payment_intent_unexpected_state ' +
      'resource_already_exists resource_missing return_intent_already_processed setup_attempt_failed ' +
      'setup_intent_setup_attempt_expired setup_intent_unexpected_state status_transition_invalid ' +
      'terminal_reader_busy terminal_reader_timeout',
    'unclear',
  ),
  ...rows<CodeRow>('charge_already_captured', refused('NOTHING_TO_CAPTURE')),
  ...rows<CodeRow>('capture_charge_authorization_expired charge_expired_for_capture', refused('AUTHORIZATION_EXPIRED')),
  ...rows<CodeRow>('capture_unauthorized_payment', refused('AUTHORIZATION_DECLINED')),
  ...rows<CodeRow>('charge_already_refunded', refused('AMOUNT_ABOVE_REFUNDABLE')),
  ...rows<CodeRow>('charge_disputed refund_disputed_payment', refused('CHARGE_DISPUTED')),
  ...rows<CodeRow>('amount_too_small', refused('AMOUNT_TOO_SMALL')),
  ...rows<CodeRow>(
    'amount_too_large charge_exceeds_source_limit charge_exceeds_transaction_limit',
    refused('AMOUNT_TOO_LARGE'),
  ),
  ...rows<CodeRow>(
    'account_country_invalid_address account_error_country_change_requires_additional_steps ' +
      'account_information_mismatch account_invalid account_number_invalid account_token_required_for_v2_account ' +
      'acss_debit_session_incomplete action_blocked alipay_upgrade_required anomalous_money_movement_request ' +
      'application_fees_not_allowed approval_required balance_insufficient balance_invalid_parameter ' +
      'bank_account_bad_routing_numbers bank_account_exists bank_account_unverified ' +
      'bank_account_verification_failed bitcoin_upgrade_required capability_not_active ' +
      'cardholder_phone_number_required charge_invalid_parameter charge_not_refundable clearing_code_unsupported ' +
      'country_code_invalid country_unsupported coupon_expired customer_max_payment_methods ' +
      'customer_max_subscriptions customer_session_expired customer_tax_location_invalid ' +
      'dispute_evidence_page_limit_exceeded email_invalid failed_tax_calculation ' +
      'financial_account_balance_does_not_support_currency financial_account_capability_not_enabled ' +
      'financial_account_capability_restricted financial_connections_account_inactive ' +
      'financial_connections_account_pending_account_numbers ' +
      'financial_connections_account_unavailable_account_numbers financial_connections_consent_locale_invalid ' +
      'financial_connections_consent_locale_unsupported financial_connections_no_successful_transaction_refresh ' +
      'forwarding_api_inactive forwarding_api_invalid_parameter instant_payouts_config_disabled ' +
      'instant_payouts_currency_disabled instant_payouts_limit_exceeded instant_payouts_unsupported ' +
      'intent_verification_method_missing invalid_canceled_subscription_fields invalid_card_type ' +
      'invalid_characters invalid_charge_amount invalid_mandate_reference_prefix_format invalid_source_usage ' +
      'invalid_tax_location invoice_no_customer_line_items invoice_no_payment_method_types ' +
      'invoice_no_subscription_line_items invoice_not_editable invoice_on_behalf_of_not_editable ' +
      'invoice_upcoming_none missing not_allowed_on_standard_account out_of_inventory ' +
      'ownership_declaration_not_allowed parameter_invalid_empty parameter_invalid_integer ' +
      'parameter_invalid_string_blank parameter_invalid_string_empty parameter_missing parameter_unknown ' +
      'parameters_exclusive payment_evaluation_on_api_version_not_supported ' +
      'payment_intent_incompatible_payment_method payment_intent_invalid_parameter ' +
      'payment_intent_konbini_rejected_confirmation_number payment_method_bank_account_already_verified ' +
      'payment_method_billing_details_address_missing payment_method_configuration_failures ' +
      'payment_method_currency_mismatch payment_method_invalid_parameter ' +
      'payment_method_invalid_parameter_testmode payment_method_microdeposit_failed ' +
      'payment_method_microdeposit_processing_error payment_method_microdeposit_verification_amounts_invalid ' +
      'payment_method_microdeposit_verification_amounts_mismatch ' +
      'payment_method_microdeposit_verification_attempts_exceeded ' +
      'payment_method_microdeposit_verification_descriptor_code_mismatch ' +
      'payment_method_microdeposit_verification_timeout payment_method_unactivated ' +
      'payment_method_unexpected_state payment_method_unsupported_type payout_reconciliation_not_ready ' +
      'payouts_limit_exceeded payouts_not_allowed platform_account_required product_inactive ' +
      'progressive_onboarding_limit_exceeded request_blocked routing_number_invalid sepa_unsupported_account ' +
      'service_period_coupon_with_metered_tiered_item_unsupported setup_intent_invalid_parameter ' +
      'setup_intent_mobile_wallet_unsupported shipping_address_invalid shipping_calculation_failed siret_invalid ' +
      'sku_inactive smart_disputes_not_available state_unsupported storer_capability_missing ' +
      'storer_capability_not_active stripe_tax_inactive subscription_update_trial_after_billing_cycle_anchor ' +
      'tax_id_invalid tax_id_prohibited taxes_calculation_failed terminal_location_country_unsupported ' +
      'terminal_reader_hardware_fault terminal_reader_invalid_location_for_activation ' +
      'terminal_reader_invalid_location_for_payment terminal_reader_offline testmode_charges_only ' +
      'token_card_network_invalid transfer_source_balance_parameters_mismatch transfers_not_allowed url_invalid',
    refused(REFUSED),
  ),
};
