// PaymentIntents of one account: create, update, capture, cancel, increase, expire, search.
import type Stripe from 'stripe';
import { z } from 'zod';
import { chargeAnswer, intentAnswer } from './answers.ts';
import { cardOfName, type Decline } from './cards.ts';
import { declineBody } from './declines.ts';
import type { Call, Engine } from './engine.ts';
import { Failure, invalid, missing } from './failure.ts';
import { checkCurrency, checkDigits, checkSize } from './money.ts';
import { Integer, Metadata, merged } from './parameters.ts';
import type { Account, Charge, Intent, Method } from './state.ts';

const DAY_MS = 24 * 3_600_000;
/** From the creation of the PaymentIntent. */
export const UNCAPTURED_MS = 7 * DAY_MS;
const SEARCH_LAG_MS = 60_000;
const INCREMENTS = 10;

/** What a request may see whole, instead of its id. */
export const Expand = z.array(z.literal('latest_charge')).optional();
const IfAvailable = z.enum(['if_available', 'never']).optional();
export const CreateIntent = z.strictObject({
  amount: Integer,
  currency: z.string().transform((code) => code.toLowerCase()),
  capture_method: z.enum(['automatic', 'automatic_async', 'manual']).default('automatic_async'),
  /** This version took the place of `payment_method_types`, which it no longer knows. */
  allowed_payment_method_types: z.array(z.enum(['card', 'ideal', 'bancontact', 'klarna', 'sepa_debit'])).optional(),
  customer: z.string().optional(),
  setup_future_usage: z.enum(['off_session', 'on_session']).optional(),
  /** It waits for a confirmation, which may name another. */
  payment_method: z.string().optional(),
  metadata: Metadata,
  statement_descriptor: z.string().max(22).optional(),
  statement_descriptor_suffix: z.string().max(22).optional(),
  payment_method_options: z
    .strictObject({
      card: z
        .strictObject({
          request_three_d_secure: z.enum(['any', 'automatic', 'challenge']).default('automatic'),
          request_multicapture: IfAvailable,
          request_incremental_authorization: IfAvailable,
          setup_credential_usage: z.enum(['installment', 'recurring', 'unscheduled']).optional(),
          stored_credential_usage: z.enum(['installment', 'recurring', 'unscheduled']).optional(),
        })
        .optional(),
    })
    .optional(),
  expand: Expand,
});
/** `client_secret`: as a browser reads it. */
export const RetrieveIntent = z.strictObject({ client_secret: z.string().optional(), expand: Expand });
export const UpdateIntent = z.strictObject({ metadata: Metadata, expand: Expand });
export const CaptureIntent = z.strictObject({
  amount_to_capture: Integer.optional(),
  final_capture: z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .default(true),
  metadata: Metadata,
  expand: Expand,
});
export const CancelIntent = z.strictObject({
  cancellation_reason: z.enum(['abandoned', 'duplicate', 'fraudulent', 'requested_by_customer']).optional(),
  expand: Expand,
});
export const IncrementIntent = z.strictObject({ amount: Integer, metadata: Metadata, expand: Expand });
export const ListIntents = z.strictObject({ limit: Integer.default(10), starting_after: z.string().optional() });
export const SearchIntents = z.strictObject({
  query: z.string(),
  limit: Integer.optional(),
  page: z.string().optional(),
});

export function intentOf(account: Account, id: string): Intent {
  const intent = account.intents.get(id);
  if (intent === undefined) throw missing('payment_intent', id, 'intent');
  return intent;
}

/** The 400 for a request that the state of the PaymentIntent does not allow. */
export function unexpected(account: Account, intent: Intent, wish: string): Failure {
  const shown = intentAnswer(account, intent);
  return invalid(`This PaymentIntent could not be ${wish} because it has a status of ${shown.status}.`, {
    code: 'payment_intent_unexpected_state',
    payment_intent: shown,
  });
}

export function createIntent(engine: Engine, call: Call, sent: z.output<typeof CreateIntent>): Stripe.PaymentIntent {
  const { account } = call;
  const { card } = sent.payment_method_options ?? {};
  const { customer } = sent;
  if (customer !== undefined && !account.customers.has(customer)) throw missing('customer', customer, 'customer');
  const id = engine.newId('pi');
  const intent: Intent = {
    id,
    clientSecret: engine.newId(`${id}_secret`),
    createdAt: engine.now(),
    currency: sent.currency,
    captureMethod: sent.capture_method,
    types: sent.allowed_payment_method_types,
    options: {
      threeDSecure: card?.request_three_d_secure ?? 'automatic',
      multicapture: card?.request_multicapture === 'if_available',
      incremental: card?.request_incremental_authorization === 'if_available',
      ...(card?.stored_credential_usage !== undefined && { usage: card.stored_credential_usage }),
    },
    amount: sent.amount,
    status: 'requires_payment_method',
    metadata: merged({}, sent.metadata),
    increments: 0,
    isLocked: false,
    isKept: sent.setup_future_usage !== undefined,
    ...(customer !== undefined && { customer }),
    ...(sent.statement_descriptor_suffix === undefined ? {} : { suffix: sent.statement_descriptor_suffix }),
    ...(sent.payment_method === undefined ? {} : { method: methodOfName(engine, sent.payment_method) }),
  };
  account.intents.set(id, intent);
  engine.emit(call, 'payment_intent.created', intentAnswer(account, intent));
  return intentAnswer(account, intent, sent.expand);
}

