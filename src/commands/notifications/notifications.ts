// Processors' notifications as a subject: received from HTTP, retried and discarded by operators.
import { discardNotification, handleStoredNotification, retryNotification } from './handle-notification.ts';
import type { NotificationNeeds } from './needs.ts';
import { receiveNotification } from './receive-notification.ts';

export type Notifications = ReturnType<typeof makeNotifications>;

export const makeNotifications = (needs: NotificationNeeds) => ({
  receiveNotification: receiveNotification(needs),
  retryNotification: retryNotification(needs),
  discardNotification: discardNotification(needs),
  handleStoredNotification: (recordId: string) => handleStoredNotification(needs, recordId),
});
