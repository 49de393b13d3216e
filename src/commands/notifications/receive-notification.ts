// POST /webhooks/{processor}: the raw notification is on record before it is answered; then it is handled as a command.
import { isDeepStrictEqual } from 'node:util';
import { Notice } from '../../app-error.ts';
import { maskCardNumbers } from '../../domain/card-number/mask.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import { receiveNotification as decideReceipt, receiveOtherContent } from '../../domain/notification/decide.ts';
import type { NotificationReceived } from '../../domain/notification/events.ts';
import { parkedReason } from '../../domain/notification/state.ts';
import type { Context } from '../../journal/context.ts';
import { contextAfter, transact } from '../../journal/transact.ts';
import type { Connection, Processor, ProcessorNotification } from '../../processors/processor.ts';
import { movedAheadMs, newId } from '../../world.ts';
import { type Caller, contextOf } from '../caller.ts';
import { UnresolvedSecret } from '../connections/secret-reference.ts';
import { handleNotification, heardAt, type NotificationNeeds } from './handle-notification.ts';

export interface RawNotification {
  readonly processor: string;
  /** The body, character by character. */
  readonly raw: string;
  readonly headers: { readonly [name: string]: string | undefined };
}

interface Received {
  readonly kind: 'received';
  /** Settles when the notification was handled; its caller need not wait. Never rejects. */
  readonly handled: Promise<void>;
}
type NotReceived =
  | { readonly kind: 'bad_signature' }
  | { readonly kind: 'unparsable' }
  | { readonly kind: 'unknown_processor' };

/** Records every notification of the body (each once, by the processor's own id) and starts to handle it for itself. */
export async function receiveNotification(
  needs: NotificationNeeds,
  { processor: name, raw, headers }: RawNotification,
  caller: Caller,
): Promise<Received | NotReceived | Rejection> {
  const processor = await needs.connections.processor(name);
  if (processor === undefined) return { kind: 'unknown_processor' };
  const connection = await connectionOf(needs, name, caller);
  if (connection !== undefined && 'kind' in connection) return connection;
  if (connection === undefined) return { kind: 'bad_signature' };
  const verified = read(processor, raw, headers, connection, caller.at, movedAheadMs(needs.world));
  if (verified === 'bad_signature' || verified === 'unparsable') return { kind: verified };
  const items = itemsOf(processor, connection, raw, verified);
  if (items === undefined) return { kind: 'unparsable' };
  const handled: Promise<void>[] = [];
  for (const item of items) {
    const received = await receiveOne(needs, item, contextOf(caller, newId(needs.world, 'op')));
    if (received.kind === 'rejected') return received;
    handled.push(received.handled);
  }
  return { kind: 'received', handled: Promise.all(handled).then(ignored) };
}

/**
 * Receives what a text of the processor's own list of events tells and nobody has received yet; what is on record stays
 * as it came. Undefined if the text cannot be read. Throws StoreUnavailable.
 */
export async function receiveListed(
  needs: NotificationNeeds,
  processor: Processor,
  connection: Pick<Connection, 'connectionId'>,
  raw: string,
  context: Context,
): Promise<Received | Rejection | undefined> {
  const told = processor.reread(raw);
  const items = told && itemsOf(processor, connection, raw, told);
  if (items === undefined) return undefined;
  const handled: Promise<void>[] = [];
  for (const item of items) {
    const recordId = needs.storeKey.notificationStream(context.accountId, processor.name, item.idAsItCame);
    if ((await needs.notifications.current(recordId)).state.status !== 'absent') continue;
    const received = await receiveOne(needs, item, { ...context, operationId: newId(needs.world, 'op') });
    if (received.kind === 'rejected') return received;
    handled.push(received.handled);
  }
  return { kind: 'received', handled: Promise.all(handled).then(ignored) };
}

/** Notifications are masked, never refused; the recorded text is handled, now and at every retry. */
function itemsOf(
  processor: Processor,
  connection: Pick<Connection, 'connectionId'>,
  raw: string,
  told: readonly ProcessorNotification[],
): readonly RawItem[] | undefined {
  const masked = maskCardNumbers(raw);
  const onRecord = masked === raw ? told : processor.reread(masked);
  if (onRecord?.length !== told.length) return undefined;
  return onRecord.map((notification, item) => {
    // The stream is named after the id as it came, by a keyed digest: ids that are masked alike are still two.
    const idAsItCame = told[item]?.notificationId ?? notification.notificationId;
    return { processor, connection, raw: masked, item, notification, idAsItCame };
  });
}

