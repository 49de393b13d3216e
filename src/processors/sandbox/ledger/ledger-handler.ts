// The writes of the sandbox's ledger: each decides on what the ledger holds, and records the decision in one
// transaction.
import type { Check, Declined, Outcome } from '../../../domain/payment/outcome.ts';
import type { Database } from '../../../stores/sqlite/file/database.ts';
import type { Handler } from '../../../stores/sqlite/file/handler.ts';
import type { DisputeRequest, Known, OperationRequest } from '../../processor.ts';
import { decide, decideAct, holdsMoney, type MoneyAct } from '../acquirer.ts';
import {
  ANSWER_NOTIFIED_AFTER_MS,
  type ChallengePage,
  challenged,
  fencedOff,
  fencedUnseen,
  wasAuthenticated,
} from '../authentication.ts';
import { avsResultOf, type Card } from '../card.ts';
import { cardOfId } from '../cards.ts';
import { answersTold, type DisputeEntry, decideAnswer, disputesFrom, expiryIdOf, openingOf } from '../disputes.ts';
import { type Entry, isHidden, outcomeAt, resultAt } from '../entry.ts';
import { choose, NO_COUNTS, type PlannedCall, type Strike } from '../fault-choice.ts';
import { type FaultPlan, NO_FAULTS } from '../fault-plan.ts';
import { type Fault, isBefore, type Manner } from '../faults.ts';
import { EXPIRED, notificationIdOf } from '../names.ts';
import { announcementsOf, changeOf } from '../notifications.ts';
import { wordsOn } from '../updating.ts';
import { remembering } from './ledger-memory.ts';
import { type LedgerEntry, type LedgerTables, ledgerTables } from './ledger-tables.ts';

/** The result of a call: `struck` when a fault strikes before the effect, and nothing was recorded. */
export type Performed =
  /** Its customer is to be challenged: the write needs the page, and has done nothing. */
  | { readonly kind: 'needs_page' }
  | { readonly kind: 'struck'; readonly strike: Strike & { readonly fault: Fault } }
  | {
      readonly kind: 'performed';
      /** The answer, if no fault strikes it. */
      readonly outcome: Outcome;
      /** Strikes after the effect. */
      readonly fault?: Fault;
      /** A notification came of it. */
      readonly isAnnounced?: true;
      /** The key of the notification that must be accepted before any answer. */
      readonly awaits?: string;
    };

export type Writes = ReturnType<typeof writesOn>;
export type Write = readonly [name: keyof Writes, ...args: readonly unknown[]];

/** OpenHandler; the tables are there. */
export function openHandler(database: Database): Handler {
  const tables = remembering(ledgerTables(database));
  const writes = writesOn(tables);
  return {
    handle(request) {
      const [name, ...args] = parsedWrite(request);
      return JSON.stringify(Reflect.apply(writes[name], undefined, args));
    },
    forget: tables.forget,
  };
}

/** A write as a text: to clone the values in it, and in the reply, takes twice as long. */
export const writeText = (write: Write): string => JSON.stringify(write);

function parsedWrite(request: unknown): Write {
  const parsed: unknown = JSON.parse(String(request));
  if (!isWrite(parsed)) throw new TypeError('not a write of the ledger');
  const [name, ...args] = parsed;
  return [name, ...args.map((arg) => arg ?? undefined)]; // JSON has null for an argument that was left out
}

// Only ledger.ts asks, and its requests are typed there; this marks the border between threads.
const isWrite = (parsed: unknown): parsed is Write => Array.isArray(parsed);

