// Stripe's events, signed, one a body or listed, and what they say in terms of the port. What an event leaves open is
// read.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type {
  Call,
  Connection,
  EventsPage,
  EventsQuestion,
  InstrumentNotification,
  NotificationHeaders,
  PaymentNotification,
  ProcessorNotification,
} from '../processor.ts';
import type { Api } from './api.ts';
import { FENCED, isSuccess } from './authorized.ts';
import { noticeOf } from './disputing.ts';
import { succeeded, unreadBy } from './grading.ts';
import { modeOf } from './keys.ts';
import { refundOutcome } from './refunding.ts';
import { amountsOf, chargeTotals, standingRefund } from './standing.ts';
import { NETWORKS } from './tokenizing.ts';
import {
  ChargeTotals,
  Event,
  Mandate,
  PaymentIntent,
  PaymentMethod,
  Refund,
  Related,
  readAs,
  StripeDispute,
} from './wire.ts';

/** The types of events that something follows from: an endpoint needs these. */
export const EVENT_TYPES: readonly string[] = [
  'payment_intent.created',
  'payment_intent.processing',
  'payment_intent.requires_action',
  'payment_intent.amount_capturable_updated',
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'charge.expired',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'payment_method.automatically_updated',
  'mandate.updated',
];

type EventWord = Pick<PaymentNotification, 'subject' | 'about' | 'told'>;
type MethodWord = Pick<InstrumentNotification, 'about'>;

export function verified(
  raw: string,
  headers: NotificationHeaders,
  connection: Connection,
  now: number,
): readonly ProcessorNotification[] | 'bad_signature' | 'unparsable' {
  const { webhookSecret, previousWebhookSecret } = connection.secrets;
  const secrets = [webhookSecret, previousWebhookSecret].filter((secret) => secret !== undefined);
  if (!isSigned(secrets, raw, headers['stripe-signature'] ?? '', now)) return 'bad_signature';
  const event = readAs(Event, raw);
  if (event === undefined) return 'unparsable';
  // Nothing of the other mode counts here, even if it is signed.
  if (event.livemode !== (modeOf(connection) === 'live') || modeOf(connection) === undefined) return 'bad_signature';
  return notificationsOf(event) ?? 'unparsable';
}

/** Undefined if it cannot be read as an event. */
export function read(raw: string): readonly ProcessorNotification[] | undefined {
  const event = readAs(Event, raw);
  return event === undefined ? undefined : notificationsOf(event);
}

function notificationsOf(event: Event): readonly ProcessorNotification[] | undefined {
  const word = wordOf(event);
  if (word === 'unreadable') return undefined;
  return word === undefined ? [] : [{ notificationId: event.id, occurredAt: event.created * 1_000, ...word }];
}

/** Undefined: nothing that is ours to know. */
function wordOf(event: Event): EventWord | MethodWord | 'unreadable' | undefined {
  const { type, data } = event;
  if (type === 'payment_method.automatically_updated') return wordOfObject(PaymentMethod, data.object, updatedWord);
  if (type === 'mandate.updated') return wordOfObject(Mandate, data.object, mandateWord);
  if (type.startsWith('payment_intent.'))
    return wordOfObject(PaymentIntent, data.object, (intent) => intentWord(type, intent));
  if (type.startsWith('refund.')) return wordOfObject(Refund, data.object, refundWord);
  if (DISPUTED.has(type)) return wordOfObject(StripeDispute, data.object, disputeWord);
  const { success, data: related } = Related.safeParse(data.object);
  if (!success) return undefined;
  const reference = related.metadata?.['counterfoil_reference'];
  // A charge has the metadata of its PaymentIntent: without our reference it belongs to another system.
  if (related.object === 'charge' && reference === undefined) return undefined;
  return {
    subject: related.object === 'charge' && reference !== undefined ? { reference } : named(related.payment_intent),
    about: type === 'charge.expired' ? { authorizationExpired: true } : LOOK,
    told: chargeTold(data.object),
  };
}

const DISPUTED: ReadonlySet<string> = new Set([
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
]);
const LOOK = { look: true } as const;
const chargeTold = (object: unknown): EventWord['told'] => {
  const { data } = ChargeTotals.safeParse(object);
  return data && chargeTotals(data);
};
const named = (processorTransactionId: string): PaymentNotification['subject'] => ({ processorTransactionId });

function wordOfObject<Shape, Word>(
  shape: z.ZodType<Shape>,
  object: unknown,
  work: (value: Shape) => Word,
): Word | 'unreadable' {
  const { success, data } = shape.safeParse(object);
  return success ? work(data) : 'unreadable';
}

/** A PaymentIntent without our reference belongs to another system of the same account. */
function intentWord(type: string, intent: PaymentIntent): EventWord | undefined {
  const { metadata, cancellation_reason: reason } = intent;
  const reference = metadata?.['counterfoil_reference'];
  if (reference === undefined) return undefined;
  // By our reference, because the name may not be on record yet.
  const subject = { reference };
  const told = amountsOf(intent);
  const look: EventWord = { subject, about: LOOK, told };
  switch (type) {
    case 'payment_intent.amount_capturable_updated':
    case 'payment_intent.succeeded':
      return isFirst(intent) ? { ...look, about: authorized(intent) ?? LOOK } : look;
    case 'payment_intent.canceled':
      // by our own fence too: its answer may have been lost, and a success before it may be booked
      return (reason === 'automatic' || reason === 'expired' || reason === FENCED) && wasHeld(intent)
        ? { ...look, about: { authorizationExpired: true } }
        : look;
    case 'payment_intent.created':
      return { subject, about: { prepared: intent.id } };
    default:
      return look;
  }
}

