// The writer's memory of its tables: what it has read or written is not looked up again, until another connection
// writes.
import type { Entry } from '../entry.ts';
import type { FaultReport } from '../fault-plan.ts';
import type { KeptCard, LedgerTables } from './ledger-tables.ts';

/** The most entries of each kind; at that number all of the kind are dropped and read again. */
const REMEMBERED = 2_000;

/**
 * Tables with a memory that holds as long as `forget` is called for every write of others, and for every write that is
 * undone.
 */
export function remembering(tables: LedgerTables): LedgerTables & { forget(): void } {
  const cards = new Map<string, KeptCard>();
  const chains = new Map<string, readonly Entry[]>();
  const faults = new Map<string, FaultReport>();
  return {
    ...tables,
    keepCard: (token, kept) => {
      const isNew = tables.keepCard(token, kept);
      if (isNew) remember(cards, token, kept);
      return isNew;
    },
    cardOf(token) {
      const known = cards.get(token);
      if (known !== undefined) return known;
      const read = tables.cardOf(token);
      return read && remember(cards, token, read);
    },
    entriesOf(paymentId, authorizationId) {
      const known = chains.get(authorizationId);
      if (known !== undefined) return known[0]?.paymentId === paymentId ? known : [];
      const read = tables.entriesOf(paymentId, authorizationId);
      return read.length === 0 ? read : remember(chains, authorizationId, read);
    },
    record(made) {
      const isNew = tables.record(made);
      if (!isNew || made.operation === 'dispute') return isNew;
      const before = made.number === 0 ? [] : chains.get(made.authorizationId);
      if (before !== undefined) remember(chains, made.authorizationId, [...before, made]);
      return isNew;
    },
    change(known) {
      tables.change(known);
      chains.delete(known.authorizationId);
    },
    faultsOf: (accountId) => faults.get(accountId) ?? remember(faults, accountId, tables.faultsOf(accountId)),
    keepFaults(accountId, report) {
      tables.keepFaults(accountId, report);
      remember(faults, accountId, report);
    },
    reset(accountId) {
      tables.reset(accountId);
      chains.clear();
      faults.clear();
    },
    forget() {
      for (const memory of [cards, chains, faults]) memory.clear();
    },
  };
}

function remember<T>(memory: Map<string, T>, key: string, value: T): T {
  if (memory.size >= REMEMBERED) memory.clear();
  memory.set(key, value);
  return value;
}
