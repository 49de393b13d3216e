// Processors' notifications; found while they wait to be handled, while they are parked, by since when (of one account
// or of all) and by when they are retried, by the payment or the saved method to which they were applied, and by the
// account otherwise.
import { appliedTo, type Notification, notification } from '../../domain/notification/state.ts';
import { foldOf, projection, type StreamProjection } from '../projection.ts';

export type NotificationKey = 'accountId' | 'receivedAt' | 'parkedAt' | 'retryAt' | 'appliedTo';

export const notifications: StreamProjection<Notification, NotificationKey> = projection(foldOf(notification), {
  name: 'notifications',
  version: 8,
  keys: {
    /** Set unless it was applied. */
    accountId: (record) => (record.status === 'absent' || record.status === 'applied' ? undefined : record.accountId),
    receivedAt: (record) => (record.status === 'received' ? record.receivedAt : undefined),
    parkedAt: (record) => (record.status === 'parked' ? record.parkedAt : undefined),
    retryAt: (record) => (record.status === 'parked' ? record.retryAt : undefined),
    /** The payment, or the token of the saved method. */
    appliedTo: (record) => (record.status === 'applied' ? appliedTo(record) : undefined),
  },
  indexes: [['receivedAt'], ['parkedAt'], ['accountId', 'parkedAt'], ['retryAt'], ['appliedTo']],
});
