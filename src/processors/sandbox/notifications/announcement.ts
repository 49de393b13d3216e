// The notifications of an operation: their messages, when each is due, and how it comes.
import { formatTime } from '../../../world.ts';
import { cardOfId, takesMoneyAtOnce } from '../cards.ts';
import { type Entry, isWaiting, resultAt } from '../entry.ts';
import type { Manner } from '../faults/fault-table.ts';
import { CHANGED, EXPIRED, notificationIdOf, RETURNED, strangeReferenceOf } from '../names.ts';

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
