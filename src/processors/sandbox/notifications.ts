// The sandbox's notifications: their payload and signature (contract §8), which an operation has, when each is due, and
// how it comes.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { disputeTypes } from '../../domain/dispute-status.ts';
import { Check, type Declined, type Succeeded } from '../../domain/payment/outcome.ts';
import { formatTime, parseTime } from '../../world.ts';
import {
  type DisputeNotice,
  type NotificationHeaders,
  OPERATIONS,
  type PaymentNotification,
  type ProcessorNotification,
} from '../processor.ts';
import { declineTypeOf } from './card.ts';
import { cardOfId, takesMoneyAtOnce } from './cards.ts';
import { type Entry, isWaiting, resultAt, ThreeDSecure } from './entry.ts';
import type { Manner } from './faults.ts';
import { CHANGED, EXPIRED, notificationIdOf, RETURNED, strangeReferenceOf } from './names.ts';
import { readAs } from './read-as.ts';
import { readSavedWord } from './saved-words.ts';

const TOLERANCE_SECONDS = 300;
export const SIGNATURE_HEADER = 'X-Sandbox-Signature';

const name = z.string().min(1).max(255);
const CurrencyCode = z.string().regex(/^[A-Z]{3}$/);

export const Dispute: z.ZodType<DisputeNotice> = z.object({
  id: name,
  status: name,
  type: z.enum(disputeTypes).exactOptional(),
  refunded: z.object({ amount: z.int().min(0), refunds: z.array(name) }).exactOptional(),
  amount: z.int().min(0),
  currencyCode: CurrencyCode,
  reason: name.exactOptional(),
  reasonCode: name.exactOptional(),
  openedAt: z.int().exactOptional(),
  challengeRequiredBy: z.int().exactOptional(),
});

/** Members that a later version of the sandbox adds are ignored: an outcome must not be lost over them. */
const Payload = z.object({
  notificationId: name,
  type: name,
  /** RFC 3339, as ms */
  occurredAt: z.string().transform(parseTime).pipe(z.number()),
  reference: name,
  processorTransactionId: name,
  amount: z.int().min(0),
  currencyCode: CurrencyCode,
  declineCode: name.optional(),
  threeDSecure: ThreeDSecure.optional().catch(undefined),
  /** The checks of an authorization that succeeded. */
  avsResult: Check.optional().catch(undefined),
  cvcResult: Check.optional().catch(undefined),
  /** An authorization that took the money. */
  captured: z.literal(true).optional().catch(undefined),
  dispute: Dispute.optional(),
});
type Payload = z.output<typeof Payload>;

const mac = (secret: Buffer, seconds: string, body: string): Buffer =>
  createHmac('sha256', secret).update(`${seconds}.${body}`).digest();

/** The header's value: `t=<unix s>,v1=<hex HMAC-SHA256 of "t.body">`. `now` in ms. */
export function signatureOf(secret: Buffer, body: string, now: number): string {
  const seconds = String(Math.floor(now / 1_000));
  return `t=${seconds},v1=${mac(secret, seconds, body).toString('hex')}`;
}

/**
 * Whether any of the signatures is one of this body by any of the secrets, at most 5 minutes from now; compared in
 * constant time. A header has one time and any number of signatures, in any order; members of other schemes are left to
 * those who know them.
 */
function isSigned(secrets: readonly Buffer[], header: string, body: string, now: number): boolean {
  const members = header.split(',');
  const [seconds, ...others] = members.flatMap((member) => /^t=(\d{1,12})$/.exec(member)?.[1] ?? []);
  const given = members
    .flatMap((member) => /^v1=([0-9a-f]{64})$/.exec(member)?.[1] ?? [])
    .map((hex) => Buffer.from(hex, 'hex'));
  if (seconds === undefined || others.length > 0 || Math.abs(now / 1_000 - Number(seconds)) > TOLERANCE_SECONDS)
    return false;
  return secrets.some((secret) => {
    const expected = mac(secret, seconds, body);
    return given.some((one) => timingSafeEqual(expected, one));
  });
}

