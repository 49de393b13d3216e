// The writes of the sandbox's ledger: each decides on what the ledger holds, and records the decision in one transaction.
import type { Check } from '../../../domain/payment/outcome.ts';
import type { Database } from '../../../stores/sqlite/file/database.ts';
import type { Handler } from '../../../stores/sqlite/file/handler.ts';
import type { DisputeRequest, Known, OperationRequest } from '../../processor.ts';
import { decide, holdsMoney } from '../acquirer.ts';
import { ANSWER_NOTIFIED_AFTER_MS, type ChallengePage, challenged, fencedOff, wasAuthenticated } from '../authentication.ts';
import type { Card } from '../card.ts';
import { cardOfId } from '../cards.ts';
import { avsResultOf } from '../checks.ts';
import { answersTold, decideAnswer } from '../disputes/answering.ts';
import type { DisputeEntry } from '../disputes/dispute.ts';
import { disputesFrom, expiryIdOf, openingOf } from '../disputes/opening.ts';
import type { Entry } from '../entry.ts';
import { type Fault, isBefore, type Manner } from '../faults/fault-table.ts';
import { EXPIRED, notificationIdOf } from '../names.ts';
import { announcementsOf } from '../notifications/announcement.ts';
import { choose, NO_COUNTS, type PlannedCall, type Strike } from '../rules/fault-choice.ts';
import { type FaultPlan, NO_FAULTS } from '../rules/fault-plan.ts';
import { type LedgerEntry, type LedgerTables, ledgerTables } from './ledger-tables.ts';

/** The result of a call: `struck` when a fault strikes before the effect, and nothing was recorded. */
export type Performed =
  /** An answer to a dispute that the account does not have. */
  | { readonly kind: 'unheard' }
  | { readonly kind: 'struck'; readonly strike: Strike & { readonly fault: Fault } }
  | {
      readonly kind: 'performed';
      /** Recorded, now or when the reference was first asked for; of an answer the dispute. */
      readonly entry: LedgerEntry;
      /** An answer that was not taken: why. */
      readonly refused?: string;
      /** Strikes after the effect. */
      readonly fault?: Fault | undefined;
      /** Whether a notification came of it. */
      readonly isAnnounced: boolean;
      /** The key of the notification that must be accepted before any answer. */
      readonly awaits?: string | undefined;
    };

export type Writes = ReturnType<typeof writesOn>;
export interface Write {
  readonly name: keyof Writes;
  readonly args: readonly unknown[];
}

/** OpenHandler; the tables are there. */
export function openHandler(database: Database): Handler {
  const writes = writesOn(ledgerTables(database));
  return {
    handle(request) {
      if (!isWrite(request)) throw new TypeError('not a write of the ledger');
      return Reflect.apply(writes[request.name], undefined, request.args);
    },
    forget: () => undefined,
  };
}

