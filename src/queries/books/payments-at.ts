// Every payment as it is at one position of the log, out of its read model, while others write it. Documents of
// payments say no position; those whose streams the log shows to have changed lately are folded from their streams
// instead.
import type { KnownPayment, Payment } from '../../domain/payment/payment.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import { readUntilBreak } from '../../journal/chain.ts';
import { readLog } from '../../journal/read-log.ts';
import type { Hole } from '../../projections/engine/log/documents-at.ts';
import { payments } from '../../projections/models/payments.ts';
import type { EventStore } from '../../stores/event-store.ts';
import type { ReadModels } from '../../stores/read-models.ts';
import { idOf, isOneOf, streamOf } from '../../stores/stream-name.ts';
import { allOf } from '../pages.ts';

interface PaymentsAtParts {
  readonly events: EventStore;
  readonly readModels: ReadModels;
  /** True if a payment is of interest; undefined: every one is. */
  readonly accountId: string | undefined;
  /** Up to where the read model is known to hold everything. */
  readonly from: bigint;
  /** Streams of which nothing counts from a revision on. */
  readonly released: readonly Hole[];
  readonly onProgress?: (read: number) => void;
}

const READS_AT_ONCE = 16;
/** More than the clocks of nodes differ by, and than all payments take to be read. */
const LATELY_MS = 3_600_000;

/**
 * Hands each payment, as it is at `position`, to `add` with 1. If a document turns out to be newer, it is handed over
 * again with -1 to take it back, and then as it was. A payment with an event that cannot be read is as it was before
 * that event. Rejects with StoreUnavailable, and with the signal's reason.
 */
export async function paymentsAt(
  parts: PaymentsAtParts,
  position: bigint,
  add: (payment: KnownPayment, sign: 1 | -1) => void,
  signal: AbortSignal,
): Promise<void> {
  const { events, readModels, accountId, onProgress } = parts;
  const isMeant = (doc: Payment): doc is KnownPayment =>
    isKnown(doc) && (accountId === undefined || doc.accountId === accountId);
  const start = position < parts.from ? position : parts.from;
  const before = await events.head();
  // The read model may lack these payments, or be past the position: of these the streams are read.
  const changed = await revisionsAt(events, { from: start, to: before, at: position }, signal);
  for (const { stream, revision } of parts.released) {
    const id = idOf(stream);
    if (isOneOf([payments.category], stream))
      changed.set(id, Math.min(revision - 1, changed.get(id) ?? Number.POSITIVE_INFINITY));
  }
  const late = new Map<string, { readonly revision: number; readonly doc: KnownPayment }>();
  let most = KEPT;
  let newest = 0;
  let read = 0;
  for await (const { id, revision, doc } of allOf(readModels, payments, {
    where: accountId === undefined ? {} : { accountId: [accountId] },
  })) {
    if (changed.has(id) || !isMeant(doc)) continue;
    add(doc, 1);
    read += 1;
    onProgress?.(read);
    newest = Math.max(newest, doc.dateUpdated);
    late.set(id, { revision, doc });
    if (late.size > most) most = Math.max(KEPT, 2 * forget(late, newest - LATELY_MS));
  }
  const after = await events.head();
  for (const [id, revision] of await revisionsAt(events, { from: before, to: after, at: position }, signal)) {
    if (changed.has(id)) continue;
    const met = late.get(id);
    if (met === undefined || met.revision <= revision) continue; // read before it changed
    add(met.doc, -1);
    changed.set(id, revision);
  }
  const all = [...changed];
  for (let at = 0; at < all.length; at += READS_AT_ONCE) {
    const folded = await Promise.all(
      all.slice(at, at + READS_AT_ONCE).map(([id, revision]) => foldedTo(events, id, revision)),
    );
    for (const doc of folded) if (doc !== undefined && isMeant(doc)) add(doc, 1);
  }
}

/** Documents in memory before those that have not changed lately are forgotten. */
const KEPT = 50_000;

/** Answers how many are left. */
function forget(late: Map<string, { readonly doc: KnownPayment }>, before: number): number {
  for (const [id, { doc }] of late) if (doc.dateUpdated < before) late.delete(id);
  return late.size;
}

/** The last revision at or before `at` of each payment with events after `from`, by id. */
async function revisionsAt(
  events: EventStore,
  { from, to, at }: { readonly from: bigint; readonly to: bigint; readonly at: bigint },
  signal: AbortSignal,
): Promise<Map<string, number>> {
  const revisions = new Map<string, number>();
  for await (const batch of readLog(events, { after: from, to, categories: [payments.category] }, signal)) {
    for (const { stream, revision, position } of batch.events) {
      const id = idOf(stream);
      if (position <= at) revisions.set(id, revision);
      else if (!revisions.has(id)) revisions.set(id, revision - 1);
    }
  }
  return revisions;
}

async function foldedTo(events: EventStore, id: string, revision: number): Promise<Payment | undefined> {
  let doc: Payment | undefined;
  if (revision < 0) return doc;
  await readUntilBreak(events, streamOf(payments.category, id), (stored) => {
    try {
      doc = payments.project(doc, stored);
    } catch {
      return false; // its stream is parked there, and the daily totals name it
    }
    return stored.revision < revision;
  });
  return doc;
}
