// Payments with an unknown outcome, and payments that only an operator closes: what `payments list --unknown` lists and a metric counts.
import type { KnownPayment } from '../domain/payment/payment.ts';
import { isKnown } from '../domain/payment/queries.ts';
import { hasUnknownOutcome } from '../domain/payment/unknown-outcome.ts';
import { type PaymentKey, payments } from '../projections/models/payments.ts';
import type { Query, ReadModels, Stored } from '../stores/read-models.ts';
import { allOf } from './pages.ts';

type Finds = Pick<ReadModels, 'find'>;
/** A count for a sentence is not worth more. */
const PENDING_LOOKED_AT = 1_000;
type Along = Pick<Query<PaymentKey>, 'where' | 'order'>;

export interface Wanted {
  /** Which payments, besides. */
  readonly where?: Query<PaymentKey>['where'];
  /** How many at most. */
  readonly limit: number;
  /** How many documents are read at most: of payments that wait for a look-up, most may be merely pending. */
  readonly lookedAt?: number;
}

/** Payments with an unknown outcome at `now` (ms, business time), in the order of their next look-up. Throws StoreUnavailable. */
export const unknownOutcomes = (readModels: Finds, now: number, wanted: Wanted): Promise<readonly Stored<KnownPayment>[]> =>
  // Every attempt with an unknown outcome is looked up at some time, so its payment is due.
  found(readModels, by('dueAt', wanted), (doc) => hasUnknownOutcome(doc, now), wanted);

/** The other payments that only an operator closes, in the order of their last change: OVER_REFUNDED, and refused reversals. */
export const awaitingOperator = (readModels: Finds, now: number, wanted: Wanted): Promise<readonly Stored<KnownPayment>[]> =>
  found(readModels, by('awaitsOperatorAt', wanted), (doc) => !hasUnknownOutcome(doc, now), wanted);

export interface UnresolvedPayments {
  /** Both for an account, the unknown outcomes first. */
  readonly rows: readonly Stored<KnownPayment>[];
  /** How many others have an operation that the processor has accepted and not ended: it will tell. */
  readonly pendingCount: number;
}

/** `limit` of the rows, and of what is counted. */
export const unresolvedPayments =
  (readModels: Finds) =>
  async (accountId: string, now: number, limit: number): Promise<UnresolvedPayments> => {
    const wanted = { where: { accountId: [accountId] }, limit };
    const isPending = (doc: KnownPayment): boolean => !hasUnknownOutcome(doc, now) && doc.attempts.some(({ state }) => state === 'pending');
    const pending = found(readModels, by('dueAt', wanted), isPending, { ...wanted, lookedAt: PENDING_LOOKED_AT });
    const unknown = await unknownOutcomes(readModels, now, wanted);
    const rows = [...unknown, ...(await awaitingOperator(readModels, now, wanted))].slice(0, limit);
    return { rows, pendingCount: (await pending).length };
  };

const by = (key: 'dueAt' | 'awaitsOperatorAt', { where }: Wanted): Along => ({
  where: { ...where, [key]: { from: 0 } },
  order: { by: key, descending: false },
});

async function found(
  readModels: Finds,
  along: Along,
  isWanted: (doc: KnownPayment) => boolean,
  { limit, lookedAt = Number.POSITIVE_INFINITY }: Wanted,
): Promise<readonly Stored<KnownPayment>[]> {
  const rows: Stored<KnownPayment>[] = [];
  let looked = 0;
  for await (const row of allOf(readModels, payments, along, Math.min(1_000, limit))) {
    const { doc } = row;
    if (isKnown(doc) && isWanted(doc)) rows.push({ ...row, doc });
    looked += 1;
    if (rows.length === limit || looked === lookedAt) break;
  }
  return rows;
}
