// Answers requests to the sandbox's ledger: decides on what it holds, and records what was decided.
import type { Database } from '../../../stores/sqlite/file/database.ts';
import type { Handler } from '../../../stores/sqlite/file/handler.ts';
import type { Known, OperationRequest } from '../../processor.ts';
import { decide, holdsMoney } from '../acquirer.ts';
import type { Card } from '../card.ts';
import { cardOfId } from '../cards.ts';
import type { Entry } from '../entry.ts';
import type { Fault, Manner } from '../faults/fault.ts';
import { expiryIdOf } from '../names.ts';
import { announcementsOf } from '../notifications/announcement.ts';
import { type Call, choose, isBefore, NO_COUNTS, type Strike } from '../rules/fault-choice.ts';
import type { Book } from './book.ts';
import type { LedgerReply, LedgerRequest } from './ledger-request.ts';
import { sqlBook } from './sql-book.ts';

interface Subject {
  readonly card: Card | undefined;
  readonly entries: readonly Entry[];
}
type Asked<K extends LedgerRequest['kind']> = Extract<LedgerRequest, { kind: K }>;

/** OpenHandler; the tables are there. Every request is handled inside one write transaction. */
export function openHandler(database: Database): Handler {
  const book = sqlBook(database);
  return {
    handle(request) {
      if (!isLedgerRequest(request)) throw new TypeError('not a request to the ledger');
      return handled(book, request);
    },
    forget: () => undefined,
  };
}

// Only ledger.ts submits, and its requests are typed there; this marks the border between threads.
const isLedgerRequest = (request: unknown): request is LedgerRequest =>
  typeof request === 'object' && request !== null && 'kind' in request;

export function handled(book: Book, request: LedgerRequest): LedgerReply {
  switch (request.kind) {
    case 'keep_card':
      return keepCard(book, request);
    case 'perform':
      return perform(book, request);
    case 'look_up': {
      const { accountId, amount, card } = request.entry;
      return { kind: 'done', fault: strikeOf(book, accountId, { kind: 'look_up', amount, card })?.fault };
    }
    case 'take':
      return { kind: 'taken', notifications: book.take(request.now, request.leaseUntil, request.limit) };
    case 'finish':
      book.finish(request.notificationId, request.attempt, request.nextAt);
      return { kind: 'done' };
    case 'connect':
      book.connect(request.accountId, request.apiKey);
      return { kind: 'done' };
    case 'set_faults':
      return setFaults(book, request);
    case 'reset':
      book.reset(request.accountId);
      return { kind: 'done' };
    default:
      return request satisfies never;
  }
}

function perform(book: Book, { request, now, struck }: Asked<'perform'>): LedgerReply {
  const known = book.entryOf(request.reference);
  // A fault strikes the call that has the effect; asking again with the same reference is how a caller finds out.
  if (known !== undefined) return { kind: 'performed', entry: known, fault: undefined, dueAt: undefined, awaits: undefined };
  const { card, entries } = subjectOf(book, request);
  const { operation, accountId, amount } = request;
  const strike = struck ?? strikeOf(book, accountId, { kind: operation, amount, card: card?.id });
  const fault = strike?.fault ?? card?.on[operation]?.fault;
  if (fault !== undefined && isBefore(fault) && struck === undefined)
    return { kind: 'struck', strike: { fault, manner: strike?.manner ?? {} }, fault };
  const entry = decide(request, card, entries, now);
  book.record(entry);
  const manner = { ...card?.notifications, ...strike?.manner };
  const first = announce(book, entry, manner);
  withdrawExpiry(book, entries, entry, now);
  const awaits = manner.first === true ? first?.id : undefined;
  return { kind: 'performed', entry, fault: afterEffect(fault), dueAt: first?.dueAt, awaits };
}

/** The card of a request, and what its authorization has seen so far. */
function subjectOf(book: Book, request: OperationRequest): Subject {
  const { operation, accountId } = request;
  if (operation === 'authorization') return { card: cardOfId(book.cardOf(request.processorToken, accountId) ?? ''), entries: [] };
  const entries = entriesOf(book, request.authorization);
  const [authorization] = entries;
  // Another account's transaction is no transaction, as with any acquirer.
  if (authorization?.operation !== 'authorization' || authorization.accountId !== accountId) return { card: undefined, entries: [] };
  return { card: cardOfId(authorization.card ?? ''), entries };
}

/** By the sandbox's name for the authorization, or by the caller's own reference: all that is known where the answer was lost. */
const entriesOf = (book: Book, authorization: Known): readonly Entry[] =>
  book.entriesOf(
    'reference' in authorization ? (book.entryOf(authorization.reference)?.authorizationId ?? '') : authorization.processorTransactionId,
  );

function keepCard(book: Book, { token, accountId, card, struck }: Asked<'keep_card'>): LedgerReply {
  const fault = struck?.fault ?? strikeOf(book, accountId, { kind: 'tokenization', amount: undefined, card })?.fault;
  if (fault === undefined || !isBefore(fault) || struck !== undefined) book.keepCard(token, accountId, card);
  return { kind: 'done', fault: struck === undefined ? fault : afterEffect(fault) };
}

/** The fault that strikes a call, counted as often as it strikes: with whatever comes of the call, or not at all. */
function strikeOf(book: Book, accountId: string, call: Call): Strike | undefined {
  const { seed, rules, counts = [] } = book.faultsOf(accountId);
  if (rules === undefined) return undefined;
  const { strike, counted } = choose({ seed, rules }, (place) => counts[place] ?? NO_COUNTS, call);
  if (counted.size > 0) book.keepFaults(accountId, { seed, rules, counts: counts.map((before, place) => counted.get(place) ?? before) });
  return strike;
}

/** Counting begins anew. */
function setFaults(book: Book, { accountId, plan: { seed, rules } }: Asked<'set_faults'>): LedgerReply {
  book.keepFaults(accountId, rules.length === 0 ? { seed } : { seed, rules, counts: rules.map(() => NO_COUNTS) });
  return { kind: 'done' };
}

/** The first of those that tell of the operation; undefined when none does. */
function announce(book: Book, entry: Entry, manner: Manner): { readonly id: string; readonly dueAt: number } | undefined {
  const announcements = announcementsOf(entry, manner);
  for (const announcement of announcements) book.announce(entry, announcement);
  return announcements[0];
}

/** Nothing expires where nothing is held any more. */
function withdrawExpiry(book: Book, entries: readonly Entry[], entry: Entry, now: number): void {
  const [authorization] = entries;
  if (authorization?.holdExpiresAt === undefined || holdsMoney([...entries, entry], now)) return;
  book.withdraw(expiryIdOf(authorization.reference));
}

const afterEffect = (fault: Fault | undefined): Fault | undefined => (fault === undefined || isBefore(fault) ? undefined : fault);