/** A payment method of Stripe's test names. */
export function methodOfName(engine: Engine, name: string): Method {
  const card = cardOfName(name);
  if (card === undefined) throw missing('PaymentMethod', name, 'payment_method');
  return { id: engine.newId('pm'), card };
}

/** Throws if the amount or the currency is refused, which counts as validation. */
export function checkCreation(engine: Engine, sent: z.output<typeof CreateIntent>): void {
  const { amount, currency, allowed_payment_method_types: types = [], capture_method: captureMethod } = sent;
  checkCurrency(currency);
  if (!engine.lies.has('iso_digits')) checkDigits(amount, currency);
  checkSize(amount, currency);
  // docs.stripe.com/payments/place-a-hold-on-a-payment-method: cards and Klarna alone
  const isAtOnce = types.some((type) => type !== 'card' && type !== 'klarna');
  if (isAtOnce && captureMethod === 'manual')
    throw invalid('The payment method type does not support manual capture.', { param: 'capture_method' });
}

export function updateIntent(call: Call, intent: Intent, sent: z.output<typeof UpdateIntent>): Stripe.PaymentIntent {
  intent.metadata = merged(intent.metadata, sent.metadata);
  return intentAnswer(call.account, intent, sent.expand);
}

export function captureIntent(
  engine: Engine,
  call: Call,
  intent: Intent,
  sent: z.output<typeof CaptureIntent>,
): Stripe.PaymentIntent {
  const { account } = call;
  const { charge } = intent;
  if (intent.status !== 'requires_capture' || charge === undefined) throw unexpected(account, intent, 'captured');
  const amount = sent.amount_to_capture ?? charge.held;
  if (!engine.lies.has('iso_digits')) checkDigits(amount, intent.currency, 'amount_to_capture');
  const isRest = amount === 0 && sent.final_capture && charge.captured > 0;
  if (amount === 0 && !isRest)
    throw invalid('Invalid amount_to_capture.', { code: 'parameter_invalid_integer', param: 'amount_to_capture' });
  if (amount > charge.held && !engine.lies.has('capture_beyond_authorization'))
    throw invalid(`The requested capture amount is greater than the amount you can capture for this charge.`, {
      code: 'amount_too_large',
      param: 'amount_to_capture',
      charge: charge.id,
      payment_intent: intentAnswer(account, intent),
    });
  if (!sent.final_capture && !(intent.options.multicapture && charge.method.card.isFlexible))
    throw invalid('This charge does not support more than one capture.', { param: 'final_capture' });
  intent.metadata = merged(intent.metadata, sent.metadata);
  charge.captured += amount;
  charge.held = Math.max(0, charge.held - amount);
  engine.record(call, charge, { kind: 'capture', amount, metadata: sent.metadata ?? {} });
  if (sent.final_capture || charge.held === 0) {
    releaseRest(engine, call, charge);
    intent.status = 'succeeded';
    engine.emit(call, 'payment_intent.succeeded', intentAnswer(account, intent));
  } else engine.emit(call, 'payment_intent.amount_capturable_updated', intentAnswer(account, intent));
  engine.emit(call, 'charge.captured', chargeAnswer(account, charge));
  return intentAnswer(account, intent, sent.expand);
}

function releaseRest(engine: Engine, call: Call, charge: Charge): void {
  engine.record(call, charge, { kind: 'release', amount: charge.held });
  charge.held = 0;
}

const CANCELABLE: ReadonlySet<Intent['status']> = new Set([
  'requires_payment_method',
  'requires_action',
  'requires_capture',
  'processing',
]);

/** After a capture of a part, the rest is released and `amount_received` stays. */
export function cancelIntent(
  engine: Engine,
  call: Call,
  intent: Intent,
  sent: z.output<typeof CancelIntent>,
): Stripe.PaymentIntent {
  const { account } = call;
  const isAllowed =
    CANCELABLE.has(intent.status) || (engine.lies.has('cancel_after_capture') && intent.status === 'succeeded');
  if (!isAllowed) throw unexpected(account, intent, 'canceled');
  const isRelease = intent.status === 'requires_capture';
  endIntent(engine, call, intent, sent.cancellation_reason);
  const shown = intentAnswer(account, intent, sent.expand);
  return isRelease && engine.lies.has('cancel_hides_charge') ? { ...shown, latest_charge: null } : shown;
}

