// A processor's notification as it stands.
import type { Decider } from '../decider.ts';
import { type NotificationEvent, type NotificationReceived, notificationCategory } from './events.ts';

/** received: waits to be applied · parked: names nothing that is known, tried again · applied and discarded: done with. */
export type Notification =
  | { readonly status: 'absent' }
  | (NotificationReceived & { readonly status: 'received' })
  | (NotificationReceived & Parked & { readonly status: 'parked' })
  | (NotificationReceived & { readonly status: 'applied'; readonly paymentId: string })
  | (NotificationReceived & { readonly status: 'discarded'; readonly by: string });

export interface Parked {
  readonly reason: string;
  /** When it was parked first, ms. */
  readonly parkedAt: number;
  /** How often it was tried again in vain. */
  readonly retries: number;
  /** When it is tried again, ms. */
  readonly retryAt: number;
}

/** A retry in vain is followed by the next one a minute later, then two, four, and so on up to a day. */
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 86_400_000;

/** Business time in ms of the retry that follows `retries` in vain, the last of them at `at`. */
export const nextRetryAt = (at: number, retries: number): number => at + Math.min(FIRST_PAUSE_MS * 2 ** retries, LONGEST_PAUSE_MS);

const received = ({ processor, accountId, notificationId, raw, receivedAt }: NotificationReceived): NotificationReceived => ({
  processor,
  accountId,
  notificationId,
  raw,
  receivedAt,
});

export const notification: Decider<Notification, NotificationEvent> = {
  category: notificationCategory,
  initial: { status: 'absent' },
  evolve(state, { type, data }, { at }) {
    if (type === 'NotificationReceived') return { status: 'received', ...data };
    if (state.status === 'absent') throw new Error(`${type} before NotificationReceived`);
    switch (type) {
      case 'NotificationApplied':
        return { ...received(state), status: 'applied', paymentId: data.paymentId };
      case 'NotificationParked':
        return { ...received(state), status: 'parked', ...parked(state, data, at) };
      case 'NotificationDiscarded':
        return { ...received(state), status: 'discarded', by: data.by };
      default:
        return type satisfies never;
    }
  },
};

/** Only what moves the next retry is a retry in vain: a reason that changes in between is none. */
function parked(
  before: Notification,
  { reason, retryAt }: { readonly reason: string; readonly retryAt?: number | undefined },
  at: number,
): Parked {
  const again = before.status === 'parked' ? before : undefined;
  const retries = again === undefined ? 0 : again.retries + (retryAt !== undefined && retryAt > again.retryAt ? 1 : 0);
  return { reason, parkedAt: again?.parkedAt ?? at, retries, retryAt: retryAt ?? again?.retryAt ?? nextRetryAt(at, 0) };
}
