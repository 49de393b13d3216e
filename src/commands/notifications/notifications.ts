// Processors' notifications as a subject: received from HTTP, handled again by policies, retried and discarded by
// operators.
import { type Bound, bind } from '../bind.ts';
import {
  AwaitedPayments,
  discardNotification,
  handleStoredNotification,
  retryAwaited,
  retryNotification,
} from './handle-notification.ts';
import { receiveNotification } from './receive-notification.ts';
import { type SweepNeeds, sweepEvents } from './sweep-events.ts';

const COMMANDS = {
  receiveNotification,
  retryNotification,
  discardNotification,
  handleStoredNotification,
  sweepEvents,
  retryAwaited,
};

export type Notifications = Bound<typeof COMMANDS>;

export const makeNotifications = (parts: Omit<SweepNeeds, 'awaited' | 'failing'>): Notifications =>
  bind({ ...parts, awaited: new AwaitedPayments(), failing: new Set<string>() }, COMMANDS);