function endIntent(engine: Engine, call: Call, intent: Intent, reason: string | undefined): void {
  const { account } = call;
  const { charge } = intent;
  if (charge !== undefined) releaseRest(engine, call, charge);
  intent.status = 'canceled';
  intent.canceledAt = engine.now();
  if (reason !== undefined) intent.cancellationReason = reason;
  delete intent.action;
  engine.emit(call, 'payment_intent.canceled', intentAnswer(account, intent));
}

export function incrementIntent(
  engine: Engine,
  call: Call,
  intent: Intent,
  sent: z.output<typeof IncrementIntent>,
  refusal?: Decline,
): Stripe.PaymentIntent {
  const { account } = call;
  const { charge } = intent;
  const isLie = engine.lies.has('increment_after_capture') && charge !== undefined;
  const isOpen = intent.status === 'requires_capture' && charge !== undefined && charge.captured === 0;
  if (charge === undefined || !(isOpen || isLie)) throw unexpected(account, intent, 'incremented');
  if (!(intent.options.incremental && charge.method.card.isFlexible))
    throw invalid('This PaymentIntent does not support incremental authorization.', { charge: charge.id });
  checkDigits(sent.amount, intent.currency);
  checkSize(sent.amount, intent.currency);
  if (sent.amount <= intent.amount)
    throw invalid('The amount must be greater than the currently authorized amount.', { param: 'amount' });
  if (intent.increments >= INCREMENTS) throw invalid(`At most ${INCREMENTS} incremental authorization attempts.`);
  intent.increments += 1;
  // The hold stays as it was.
  if (refusal !== undefined)
    throw new Failure(402, {
      ...declineBody(refusal),
      charge: charge.id,
      payment_intent: intentAnswer(account, intent),
    });
  intent.metadata = merged(intent.metadata, sent.metadata);
  const more = sent.amount - intent.amount;
  intent.amount = sent.amount;
  charge.authorized += more;
  charge.held += more;
  engine.record(call, charge, { kind: 'increase', amount: more, metadata: sent.metadata ?? {} });
  engine.emit(call, 'payment_intent.amount_capturable_updated', intentAnswer(account, intent));
  return intentAnswer(account, intent, sent.expand);
}

/** Cancels every uncaptured PaymentIntent that is seven days old. */
export function expireIntents(engine: Engine, account: Account): void {
  if (engine.lies.has('no_expiry')) return;
  const call: Call = { account, requestId: undefined, key: undefined };
  for (const intent of account.intents.values()) {
    const isOld = engine.now() >= intent.createdAt + UNCAPTURED_MS;
    const { charge } = intent;
    if (!isOld || intent.status !== 'requires_capture' || charge === undefined) continue;
    if (charge.captured > 0) {
      releaseRest(engine, call, charge);
      intent.status = 'succeeded';
      engine.emit(call, 'payment_intent.succeeded', intentAnswer(account, intent));
      continue;
    }
    endIntent(engine, call, intent, 'automatic');
    engine.emit(call, 'charge.expired', chargeAnswer(account, charge));
  }
}

/** The newest first, a page at a time. */
export function listIntents(
  { account }: Call,
  { limit, starting_after: after }: z.output<typeof ListIntents>,
): Stripe.ApiList<Stripe.PaymentIntent> {
  const all = [...account.intents.values()].reverse();
  const from = after === undefined ? 0 : all.indexOf(intentOf(account, after)) + 1;
  return {
    object: 'list',
    url: '/v1/payment_intents',
    has_more: from + limit < all.length,
    data: all.slice(from, from + limit).map((intent) => intentAnswer(account, intent)),
  };
}

/** Finds `metadata['name']:'value'` in PaymentIntents that are older than the lag, the newest first. */
export function searchIntents(
  engine: Engine,
  { account }: Call,
  { query, limit = 10 }: z.output<typeof SearchIntents>,
): Pick<Stripe.ApiSearchResult<Stripe.PaymentIntent>, 'object' | 'url' | 'has_more' | 'data'> {
  const [, name, value] = /^metadata\['([^']+)'\]:'([^']*)'$/.exec(query) ?? [];
  if (name === undefined) throw invalid('The twin searches metadata only.', { param: 'query' });
  const before = engine.now() - (engine.lies.has('search_without_lag') ? 0 : SEARCH_LAG_MS);
  const found = [...account.intents.values()]
    .filter((intent) => intent.createdAt <= before && intent.metadata[name] === value)
    .reverse();
  return {
    object: 'search_result',
    url: '/v1/payment_intents/search',
    has_more: found.length > limit,
    data: found.slice(0, limit).map((intent) => intentAnswer(account, intent)),
  };
}
