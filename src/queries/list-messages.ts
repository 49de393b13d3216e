// GET /events: the messages of an account in the order of the log, after one that the caller has (contract §8).
import { type Rejection, reject } from '../domain/decider.ts';
import {
  type PaymentMessage,
  type PaymentMessageKey,
  paymentMessages,
} from '../projections/models/payment-messages.ts';
import type { Query, ReadModels, Stored } from '../stores/read-models.ts';

interface MessagesPage {
  readonly rows: readonly Stored<PaymentMessage>[];
  /** Position of the last message on this page, when there are more. */
  readonly next?: number;
}

/** Where a page begins: after a position, or after the message of an event (`evt_…` without its prefix). */
type MessagesAfter = { readonly position: number } | { readonly eventId: string };

const OLDEST_FIRST: NonNullable<Query<PaymentMessageKey>['order']> = { by: 'position', descending: false };

/**
 * Lists messages, oldest first; `limit` 1 to 100. InvalidCursor after an event that is not a message of the account.
 */
export const listMessages =
  (readModels: ReadModels) =>
  async (accountId: string, after: MessagesAfter | undefined, limit: number): Promise<MessagesPage | Rejection> => {
    const from =
      after === undefined
        ? -1
        : 'position' in after
          ? after.position
          : await positionOf(readModels, accountId, after.eventId);
    if (from === undefined) return reject('InvalidCursor', '`after` does not match any event of this account.');
    const where: Query<PaymentMessageKey>['where'] = { accountId: [accountId], position: { from: from + 1 } };
    const found = await readModels.find(paymentMessages, { where, order: OLDEST_FIRST, limit: limit + 1 });
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    return { rows, ...(found.length > limit && last !== undefined && { next: last.doc.position }) };
  };

const NEWEST_FIRST: NonNullable<Query<PaymentMessageKey>['order']> = { by: 'position', descending: true };

/** The event of the account's newest message, as a document's id has it; undefined: there is none. */
export async function newestMessage(readModels: ReadModels, accountId: string): Promise<string | undefined> {
  const where: Query<PaymentMessageKey>['where'] = { accountId: [accountId] };
  const [newest] = await readModels.find(paymentMessages, { where, order: NEWEST_FIRST, limit: 1 });
  return newest?.id;
}

async function positionOf(readModels: ReadModels, accountId: string, eventId: string): Promise<number | undefined> {
  const [row] = await readModels.get(paymentMessages, [eventId]);
  return row?.doc.accountId === accountId ? row.doc.position : undefined;
}
