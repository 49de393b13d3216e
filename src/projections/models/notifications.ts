// Processors' notifications; found while they wait to be handled, while they are parked, by since when (of one account
// or of all) and by when they are retried, by the payment to which they were applied, and by the account otherwise.
import { type Notification, notification } from '../../domain/notification/state.ts';
import { foldOf, projection, type StreamProjection } from '../projection.ts';

export type NotificationKey = 'accountId' | 'receivedAt' | 'parkedAt' | 'retryAt' | 'paymentId';

export const notifications: StreamProjection<Notification, NotificationKey> = projection(foldOf(notification), {
  name: 'notifications',
  version: 7,
  keys: {
    /** Set unless it was applied to a payment. */
    accountId: (record) => (record.status === 'absent' || record.status === 'applied' ? undefined : record.accountId),
    receivedAt: (record) => (record.status === 'received' ? record.receivedAt : undefined),
    parkedAt: (record) => (record.status === 'parked' ? record.parkedAt : undefined),
    retryAt: (record) => (record.status === 'parked' ? record.retryAt : undefined),
    paymentId: (record) => (record.status === 'applied' ? record.paymentId : undefined),
  },
  indexes: [['receivedAt'], ['parkedAt'], ['accountId', 'parkedAt'], ['retryAt'], ['paymentId']],
});