/** True if its last confirmation was approved: a refused one has a charge too. */
const wasHeld = ({ latest_charge: charge, last_payment_error: error }: PaymentIntent): boolean =>
  charge != null && error == null && (typeof charge === 'string' || isSuccess(charge));

/** Nothing has followed it: the event is about the authorization itself, not about a capture or a raise. */
const isFirst = ({ status, amount_received: received, metadata }: PaymentIntent): boolean =>
  status === 'requires_capture' && !received && Object.keys(metadata ?? {}).every((key) => OURS.has(key));
const OURS: ReadonlySet<string> = new Set(['counterfoil_reference', 'counterfoil_payment', 'burnt']);

function authorized(intent: PaymentIntent): EventWord['about'] | undefined {
  const { id, amount_capturable: capturable, amount, currency } = intent;
  const outcome = succeeded(id, { amount: capturable ?? amount, currency, detail: '' });
  return outcome.kind === 'succeeded' ? { operation: 'authorization', outcome } : undefined;
}

function refundWord(refund: Refund): EventWord | undefined {
  const { payment_intent: intent, metadata } = refund;
  if (intent == null) return undefined;
  const reference = metadata?.['counterfoil_reference'];
  const outcome = refundOutcome(refund, '');
  const shown = standingRefund(refund);
  const told = shown && { currencyCode: refund.currency.toUpperCase(), refunds: [shown] };
  const isWord = outcome.kind === 'succeeded' || outcome.kind === 'declined';
  // A refund that was made by hand over there has no reference of ours.
  if (!isWord || reference === undefined) return { subject: named(intent), about: LOOK, told };
  return { subject: { reference }, about: { operation: 'refund', outcome }, told };
}

function disputeWord(dispute: StripeDispute): EventWord | 'unreadable' | undefined {
  if (dispute.payment_intent == null) return undefined;
  const notice = noticeOf(dispute);
  return notice === undefined ? 'unreadable' : { subject: named(dispute.payment_intent), about: { dispute: notice } };
}

/** The network's updater: the payment method stays, and charges the card that it tells. */
function updatedWord({ id: processorToken, card }: PaymentMethod): MethodWord | undefined {
  if (card == null) return undefined;
  const { brand, last4: last4Digits, exp_month: month, exp_year: year, fingerprint } = card;
  const network = NETWORKS.get(brand);
  return {
    about: {
      instrument: 'updated',
      processorToken,
      card: {
        ...(network !== undefined && { network }),
        last4Digits,
        expirationMonth: String(month).padStart(2, '0'),
        expirationYear: String(year),
      },
      ...(fingerprint != null && { fingerprint }),
    },
  };
}

/** A mandate for one debit is over after that debit: only one for several is withdrawn. */
const mandateWord = ({ id: mandate, payment_method: method, status, type }: Mandate): MethodWord | undefined =>
  status === 'inactive' && type === 'multi_use'
    ? { about: { mandate, status, processorToken: typeof method === 'string' ? method : method.id } }
    : undefined;

/** Into the past and into the future, seconds. */
const TOLERANCE_SECONDS = 300;
/** Stripe signs with two secrets for a day after one was replaced; more are none of its. */
const MOST_SIGNATURES = 10;

/** Over the very characters that came, by one of the secrets, and not far from `now` (ms); in constant time. */
function isSigned(secrets: readonly string[], raw: string, header: string, now: number): boolean {
  const parts = header.split(',').map((part) => part.trim());
  const times = parts.flatMap((part) => /^t=(\d{1,12})$/.exec(part)?.[1] ?? []);
  const signatures = parts.flatMap((part) => /^v1=([0-9a-f]{64})$/.exec(part)?.[1] ?? []);
  const [seconds, ...others] = times;
  if (seconds === undefined || others.length > 0 || signatures.length > MOST_SIGNATURES) return false;
  if (Math.abs(now / 1_000 - Number(seconds)) > TOLERANCE_SECONDS) return false;
  const expected = secrets
    .filter((secret) => secret !== '')
    .map((secret) => createHmac('sha256', secret).update(`${seconds}.${raw}`).digest());
  return signatures.some((hex) => expected.some((mac) => timingSafeEqual(mac, Buffer.from(hex, 'hex'))));
}

/** Stripe's largest page. */
const PAGE = 100;
const Page = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })), has_more: z.boolean() });

/** One request. */
export async function listEvents(api: Api, { from, after }: EventsQuestion, call: Call): Promise<EventsPage> {
  const form = [
    ['created[gte]', Math.floor(from / 1_000)],
    ...EVENT_TYPES.map((type, place) => [`types[${place}]`, type] as const),
    ['limit', PAGE],
    ['starting_after', after],
  ] as const;
  const told = await api.ask({ method: 'GET', path: '/v1/events', form, shape: Page }, call);
  if (told.kind !== 'told') return { kind: 'unreachable', detail: unreadBy(told).detail };
  const { data, has_more: hasMore } = told.value;
  return { kind: 'page', raws: data.map((one) => JSON.stringify(one)), next: hasMore ? data.at(-1)?.id : undefined };
}
