// POST /webhooks/{processor}: the raw notification is on record before it is answered; then it is handled as a command.
import type { Rejection } from '../domain/decider.ts';
import { maskCardNumbers } from '../domain/mask-card-numbers.ts';
import { applyNotification, receiveNotification as decideReceipt, parkNotification } from '../domain/notification/decide.ts';
import type { Notification as NotificationRecord } from '../domain/notification/state.ts';
import { expireAuthorization, settleAttempt } from '../domain/payment/decide.ts';
import { attemptOf, isKnown, paymentIdOf } from '../domain/payment/state.ts';
import type { Context } from '../journal/context.ts';
import { transact, transactFact } from '../journal/transact.ts';
import type { Notification } from '../processors/processor.ts';
import { newId } from '../world.ts';
import { type Caller, contextOf } from './caller.ts';
import { concludePayment } from './conclude-payment.ts';
import type { House } from './house.ts';
import { processorContext } from './operator.ts';
import { attemptTiming, pursueAttempts } from './pursue-attempts.ts';

export interface RawNotification {
  readonly processor: string;
  /** The body, character by character. */
  readonly raw: string;
  readonly headers: { readonly [name: string]: string | undefined };
}

export interface Received {
  readonly kind: 'received';
  /** Settles when the notification was handled; its caller need not wait. Never rejects. */
  readonly handled: Promise<void>;
}
export type NotReceived = { readonly kind: 'bad_signature' } | { readonly kind: 'unparsable' } | { readonly kind: 'unknown_processor' };

/** Records the notification (once, by the processor's own id) and starts to handle it. */
export const receiveNotification =
  (house: House) =>
  async ({ processor: name, raw, headers }: RawNotification, caller: Caller): Promise<Received | NotReceived | Rejection> => {
    const processor = house.processors.get(name);
    if (processor === undefined) return { kind: 'unknown_processor' };
    const verified = processor.readNotification(raw, headers, caller.at);
    if (verified === 'bad_signature' || verified === 'unparsable') return { kind: verified };
    // The stream is named after the id as it came, by a keyed digest: ids that are masked alike are still two.
    const recordId = house.storeKey.name('notification-stream', `${caller.accountId}\n${name}\n${verified.notificationId}`);
    // Notifications are masked, never refused; what is handled is what is on record, now as when it is handled again.
    const masked = maskCardNumbers(raw);
    const notification = masked === raw ? verified : processor.rereadNotification(masked);
    if (notification === undefined) return { kind: 'unparsable' };
    const context = contextOf(caller, newId(house.world, 'op'));
    const { accountId, at } = caller;
    const receipt = { processor: name, accountId, notificationId: notification.notificationId, raw: masked, receivedAt: at };
    await house.operations.mayWrite();
    const received = await transact(house.notifications, recordId, context, decideReceipt(receipt));
    if (received.kind === 'rejected') return received;
    const record = received.folded.state;
    // One that comes again is handled again only while the first handling left it open (a crash, or a payment not yet known).
    const open = record.status === 'received' || record.status === 'parked';
    const handled = open ? handle(house, recordId, name, notification, accountId).catch(house.report) : Promise.resolve();
    return { kind: 'received', handled };
  };

/** Handles a stored notification again, from its raw text: what a crash left, or what was parked. */
export async function handleStoredNotification(house: House, recordId: string, record: NotificationRecord): Promise<void> {
  if (record.status !== 'received' && record.status !== 'parked') return;
  const notification = house.processors.get(record.processor)?.rereadNotification(record.raw);
  if (notification === undefined) {
    const context = processorContext(house.world, record.processor, record.accountId);
    await transact(house.notifications, recordId, context, parkNotification('The stored text can no longer be read.'));
    return;
  }
  await handle(house, recordId, record.processor, notification, record.accountId);
}

async function handle(house: House, recordId: string, processor: string, notification: Notification, accountId: string): Promise<void> {
  const context = processorContext(house.world, processor, accountId);
  const paymentId = paymentIdOf(notification.reference);
  const reason = paymentId === undefined ? 'Its reference names no payment.' : await apply(house, paymentId, notification, context);
  const decision = reason === undefined && paymentId !== undefined ? applyNotification(paymentId) : parkNotification(reason ?? '');
  const done = await transact(house.notifications, recordId, context, decision);
  if (done.kind === 'rejected') house.report(new Error(`notification ${recordId}: ${done.description}`));
}

/** Undefined when it was applied, or had nothing new to say; else why it could not be. */
async function apply(
  house: House,
  paymentId: string,
  { reference, about, notificationId }: Notification,
  context: Context,
): Promise<string | undefined> {
  const { state } = await house.payments.current(paymentId);
  if (!isKnown(state) || state.accountId !== context.accountId) return 'It names no known payment of the account.';
  const attempt = attemptOf(state, reference);
  if (attempt === undefined) return 'It names no known attempt of the payment.';
  if (about.operation === 'dispute') return 'Disputes are not handled yet.';
  const operation = about.operation === 'authorization_expiry' ? 'authorization' : about.operation;
  if (attempt.operation !== operation) return `It speaks of ${operation}, and the attempt that it names is ${attempt.operation}.`;
  const at = context.at;
  const decide =
    about.operation === 'authorization_expiry'
      ? expireAuthorization(at)
      : settleAttempt({
          attemptId: reference,
          outcome: about.outcome,
          evidence: { source: 'notification', received: about.outcome, notificationId },
          source: 'notification',
          ...attemptTiming(at, house.timings),
        });
  const startedAt = house.world.monotonic();
  const settled = await transactFact(house.payments, paymentId, context, decide);
  if (settled.kind === 'rejected') return settled.description;
  if (settled.kind !== 'written') return undefined;
  await house.cardTesting.settled(paymentId, settled.folded.state, settled.events);
  const pursued = await pursueAttempts(house, paymentId, settled, context, startedAt);
  await concludePayment(house, paymentId, pursued, context);
  return undefined;
}
