// A processor's notification as it stands.
import type { Decider } from '../decider.ts';
import {
  type NotificationEvent,
  type NotificationReceived,
  notificationCategory,
  type ParkedReason,
} from './events.ts';

/**
 * received: waits to be applied · parked: names nothing that is known, tried again for a month · applied and discarded:
 * done with.
 */
export type Notification =
  | { readonly status: 'absent' }
  | (NotificationReceived & { readonly status: 'received' })
  | (NotificationReceived & Parked & { readonly status: 'parked' })
  | (NotificationReceived & { readonly status: 'applied'; readonly paymentId: string })
  | (NotificationReceived & { readonly status: 'discarded'; readonly by: string });

interface Parked {
  readonly reason: ParkedReason;
  /** When it was parked first, ms. */
  readonly parkedAt: number;
  /** The number of failed retries. */
  readonly retries: number;
  /** When it is tried again, ms; undefined if that has ended. */
  readonly retryAt?: number;
}

const received = ({
  processor,
  connectionId,
  accountId,
  notificationId,
  raw,
  item,
  receivedAt,
  contentHash,
}: NotificationReceived): NotificationReceived => ({
  processor,
  connectionId,
  accountId,
  notificationId,
  raw,
  item,
  receivedAt,
  ...(contentHash !== undefined && { contentHash }),
});

export const notification: Decider<Notification, NotificationEvent> = {
  category: notificationCategory,
  initial: { status: 'absent' },
  subjectOf: (_state, _event, id) => ({ accountId: '', otherwise: `notification ${id}` }),
  evolve(state, { type, data }, { at }) {
    if (type === 'NotificationReceived') return { status: 'received', ...data };
    if (state.status === 'absent') throw new Error(`${type} before NotificationReceived`);
    switch (type) {
      case 'NotificationApplied':
        return { ...received(state), status: 'applied', paymentId: data.paymentId };
      case 'NotificationParked':
        return { ...received(state), status: 'parked', ...parked(state, data, at) };
      case 'NotificationRetryRequested':
        return state;
      case 'NotificationDiscarded':
        return { ...received(state), status: 'discarded', by: data.by };
      case 'CustomerErased':
        return { ...state, raw: '' };
      default:
        return type satisfies never;
    }
  },
};

type ParkedAgain = Extract<NotificationEvent, { type: 'NotificationParked' }>['data'];

/**
 * Only an event that schedules the next retry or ends the retries counts as a failed retry; a changed reason in between
 * does not.
 */
function parked(before: Notification, { reason, retryAt }: ParkedAgain, at: number): Parked {
  const next = retryAt === undefined ? {} : { retryAt };
  if (before.status !== 'parked') return { reason, parkedAt: at, retries: 0, ...next };
  const { parkedAt, retries, retryAt: dueAt } = before;
  const isRetry = dueAt !== undefined && (retryAt === undefined || retryAt > dueAt);
  return { reason, parkedAt, retries: isRetry ? retries + 1 : retries, ...next };
}
