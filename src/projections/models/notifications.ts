// Processors' notifications; found while they wait to be handled, and while they are parked, by since when and by when
// they are retried.
import { type Notification, notification } from '../../domain/notification/state.ts';
import { foldOf, projection, type StreamProjection } from '../projection.ts';

export type NotificationKey = 'receivedAt' | 'parkedAt' | 'retryAt';

export const notifications: StreamProjection<Notification, NotificationKey> = projection(foldOf(notification), {
  name: 'notifications',
  version: 4,
  keys: {
    receivedAt: (record) => (record.status === 'received' ? record.receivedAt : undefined),
    parkedAt: (record) => (record.status === 'parked' ? record.parkedAt : undefined),
    retryAt: (record) => (record.status === 'parked' ? record.retryAt : undefined),
  },
  indexes: [['receivedAt'], ['parkedAt'], ['retryAt']],
});
