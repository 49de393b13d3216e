// Confirming a PaymentIntent: by the API, and by the customer's browser with the client secret.
import type Stripe from 'stripe';
import { z } from 'zod';
import { chargeAnswer, intentAnswer } from './answers.ts';
import type { Decline } from './cards.ts';
import { useToken } from './confirmation-tokens.ts';
import { declineBody } from './declines.ts';
import type { Call, Engine } from './engine.ts';
import { type ErrorBody, Failure, invalid } from './failure.ts';
import { Flag } from './parameters.ts';
import { Expand, methodOfName, UNCAPTURED_MS, unexpected } from './payment-intents.ts';
import type { Account, Charge, Intent } from './state.ts';

const STALE_MS = 60_000;

export const ConfirmIntent = z.strictObject({
  payment_method: z.string().optional(),
  confirmation_token: z.string().optional(),
  return_url: z.string().optional(),
  use_stripe_sdk: Flag.optional(),
  off_session: Flag.optional(),
  client_secret: z.string().optional(),
  mandate_data: z.strictObject({ customer_acceptance: z.strictObject({ type: z.literal('offline') }) }).optional(),
  expand: Expand,
});
type Sent = z.output<typeof ConfirmIntent>;

/** `refusal`: a decline that a control planted. */
export function confirmIntent(
  engine: Engine,
  call: Call,
  intent: Intent,
  sent: Sent,
  refusal?: Decline,
): Stripe.PaymentIntent {
  const { account } = call;
  if (intent.status !== 'requires_payment_method' && intent.status !== 'requires_action')
    throw unexpected(account, intent, 'confirmed');
  if (engine.lies.has('stale_read'))
    intent.stale = { shown: intentAnswer(account, intent), until: engine.now() + STALE_MS };
  intent.method = methodOf(engine, call, intent, sent) ?? intent.method ?? noMethod(call, intent);
  if (intent.types !== undefined && !intent.types.includes(intent.method.card.type))
    throw invalid(`The PaymentMethod is a ${intent.method.card.type}, which is not allowed here.`, {
      param: 'payment_method',
    });
  delete intent.action;
  delete intent.lastError;
  const { outcome } = intent.method.card;
  const { threeDSecure } = intent.options;
  if (refusal !== undefined) return decline(engine, call, intent, refusal);
  if (outcome.kind === 'declined') return decline(engine, call, intent, outcome);
  if (outcome.kind === 'challenged' && sent.off_session === true)
    return decline(engine, call, intent, { declineCode: 'authentication_required' });
  if (outcome.kind === 'processing') {
    intent.status = 'processing';
    keep(account, intent);
  } else if (outcome.kind === 'challenged' || threeDSecure === 'challenge') {
    intent.status = 'requires_action';
    const { return_url: returnUrl, use_stripe_sdk: isSdk = false } = sent;
    intent.action = returnUrl === undefined || isSdk ? {} : { returnUrl };
    engine.emit(call, 'payment_intent.requires_action', intentAnswer(account, intent));
  } else approve(engine, call, intent, threeDSecure === 'any' ? 'frictionless' : undefined);
  return intentAnswer(account, intent, sent.expand);
}

/** The customer passes the challenge, or a processing payment goes through. Throws Stripe's 402 on a decline. */
export function passChallenge(engine: Engine, call: Call, intent: Intent): void {
  const { method, status } = intent;
  if (method === undefined || (status !== 'requires_action' && status !== 'processing'))
    throw unexpected(call.account, intent, 'authenticated');
  delete intent.action;
  const { outcome } = method.card;
  if (outcome.kind === 'challenged' && outcome.afterwards !== undefined)
    decline(engine, call, intent, outcome.afterwards);
  else approve(engine, call, intent, status === 'requires_action' ? 'challenge' : undefined);
}

