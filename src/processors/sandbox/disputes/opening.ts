// The disputes that a card's customers open: when, over which capture, and how the merchant hears of it.

import type { DisputeStatus } from '../../../domain/dispute-status.ts';
import { formatTime } from '../../../world.ts';
import type { Card } from '../card.ts';
import { type Entry, resultAt } from '../entry.ts';
import type { Manner } from '../faults/fault-table.ts';
import { disputeIdOf, notificationIdOf } from '../names.ts';
import { type Announcement, EXPIRY_NUMBER, inManner } from '../notifications/announcement.ts';
import { type DisputeEntry, noticeOf } from './dispute.ts';

const DAYS = 86_400_000;
/** Of business time, from the capture or the refund that leads to a dispute. */
const OPENS_AFTER_MS = 5_000;
const CHALLENGED_WITHIN_MS = 7 * DAYS;

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
  const { on, reason, reasonCode } = card.disputes;
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

/** That it was opened, and that nobody answered it in time, which is withdrawn by an answer. */
export const openingOf = (dispute: DisputeEntry, manner: Manner): readonly Announcement[] => [
  ...inManner(announcementOf(dispute, 'OPEN', dispute.at), manner),
  { ...announcementOf(dispute, 'EXPIRED', dispute.challengeRequiredBy), number: EXPIRY_NUMBER },
];

export const expiryIdOf = (dispute: DisputeEntry): string => notificationIdOf(dispute.reference, typeOf('EXPIRED'));

const typeOf = (status: DisputeStatus): string =>
  `${status === 'OPEN' ? 'dispute.opened' : 'dispute.updated'} ${status}`;

/** The news of a status that it has had since `at`, ms. */
export function announcementOf(dispute: DisputeEntry, status: DisputeStatus, at: number): Announcement {
  const { reference, disputed, transactionId: processorTransactionId, amount, currencyCode, number } = dispute;
  const type = typeOf(status);
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
