// Handles a notification on record: applies it to the payment, or to the saved method, that it names; parks one that
// names nothing known, and tries it again (contract §8).

import { Notice } from '../../app-error.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import {
  applyNotification,
  discardNotification as decideDiscard,
  parkNotification,
  requestRetry,
} from '../../domain/notification/decide.ts';
import type { NotificationEvent } from '../../domain/notification/events.ts';
import { type Notification, parkedReason } from '../../domain/notification/state.ts';
import { isReference, paymentIdOfReference } from '../../domain/payment/reference.ts';
import { boundedCache } from '../../journal/bounded-cache.ts';
import type { Context, EventCause } from '../../journal/context.ts';
import { type ActingUser, operatorContext, processorContext } from '../../journal/contexts.ts';
import type { Folded } from '../../journal/fold.ts';
import type { Streams } from '../../journal/streams.ts';
import { transact } from '../../journal/transact.ts';
import type { PaymentNotification, Processor, ProcessorNotification } from '../../processors/processor.ts';
import type { World } from '../../world.ts';
import { type Answer, completed } from '../caller.ts';
import type { AccountConnections, ConnectionRoute } from '../connections/connections.ts';
import { applyToInstrument, type InstrumentWordNeeds } from './apply-to-instrument.ts';
import { type ApplyNeeds, applyToPayment, NO_PAYMENT } from './apply-to-payment.ts';

/** The awaited payments, and notifications for each; a forgotten one is found by its next retry. */
const PAYMENTS = 10_000;
const NOTIFICATIONS = 100;

/**
 * Parked notifications of this node whose payment or attempt was not known: they are tried again as soon as that
 * appears here.
 */
export class AwaitedPayments {
  readonly #waiting = boundedCache<Set<string>>(PAYMENTS);

  /** Notification `recordId` names this payment. */
  wait(paymentId: string, recordId: string): void {
    const waiting = this.#waiting.get(paymentId) ?? new Set();
    if (waiting.size < NOTIFICATIONS) waiting.add(recordId);
    this.#waiting.set(paymentId, waiting);
  }

  /** The payment has news: answers the notifications that waited for it, and forgets them. */
  appeared(paymentId: string): readonly string[] {
    const waiting = this.#waiting.peek(paymentId);
    if (waiting === undefined) return [];
    this.#waiting.delete(paymentId);
    return [...waiting];
  }
}

/** What commands on notifications need. */
export interface NotificationNeeds extends ApplyNeeds, InstrumentWordNeeds {
  readonly notifications: Streams<Notification, NotificationEvent>;
  readonly processors: ReadonlyMap<string, Processor>;
  readonly connections: Pick<AccountConnections, 'calledBy' | 'processor'>;
  readonly awaited: AwaitedPayments;
  readonly world: World;
  readonly report: (fault: unknown) => void;
  /** Rejects with StoreUnavailable while an append could not be projected. */
  readonly mayWrite: () => Promise<void> | undefined;
  /**
   * The payment whose authorization has this name at the processor; undefined if none is known (yet). Throws
   * StoreUnavailable.
   */
  readonly paymentCalled: (
    accountId: string,
    processor: string,
    processorTransactionId: string,
  ) => Promise<string | undefined>;
}

type HandledNotification = Folded<Notification>;

/** A notification with its time, ms: the processor's own, otherwise when it was received. */
type Heard = ProcessorNotification & { readonly occurredAt: number };

/** `receivedAt` in ms. */
export const heardAt = (receivedAt: number, notification: ProcessorNotification): Heard => ({
  ...notification,
  occurredAt: notification.occurredAt ?? receivedAt,
});

/**
 * Handles a notification because of the event `cause` that put it on record, and answers its record as it is then:
 * applied, or parked for a reason. Throws StoreUnavailable.
 */
export async function handleNotification(
  needs: NotificationNeeds,
  recordId: string,
  from: ConnectionRoute,
  notification: Heard,
  accountId: string,
  cause: EventCause,
): Promise<HandledNotification | Rejection> {
  const { processor } = from;
  const context = processorContext(needs.world, processor, accountId, cause);
  if (!('subject' in notification)) {
    const paymentMethodToken = await applyToInstrument(needs, from, notification, context);
    const decide =
      paymentMethodToken === undefined
        ? parkNotification({ code: 'instrument_unknown' }, context.at)
        : applyNotification({ paymentMethodToken });
    return recorded(needs, recordId, context, decide);
  }
  const paymentId = await namedPayment(needs, processor, notification, accountId);
  const unapplied =
    paymentId === undefined ? NO_PAYMENT : await applyToPayment(needs, paymentId, from, notification, context);
  if (unapplied === undefined && paymentId !== undefined)
    return recorded(needs, recordId, context, applyNotification({ paymentId }));
  if (unapplied === undefined) throw new TypeError('a notification was applied to no payment');
  if (unapplied.mayAppear && paymentId !== undefined) needs.awaited.wait(paymentId, recordId);
  return recorded(needs, recordId, context, parkNotification(unapplied.reason, context.at));
}