function aboutOf({
  type,
  dispute,
  declineCode: code = 'GENERIC_DECLINE',
  threeDSecure,
  avsResult,
  cvcResult,
  captured,
  ...told
}: Payload): PaymentNotification['about'] | undefined {
  const { processorTransactionId, amount, currencyCode } = told;
  const operation = OPERATIONS.find((one) => type === `${one}.succeeded` || type === `${one}.failed`);
  const checks = {
    ...(avsResult && { avsResult }),
    ...(cvcResult && { cvcResult }),
    ...(threeDSecure && { threeDSecure }),
    ...(captured && { captured }),
  };
  const isChecked = operation === 'authorization' && Object.keys(checks).length > 0;
  if (operation !== undefined) {
    const outcome: Succeeded | Declined = type.endsWith('.succeeded')
      ? { kind: 'succeeded', processorTransactionId, amount, currencyCode, ...(isChecked && { authorization: checks }) }
      : {
          kind: 'declined',
          code,
          declineType: declineTypeOf(code),
          processorTransactionId,
          ...(operation === 'authorization' && threeDSecure && { threeDSecure }),
        };
    return { operation, outcome };
  }
  if (type === EXPIRED) return { authorizationExpired: true };
  if (type === CHANGED) return { look: true };
  if (type === RETURNED) return { reversalOf: 'capture', processorTransactionId, amount, currencyCode };
  return dispute !== undefined && (type === 'dispute.opened' || type === 'dispute.updated') ? { dispute } : undefined;
}

/** The parts of a payload, one thing each; undefined if it is not one of ours. No signature is checked. */
export function read(raw: string): readonly ProcessorNotification[] | undefined {
  const saved = readSavedWord(raw);
  if (saved !== undefined) return [saved];
  const payload = readAs(Payload, raw);
  const about = payload && aboutOf(payload);
  if (payload === undefined || about === undefined) return undefined;
  const { notificationId, occurredAt, reference } = payload;
  return [{ notificationId, occurredAt, subject: { reference }, about }];
}

/** The header's name is looked up in lower case, as Node's HTTP server gives it. `now` in ms. */
export function readSigned(
  secrets: readonly Buffer[],
  raw: string,
  headers: NotificationHeaders,
  now: number,
): readonly ProcessorNotification[] | 'bad_signature' | 'unparsable' {
  if (!isSigned(secrets, headers[SIGNATURE_HEADER.toLowerCase()] ?? '', raw, now)) return 'bad_signature';
  return read(raw) ?? 'unparsable';
}

/** A message that is kept until it is delivered: `body` is sent, and signed, word for word. */
export interface Announcement {
  /** Its key in the store: copies share the notificationId, not this. */
  readonly id: string;
  readonly body: string;
  readonly dueAt: number;
  /** Its place among those of the authorization. */
  readonly number: number;
  /** Waits for later ones of the payment, at most until then. */
  readonly heldUntil?: number;
  /** How many times it is sent badly signed before it is sent as it should be. */
  readonly badAttempts: number;
}

/** The number of a notification that no operation led to: after all others. */
export const EXPIRY_NUMBER = 1_000_000_000;

/** As that of an expiry: a debit has the one or the other. */
const RETURN_NUMBER = EXPIRY_NUMBER;

/** How long a delayed notification waits for a later one, and how long at most however many come. */
const WAITS_MS = 10_000;
const HELD_AT_MOST_MS = 60_000;

interface Message {
  readonly type: string;
  readonly at: number;
  readonly declined: boolean;
}

/** The news, and when it happened: the end of a pending operation, or with `always` the immediate answer. */
function messageOf(entry: Entry, always: boolean): Message | undefined {
  if (isWaiting(entry)) return undefined; // nothing is decided before the customer has acted
  const { operation, settles, at } = entry;
  if (settles === undefined && !always) return undefined;
  if (settles !== undefined && !settles.notified) return undefined;
  const result = settles?.as ?? resultAt(entry, at);
  const declined = result === 'declined';
  return { type: `${operation}.${declined ? 'failed' : 'succeeded'}`, at: settles?.at ?? at, declined };
}

