// Handles notifications again that a crash left unhandled, or that were parked before their payment was known.

import type { House } from '../commands/house.ts';
import { handleStoredNotification } from '../commands/notifications/handle-notification.ts';
import type { Notification } from '../domain/notification/state.ts';
import { type NotificationKey, notifications } from '../projections/models/notifications.ts';
import type { Policy } from './policy.ts';

/** A notification is usually handled while its request is answered. */
const GRACE_MS = 10_000;

type NotificationPolicy = Policy<Notification, NotificationKey>;

export const handleNotifications = (house: House): NotificationPolicy => ({
  name: 'handle-notifications',
  of: notifications,
  due: 'receivedAt',
  graceMs: GRACE_MS,
  everyMs: 5_000,
  elsewhereMs: 30_000,
  act: async ({ id }) => void (await handleStoredNotification(house, id)),
});

export const retryParkedNotifications = (house: House): NotificationPolicy => ({
  name: 'retry-parked-notifications',
  of: notifications,
  due: 'retryAt',
  graceMs: 0,
  everyMs: 5_000,
  elsewhereMs: 30_000,
  act: async ({ id }) => void (await handleStoredNotification(house, id)),
});
