// A processor's notifications as people see them, and the parked ones of an account.
import type { ParkedReason } from '../domain/notification/events.ts';
import { type Notification, parkedReason } from '../domain/notification/state.ts';
import { isReference, paymentIdOfReference } from '../domain/payment/reference.ts';
import type { PaymentNotification, Processor, ProcessorNotification } from '../processors/processor.ts';
import { type NotificationKey, notifications } from '../projections/models/notifications.ts';
import type { Query, ReadModels, Stored } from '../stores/read-models.ts';
import { formatTime } from '../world.ts';

export interface NotificationView {
  /** The id that `retry` and `discard` take. */
  readonly id: string;
  readonly status: Notification['status'];
  readonly processor?: string;
  readonly accountId?: string;
  /** The processor's own id of it. */
  readonly notificationId?: string;
  readonly receivedAt?: string;
  /**
   * Its content in the words of contract §8: `capture.succeeded`. Left out, as the next two, where the text can no
   * longer be read.
   */
  readonly type?: string;
  /** The payment that it names, known or not. */
  readonly paymentId?: string;
  /** Our attempt that it names, known or not. */
  readonly reference?: string;
  /** The processor's id of its subject, where it names no attempt of ours. */
  readonly processorTransactionId?: string;
  /** The processor's token of the saved method that it is about. */
  readonly processorToken?: string;
  /** Our token of the saved method to which it was applied. */
  readonly paymentMethodToken?: string;
  /** Why it is parked: for programs, and in a sentence. */
  readonly reasonCode?: ParkedReason['code'];
  readonly reason?: string;
  readonly parkedAt?: string;
  readonly retries?: number;
  /** null: it is no longer retried automatically. */
  readonly retryAt?: string | null;
  readonly discardedBy?: string;
  /** The body as it came, card numbers masked. */
  readonly raw?: string;
}

/** `processors` read the content; it is left out where its processor is not on this node. */
export function notificationView(
  id: string,
  record: Notification,
  processors: ReadonlyMap<string, Processor>,
): NotificationView {
  if (record.status === 'absent') return { id, status: record.status };
  const { status, processor, accountId, notificationId, raw, item, receivedAt } = record;
  const told = processors.get(processor)?.reread(raw)?.[item];
  const names = told === undefined ? {} : namesIn(told);
  const common = { id, status, processor, accountId, notificationId, receivedAt: formatTime(receivedAt), ...names };
  switch (record.status) {
    case 'received':
      return { ...common, raw };
    case 'parked': {
      const { reason, parkedAt, retries, retryAt } = record;
      return {
        ...common,
        reasonCode: reason.code,
        reason: parkedReason(reason),
        parkedAt: formatTime(parkedAt),
        retries,
        retryAt: retryAt === undefined ? null : formatTime(retryAt),
        raw,
      };
    }
    case 'applied':
      return record.paymentId === undefined
        ? { ...common, paymentMethodToken: record.paymentMethodToken, raw }
        : { ...common, paymentId: record.paymentId, raw };
    case 'discarded':
      return { ...common, discardedBy: record.by, raw };
    default:
      return record satisfies never;
  }
}

/** A reference that this service did not make names no payment. */
function namesIn(
  told: ProcessorNotification,
): Pick<NotificationView, 'type' | 'paymentId' | 'reference' | 'processorTransactionId' | 'processorToken'> {
  if (!('subject' in told)) {
    const { about } = told;
    const type = 'mandate' in about ? `mandate.${about.status}` : `instrument.${about.instrument}`;
    return { type, processorToken: about.processorToken };
  }
  const { subject } = told;
  const type = typeOf(told);
  if (!('reference' in subject)) return { type, processorTransactionId: subject.processorTransactionId };
  const { reference } = subject;
  return { type, ...(isReference(reference) && { paymentId: paymentIdOfReference(reference) }), reference };
}

function typeOf({ about }: PaymentNotification): string {
  if ('authorizationExpired' in about) return 'authorization.expired';
  if ('look' in about) return 'payment.changed';
  if ('prepared' in about) return 'authorization.prepared';
  if ('dispute' in about) return about.dispute.status === 'OPEN' ? 'dispute.opened' : 'dispute.updated';
  if ('reversalOf' in about) return `${about.reversalOf}.returned`;
  return `${about.operation}.${about.outcome.kind === 'succeeded' ? 'succeeded' : 'failed'}`;
}

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
