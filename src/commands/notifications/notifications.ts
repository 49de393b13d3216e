// Processors' notifications as a subject: received from HTTP, handled again by policies, retried and discarded by
// operators.
import { AwaitedPayments } from './awaited-payments.ts';
import {
  discardNotification,
  handleStoredNotification,
  retryAwaited,
  retryNotification,
} from './handle-notification.ts';
import { receiveNotification } from './receive-notification.ts';
import { makeSweep, type SweepNeeds } from './sweep-events.ts';

export type Notifications = ReturnType<typeof makeNotifications>;

export function makeNotifications(parts: Omit<SweepNeeds, 'awaited'>) {
  const needs: SweepNeeds = { ...parts, awaited: new AwaitedPayments() };
  return {
    receiveNotification: receiveNotification(needs),
    retryNotification: retryNotification(needs),
    discardNotification: discardNotification(needs),
    handleStoredNotification: (recordId: string) => handleStoredNotification(needs, recordId),
    /** Receives the events of a connection that no notification brought. */
    sweepEvents: makeSweep(needs),
    /** A payment has news: the notifications that waited for it are tried again. */
    retryAwaited: (paymentId: string) => retryAwaited(needs, paymentId),
  };
}
