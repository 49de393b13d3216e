// The disputes of the sandbox: when a card's customers open one, over which capture; its state at a moment of business
// time; and the merchant's answer, which is taken once, while it is open.
import { z } from 'zod';
import { type DisputeStatus, type DisputeType, disputeTypes } from '../../domain/dispute-status.ts';
import { formatTime } from '../../world.ts';
import type { DisputeNotice, DisputeRequest } from '../processor.ts';
import type { Card } from './card.ts';
import { type Entry, resultAt } from './entry.ts';
import type { Manner } from './faults.ts';
import { disputeIdOf, notificationIdOf } from './names.ts';
import { type Announcement, EXPIRY_NUMBER, inManner } from './notifications.ts';

/**
 * As stored. Time passes without a write: an unanswered dispute expires, and a challenged one is decided at the time of
 * its verdict, which may open a later round.
 */
export const DisputeEntry = z.strictObject({
  operation: z.literal('dispute'),
  /** The sandbox's own name for it. */
  reference: z.string(),
  accountId: z.string(),
  paymentId: z.string(),
  authorizationId: z.string(),
  /** Its place among those of the authorization, after all operations. */
  number: z.int(),
  /** The disputed capture: the caller's reference of it, and the sandbox's name. */
  disputed: z.string(),
  transactionId: z.string(),
  /** The row of the table of cards. */
  card: z.string(),
  /** Minor units. */
  amount: z.int().min(0),
  currencyCode: z.string(),
  reason: z.string(),
  reasonCode: z.string(),
  /** When it opens, ms. */
  at: z.int(),
  /** The round of `challengeRequiredBy` and `answer`. */
  type: z.enum(disputeTypes).default('DISPUTE'),
  /** The caller's names of the answers in earlier rounds. */
  answered: z.array(z.string()).default([]),
  isPrevented: z.literal(true).optional(),
  challengeRequiredBy: z.int(),
  answer: z
    .strictObject({
      /** The caller's own name of the answer. */
      reference: z.string(),
      kind: z.enum(['evidence', 'acceptance']),
      at: z.int(),
      verdict: z
        .strictObject({
          at: z.int(),
          as: z.enum(['WON', 'LOST']),
          /** The later round that follows. */
          next: z.strictObject({ at: z.int(), type: z.enum(disputeTypes) }).optional(),
        })
        .optional(),
    })
    .optional(),
});
export type DisputeEntry = z.infer<typeof DisputeEntry>;

/** Of business time, from the opening of a round. */
const CHALLENGED_WITHIN_MS = 7 * 86_400_000;

/** The dispute with the round that it is in: the next one, once that has begun. */
export function inRoundAt(dispute: DisputeEntry, now: number): DisputeEntry {
  const { answer, ...rest } = dispute;
  const next = answer?.verdict?.next;
  if (answer === undefined || next === undefined || now < next.at) return dispute;
  const answered = [...dispute.answered, answer.reference];
  return { ...rest, type: next.type, answered, challengeRequiredBy: next.at + CHALLENGED_WITHIN_MS };
}

/** Undefined before it opens. */
export function disputeStatusAt(dispute: DisputeEntry, now: number): DisputeStatus | undefined {
  const { at, challengeRequiredBy, answer, isPrevented } = inRoundAt(dispute, now);
  if (now < at) return undefined;
  if (isPrevented) return 'PREVENTED';
  if (answer === undefined || now < answer.at) return now < challengeRequiredBy ? 'OPEN' : 'EXPIRED';
  if (answer.kind === 'acceptance') return 'ACCEPTED';
  return answer.verdict !== undefined && now >= answer.verdict.at ? answer.verdict.as : 'CHALLENGED';
}

/** The sandbox's notice of a dispute in a status. */
export function noticeOf(
  { reference: id, type, amount, currencyCode, reason, reasonCode, at: openedAt, challengeRequiredBy }: DisputeEntry,
  status: DisputeStatus,
): DisputeNotice {
  const told = { id, status, type, amount, currencyCode, reason, reasonCode, openedAt };
  return status === 'PREVENTED' ? { ...told, refunded: { amount, refunds: [] } } : { ...told, challengeRequiredBy };
}

