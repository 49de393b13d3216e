// Decisions on a processor's notification; its stream makes sure that it is handled once.
import { accept, type Decision, reject } from '../decider.ts';
import { sameJson } from '../json.ts';
import type { NotificationEvent, NotificationReceived, ParkedReason } from './events.ts';
import { type AppliedTo, appliedTo, type Notification } from './state.ts';

/** The first pause after a failed retry: a minute, then two, four, and so on up to a day (docs/operating.md). */
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 86_400_000;
/**
 * A failed retry so late is the last automatic one: look-ups find the facts that the notification may have reported.
 */
const RETRIED_FOR_MS = 30 * 86_400_000;

/** The business time (ms) of the next retry after `retries` failed ones, the last of them at `at`. */
const nextRetryAt = (at: number, retries: number): number =>
  at + Math.min(FIRST_PAUSE_MS * 2 ** retries, LONGEST_PAUSE_MS);

type NotificationDecision = Decision<NotificationEvent>;

const missing = (): NotificationDecision => reject('NotFound', 'There is no such notification.');

/** Puts it on record; the same one again: nothing. */
export const receiveNotification =
  (came: NotificationReceived) =>
  (notification: Notification): NotificationDecision =>
    notification.status === 'absent' ? accept({ type: 'NotificationReceived', data: { ...came } }) : accept();

/**
 * Records different content under the id of an existing record (`firstId`): parked from the start, and never retried
 * automatically, because only the processor knows which of the two it means. No event for a repetition.
 */
export const receiveOtherContent =
  (came: NotificationReceived, firstId: string) =>
  (notification: Notification): NotificationDecision => {
    if (notification.status !== 'absent') return accept();
    const reason: ParkedReason = { code: 'content_differs', firstRecordId: firstId };
    return accept<NotificationEvent>(
      { type: 'NotificationReceived', data: { ...came } },
      { type: 'NotificationParked', data: { reason } },
    );
  };

/** It has had its effect on the payment, or on the saved method. Applied or discarded already: nothing. */
export const applyNotification =
  ({ paymentId, paymentMethodToken }: AppliedTo) =>
  (notification: Notification): NotificationDecision => {
    if (notification.status === 'absent') return missing();
    const open = notification.status === 'received' || notification.status === 'parked';
    if (!open) return accept();
    return paymentId === undefined
      ? accept({ type: 'NotificationAppliedToInstrument', data: { paymentMethodToken } })
      : accept({ type: 'NotificationApplied', data: { paymentId } });
  };

/**
 * Parks a notification that names nothing known at `at` (ms). If it is already parked, a retry that was due schedules
 * the next one or ends the retries, and a different reason is recorded; otherwise no event. No event if it was applied
 * or discarded.
 */
export const parkNotification =
  (reason: ParkedReason, at: number) =>
  (notification: Notification): NotificationDecision => {
    const { status } = notification;
    if (status === 'absent') return missing();
    if (status === 'received')
      return accept({ type: 'NotificationParked', data: { reason, retryAt: nextRetryAt(at, 0) } });
    if (status !== 'parked') return accept();
    const { retryAt, retries, parkedAt } = notification;
    const isDue = retryAt !== undefined && at >= retryAt;
    if (sameJson(notification.reason, reason) && !isDue) return accept();
    const isOver = retryAt === undefined || (isDue && at >= parkedAt + RETRIED_FOR_MS);
    const next = isDue ? nextRetryAt(at, retries + 1) : retryAt;
    return accept({ type: 'NotificationParked', data: isOver ? { reason } : { reason, retryAt: next } });
  };

/** A person wants it tried now. Applied or discarded already: 409 Conflict. */
export const requestRetry =
  (by: string) =>
  (notification: Notification): NotificationDecision => {
    const { status } = notification;
    if (status === 'absent') return missing();
    if (status === 'applied')
      return reject('Conflict', `The notification has been applied to ${appliedTo(notification)}.`);
    if (status === 'discarded') return reject('Conflict', 'The notification has been discarded.');
    return accept({ type: 'NotificationRetryRequested', data: { by } });
  };

/** An operator gives it up. Discarded already: nothing; applied: 409 Conflict, because its effect stands. */
export const discardNotification =
  (by: string) =>
  (notification: Notification): NotificationDecision => {
    if (notification.status === 'absent') return missing();
    if (notification.status === 'applied') {
      const { paymentId } = notification;
      return reject('Conflict', 'The notification was applied.', { ...(paymentId !== undefined && { paymentId }) });
    }
    return notification.status === 'discarded' ? accept() : accept({ type: 'NotificationDiscarded', data: { by } });
  };
