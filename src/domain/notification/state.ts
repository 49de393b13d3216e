// A processor's notification as it stands, and why it is parked, in a sentence: made when it is shown.

import type { Decider } from '../decider.ts';
import { inCurrency } from '../money.ts';
import {
  type NotificationEvent,
  type NotificationReceived,
  notificationCategory,
  type ParkedReason,
} from './events.ts';

/** One sentence for operators: on the command line and in the log. */
export function parkedReason(reason: ParkedReason): string {
  switch (reason.code) {
    case 'payment_unknown':
      return 'The notification names no known payment of the account.';
    case 'attempt_unknown':
      return 'The notification names no known attempt of the payment.';
    case 'instrument_unknown':
      return 'The notification names no saved payment method that is known.';
    case 'operation_differs':
      return `The notification reports ${reason.told}, but the attempt is ${reason.attempted}.`;
    case 'processor_differs':
      return `The notification comes from ${reason.told}, but the attempt was sent to ${reason.attempted}.`;
    case 'content_differs':
      return `An earlier notification with the same id has different content: ${reason.firstRecordId}.`;
    case 'return_without_success':
      return `The notification reports a return, but ${reason.attemptId} has not succeeded: its state is ${reason.state.replace('_', ' ')}.`;
    case 'return_differs':
      return `Only the whole amount of ${reason.attemptId} can be returned: ${inCurrency(reason.amount, reason.currencyCode)}.`;
    case 'dispute':
      return 'The notification reports a dispute in terms that the service did not know when it tried.';
    case 'unreadable':
      return 'The stored text can no longer be read.';
    case 'refused':
      return `The payment rejected the notification: ${reason.errorId}.`;
    default:
      return reason satisfies never;
  }
}

/**
 * received: waits to be applied · parked: names nothing that is known, tried again for a month · applied and discarded:
 * done with.
 */
export type Notification =
  | { readonly status: 'absent' }
  | (NotificationReceived & { readonly status: 'received' })
  | (NotificationReceived & Parked & { readonly status: 'parked' })
  | (NotificationReceived & AppliedTo & { readonly status: 'applied' })
  | (NotificationReceived & { readonly status: 'discarded'; readonly by: string });

/** What it was about: a payment, or a saved method by its token. */
export type AppliedTo =
  | { readonly paymentId: string; readonly paymentMethodToken?: never }
  | { readonly paymentMethodToken: string; readonly paymentId?: never };

/** The id of the payment, or the token of the method. */
export const appliedTo = ({ paymentId, paymentMethodToken }: AppliedTo): string => paymentId ?? paymentMethodToken;

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
      case 'NotificationAppliedToInstrument':
        return { ...received(state), status: 'applied', paymentMethodToken: data.paymentMethodToken };
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
