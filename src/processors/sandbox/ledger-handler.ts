// Writes the sandbox's file: decides on what the ledger holds and records it, inside one write transaction.
import type { Database } from '../../sqlite/database.ts';
import type { Handler } from '../../sqlite/handler.ts';
import type { OperationRequest } from '../processor.ts';
import { decide } from './acquirer.ts';
import { type Card, cardOfId } from './cards.ts';
import { Entry } from './entry.ts';
import type { LedgerReply, LedgerRequest } from './ledger-request.ts';
import { announcementOf } from './notification.ts';
import {
  ANNOUNCE,
  CARD,
  CONNECT,
  DROP_FAULT_COUNTS,
  DROP_FAULT_PLAN,
  DUE,
  ENTRIES,
  ENTRY,
  FINISH,
  KEEP_CARD,
  KEEP_FAULT_PLAN,
  RECORD,
  RESET,
  TAKE,
} from './sql.ts';

interface EntryRow {
  readonly entry: string;
}
interface Subject {
  readonly card: Card | undefined;
  readonly entries: readonly Entry[];
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
  const keepFaultPlan = database.prepare(KEEP_FAULT_PLAN);
  const dropFaultPlan = database.prepare(DROP_FAULT_PLAN);
  const dropFaultCounts = database.prepare(DROP_FAULT_COUNTS);
  const reset = RESET.map((statement) => database.prepare(statement));

  /** The card of a request, and what its authorization has seen so far. */
  function subjectOf({ operation, accountId, processorToken, processorTransactionId }: OperationRequest): Subject {
    if (operation === 'authorization') return { card: cardOfId(cardIdOf.get(processorToken ?? '', accountId)?.card ?? ''), entries: [] };
    const entries = entriesOf.all(processorTransactionId ?? '').map(read);
    const [authorization] = entries;
    // Another account's transaction is no transaction, as with any acquirer.
    if (authorization?.operation !== 'authorization' || authorization.accountId !== accountId) return { card: undefined, entries: [] };
    return { card: cardOfId(authorization.card ?? ''), entries };
  }

  function perform(request: OperationRequest, now: number): LedgerReply {
    const known = entryOf.get(request.reference);
    // A fault strikes the call that has the effect; asking again with the same reference is how a caller finds out.
    if (known !== undefined) return { kind: 'performed', entry: read(known), fault: undefined };
    const { card, entries } = subjectOf(request);
    const fault = card?.on[request.operation]?.fault;
    if (fault?.phase === 'before_send' || fault?.phase === 'before_effect') return { kind: 'lost', fault };
    const entry = decide(request, card, entries, now);
    record.run(entry.reference, entry.accountId, entry.authorizationId, entry.number, JSON.stringify(entry));
    const announcement = announcementOf(entry);
    if (announcement) announce.run(announcement.notificationId, entry.accountId, announcement.body, announcement.dueAt);
    return { kind: 'performed', entry, fault };
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
      case 'set_faults': {
        const { accountId, plan } = request;
        dropFaultCounts.run(accountId);
        if (plan.rules.length === 0) dropFaultPlan.run(accountId);
        else keepFaultPlan.run(accountId, JSON.stringify(plan));
        return { kind: 'done' };
      }
      case 'reset':
        for (const statement of reset) statement.run(request.accountId ?? null);
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
