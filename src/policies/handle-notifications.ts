// Handles notifications again that a crash left unhandled, or that were parked before their payment was known.
import type { Notifications } from '../commands/notifications/notifications.ts';
import type { Notification } from '../domain/notification/state.ts';
import { type NotificationKey, notifications } from '../projections/models/notifications.ts';
import type { Policy } from './policy.ts';

/** A notification is usually handled while its request is answered. */
const GRACE_MS = 10_000;

type NotificationPolicyNeeds = Pick<Notifications, 'handleStoredNotification'>;
type NotificationPolicy = Policy<Notification, NotificationKey>;

export const handleNotifications = ({ handleStoredNotification }: NotificationPolicyNeeds): NotificationPolicy => ({
  name: 'handle-notifications',
  of: notifications,
  due: 'receivedAt',
  graceMs: GRACE_MS,
  everyMs: 5_000,
  elsewhereMs: 30_000,
  act: async ({ id }) => void (await handleStoredNotification(id)),
});

export const retryParkedNotifications = ({ handleStoredNotification }: NotificationPolicyNeeds): NotificationPolicy => ({
  name: 'retry-parked-notifications',
  of: notifications,
  due: 'retryAt',
  graceMs: 0,
  everyMs: 5_000,
  elsewhereMs: 30_000,
  act: async ({ id }) => void (await handleStoredNotification(id)),
});
