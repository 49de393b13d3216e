// The disputes that a card's customers open: when, over which capture, and how the merchant hears of it.

import type { DisputeStatus } from '../../../domain/dispute-status.ts';
import { formatTime } from '../../../world.ts';
import type { Card } from '../card.ts';
import { type Entry, resultAt } from '../entry.ts';
import type { Manner } from '../faults/fault-table.ts';
import { disputeIdOf, notificationIdOf } from '../names.ts';
import { type Announcement, EXPIRY_NUMBER, inManner } from '../notifications/announcement.ts';
import { CHALLENGED_WITHIN_MS, type DisputeEntry, noticeOf } from './dispute.ts';

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
export function announcementOf(dispute: DisputeEntry, status: DisputeStatus, at: number): Announcement {
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
