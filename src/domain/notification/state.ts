// A processor's notification as it stands.
import type { Decider } from '../decider.ts';
import { type NotificationEvent, type NotificationReceived, notificationCategory } from './events.ts';

/** received: waits to be applied · parked: names nothing that is known, tried again · applied and discarded: done with. */
export type Notification =
  | { readonly status: 'absent' }
  | (NotificationReceived & { readonly status: 'received' })
  | (NotificationReceived & { readonly status: 'parked'; readonly reason: string; readonly parkedAt: number })
  | (NotificationReceived & { readonly status: 'applied'; readonly paymentId: string })
  | (NotificationReceived & { readonly status: 'discarded'; readonly by: string });

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
        return { ...received(state), status: 'parked', reason: data.reason, parkedAt: at };
      case 'NotificationDiscarded':
        return { ...received(state), status: 'discarded', by: data.by };
      default:
        return type satisfies never;
    }
  },
};
