// The parked notifications of an account, oldest first.
import type { Notification } from '../../domain/notification/state.ts';
import { type NotificationKey, notifications } from '../../projections/models/notifications.ts';
import type { Query, ReadModels, Stored } from '../../stores/read-models.ts';

/** The parked notifications of all accounts. */
export const PARKED: Required<Pick<Query<NotificationKey>, 'where' | 'order'>> = {
  where: { parkedAt: { from: 0 } },
  order: { by: 'parkedAt', descending: false },
};

/** `limit`: 1 to 1000. */
export const parkedNotifications = (
  readModels: Pick<ReadModels, 'find'>,
  accountId: string,
  limit: number,
): Promise<readonly Stored<Notification>[]> =>
  readModels.find<Notification, NotificationKey>(notifications, {
    ...PARKED,
    where: { ...PARKED.where, accountId: [accountId] },
    limit,
  });