/**
 * The payment that a notification names, whether it exists or not. Undefined for a reference that is none of ours, and
 * for a name of the processor that is not known.
 */
export async function namedPayment(
  needs: Pick<NotificationNeeds, 'paymentCalled'>,
  processor: string,
  { subject }: PaymentNotification,
  accountId: string,
): Promise<string | undefined> {
  if (!('reference' in subject)) return needs.paymentCalled(accountId, processor, subject.processorTransactionId);
  return isReference(subject.reference) ? paymentIdOfReference(subject.reference) : undefined;
}

async function recorded(
  needs: NotificationNeeds,
  recordId: string,
  context: Context,
  decide: ReturnType<typeof parkNotification>,
): Promise<HandledNotification | Rejection> {
  const done = await transact(needs.notifications, recordId, context, decide);
  if (done.kind === 'rejected') {
    needs.report(new Error(`notification ${recordId}: ${done.description}`));
    return done;
  }
  if (done.kind === 'written' && isRetried(done.before.state) && !isRetried(done.folded.state))
    tellEnd(needs, recordId, done.folded.state);
  return done.folded;
}

const isRetried = (record: Notification): boolean => record.status === 'parked' && record.retryAt !== undefined;

function tellEnd({ report }: NotificationNeeds, recordId: string, record: Notification): void {
  if (record.status !== 'parked') return;
  const { processor, reason } = record;
  report(
    new Notice(
      `The notification ${recordId} of ${processor} could not be applied after 30 days of retries and stays parked for an operator: ${parkedReason(reason)}`,
    ),
  );
}

/**
 * Handles a stored notification again, from its raw text: after a crash, or when it was parked. A node without its
 * processor leaves it to nodes that have it.
 */
export async function handleStoredNotification(
  needs: NotificationNeeds,
  recordId: string,
): Promise<HandledNotification | Rejection> {
  const current = await needs.notifications.current(recordId);
  const { state } = current;
  if (state.status !== 'received' && state.status !== 'parked') return current;
  const processor = needs.processors.get(state.processor);
  if (processor === undefined) return current;
  const notification = processor.reread(state.raw)?.[state.item];
  const { accountId, receivedAt } = state;
  const cause = await needs.notifications.causeAt(recordId, 0);
  if (notification !== undefined)
    return handleNotification(needs, recordId, state, heardAt(receivedAt, notification), accountId, cause);
  const context = processorContext(needs.world, state.processor, accountId, cause);
  return recorded(needs, recordId, context, parkNotification({ code: 'unreadable' }, context.at));
}

/**
 * Tries the notifications again that this node parked because the payment, or an attempt of it, was not known. Never
 * throws.
 */
export function retryAwaited(needs: NotificationNeeds, paymentId: string): void {
  for (const recordId of needs.awaited.appeared(paymentId)) {
    handleStoredNotification(needs, recordId).catch(needs.report);
  }
}

/**
 * Retries a parked notification now. The request of an operator or a user is recorded first; what follows is a report
 * of the processor, with its original ids. NotFound; Conflict for a notification that was applied or discarded.
 */
export async function retryNotification(
  needs: NotificationNeeds,
  recordId: string,
  by?: ActingUser,
): Promise<Answer<Notification>> {
  const { state } = await needs.notifications.current(recordId);
  if (state.status === 'absent') return noSuchNotification();
  const isOpen = state.status === 'received' || state.status === 'parked';
  if (isOpen && !needs.processors.has(state.processor)) {
    return reject(
      'ServiceUnavailable',
      `The processor ${state.processor} cannot be reached from here. A running service will try again.`,
    );
  }
  const context = operatorContext(needs.world, state.accountId, by);
  const asked = await transact(needs.notifications, recordId, context, requestRetry(context.actor.id));
  if (asked.kind === 'rejected') return asked;
  const handled = await handleStoredNotification(needs, recordId);
  return 'kind' in handled ? handled : completed(recordId, handled);
}

/**
 * Gives it up for good, as an event of the operator or of the user. Again: nothing. NotFound; Conflict for one that has
 * been applied.
 */
export async function discardNotification(
  needs: NotificationNeeds,
  recordId: string,
  by?: ActingUser,
): Promise<Answer<Notification>> {
  const { state } = await needs.notifications.current(recordId);
  if (state.status === 'absent') return noSuchNotification();
  const context = operatorContext(needs.world, state.accountId, by);
  const done = await transact(needs.notifications, recordId, context, decideDiscard(context.actor.id));
  return done.kind === 'rejected' ? done : completed(recordId, done.folded);
}

const noSuchNotification = (): Rejection => reject('NotFound', 'There is no such notification.');
