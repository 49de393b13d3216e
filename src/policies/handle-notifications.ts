// Handles notifications again that a crash left unhandled, or that were parked before their payment was known.
import type { House } from '../commands/house.ts';
import { handleStoredNotification } from '../commands/receive-notification.ts';
import type { Notification } from '../domain/notification/state.ts';
import { notifications } from '../projections/notifications.ts';
import type { Policy } from './policy.ts';

/** A notification is usually handled while its request is answered. */
const GRACE_MS = 10_000;

type NotificationPolicy = Policy<Notification, 'receivedAt' | 'parkedAt'>;

export const handleNotifications = (house: House): NotificationPolicy => ({
  name: 'handle-notifications',
  of: notifications,
  due: 'receivedAt',
  graceMs: GRACE_MS,
  everyMs: 5_000,
  elsewhereMs: 30_000,
  act: ({ id, doc }) => handleStoredNotification(house, id, doc),
});

export const retryParkedNotifications = (house: House): NotificationPolicy => ({
  name: 'retry-parked-notifications',
  of: notifications,
  due: 'parkedAt',
  graceMs: GRACE_MS,
  everyMs: 60_000,
  act: ({ id, doc }) => handleStoredNotification(house, id, doc),
});
