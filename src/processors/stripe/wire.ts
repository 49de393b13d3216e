// Stripe's messages as far as they are read (API 2026-10-28.endive): no outcome is lost because a member is missing or
// new.
import { z } from 'zod';

const text = z.string().min(1).max(5_000);
/** Decoration: of another shape it counts as absent. */
const loose = <T extends z.ZodType>(shape: T) => shape.nullish().catch(undefined);
/** A browser is sent to it: no other scheme is a page. */
const webUrl = text.regex(/^https?:\/\//);
/** Stripe's units of the currency. */
const amount = z.int().min(0);
/** Seconds since the epoch. */
const seconds = z.int().min(0);

export const StripeError = z.object({
  type: text,
  code: loose(text),
  decline_code: loose(text),
  advice_code: loose(text),
  network_decline_code: loose(text),
  network_advice_code: loose(text),
  param: loose(text),
  message: loose(text),
  payment_intent: loose(z.object({ id: text })),
});
export type StripeError = z.infer<typeof StripeError>;
/** Stripe's own word that it did not do what it was asked. */
export const Refusal = z.object({ error: StripeError });

const Availability = z.object({ status: text });
const ChargedCard = z.object({
  multicapture: loose(Availability),
  incremental_authorization: loose(Availability),
  amount_authorized: loose(amount),
  capture_before: loose(seconds),
  electronic_commerce_indicator: loose(text),
  network_transaction_id: loose(text),
  transaction_link_id: loose(text),
  checks: loose(
    z.object({
      address_line1_check: loose(text),
      address_postal_code_check: loose(text),
      cvc_check: loose(text),
    }),
  ),
  three_d_secure: loose(
    z.object({
      authentication_flow: loose(text),
      electronic_commerce_indicator: loose(text),
      result: loose(text),
      version: loose(text),
    }),
  ),
});
export type ChargedCard = z.infer<typeof ChargedCard>;

const Charge = z.object({
  id: text,
  status: text,
  amount,
  payment_method_details: loose(z.object({ type: loose(text), card: loose(ChargedCard) })),
});
export type Charge = z.infer<typeof Charge>;

/** A charge as an event has it, with what was taken and given back. */
export const ChargeTotals = z.object({
  object: z.literal('charge'),
  payment_intent: text,
  amount_captured: amount,
  amount_refunded: amount,
  currency: z.string().regex(/^[a-z]{3}$/),
});
export type ChargeTotals = z.infer<typeof ChargeTotals>;

const Metadata = z.record(z.string(), z.string());

export const PaymentIntent = z.object({
  object: z.literal('payment_intent'),
  id: text,
  status: text,
  amount,
  amount_capturable: amount.nullish(),
  amount_received: amount.nullish(),
  currency: z.string().regex(/^[a-z]{3}$/),
  /** Its id, or the whole of it where the request says `expand[]`. */
  latest_charge: z.union([text, Charge]).nullish(),
  last_payment_error: StripeError.nullish(),
  next_action: loose(z.object({ type: text, redirect_to_url: loose(z.object({ url: loose(webUrl) })) })),
  payment_method: z.union([text, z.object({ id: text })]).nullish(),
  customer: loose(z.union([text, z.object({ id: text })])),
  metadata: loose(Metadata),
  canceled_at: loose(seconds),
  cancellation_reason: loose(text),
  capture_method: loose(text),
});
export type PaymentIntent = z.infer<typeof PaymentIntent>;

export const Customer = z.object({ object: z.literal('customer'), id: text });
export const Customers = z.object({ object: z.literal('list') });

export const Refund = z.object({
  object: z.literal('refund'),
  id: text,
  status: z.string().nullish(),
  amount,
  currency: z.string().regex(/^[a-z]{3}$/),
  payment_intent: text.nullish(),
  failure_reason: loose(text),
  metadata: loose(Metadata),
});
export type Refund = z.infer<typeof Refund>;
export const RefundPage = z.object({ object: z.literal('list'), has_more: z.boolean(), data: z.array(Refund) });

export const StripeDispute = z.object({
  object: z.literal('dispute'),
  id: text,
  status: text,
  amount,
  currency: z.string().regex(/^[a-z]{3}$/),
  created: loose(seconds),
  payment_intent: text.nullish(),
  reason: loose(text),
  payment_method_details: loose(
    z.object({ card: loose(z.object({ network_reason_code: loose(text), case_type: loose(text) })) }),
  ),
  balance_transactions: loose(z.array(z.object({ source: loose(text) }))),
  evidence_details: loose(z.object({ due_by: loose(seconds) })),
});
export type StripeDispute = z.infer<typeof StripeDispute>;

const ShownCard = z.object({
  brand: text,
  last4: z.string().regex(/^\d{4}$/),
  exp_month: z.int(),
  exp_year: z.int(),
  fingerprint: loose(text),
});

export const ConfirmationToken = z.object({
  object: z.literal('confirmation_token'),
  id: text,
  payment_method_preview: z.object({
    type: text,
    billing_details: loose(z.object({ name: loose(text) })),
    card: loose(ShownCard.extend({ wallet: loose(z.object({ type: text })) })),
    ideal: loose(z.object({ bank: loose(text) })),
    sepa_debit: loose(z.object({ last4: loose(text), fingerprint: loose(text) })),
  }),
});
export type ConfirmationToken = z.infer<typeof ConfirmationToken>;

export const PaymentMethod = z.object({
  object: z.literal('payment_method'),
  id: text,
  card: loose(ShownCard),
});
export type PaymentMethod = z.infer<typeof PaymentMethod>;

export const Mandate = z.object({
  object: z.literal('mandate'),
  id: text,
  payment_method: z.union([text, z.object({ id: text })]),
  status: text,
  type: loose(text),
});
export type Mandate = z.infer<typeof Mandate>;

export const StripeAccount = z.object({
  object: z.literal('account'),
  id: text,
  country: loose(text),
  charges_enabled: loose(z.boolean()),
  capabilities: loose(z.object({ card_payments: loose(text) })),
  settings: loose(z.object({ card_payments: loose(z.object({ statement_descriptor_prefix: loose(text) })) })),
});
export type StripeAccount = z.infer<typeof StripeAccount>;

export const Endpoints = z.object({
  object: z.literal('list'),
  data: z.array(
    z.object({
      id: text,
      url: text,
      status: loose(text),
      api_version: loose(text),
      enabled_events: z.array(z.string()),
    }),
  ),
});
export type Endpoints = z.infer<typeof Endpoints>;

/** Any other object that belongs to a PaymentIntent. */
export const Related = z.object({ object: loose(text), payment_intent: text, metadata: loose(Metadata) });

export const Event = z.object({
  object: z.literal('event'),
  id: text,
  type: text,
  created: seconds,
  livemode: z.boolean(),
  data: z.object({ object: z.record(z.string(), z.unknown()) }),
});
export type Event = z.infer<typeof Event>;

/** A text as JSON of a shape; undefined if it is not. */
export function readAs<Shape>(schema: z.ZodType<Shape>, body: string): Shape | undefined {
  try {
    return schema.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}