/** The connection that it came by; ServiceUnavailable while its secret cannot be read here. */
const connectionOf = (needs: NotificationNeeds, processor: string, { accountId, actor }: Caller) =>
  needs.connections.calledBy(accountId, processor, actor.id).catch((fault: unknown) => {
    if (fault instanceof UnresolvedSecret)
      return reject('ServiceUnavailable', 'The secret of the connection cannot be used here.');
    throw fault;
  });

interface RawItem {
  readonly processor: Processor;
  readonly connection: Pick<Connection, 'connectionId'>;
  readonly raw: string;
  readonly item: number;
  readonly notification: ProcessorNotification;
  readonly idAsItCame: string;
}

async function receiveOne(
  needs: NotificationNeeds,
  { processor, connection, raw, item, notification, idAsItCame }: RawItem,
  context: Context,
): Promise<Received | Rejection> {
  const { accountId, at } = context;
  const { name } = processor;
  const recordId = needs.storeKey.notificationStream(accountId, name, idAsItCame);
  const { notificationId } = notification;
  const receipt = {
    processor: name,
    connectionId: connection.connectionId,
    accountId,
    notificationId,
    raw,
    item,
    receivedAt: at,
    contentHash: needs.storeKey.name('notification-content', JSON.stringify(notification)),
  };
  await needs.mayWrite();
  const received = await transact(needs.notifications, recordId, context, decideReceipt(receipt));
  if (received.kind === 'rejected') return received;
  const { state: record } = received.folded;
  if (record.status === 'absent') throw new TypeError('a notification that was just received is absent');
  if (record.raw === '' ? isOtherThanErased(record, receipt) : isOther(processor, record, receipt, notification))
    return keepOtherContent(needs, recordId, record.raw === '' ? { ...receipt, raw: '' } : receipt, context);
  // A repeated notification is handled again only while the first handling left it open (a crash, or a payment not yet
  // known).
  const open = record.status === 'received' || record.status === 'parked';
  if (!open) return { kind: 'received', handled: Promise.resolve() };
  // A second delivery follows from the record of the first.
  const cause =
    received.kind === 'written' ? contextAfter(context, received) : await needs.notifications.causeAt(recordId, 0);
  const heard = heardAt(record.receivedAt, notification);
  const handled = handleNotification(needs, recordId, receipt, heard, accountId, cause);
  return { kind: 'received', handled: handled.then(ignored, needs.report) };
}

const isOther = (
  processor: Processor,
  record: NotificationReceived,
  { raw, item }: NotificationReceived,
  notification: ProcessorNotification,
): boolean =>
  !(record.raw === raw && record.item === item) &&
  !isDeepStrictEqual(processor.reread(record.raw)?.[record.item], notification);

/** An erased record of an older version has no hash: whatever comes under its id counts as a repetition. */
const isOtherThanErased = (record: NotificationReceived, { contentHash }: NotificationReceived): boolean =>
  record.contentHash !== undefined && record.contentHash !== contentHash;

/**
 * Parks a notification that has the id of the record `firstId` and another content, and notifies operators once.
 */
async function keepOtherContent(
  needs: NotificationNeeds,
  firstId: string,
  receipt: NotificationReceived,
  context: Context,
): Promise<Received | Rejection> {
  const otherId = needs.storeKey.name('notification-stream', `${firstId}\n${receipt.contentHash}`);
  const kept = await transact(needs.notifications, otherId, context, receiveOtherContent(receipt, firstId));
  if (kept.kind === 'rejected') return kept;
  const { state } = kept.folded;
  if (kept.kind === 'written' && state.status === 'parked')
    needs.report(
      new Notice(
        `The notification ${otherId} of ${receipt.processor} is parked for an operator. ${parkedReason(state.reason)}`,
      ),
    );
  return { kind: 'received', handled: Promise.resolve() };
}

/**
 * A signature by the machine's time is accepted even if business time was moved: a real processor knows no other
 * time.
 */
function read(
  processor: Processor,
  raw: string,
  headers: RawNotification['headers'],
  connection: Connection,
  at: number,
  aheadMs: number,
): ReturnType<Processor['notifications']> {
  const verified = processor.notifications(raw, headers, connection, at);
  return verified === 'bad_signature' && aheadMs > 0
    ? processor.notifications(raw, headers, connection, at - aheadMs)
    : verified;
}

const ignored = (): void => undefined;
