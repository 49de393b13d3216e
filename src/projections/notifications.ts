// Processors' notifications; found while they wait to be handled, and while they are parked.
import { type Notification, notification } from '../domain/notification/state.ts';
import { foldOf, type Projection, projection } from './projection.ts';

export const notifications: Projection<Notification, 'receivedAt' | 'parkedAt'> = projection(foldOf(notification), {
  name: 'notifications',
  version: 1,
  keys: {
    receivedAt: (record) => (record.status === 'received' ? record.receivedAt : undefined),
    parkedAt: (record) => (record.status === 'parked' ? record.parkedAt : undefined),
  },
  indexes: [['receivedAt'], ['parkedAt']],
});
