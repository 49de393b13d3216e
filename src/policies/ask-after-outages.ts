// After an outage the processor is asked at once about attempts that it left open, not hours later when the schedule
// says so.
import pLimit from 'p-limit';
import type { CircuitOf, Circuits } from '../commands/limits/circuits.ts';
import { LOOK_UPS_AT_ONCE } from '../commands/payments/look-up-attempts.ts';
import type { Payments } from '../commands/payments/payments.ts';
import type { Payment } from '../domain/payment/payment.ts';
import { isKnown } from '../domain/payment/queries.ts';
import { type PaymentKey, payments } from '../projections/models/payments.ts';
import { allOf } from '../queries/pages.ts';
import type { Query, ReadModels, Stored } from '../stores/read-models.ts';
import type { World } from '../world.ts';
import { type DueParts, inRounds } from './policy.ts';

const NAME = 'ask-after-outages';
/** Payments asked about after one outage; the rest waits for its time. */
const MOST = 5_000;
const PAGE = 100;
/** A closing circuit wakes it; on its own it looks only for attempts that its read model missed or could not show. */
const EVERY_MS = 60_000;

export interface OutageNeeds extends Pick<Payments, 'lookUpPayment'> {
  readonly circuits: Circuits;
  readonly world: World;
  readonly report: (fault: unknown) => void;
}

/** On every node for the circuits that it saw closing, until the signal aborts. */
export const askAfterOutages = (needs: OutageNeeds, parts: DueParts, signal: AbortSignal): Promise<void> =>
  inRounds(
    { of: payments, everyMs: EVERY_MS, elsewhereMs: 0 },
    () => askAboutOpen(needs, parts.readModels, signal),
    { ...parts, alarm: needs.circuits.closing },
    needs,
    signal,
  );

/**
 * Once for each circuit that has closed since the last time, while it stays closed; again where the read models were
 * unavailable. Faults of payments are reported, none delays the others. Throws StoreUnavailable.
 */
export async function askAboutOpen(needs: OutageNeeds, readModels: ReadModels, signal: AbortSignal): Promise<void> {
  const left = new Set(needs.circuits.takeClosed());
  try {
    for (const circuit of left) {
      await askAt(needs, readModels, circuit, signal);
      left.delete(circuit);
    }
  } finally {
    needs.circuits.putBackClosed(left);
  }
}

async function askAt(
  needs: OutageNeeds,
  readModels: ReadModels,
  circuit: CircuitOf,
  signal: AbortSignal,
): Promise<void> {
  const limited = pLimit(LOOK_UPS_AT_ONCE);
  const where: Query<PaymentKey>['where'] = { dueAt: { from: needs.world.now() } };
  const order: Query<PaymentKey>['order'] = { by: 'dueAt', descending: false };
  let page: Promise<void>[] = [];
  let read = 0;
  let asked = 0;
  for await (const row of allOf(readModels, payments, { where, order, isDueWork: true }, PAGE)) {
    read += 1;
    if (isKnown(row.doc) && isAt(circuit, row.doc)) {
      page.push(limited(() => ask(needs, row)).catch(needs.report));
      asked += 1;
    }
    // Payments of other connections are read too, and never without a look at the signal.
    if (read % PAGE !== 0 && asked < MOST) continue;
    await Promise.all(page);
    page = [];
    if (asked >= MOST || signal.aborted || needs.circuits.isOpen(circuit)) break;
  }
  await Promise.all(page);
}

const isAt = (circuit: CircuitOf, { accountId, connectionId }: CircuitOf): boolean =>
  accountId === circuit.accountId && connectionId === circuit.connectionId;

/** Before its time: a look-up that settles nothing leaves no trace, and its turn comes as it would have. */
async function ask({ lookUpPayment }: OutageNeeds, { id, revision, doc }: Stored<Payment>): Promise<void> {
  if (isKnown(doc)) await lookUpPayment({ id, revision, accountId: doc.accountId }, 'all', NAME);
}