function writesOn(tables: LedgerTables) {
  const { take, finish, connect, reset } = tables;
  return {
    take,
    finish,
    connect,
    reset,

    /** The fault that strikes a tokenization; `isStruck`: it has struck already, and the card is kept all the same. */
    keepCard(token: string, accountId: string, card: string, cvcResult: Check, isStruck = false): Fault | undefined {
      const fault = isStruck ? undefined : strikeOf(tables, accountId, { kind: 'tokenization', card })?.fault;
      if (fault === undefined || !isBefore(fault)) tables.keepCard(token, { accountId, card, cvcResult });
      return fault;
    },

    /**
     * `now`: business time, ms. `struck`: the fault that struck it the first time; no other strikes it again. `page`:
     * where the customer of an authorization is challenged.
     */
    perform(request: OperationRequest, now: number, struck?: Strike, page?: ChallengePage): Performed {
      const { card, cvcResult, entries } = subjectOf(tables, request);
      const { operation, reference, accountId, amount } = request;
      if (operation === 'authorization' && page === undefined && card?.on[operation]?.authentication === 'challenge')
        return { kind: 'needs_page' };
      const isPlain =
        struck === undefined &&
        card?.on[operation]?.fault === undefined &&
        tables.faultsOf(accountId).rules === undefined;
      // A fault strikes the call that has the effect; asking again with the same reference is how a caller finds out.
      const known = isPlain ? undefined : tables.entryOf(reference);
      if (known !== undefined) return { kind: 'performed', outcome: answerTo(known, now) };
      const strike = isPlain
        ? undefined
        : (struck ?? strikeOf(tables, accountId, { kind: operation, amount, card: card?.id }));
      const fault = strike?.fault ?? card?.on[operation]?.fault;
      const isEarly = fault !== undefined && isBefore(fault);
      if (isEarly && struck === undefined) return { kind: 'struck', strike: { fault, manner: strike?.manner ?? {} } };
      const decided = decide(request, card, entries, now, page, isAuthenticated(tables, request));
      const entry =
        request.operation === 'authorization' && card?.method === undefined
          ? { ...decided, avsResult: avsResultOf(request.billingAddress), cvcResult }
          : decided;
      if (!tables.record(entry)) return { kind: 'performed', outcome: outcomeOf(tables, reference, now) };
      if (request.operation === 'authorization' && wasAuthenticated(entry))
        tables.keepAuthenticated(request.processorToken);
      for (const word of wordsOn(request, card, entry)) tables.announce(entry, word);
      const manner = mannerOf(entry, card, strike);
      const announcements = announcementsOf(entry, manner);
      for (const announcement of announcements) tables.announce(entry, announcement);
      const disputes = disputesFrom(card, entry, [...entries, entry]);
      for (const dispute of disputes) openDispute(tables, dispute, card?.notifications);
      const [authorization] = entries;
      // Nothing expires if nothing is held.
      if (authorization?.holdExpiresAt !== undefined && !holdsMoney([...entries, entry], now))
        tables.withdraw(notificationIdOf(authorization.reference, EXPIRED));
      const [first] = announcements;
      return {
        kind: 'performed',
        outcome: outcomeAt(entry, now),
        ...(fault !== undefined && !isEarly && { fault }),
        ...((first !== undefined || disputes.length > 0) && { isAnnounced: true }),
        ...(first !== undefined && manner.first && { awaits: first.id }),
      };
    },

    /**
     * The customer answers a challenge: this ends the authorization, and a notification reports that later. The
     * operation as it is then; undefined for no challenge of ours.
     */
    answerChallenge(id: string, isApproved: boolean, now: number): Entry | undefined {
      const waiting = tables.challengedBy(id);
      const entry = waiting && challenged(waiting, isApproved, now);
      if (entry === undefined) return waiting;
      tables.change(entry);
      if (entry.challenge?.processorToken !== undefined && wasAuthenticated(entry))
        tables.keepAuthenticated(entry.challenge.processorToken);
      const { notifications } = cardOfId(entry.card ?? '') ?? {};
      const manner = { always: true, delayMs: ANSWER_NOTIFIED_AFTER_MS, ...notifications };
      for (const announcement of announcementsOf(entry, manner)) tables.announce(entry, announcement);
      return entry;
    },

    /**
     * The operation can no longer take effect: nobody may answer its challenge, and a request that arrives later does
     * nothing. The operation as it is then; undefined if it had not arrived.
     */
    fence(request: OperationRequest, now: number): Entry | undefined {
      const known = tables.entryOf(request.reference);
      if (known === undefined) tables.record(fencedUnseen(request, now));
      // What the card hides is found by nobody: that is what the card is for.
      if (known === undefined || known.fenced === true || isHidden(known, now)) return undefined;
      const entry = fencedOff(known, now);
      if (entry !== undefined) tables.change(entry);
      return entry ?? known;
    },

    /**
     * A person acts at the acquirer itself, by no card's row and struck by no fault. `isSilent`: no notification tells
     * it. What the rules forbid is declined, and leaves nothing; undefined for a payment that nothing is held for.
     */
    act(accountId: string, paymentId: string, act: MoneyAct, isSilent: boolean, now: number): Entry | undefined {
      const authorization = tables
        .authorizationsOf(paymentId)
        .findLast((entry) => entry.accountId === accountId && resultAt(entry, now) === 'succeeded');
      if (authorization === undefined) return undefined;
      const [first = authorization, ...others] = tables.entriesOf(paymentId, authorization.authorizationId);
      const entry = decideAct(act, [first, ...others], now);
      if (entry.result === 'declined') return entry;
      tables.record(entry);
      if (!holdsMoney([first, ...others, entry], now)) tables.withdraw(notificationIdOf(first.reference, EXPIRED));
      if (!isSilent) tables.announce(entry, changeOf(entry, first));
      return entry;
    },

    /** Performs a response to a dispute. */
    answerDispute(request: DisputeRequest, now: number, struck?: Strike): Performed {
      const declined = (code: string): Declined => ({ kind: 'declined', code, declineType: 'HARD' });
      const dispute = tables.disputeOf(request.disputeId);
      if (dispute === undefined || dispute.accountId !== request.accountId || now < dispute.at)
        return { kind: 'performed', outcome: declined('DISPUTE_UNKNOWN') };
      const card = cardOfId(dispute.card);
      const decision = decideAnswer(dispute, card, request, now);
      const { accountId, amount, currencyCode, reference: processorTransactionId } = dispute;
      const succeeded: Outcome = { kind: 'succeeded', processorTransactionId, amount, currencyCode };
      if (decision.kind === 'known') return { kind: 'performed', outcome: succeeded };
      const strike = struck ?? strikeOf(tables, accountId, { kind: 'dispute_answer', amount, card: dispute.card });
      const fault = strike?.fault;
      const isEarly = fault !== undefined && isBefore(fault);
      if (isEarly && struck === undefined) return { kind: 'struck', strike: { fault, manner: strike?.manner ?? {} } };
      const late = fault !== undefined && !isEarly && { fault };
      if (decision.kind === 'refused')
        return { kind: 'performed', outcome: { ...declined(decision.code), processorTransactionId }, ...late };
      tables.change(decision.dispute);
      tables.withdraw(expiryIdOf(decision.dispute));
      for (const news of answersTold(decision.dispute, { ...card?.notifications, ...strike?.manner }))
        tables.announce(decision.dispute, news);
      return { kind: 'performed', outcome: succeeded, ...late, isAnnounced: true };
    },

    /** The fault that strikes a look-up of an operation that is recorded. */
    countLookUp: ({ accountId, amount, card }: LedgerEntry): Fault | undefined =>
      strikeOf(tables, accountId, { kind: 'look_up', amount, card })?.fault,

    /** Replaces the fault rules; counting starts again. */
    setFaults(accountId: string, { seed, rules }: FaultPlan): void {
      tables.keepFaults(
        accountId,
        rules.length === 0 ? NO_FAULTS : { seed, rules, counts: rules.map(() => NO_COUNTS) },
      );
    },
  };
}

