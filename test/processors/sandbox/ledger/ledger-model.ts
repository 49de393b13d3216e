// A model of the ledger's tables in plain maps, without SQL: the tables are compared with it.
import type { Entry } from '../../../../src/processors/sandbox/entry.ts';
import { type FaultReport, NO_FAULTS } from '../../../../src/processors/sandbox/fault-plan.ts';
import type { KeptCard, LedgerEntry, LedgerTables } from '../../../../src/processors/sandbox/ledger/ledger-tables.ts';
import { type Announcement, EXPIRY_NUMBER } from '../../../../src/processors/sandbox/notifications.ts';

const TRIES_TO_WAIT_FOR = 3;

/** A notification that was not accepted yet. */
interface Waiting extends Announcement {
  readonly accountId: string;
  readonly authorizationId: string;
  nextAt: number;
  attempts: number;
}

const inOrder = (a: Waiting, b: Waiting): number => a.nextAt - b.nextAt || (a.id < b.id ? -1 : 1);

export function ledgerModel(): LedgerTables {
  const cards = new Map<string, KeptCard>();
  const rows = new Map<string, { readonly sequence: number; readonly entry: LedgerEntry }>();
  const chains = new Map<string, readonly Entry[]>();
  const waiting = new Map<string, Waiting>();
  const keys = new Map<string, string>();
  const faults = new Map<string, FaultReport>();
  let sequence = 0;

  /** While a later one is due or on its way; one that failed too often is not waited for. */
  const authenticated = new Set<string>();
  const isHeldBack = ({ heldUntil, authorizationId, number }: Waiting, now: number): boolean => {
    if (heldUntil === undefined) return false;
    for (const later of waiting.values()) {
      if (later.authorizationId !== authorizationId || later.number <= number || later.attempts > TRIES_TO_WAIT_FOR)
        continue;
      if (later.attempts > 0 || later.nextAt <= now) return true;
    }
    return false;
  };
  /** The notifications whose account has a key and that wait for no later one, in order. */
  const sendable = (now: number): readonly Waiting[] =>
    [...waiting.values()].filter((one) => keys.has(one.accountId) && !isHeldBack(one, now)).sort(inOrder);

  return {
    cardOf: (token) => cards.get(token),
    keepCard(token, kept) {
      if (cards.has(token)) return false;
      cards.set(token, kept);
      return true;
    },
    isAuthenticated: (token) => authenticated.has(token),
    keepAuthenticated: (token) => void authenticated.add(token),
    entryOf(reference) {
      const entry = rows.get(reference)?.entry;
      return entry?.operation === 'dispute' ? undefined : entry;
    },
    disputeOf(reference) {
      const entry = rows.get(reference)?.entry;
      return entry?.operation === 'dispute' ? entry : undefined;
    },
    authorizationsOf: (paymentId) =>
      [...chains.values()].flatMap(([first]) => (first?.paymentId === paymentId ? [first] : [])),
    entriesOf: (paymentId, authorizationId) =>
      (chains.get(authorizationId) ?? []).filter((entry) => entry.paymentId === paymentId),
    page(accountId, after, limit) {
      const later = [...rows.values()].filter((row) => row.sequence > after);
      return later.filter(({ entry }) => accountId === undefined || entry.accountId === accountId).slice(0, limit);
    },
    record(entry) {
      if (rows.has(entry.reference)) return false;
      sequence += 1;
      rows.set(entry.reference, { sequence, entry });
      if (entry.operation !== 'dispute')
        chains.set(entry.authorizationId, [...(chains.get(entry.authorizationId) ?? []), entry]);
      return true;
    },
    change(entry) {
      const row = rows.get(entry.reference);
      if (row === undefined) return;
      rows.set(entry.reference, { ...row, entry });
      if (entry.operation === 'dispute') return;
      const chain = chains.get(entry.authorizationId) ?? [];
      chains.set(
        entry.authorizationId,
        chain.map((one) => (one.reference === entry.reference ? entry : one)),
      );
    },
    challengedBy: (id) =>
      [...rows.values()]
        .map(({ entry }) => (entry.operation === 'dispute' ? undefined : entry))
        .find((entry) => entry?.challenge?.id === id),
    announce({ accountId, authorizationId, number }, announcement) {
      waiting.set(announcement.id, {
        ...announcement,
        accountId,
        authorizationId,
        nextAt: announcement.dueAt,
        attempts: 0,
      });
      if (announcement.number !== number) return;
      for (const one of waiting.values()) {
        if (
          one.heldUntil === undefined ||
          one.authorizationId !== authorizationId ||
          one.number >= number ||
          one.attempts > 0
        )
          continue;
        one.nextAt = Math.min(one.heldUntil, Math.max(one.nextAt, announcement.dueAt));
      }
    },
    withdraw: (id) => void waiting.delete(id),
    take(now, leaseUntil, limit) {
      const due = sendable(now).filter(({ nextAt }) => nextAt <= now);
      return due.slice(0, limit).map((one) => {
        one.nextAt = leaseUntil;
        one.attempts += 1;
        const { id: notificationId, body, attempts: attempt, badAttempts } = one;
        return {
          notificationId,
          body,
          apiKey: keys.get(one.accountId) ?? '',
          attempt,
          badlySigned: attempt <= badAttempts,
        };
      });
    },
    finish(id, attempt, nextAt) {
      const one = waiting.get(id);
      if (one?.attempts !== attempt) return;
      if (nextAt === undefined) waiting.delete(id);
      else one.nextAt = nextAt;
    },
    nextAt: (now) => sendable(now)[0]?.nextAt,
    waits: (id) => keys.has(waiting.get(id)?.accountId ?? ''),
    undelivered(accountId, now) {
      const open = [...waiting.values()].filter(
        (one) =>
          (accountId === undefined || one.accountId === accountId) && (one.number < EXPIRY_NUMBER || one.nextAt <= now),
      );
      const [first] = open.sort(inOrder);
      return { count: open.length, ...(first !== undefined && { nextAt: first.nextAt }) };
    },
    connect: (accountId, apiKey) => void keys.set(accountId, apiKey),
    connectedAccounts: () => [...keys.keys()].sort(),
    faultsOf: (accountId) => faults.get(accountId) ?? NO_FAULTS,
    keepFaults: (accountId, report) => void faults.set(accountId, report),
    reset(accountId) {
      const isGone = (of: string): boolean => accountId === undefined || of === accountId;
      for (const [reference, { entry }] of rows) {
        if (!isGone(entry.accountId)) continue;
        rows.delete(reference);
        chains.delete(entry.authorizationId);
      }
      for (const [id, one] of waiting) if (isGone(one.accountId)) waiting.delete(id);
      for (const of of faults.keys()) if (isGone(of)) faults.delete(of);
    },
  };
}
