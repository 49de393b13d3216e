// Writes the sandbox's file: decides on what the ledger holds and records it, inside one write transaction.
import type { Database } from '../../sqlite/database.ts';
import type { Handler } from '../../sqlite/handler.ts';
import type { OperationRequest } from '../processor.ts';
import { decide } from './acquirer.ts';
import { cardOfId } from './cards.ts';
import { Entry } from './entry.ts';
import type { LedgerReply, LedgerRequest } from './ledger-request.ts';
import { announcementOf } from './notification.ts';
import { ANNOUNCE, CARD, CONNECT, DUE, ENTRIES, ENTRY, FINISH, KEEP_CARD, RECORD, TAKE } from './sql.ts';

interface EntryRow {
  readonly entry: string;
}
interface DueRow {
  readonly notification_id: string;
  readonly body: string;
  readonly attempts: number;
  readonly api_key: string;
}

const read = ({ entry }: EntryRow): Entry => Entry.parse(JSON.parse(entry));

/** OpenHandler; the tables are there. */
export function openHandler(database: Database): Handler {
  const keepCard = database.prepare(KEEP_CARD);
  const cardIdOf = database.prepare<{ readonly card: string }>(CARD);
  const entryOf = database.prepare<EntryRow>(ENTRY);
  const entriesOf = database.prepare<EntryRow>(ENTRIES);
  const record = database.prepare(RECORD);
  const announce = database.prepare(ANNOUNCE);
  const due = database.prepare<DueRow>(DUE);
  const take = database.prepare(TAKE);
  const finish = database.prepare(FINISH);
  const connect = database.prepare(CONNECT);

  function decided(request: OperationRequest, now: number): Entry {
    if (request.operation === 'authorization') {
      const row = cardIdOf.get(request.processorToken ?? '', request.accountId);
      return decide(request, row && cardOfId(row.card), [], now);
    }
    const entries = entriesOf.all(request.processorTransactionId ?? '').map(read);
    const [authorization] = entries;
    // Another account's transaction is no transaction, as with any acquirer.
    return authorization?.operation === 'authorization' && authorization.accountId === request.accountId
      ? decide(request, cardOfId(authorization.card ?? ''), entries, now)
      : decide(request, undefined, [], now);
  }

  function perform(request: OperationRequest, now: number): LedgerReply {
    const known = entryOf.get(request.reference);
    if (known !== undefined) return { kind: 'performed', entry: read(known), repeated: true };
    const entry = decided(request, now);
    record.run(entry.reference, entry.authorizationId, entry.number, JSON.stringify(entry));
    const announcement = announcementOf(entry);
    if (announcement) announce.run(announcement.notificationId, entry.accountId, announcement.body, announcement.dueAt);
    return { kind: 'performed', entry, repeated: false };
  }

  function takeDue(now: number, leaseUntil: number, limit: number): LedgerReply {
    const notifications = due.all(now, limit).map(({ notification_id: notificationId, body, attempts, api_key: apiKey }) => {
      take.run(leaseUntil, notificationId);
      return { notificationId, body, apiKey, attempt: attempts + 1 };
    });
    return { kind: 'taken', notifications };
  }

  function handle(request: LedgerRequest): LedgerReply {
    switch (request.kind) {
      case 'keep_card':
        keepCard.run(request.token, request.accountId, request.card);
        return { kind: 'done' };
      case 'perform':
        return perform(request.request, request.now);
      case 'take':
        return takeDue(request.now, request.leaseUntil, request.limit);
      case 'finish':
        finish.run(request.nextAt, request.notificationId, request.attempt);
        return { kind: 'done' };
      case 'connect':
        connect.run(request.accountId, request.apiKey);
        return { kind: 'done' };
      default:
        return request satisfies never;
    }
  }

  return {
    handle(request) {
      if (!isLedgerRequest(request)) throw new TypeError('not a request to the ledger');
      return handle(request);
    },
    forget() {},
  };
}

// Only ledger.ts submits, and its requests are typed there; this marks the border between threads.
const isLedgerRequest = (request: unknown): request is LedgerRequest =>
  typeof request === 'object' && request !== null && 'kind' in request;
