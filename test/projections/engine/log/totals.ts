// A log projection for tests: paid amounts, by owner and in all, over ledgers and over gifts, which are a category of
// their own.
import { z } from 'zod';
import { category, event } from '../../../../src/domain/category.ts';
import { unsealEvent } from '../../../../src/journal/envelope.ts';
import type { Copy } from '../../../../src/projections/engine/generations/copy.ts';
import {
  type Change,
  changed,
  type LogProjection,
  logProjection,
  type Reader,
  readingOf,
} from '../../../../src/projections/projection.ts';
import type { EventStore, StoredEvent } from '../../../../src/stores/event-store.ts';
import type { ReadModelStore, Stored } from '../../../../src/stores/read-models.ts';
import { ledger } from '../ledger.ts';

const giftCategory = category(
  'gift',
  z.discriminatedUnion('type', [event('Given', z.strictObject({ amount: z.number() }))]),
);

export interface Total {
  readonly count: number;
  readonly amount: number;
  /** The places of the added amounts: order and repetition show. */
  readonly seen: readonly string[];
}

/** Amounts that the projection refuses, until the code is "mended": at the event, and at the document. */
export const refused = { amounts: new Set<number>(), changes: new Set<number>() };

const totalsOf = (owner: string, stored: StoredEvent, amount: number): readonly Change<Total>[] => {
  if (refused.amounts.has(amount)) throw new Error(`cannot read ${amount}`);
  const doc = { count: 1, amount, seen: [`${stored.stream}@${stored.revision}`] };
  return ['all', `of ${owner}`].map((id) => ({ id, doc }));
};

/** The owner, whom a payment does not repeat. */
const reader: Reader<string, Total> = {
  categories: ['ledger', 'gift'],
  isInLogOrder: true,
  add: (doc, part) => {
    if (refused.changes.has(part.amount)) throw new Error(`cannot add ${part.amount}`);
    return { count: doc.count + part.count, amount: doc.amount + part.amount, seen: [...doc.seen, ...part.seen] };
  },
  initial: 'nobody',
  read: (owner, stored) => {
    if (stored.stream.startsWith('gift-'))
      return { known: owner, changes: totalsOf('gifts', stored, unsealEvent(giftCategory, stored).event.data.amount) };
    const { event: its } = unsealEvent(ledger.category, stored);
    return its.type === 'Opened'
      ? { known: its.data.owner, changes: [] }
      : { known: owner, changes: totalsOf(owner, stored, its.data.amount) };
  },
};

export type TotalKey = 'amount';
export const totalsAt = (version: number, of = reader): LogProjection<Total, TotalKey> =>
  logProjection(readingOf(of), {
    name: 'totals',
    version,
    keys: { amount: ({ amount }) => amount },
    indexes: [['amount']],
  });
export const totals = totalsAt(1);

/** As a newer node knows it: there is one more type of event. */
const donation = z.object({ amount: z.number() });
export const upgradedTotals = totalsAt(1, {
  ...reader,
  read: (owner, stored) =>
    stored.type === 'Donated'
      ? { known: owner, changes: totalsOf(owner, stored, donation.parse(JSON.parse(stored.data)).amount) }
      : reader.read(owner, stored),
});

export const given = (amount: number): { readonly type: string; readonly data: object } => ({
  type: 'Given',
  data: { amount },
});

/** The log folded from its beginning, by nothing but the projection's own functions: what documents have to be. */
export async function foldedLog(events: EventStore, of = totals): Promise<ReadonlyMap<string, Stored<Total>>> {
  const readers = new Map<string, typeof of.reader>();
  const docs = new Map<string, Stored<Total>>();
  const enough = new AbortController();
  for await (const batch of events.follow(-1n, of.categories, enough.signal)) {
    for (const stored of batch.events) {
      const { changes, next } = (readers.get(stored.stream) ?? of.reader)(stored);
      readers.set(stored.stream, next);
      for (const change of changes) {
        const { id } = change;
        docs.set(id, { id, revision: Number(stored.position), doc: changed(of, docs.get(id)?.doc, change) });
      }
    }
    if (batch.caughtUp) break;
  }
  enough.abort();
  return docs;
}

/** A store's documents of a generation. */
export async function heldBy(
  store: ReadModelStore,
  copy: Copy<Total, TotalKey>,
): Promise<ReadonlyMap<string, Stored<Total>>> {
  const rows = await store.find(copy, { where: {}, limit: 1_000 });
  return new Map(rows.map(({ id, revision, doc }) => [id, { id, revision, doc }]));
}
