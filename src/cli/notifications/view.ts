// A processor's notification as the command line shows it.
import type { Notification } from '../../domain/notification/state.ts';
import { formatTime } from '../../world.ts';

export interface NotificationView {
  /** What `retry` and `discard` take. */
  readonly id: string;
  readonly status: Notification['status'];
  readonly processor?: string;
  readonly accountId?: string;
  /** The processor's own id of it. */
  readonly notificationId?: string;
  readonly receivedAt?: string;
  readonly paymentId?: string;
  readonly reason?: string;
  readonly parkedAt?: string;
  readonly retries?: number;
  readonly retryAt?: string;
  readonly discardedBy?: string;
  /** The body as it came, card numbers masked. */
  readonly raw?: string;
}

export function notificationView(id: string, record: Notification): NotificationView {
  if (record.status === 'absent') return { id, status: record.status };
  const { status, processor, accountId, notificationId, raw, receivedAt } = record;
  const common = { id, status, processor, accountId, notificationId, receivedAt: formatTime(receivedAt) };
  switch (record.status) {
    case 'received':
      return { ...common, raw };
    case 'parked': {
      const { reason, parkedAt, retries, retryAt } = record;
      return { ...common, reason, parkedAt: formatTime(parkedAt), retries, retryAt: formatTime(retryAt), raw };
    }
    case 'applied':
      return { ...common, paymentId: record.paymentId, raw };
    case 'discarded':
      return { ...common, discardedBy: record.by, raw };
    default:
      return record satisfies never;
  }
}