// Only ledger.ts asks, and its requests are typed there; this marks the border between threads.
const isWrite = (request: unknown): request is Write => typeof request === 'object' && request !== null && 'name' in request;

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
      if (fault === undefined || !isBefore(fault)) tables.keepCard(token, accountId, card, cvcResult);
      return fault;
    },

    /** `now`: business time, ms. `page`: where the customer of an authorization would be challenged. `struck`: the fault that struck it the first time; no other strikes it again. */
    perform(request: OperationRequest, now: number, page: ChallengePage | undefined, struck?: Strike): Performed {
      const known = tables.entryOf(request.reference);
      // A fault strikes the call that has the effect; asking again with the same reference is how a caller finds out.
      if (known !== undefined) return { kind: 'performed', entry: known, isAnnounced: false };
      const { card, entries } = subjectOf(tables, request);
      const { operation, accountId, amount } = request;
      const strike = struck ?? strikeOf(tables, accountId, { kind: operation, amount, card: card?.id });
      const fault = strike?.fault ?? card?.on[operation]?.fault;
      const isEarly = fault !== undefined && isBefore(fault);
      if (isEarly && struck === undefined) return { kind: 'struck', strike: { fault, manner: strike?.manner ?? {} } };
      const token = operation === 'authorization' ? request.processorToken : undefined;
      const isAuthenticated = token !== undefined && request.operation === 'authorization' && tables.isAuthenticated(token);
      const entry = { ...decide(request, card, entries, now, page, isAuthenticated), ...checksOn(tables, request) };
      tables.record(entry);
      if (token !== undefined && wasAuthenticated(entry)) tables.keepAuthenticated(token);
      const manner = { ...demandManner(entry, card), ...card?.notifications, ...strike?.manner };
      const announcements = announcementsOf(entry, manner);
      for (const announcement of announcements) tables.announce(entry, announcement);
      const disputes = disputesFrom(card, entry, [...entries, entry]);
      for (const dispute of disputes) openDispute(tables, dispute, card?.notifications);
      const [authorization] = entries;
      // Nothing expires where nothing is held any more.
      if (authorization?.holdExpiresAt !== undefined && !holdsMoney([...entries, entry], now))
        tables.withdraw(notificationIdOf(authorization.reference, EXPIRED));
      const [first] = announcements;
      const awaits = manner.first ? first?.id : undefined;
      return {
        kind: 'performed',
        entry,
        fault: isEarly ? undefined : fault,
        isAnnounced: first !== undefined || disputes.length > 0,
        awaits,
      };
    },

    /** The customer answers a challenge: the authorization ends by it, and a notification tells so later. The operation as it is then; undefined for no challenge of ours. */
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

    /** Nobody may answer the challenge of the operation any more. The operation as it is then. */
    fence(reference: string, now: number): Entry | undefined {
      const known = tables.entryOf(reference);
      const entry = known && fencedOff(known, now);
      if (entry !== undefined) tables.change(entry);
      return entry ?? known;
    },

    /** The same for an answer to a dispute; unheard for a dispute that the account does not have. */
    answerDispute(request: DisputeRequest, now: number, struck?: Strike): Performed {
      const dispute = tables.disputeOf(request.disputeId);
      if (dispute === undefined || dispute.accountId !== request.accountId || now < dispute.at) return { kind: 'unheard' };
      const card = cardOfId(dispute.card);
      const decision = decideAnswer(dispute, card, request, now);
      if (decision.kind === 'known') return { kind: 'performed', entry: dispute, isAnnounced: false };
      const { accountId, amount } = dispute;
      const strike = struck ?? strikeOf(tables, accountId, { kind: 'dispute_answer', amount, card: dispute.card });
      const fault = strike?.fault;
      const isEarly = fault !== undefined && isBefore(fault);
      if (isEarly && struck === undefined) return { kind: 'struck', strike: { fault, manner: strike?.manner ?? {} } };
      const late = isEarly ? undefined : fault;
      if (decision.kind === 'refused')
        return { kind: 'performed', entry: dispute, refused: decision.code, fault: late, isAnnounced: false };
      tables.change(decision.dispute);
      tables.withdraw(expiryIdOf(dispute));
      for (const news of answersTold(decision.dispute, { ...card?.notifications, ...strike?.manner }))
        tables.announce(decision.dispute, news);
      return { kind: 'performed', entry: decision.dispute, fault: late, isAnnounced: true };
    },

    /** The fault that strikes a look-up of an operation that is recorded. */
    countLookUp: ({ accountId, amount, card }: LedgerEntry): Fault | undefined =>
      strikeOf(tables, accountId, { kind: 'look_up', amount, card })?.fault,

    /** Counting begins anew. */
    setFaults(accountId: string, { seed, rules }: FaultPlan): void {
      tables.keepFaults(accountId, rules.length === 0 ? NO_FAULTS : { seed, rules, counts: rules.map(() => NO_COUNTS) });
    },
  };
}

/** It is known from the start that it will be opened: nobody writes anything when the time comes. */
function openDispute(tables: LedgerTables, dispute: DisputeEntry, ofCard: Manner = {}): void {
  if (tables.disputeOf(dispute.reference) !== undefined) return;
  const { accountId, amount, card } = dispute;
  const strike = strikeOf(tables, accountId, { kind: 'dispute', amount, card });
  tables.record(dispute);
  for (const announcement of openingOf(dispute, { ...ofCard, ...strike?.manner })) tables.announce(dispute, announcement);
}

/** That an issuer wanted an authentication may be told once more, when it is long over. */
function demandManner({ declineCode }: Entry, card: Card | undefined): Manner {
  const delayMs = card?.on.authorization?.demandNotifiedAfterMs;
  return declineCode === 'AUTHENTICATION_REQUIRED' && delayMs !== undefined ? { always: true, delayMs } : {};
}

/** Of an authorization. */
function checksOn(tables: LedgerTables, request: OperationRequest): Pick<Entry, 'avsResult' | 'cvcResult'> {
  if (request.operation !== 'authorization') return {};
  return { avsResult: avsResultOf(request.billingAddress), cvcResult: tables.cvcResultOf(request.processorToken) ?? 'MATCH' };
}

interface Subject {
  readonly card: Card | undefined;
  readonly entries: readonly Entry[];
}
const NOTHING: Subject = { card: undefined, entries: [] };

/** The card of a request, and the operations on its authorization so far. */
function subjectOf(tables: LedgerTables, request: OperationRequest): Subject {
  const { operation, accountId } = request;
  if (operation === 'authorization') return { ...NOTHING, card: cardOfId(tables.cardOf(request.processorToken, accountId) ?? '') };
  const entries = tables.entriesOf(authorizationIdOf(tables, request.authorization));
  const [authorization] = entries;
  // Another account's transaction is no transaction, as with any acquirer.
  if (authorization?.operation !== 'authorization' || authorization.accountId !== accountId) return NOTHING;
  return { card: cardOfId(authorization.card ?? ''), entries };
}

/** By the sandbox's name for the authorization, or by the caller's own reference: all that is known where the answer was lost. */
const authorizationIdOf = (tables: LedgerTables, known: Known): string =>
  'reference' in known ? (tables.entryOf(known.reference)?.authorizationId ?? '') : known.processorTransactionId;

/** The fault that strikes a call. Its count is committed with the effect of the call, or not at all. */
function strikeOf(tables: LedgerTables, accountId: string, call: PlannedCall): Strike | undefined {
  const report = tables.faultsOf(accountId);
  const { strike, counts } = choose(report, call);
  if (counts !== undefined) tables.keepFaults(accountId, { ...report, counts });
  return strike;
}