/** The customer fails the challenge, or a payment that was processing is refused. */
export function failChallenge(engine: Engine, call: Call, intent: Intent): void {
  const { account } = call;
  const { status } = intent;
  if (status !== 'requires_action' && status !== 'processing') throw unexpected(account, intent, 'authenticated');
  delete intent.action;
  intent.status = 'requires_payment_method';
  intent.lastError =
    status === 'processing'
      ? { type: 'card_error', code: 'card_declined', decline_code: 'generic_decline', message: 'Declined.' }
      : {
          type: 'invalid_request_error',
          code: 'payment_intent_authentication_failure',
          message: 'The provided PaymentMethod has failed authentication.',
        };
  engine.emit(call, 'payment_intent.payment_failed', intentAnswer(account, intent));
}

function methodOf(engine: Engine, call: Call, intent: Intent, sent: Sent): Intent['method'] | undefined {
  const { payment_method: name, confirmation_token: token } = sent;
  if (name !== undefined && token !== undefined)
    throw invalid('You may only pass one of payment_method and confirmation_token.', { param: 'confirmation_token' });
  if (token !== undefined) return { id: engine.newId('pm'), card: useToken(engine, call, intent, token) };
  if (name === undefined) return undefined;
  const attached = call.account.methods.get(name);
  if (attached !== undefined && attached.customer !== intent.customer)
    throw invalid('The customer does not have the payment method that was sent.', { param: 'payment_method' });
  return attached ?? methodOfName(engine, name);
}

function noMethod({ account }: Call, intent: Intent): never {
  throw invalid("You cannot confirm this PaymentIntent because it's missing a payment method.", {
    code: 'payment_intent_unexpected_state',
    payment_intent: intentAnswer(account, intent),
  });
}

function newCharge(engine: Engine, intent: Intent, more: Pick<Charge, 'failure' | 'threeDSecure'>): Charge {
  if (intent.method === undefined) throw new Error(`${intent.id} has no payment method`);
  return {
    id: engine.newId('ch'),
    intent,
    method: intent.method,
    createdAt: engine.now(),
    authorized: intent.amount,
    captured: 0,
    held: more.failure === undefined ? intent.amount : 0,
    captureBefore: intent.createdAt + UNCAPTURED_MS,
    ...more,
  };
}

function approve(engine: Engine, call: Call, intent: Intent, threeDSecure: Charge['threeDSecure']): void {
  const { account } = call;
  const charge = newCharge(engine, intent, threeDSecure === undefined ? {} : { threeDSecure });
  intent.charge = charge;
  keep(account, intent);
  engine.record(call, charge, { kind: 'hold', amount: intent.amount });
  if (intent.captureMethod === 'manual') {
    intent.status = 'requires_capture';
    engine.emit(call, 'payment_intent.amount_capturable_updated', intentAnswer(account, intent));
    return;
  }
  charge.captured = charge.held;
  charge.held = 0;
  intent.status = 'succeeded';
  engine.record(call, charge, { kind: 'capture', amount: charge.captured });
  engine.emit(call, 'payment_intent.succeeded', intentAnswer(account, intent));
}

/** The customer keeps the method, if that was asked for. */
function keep(account: Account, { isKept, customer, method }: Intent): void {
  if (!isKept || customer === undefined || method === undefined) return;
  method.customer = customer;
  account.methods.set(method.id, method);
}

function decline(engine: Engine, call: Call, intent: Intent, refusal: Decline): never {
  const { account } = call;
  const body = declineBody(refusal);
  const charge = newCharge(engine, intent, { failure: body });
  const error: ErrorBody = { ...body, charge: charge.id };
  intent.charge = charge;
  intent.lastError = error;
  intent.status = engine.lies.has('final_decline') ? 'canceled' : 'requires_payment_method';
  engine.emit(call, 'payment_intent.payment_failed', intentAnswer(account, intent));
  engine.emit(call, 'charge.failed', chargeAnswer(account, charge));
  throw new Failure(402, { ...error, payment_intent: intentAnswer(account, intent) });
}