/** It is known from the start that it will be opened: nobody writes anything when the time comes. */
function openDispute(tables: LedgerTables, dispute: DisputeEntry, ofCard: Manner = {}): void {
  if (tables.disputeOf(dispute.reference) !== undefined) return;
  const { accountId, amount, card } = dispute;
  const strike = strikeOf(tables, accountId, { kind: 'dispute', amount, card });
  tables.record(dispute);
  for (const announcement of openingOf(dispute, { ...ofCard, ...strike?.manner }))
    tables.announce(dispute, announcement);
}

/**
 * The manner of a notification. The fact that an issuer required an authentication may be reported again, long after it
 * is over.
 */
function mannerOf({ declineCode }: Entry, card: Card | undefined, strike: Strike | undefined): Manner {
  const delayMs = declineCode === 'AUTHENTICATION_REQUIRED' ? card?.on.authorization?.demandNotifiedAfterMs : undefined;
  return { ...(delayMs !== undefined && { always: true, delayMs }), ...card?.notifications, ...strike?.manner };
}

/** The answer to a request whose reference is on record, as it was recorded first. */
function outcomeOf(tables: LedgerTables, reference: string, now: number): Outcome {
  const known = tables.entryOf(reference);
  if (known === undefined) throw new TypeError(`${reference} is not the reference of an operation`);
  return answerTo(known, now);
}

const answerTo = (known: Entry, now: number): Outcome =>
  known.fenced === true ? { kind: 'not_sent', detail: 'it was fenced before it arrived' } : outcomeAt(known, now);

/** True if a customer who is not there was authenticated before. */
const isAuthenticated = (tables: LedgerTables, request: OperationRequest): boolean =>
  request.operation === 'authorization' &&
  request.offSession === true &&
  tables.isAuthenticated(request.processorToken);

interface Subject {
  readonly card: Card | undefined;
  /** The check of the security code of its token. */
  readonly cvcResult: Check;
  readonly entries: readonly Entry[];
}
const NOTHING: Subject = { card: undefined, cvcResult: 'MATCH', entries: [] };

/** The card of a request, and the operations on its authorization so far. */
function subjectOf(tables: LedgerTables, request: OperationRequest): Subject {
  const { accountId, paymentId } = request;
  // Another account's card is not a card, and its transaction, or another payment's, is not a transaction, as at any
  // acquirer.
  if (request.operation === 'authorization') {
    const kept = tables.cardOf(request.processorToken);
    const { cvcResult = 'MATCH' } = kept ?? {};
    return { card: kept?.accountId === accountId ? cardOfId(kept.card) : undefined, cvcResult, entries: [] };
  }
  const entries = tables.entriesOf(paymentId, authorizationIdOf(tables, request.authorization));
  const [authorization] = entries;
  if (authorization?.operation !== 'authorization' || authorization.accountId !== accountId) return NOTHING;
  return { card: cardOfId(authorization.card ?? ''), cvcResult: 'MATCH', entries };
}

/**
 * By the sandbox's name for the authorization, or by the caller's own reference: all that is known where the answer was
 * lost.
 */
const authorizationIdOf = (tables: LedgerTables, known: Known): string =>
  'reference' in known ? (tables.entryOf(known.reference)?.authorizationId ?? '') : known.processorTransactionId;

/** The fault that strikes a call. Its count is committed with the effect of the call, or not at all. */
function strikeOf(tables: LedgerTables, accountId: string, call: PlannedCall): Strike | undefined {
  const report = tables.faultsOf(accountId);
  const { strike, counts } = choose(report, call);
  if (counts !== undefined) tables.keepFaults(accountId, { ...report, counts });
  return strike;
}