/** Of business time, from the capture or the refund that leads to a dispute. */
const OPENS_AFTER_MS = 5_000;

/** Places of disputes, and of their announcements, among those of an authorization: after all operations. */
export const DISPUTE_NUMBER = 500_000_000;
/** The numbers of one dispute: itself, and its notices. */
const PLACES = 3;

/**
 * The disputes that an operation leads to; `entries`: those of its authorization, oldest first, the operation among
 * them.
 */
export function disputesFrom(
  card: Card | undefined,
  operation: Entry,
  entries: readonly Entry[],
): readonly DisputeEntry[] {
  if (card?.disputes === undefined) return [];
  const settledAt = operation.settles?.at ?? operation.at;
  if (resultAt(operation, settledAt) !== 'succeeded') return [];
  const { on, reason, reasonCode, decided } = card.disputes;
  const at = settledAt + OPENS_AFTER_MS;
  return disputedBy(on, operation, entries, settledAt).map(
    ({ reference, accountId, paymentId, authorizationId, number, transactionId, amount, currencyCode }) => ({
      operation: 'dispute',
      reference: disputeIdOf(reference),
      accountId,
      paymentId,
      authorizationId,
      number: DISPUTE_NUMBER + number * PLACES,
      disputed: reference,
      transactionId,
      card: card.id,
      amount,
      currencyCode,
      reason,
      reasonCode,
      at,
      type: decided === 'in_rounds' ? 'RETRIEVAL' : 'DISPUTE',
      answered: [],
      ...(decided === 'prevented' && { isPrevented: true }),
      challengeRequiredBy: at + CHALLENGED_WITHIN_MS,
    }),
  );
}

/** The captures that are disputed because of an operation. */
function disputedBy(
  on: 'capture' | 'full_refund',
  operation: Entry,
  entries: readonly Entry[],
  now: number,
): readonly Entry[] {
  if (on === 'capture') return operation.operation === 'capture' ? [operation] : [];
  if (operation.operation !== 'refund') return [];
  const done = entries.filter((entry) => resultAt(entry, now) === 'succeeded');
  const captures = done.filter((entry) => entry.operation === 'capture');
  const sum = (some: readonly Entry[]): number => some.reduce((total, { amount }) => total + amount, 0);
  return sum(done.filter((entry) => entry.operation === 'refund')) === sum(captures) ? captures : [];
}

/**
 * That its round was opened at `at`, and that nobody answered it in time, which is withdrawn by an answer. A prevented
 * one is over, and reported once more: no look-up finds a dispute that is not on record.
 */
export function openingOf(dispute: DisputeEntry, manner: Manner, at = dispute.at): readonly Announcement[] {
  const { isPrevented, challengeRequiredBy } = dispute;
  const first = announcementOf(dispute, isPrevented ? 'PREVENTED' : 'OPEN', at);
  const last = isPrevented
    ? { ...first, id: `${first.id}.again`, dueAt: challengeRequiredBy }
    : announcementOf(dispute, 'EXPIRED', challengeRequiredBy);
  return [...inManner(first, manner), { ...last, number: EXPIRY_NUMBER }];
}

export const expiryIdOf = (dispute: DisputeEntry): string =>
  notificationIdOf(dispute.reference, typeOf('EXPIRED', dispute));

/** Its first word is the type of the notification; no other round of the dispute has the same words. */
const typeOf = (status: DisputeStatus, { type }: DisputeEntry): string =>
  `${status === 'OPEN' || status === 'PREVENTED' ? 'dispute.opened' : 'dispute.updated'} ${status}${type === 'DISPUTE' ? '' : ` ${type}`}`;

/** The news of a status that it has had since `at`, ms. */
function announcementOf(dispute: DisputeEntry, status: DisputeStatus, at: number): Announcement {
  const { reference, disputed, transactionId: processorTransactionId, amount, currencyCode, number } = dispute;
  const type = typeOf(status, dispute);
  const notificationId = notificationIdOf(reference, type);
  const body = JSON.stringify({
    notificationId,
    type: type.split(' ')[0],
    occurredAt: formatTime(at),
    reference: disputed,
    processorTransactionId,
    amount,
    currencyCode,
    dispute: noticeOf(dispute, status),
  });
  return { id: notificationId, body, dueAt: at, number, badAttempts: 0 };
}

