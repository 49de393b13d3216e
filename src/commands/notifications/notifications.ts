// Processors' notifications as a subject: received from HTTP, retried and discarded by operators.
import type { House } from '../house.ts';
import { discardNotification, handleStoredNotification, retryNotification } from './handle-notification.ts';
import { receiveNotification } from './receive-notification.ts';

export type Notifications = ReturnType<typeof makeNotifications>;

export const makeNotifications = (needs: House) => ({
  receiveNotification: receiveNotification(needs),
  retryNotification: retryNotification(needs),
  discardNotification: discardNotification(needs),
  handleStoredNotification: (recordId: string) => handleStoredNotification(needs, recordId),
});
