// PaymentIntents, charges and refunds as Stripe answers them.
import { createHash } from 'node:crypto';
import type Stripe from 'stripe';
import type { Card } from './cards.ts';
import { seconds } from './engine.ts';
import type { Account, Charge, Intent, Refund } from './state.ts';

/** The members that `expand[]` names. */
export type Expand = readonly string[];

export const fingerprintOf = ({ number }: Card): string =>
  createHash('sha256').update(number).digest('base64url').replaceAll(/[-_]/g, 'x').slice(0, 16);
export const last4Of = ({ number }: Card): string => number.slice(-4);

export function intentAnswer(account: Account, intent: Intent, expand: Expand = []): Stripe.PaymentIntent {
  const { charge, action, options } = intent;
  const isHeld = intent.status === 'requires_capture';
  return {
    id: intent.id,
    object: 'payment_intent',
    allowed_payment_method_types: intent.types === undefined ? null : [...intent.types],
    amount: intent.amount,
    amount_capturable: isHeld ? (charge?.held ?? 0) : 0,
    amount_received: charge?.captured ?? 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: intent.canceledAt === undefined ? null : seconds(intent.canceledAt),
    cancellation_reason: intent.cancellationReason ?? null,
    capture_method: intent.captureMethod,
    client_secret: intent.clientSecret,
    confirmation_method: 'automatic',
    created: seconds(intent.createdAt),
    currency: intent.currency,
    customer: intent.customer ?? null,
    customer_account: null,
    description: null,
    excluded_payment_method_types: null,
    last_payment_error: lastErrorOf(intent),
    latest_charge: latestCharge(account, charge, expand),
    livemode: account.options.isLive,
    managed_payments: null,
    metadata: { ...intent.metadata },
    next_action: action === undefined ? null : nextAction(account, intent, action.returnUrl),
    on_behalf_of: null,
    payment_method: intent.method?.id ?? null,
    payment_method_configuration_details: null,
    payment_method_options: {
      card: {
        installments: null,
        mandate_options: null,
        network: null,
        request_three_d_secure: options.threeDSecure,
        ...(options.multicapture ? { request_multicapture: 'if_available' } : {}),
        ...(options.incremental ? { request_incremental_authorization: 'if_available' } : {}),
        ...(options.usage === undefined ? {} : { stored_credential_usage: options.usage }),
      },
    },
    payment_method_types: [...(intent.types ?? (['card'] as const))],
    payment_record: null,
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: intent.isKept ? 'off_session' : null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: intent.suffix ?? null,
    status: intent.status === 'requires_payment_method' && isReady(intent) ? 'requires_confirmation' : intent.status,
    transfer_group: null,
  };
}

/** True if the PaymentIntent has a payment method and none was refused. */
const isReady = (intent: Intent): boolean => intent.method !== undefined && intent.lastError === undefined;

function lastErrorOf({ lastError }: Intent): Stripe.PaymentIntent.LastPaymentError | null {
  if (lastError === undefined) return null;
  const { payment_intent: _, request_log_url: __, ...rest } = lastError;
  return rest;
}

function latestCharge(account: Account, charge: Charge | undefined, expand: Expand): string | Stripe.Charge | null {
  if (charge === undefined) return null;
  return expand.includes('latest_charge') ? chargeAnswer(account, charge) : charge.id;
}

/** The page where the customer answers the challenge. */
export const challengeUrl = (root: string, intent: Intent): string =>
  `${root}/challenge/${intent.id}?client_secret=${intent.clientSecret}`;

