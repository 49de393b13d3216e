// Processors' notifications; found while they wait to be handled, while they are parked, by since when (of one account
// or of all) and by when they are retried, and by the payment to which they were applied.
import { type Notification, notification } from '../../domain/notification/state.ts';
import { foldOf, projection, type StreamProjection } from '../projection.ts';

export type NotificationKey = 'accountId' | 'receivedAt' | 'parkedAt' | 'retryAt' | 'paymentId';

export const notifications: StreamProjection<Notification, NotificationKey> = projection(foldOf(notification), {
  name: 'notifications',
  version: 6,
  keys: {
    /** Of parked ones alone: no others are found by it. */
    accountId: (record) => (record.status === 'parked' ? record.accountId : undefined),
    receivedAt: (record) => (record.status === 'received' ? record.receivedAt : undefined),
    parkedAt: (record) => (record.status === 'parked' ? record.parkedAt : undefined),
    retryAt: (record) => (record.status === 'parked' ? record.retryAt : undefined),
    paymentId: (record) => (record.status === 'applied' ? record.paymentId : undefined),
  },
  indexes: [['receivedAt'], ['parkedAt'], ['accountId', 'parkedAt'], ['retryAt'], ['paymentId']],
});