/** `reference`: the operation that the message names. */
function messageAs(reference: string, entry: Entry, { type, at, declined }: Message): Announcement {
  const {
    transactionId: processorTransactionId,
    amount,
    currencyCode,
    declineCode,
    number,
    avsResult,
    cvcResult,
    threeDSecure,
  } = entry;
  const notificationId = notificationIdOf(reference, type);
  const body = JSON.stringify({
    notificationId,
    type,
    occurredAt: formatTime(at),
    reference,
    processorTransactionId,
    amount,
    currencyCode,
    ...(declined && declineCode !== undefined && { declineCode }),
    ...(threeDSecure !== undefined && { threeDSecure }),
    ...(!declined && type !== EXPIRED && { avsResult, cvcResult }),
    ...(type === 'authorization.succeeded' && takesMoneyAtOnce(entry.card) && { captured: true }),
  });
  return { id: notificationId, body, dueAt: at, number, badAttempts: 0 };
}

/** In no order; none for operations that are not announced. */
export function announcementsOf(entry: Entry, manner: Manner): readonly Announcement[] {
  const { always = false, delayMs = 0, lost = false, withStranger = false } = manner;
  const { reference, paymentId } = entry;
  const message = lost ? undefined : messageOf(entry, always);
  if (message === undefined) return [...expiryOf(entry), ...returnOf(entry)];
  const stranger = {
    ...messageAs(strangeReferenceOf(reference, paymentId), entry, message),
    dueAt: message.at + delayMs,
  };
  return [
    ...inManner(messageAs(reference, entry, message), manner),
    ...(withStranger ? [stranger] : []),
    ...expiryOf(entry),
    ...returnOf(entry),
  ];
}

/**
 * An announcement in the manner of its card or of a rule: late, more than once, badly signed, after later ones, or
 * never.
 */
export function inManner(message: Announcement, manner: Manner): readonly Announcement[] {
  const { lost, copies = 0, delayMs = 0, heldBack, badlySigned } = manner;
  if (lost) return [];
  const dueAt = message.dueAt + delayMs;
  const one: Announcement = {
    ...message,
    dueAt: heldBack ? dueAt + WAITS_MS : dueAt,
    ...(heldBack && { heldUntil: dueAt + HELD_AT_MOST_MS }),
    badAttempts: badlySigned ? 1 : 0,
  };
  return [one, ...Array.from({ length: copies }, (_, place) => ({ ...one, id: `${one.id}.${place + 2}` }))];
}

/** That a person has changed the payment at the acquirer; it does not say what. */
export function changeOf(act: Entry, authorization: Entry): Announcement {
  const message = { type: CHANGED, at: act.at, declined: false };
  const { id } = messageAs(act.reference, act, message);
  const body = { ...JSON.parse(messageAs(authorization.reference, authorization, message).body), notificationId: id };
  return { id, body: JSON.stringify(body), dueAt: act.at, number: act.number, badAttempts: 0 };
}

/** That the customer's bank has taken a debit back, weeks after its success. */
function returnOf(entry: Entry): readonly Announcement[] {
  const { operation, reference, settles, card } = entry;
  const afterMs = operation === 'authorization' ? cardOfId(card ?? '')?.on[operation]?.returnedAfterMs : undefined;
  if (afterMs === undefined || settles?.as !== 'succeeded') return [];
  const message = { type: RETURNED, at: settles.at + afterMs, declined: false };
  return [{ ...messageAs(reference, entry, message), number: RETURN_NUMBER }];
}

/** That an authorization holds no longer; withdrawn when nothing is left to be held before. */
function expiryOf(entry: Entry): readonly Announcement[] {
  const { holdExpiresAt: at, reference } = entry;
  if (at === undefined) return [];
  return [{ ...messageAs(reference, entry, { type: EXPIRED, at, declined: false }), number: EXPIRY_NUMBER }];
}
