// Writes the sandbox's file: decides on what the ledger holds and records it, inside one write transaction.
import type { Database } from '../../sqlite/database.ts';
import type { Handler } from '../../sqlite/handler.ts';
import type { OperationRequest } from '../processor.ts';
import { decide, holdsMoney } from './acquirer.ts';
import { announcementsOf } from './announcement.ts';
import type { Card, Fault, Manner } from './card.ts';
import { cardOfId } from './cards.ts';
import { Entry } from './entry.ts';
import { FaultBook } from './faults/fault-book.ts';
import { isBefore } from './faults/fault-choice.ts';
import type { LedgerReply, LedgerRequest, TakenNotification } from './ledger-request.ts';
import { expiryIdOf } from './names.ts';
import { ANNOUNCE, CARD, CONNECT, DUE, ENTRIES, ENTRY, FINISH, HOLD_BACK, KEEP_CARD, RECORD, RESET, TAKE, WITHDRAW } from './sql.ts';

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
  readonly bad_attempts: number;
  readonly api_key: string;
}
type Asked<K extends LedgerRequest['kind']> = Extract<LedgerRequest, { kind: K }>;

const read = ({ entry }: EntryRow): Entry => Entry.parse(JSON.parse(entry));

/** OpenHandler; the tables are there. */
export function openHandler(database: Database): Handler {
  const faults = new FaultBook(database);
  const keepCard = database.prepare(KEEP_CARD);
  const cardIdOf = database.prepare<{ readonly card: string }>(CARD);
  const entryOf = database.prepare<EntryRow>(ENTRY);
  const entriesOf = database.prepare<EntryRow>(ENTRIES);
  const record = database.prepare(RECORD);
  const finish = database.prepare(FINISH);
  const connect = database.prepare(CONNECT);
  const reset = RESET.map((statement) => database.prepare(statement));
  const notifications = openNotifications(database);

  /** The card of a request, and what its authorization has seen so far. */
  function subjectOf({ operation, accountId, processorToken, processorTransactionId }: OperationRequest): Subject {
    if (operation === 'authorization') return { card: cardOfId(cardIdOf.get(processorToken ?? '', accountId)?.card ?? ''), entries: [] };
    const entries = entriesOf.all(processorTransactionId ?? '').map(read);
    const [authorization] = entries;
    // Another account's transaction is no transaction, as with any acquirer.
    if (authorization?.operation !== 'authorization' || authorization.accountId !== accountId) return { card: undefined, entries: [] };
    return { card: cardOfId(authorization.card ?? ''), entries };
  }

  function perform({ request, now, struck }: Asked<'perform'>): LedgerReply {
    const known = entryOf.get(request.reference);
    // A fault strikes the call that has the effect; asking again with the same reference is how a caller finds out.
    if (known !== undefined) return { kind: 'performed', entry: read(known), fault: undefined, dueAt: undefined, awaits: undefined };
    const { card, entries } = subjectOf(request);
    const { operation, accountId, amount } = request;
    const strike = struck ?? faults.strike(accountId, { kind: operation, amount, card: card?.id });
    const fault = strike?.fault ?? card?.on[operation]?.fault;
    if (fault !== undefined && isBefore(fault) && struck === undefined)
      return { kind: 'struck', strike: { fault, manner: strike?.manner ?? {} }, fault };
    const entry = decide(request, card, entries, now);
    record.run(entry.reference, entry.accountId, entry.authorizationId, entry.number, JSON.stringify(entry));
    const manner = { ...card?.notifications, ...strike?.manner };
    const first = notifications.announce(entry, manner);
    notifications.withdrawExpiry(entries, entry, now);
    const awaits = manner.first === true ? first?.id : undefined;
    return { kind: 'performed', entry, fault: afterEffect(fault), dueAt: first?.dueAt, awaits };
  }

  function keep({ token, accountId, card, struck }: Asked<'keep_card'>): LedgerReply {
    const fault = struck?.fault ?? faults.strike(accountId, { kind: 'tokenization', amount: undefined, card })?.fault;
    if (fault === undefined || !isBefore(fault) || struck !== undefined) keepCard.run(token, accountId, card);
    return { kind: 'done', fault: struck === undefined ? fault : afterEffect(fault) };
  }

  function lookUp({ entry: { accountId, amount, card } }: Asked<'look_up'>): LedgerReply {
    return { kind: 'done', fault: faults.strike(accountId, { kind: 'look_up', amount, card })?.fault };
  }

  function handle(request: LedgerRequest): LedgerReply {
    switch (request.kind) {
      case 'keep_card':
        return keep(request);
      case 'perform':
        return perform(request);
      case 'look_up':
        return lookUp(request);
      case 'take':
        return { kind: 'taken', notifications: notifications.take(request) };
      case 'finish':
        finish.run(request.nextAt, request.notificationId, request.attempt);
        return { kind: 'done' };
      case 'connect':
        connect.run(request.accountId, request.apiKey);
        return { kind: 'done' };
      case 'set_faults':
        faults.replace(request.accountId, request.plan);
        return { kind: 'done' };
      case 'reset':
        for (const statement of reset) statement.run(request.accountId ?? null);
        faults.forget();
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
    forget: () => faults.forget(),
  };
}

/** What waits to be sent. */
function openNotifications(database: Database) {
  const insert = database.prepare(ANNOUNCE);
  const holdBack = database.prepare(HOLD_BACK);
  const withdraw = database.prepare(WITHDRAW);
  const due = database.prepare<DueRow>(DUE);
  const take = database.prepare(TAKE);
  return {
    /** The first of those that tell of the operation; undefined when none does. */
    announce(entry: Entry, manner: Manner): { readonly id: string; readonly dueAt: number } | undefined {
      const announcements = announcementsOf(entry, manner);
      for (const { id, body, dueAt, number, heldUntil = null, badAttempts } of announcements) {
        insert.run(id, entry.accountId, body, dueAt, entry.authorizationId, number, heldUntil, badAttempts);
        if (number === entry.number) holdBack.run(dueAt, entry.authorizationId, number);
      }
      return announcements[0];
    },
    /** Nothing expires where nothing is held any more. */
    withdrawExpiry([authorization, ...others]: readonly Entry[], entry: Entry, now: number): void {
      if (authorization?.holdExpiresAt === undefined || holdsMoney([authorization, ...others, entry], now)) return;
      withdraw.run(expiryIdOf(authorization.reference));
    },
    take({ now, leaseUntil, limit }: Asked<'take'>): readonly TakenNotification[] {
      return due.all(now, limit).map(({ notification_id: notificationId, body, attempts, bad_attempts: bad, api_key: apiKey }) => {
        take.run(leaseUntil, notificationId);
        return { notificationId, body, apiKey, attempt: attempts + 1, badlySigned: attempts < bad };
      });
    },
  };
}

const afterEffect = (fault: Fault | undefined): Fault | undefined => (fault === undefined || isBefore(fault) ? undefined : fault);

// Only ledger.ts submits, and its requests are typed there; this marks the border between threads.
const isLedgerRequest = (request: unknown): request is LedgerRequest =>
  typeof request === 'object' && request !== null && 'kind' in request;