const DAYS = 86_400_000;
const DECIDED_BY_TEXT_MS = 5_000;
const DECIDED_MS = 60 * DAYS;

/** `taken`: to be recorded. `known`: the very answer that is on record. */
type AnswerDecision =
  | { readonly kind: 'taken'; readonly dispute: DisputeEntry }
  | { readonly kind: 'known' }
  | { readonly kind: 'refused'; readonly code: string };

export function decideAnswer(
  recorded: DisputeEntry,
  card: Card | undefined,
  request: DisputeRequest,
  now: number,
): AnswerDecision {
  const dispute = inRoundAt(recorded, now);
  if (dispute.answer?.reference === request.reference || dispute.answered.includes(request.reference))
    return { kind: 'known' };
  const status = disputeStatusAt(dispute, now);
  if (status === undefined) return { kind: 'refused', code: 'DISPUTE_UNKNOWN' };
  if (status !== 'OPEN') return { kind: 'refused', code: status === 'EXPIRED' ? 'DISPUTE_EXPIRED' : 'DISPUTE_CLOSED' };
  const { reference } = request;
  if (request.answer === 'accept')
    return { kind: 'taken', dispute: { ...dispute, answer: { reference, kind: 'acceptance', at: now } } };
  const verdict = verdictOn(request.answer.evidence, dispute.type, card, now);
  return { kind: 'taken', dispute: { ...dispute, answer: { reference, kind: 'evidence', at: now, verdict } } };
}

type Verdict = NonNullable<NonNullable<DisputeEntry['answer']>['verdict']>;

/** What `escalate` leads to: how the round ends, and the one that follows. */
const ESCALATED: { readonly [T in DisputeType]?: { readonly as: Verdict['as']; readonly to: DisputeType } } = {
  RETRIEVAL: { as: 'WON', to: 'DISPUTE' },
  DISPUTE: { as: 'WON', to: 'PREARBITRATION' },
  PREARBITRATION: { as: 'LOST', to: 'APPEAL' },
};

function verdictOn(evidence: object, type: DisputeType, card: Card | undefined, now: number): Verdict {
  const text = 'text' in evidence && typeof evidence.text === 'string' ? evidence.text : '';
  const decided = card?.disputes?.decided;
  const isByText = decided === 'by_text' || decided === 'in_rounds';
  const word = isByText ? /\b(win|lose|escalate)\b/i.exec(text)?.[1]?.toLowerCase() : undefined;
  const at = now + DECIDED_BY_TEXT_MS;
  const escalated = word === 'escalate' && decided === 'in_rounds' ? ESCALATED[type] : undefined;
  if (escalated !== undefined)
    return { at, as: escalated.as, next: { at: at + DECIDED_BY_TEXT_MS, type: escalated.to } };
  if (word === undefined || word === 'escalate') return { at: now + DECIDED_MS, as: 'LOST' };
  return { at, as: word === 'win' ? 'WON' : 'LOST' };
}

/**
 * That it was answered, what the issuer decides, and the round that follows. A verdict that takes months keeps nobody
 * waiting before it is due.
 */
export function answersTold(dispute: DisputeEntry, manner: Manner): readonly Announcement[] {
  const { answer } = dispute;
  if (answer === undefined) return [];
  const { kind, at, verdict } = answer;
  const told = (status: 'CHALLENGED' | 'ACCEPTED' | 'WON' | 'LOST', since: number, later: number): Announcement => ({
    ...announcementOf(dispute, status, since),
    number: since - at > DECIDED_BY_TEXT_MS ? EXPIRY_NUMBER : dispute.number + later,
  });
  const first = told(kind === 'evidence' ? 'CHALLENGED' : 'ACCEPTED', at, 1);
  const news = [first, ...(verdict === undefined ? [] : [told(verdict.as, verdict.at, 2)])];
  const next = verdict?.next && openingOf(inRoundAt(dispute, verdict.next.at), manner, verdict.next.at);
  return [...news.flatMap((one) => inManner(one, manner)), ...(next ?? [])];
}
