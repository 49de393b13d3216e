// Processors' notifications as a subject: received from HTTP, handled again by policies, retried and discarded by
// operators.
import { AwaitedPayments } from './awaited-payments.ts';
import {
  discardNotification,
  handleStoredNotification,
  retryAwaited,
  retryNotification,
} from './handle-notification.ts';
import type { NotificationNeeds } from './needs.ts';
import { receiveNotification } from './receive-notification.ts';

export type Notifications = ReturnType<typeof makeNotifications>;

export function makeNotifications(parts: Omit<NotificationNeeds, 'awaited'>) {
  const needs: NotificationNeeds = { ...parts, awaited: new AwaitedPayments() };
  return {
    receiveNotification: receiveNotification(needs),
    retryNotification: retryNotification(needs),
    discardNotification: discardNotification(needs),
    handleStoredNotification: (recordId: string) => handleStoredNotification(needs, recordId),
    /** A payment has news: the notifications that waited for it are tried again. */
    retryAwaited: (paymentId: string) => retryAwaited(needs, paymentId),
  };
}