function nextAction(account: Account, intent: Intent, returnUrl: string | undefined): Stripe.PaymentIntent.NextAction {
  if (returnUrl === undefined) return { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect' } };
  return {
    type: 'redirect_to_url',
    redirect_to_url: { return_url: returnUrl, url: challengeUrl(account.root, intent) },
  };
}

export function chargeAnswer(account: Account, charge: Charge): Stripe.Charge {
  const { intent, method, failure, captured } = charge;
  const refunded = [...account.refunds.values()]
    .filter((one) => one.charge === charge && one.status !== 'failed')
    .reduce((sum, one) => sum + one.amount, 0);
  const isReleased = failure === undefined && charge.held === 0 && captured === 0;
  return {
    id: charge.id,
    object: 'charge',
    amount: charge.authorized,
    amount_captured: captured,
    amount_refunded: isReleased ? charge.authorized : refunded,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: captured > 0 ? `txn_${charge.id}` : null,
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    calculated_statement_descriptor: [account.options.descriptor, intent.suffix].filter(Boolean).join('* '),
    captured: captured > 0,
    created: seconds(charge.createdAt),
    currency: intent.currency,
    customer: null,
    description: null,
    disputed: charge.dispute !== undefined,
    failure_balance_transaction: null,
    failure_code: failure?.code ?? null,
    failure_message: failure?.message ?? null,
    fraud_details: {},
    livemode: account.options.isLive,
    metadata: { ...intent.metadata },
    on_behalf_of: null,
    outcome: {
      advice_code: failure?.advice_code ?? null,
      network_advice_code: null,
      network_decline_code: failure?.network_decline_code ?? null,
      network_status: failure === undefined ? 'approved_by_network' : 'declined_by_network',
      reason: failure?.decline_code ?? null,
      seller_message: failure === undefined ? 'Payment complete.' : 'The bank declined the payment.',
      type: failure === undefined ? 'authorized' : 'issuer_declined',
    },
    paid: failure === undefined,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: detailsOf(charge),
    receipt_email: null,
    receipt_number: null,
    receipt_url: null,
    refunded: isReleased || (captured > 0 && refunded === captured),
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: intent.suffix ?? null,
    status: failure === undefined ? 'succeeded' : 'failed',
    transfer_data: null,
    transfer_group: null,
  };
}

/** Of another method than a card, its type alone. */
function detailsOf(charge: Charge): Stripe.Charge.PaymentMethodDetails {
  const { type } = charge.method.card;
  return type === 'card' ? { type, card: cardDetails(charge) } : { type };
}

function cardDetails(charge: Charge): Stripe.Charge.PaymentMethodDetails.Card {
  const { card } = charge.method;
  const { multicapture, incremental } = charge.intent.options;
  const possible = (isAsked: boolean): 'available' | 'unavailable' =>
    isAsked && card.isFlexible && charge.failure === undefined ? 'available' : 'unavailable';
  return {
    amount_authorized: charge.failure === undefined ? charge.authorized : null,
    authorization_code: charge.failure === undefined ? charge.id.slice(-6) : null,
    brand: card.brand,
    ...(charge.held > 0 ? { capture_before: seconds(charge.captureBefore) } : {}),
    checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
    country: 'US',
    electronic_commerce_indicator: null,
    exp_month: card.expMonth,
    exp_year: card.expYear,
    extended_authorization: { status: 'disabled' },
    fingerprint: fingerprintOf(card),
    funding: 'credit',
    incremental_authorization: { status: possible(incremental) },
    installments: null,
    last4: last4Of(card),
    mandate: null,
    multicapture: { status: possible(multicapture) },
    network: card.brand,
    network_token: { used: false },
    network_transaction_id: charge.id.slice(-15),
    overcapture: { maximum_amount_capturable: charge.authorized, status: 'unavailable' },
    regulated_status: 'unregulated',
    three_d_secure: threeDSecure(charge),
    transaction_link_id: card.brand === 'mastercard' ? `tlid_${charge.id.slice(-15)}` : null,
    wallet: null,
  };
}

function threeDSecure({ threeDSecure: flow }: Charge): Stripe.Charge.PaymentMethodDetails.Card.ThreeDSecure | null {
  if (flow === undefined) return null;
  return {
    authentication_flow: flow,
    electronic_commerce_indicator: '05',
    exemption_indicator: null,
    result: 'authenticated',
    result_reason: null,
    transaction_id: null,
    version: '2.2.0',
  };
}

export function refundAnswer(refund: Refund): Stripe.Refund {
  const { failureReason } = refund;
  return {
    id: refund.id,
    object: 'refund',
    amount: refund.amount,
    balance_transaction: `txn_${refund.id}`,
    charge: refund.charge.id,
    created: seconds(refund.createdAt),
    currency: refund.intent.currency,
    customer: null,
    customer_account: null,
    ...(failureReason === undefined ? {} : { failure_reason: failureReason }),
    metadata: { ...refund.metadata },
    payment_intent: refund.intent.id,
    payment_method: refund.charge.method.id,
    reason: refund.reason ?? null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: refund.status,
    transfer_reversal: null,
  };
}
