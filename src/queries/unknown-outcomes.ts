// Payments with an unknown outcome, and payments that only an operator closes: what `payments list --unknown` lists and
// a metric counts.

import { type Attempt, awaitsCustomer, dueAtOf, isFoundMismatched } from '../domain/payment/attempt.ts';
import { hasUnknownAnswer, hasUnknownOutcome } from '../domain/payment/derived-status.ts';
import type { KnownPayment } from '../domain/payment/payment.ts';
import { isKnown, openAttempts } from '../domain/payment/queries.ts';
import { type NotificationKey, notifications } from '../projections/models/notifications.ts';
import { type PaymentKey, payments } from '../projections/models/payments.ts';
import type { Query, ReadModels, Stored } from '../stores/read-models.ts';
import { allOf, ofOneRequest } from './pages.ts';

type FindsOf = Pick<ReadModels, 'find' | 'place' | 'ofOneRequest'>;
type UnknownsQuery = Pick<Query<PaymentKey>, 'where' | 'order'>;

export interface Wanted {
  /** Which payments, besides. */
  readonly where?: Query<PaymentKey>['where'];
  /** How many at most. */
  readonly limit: number;
  /** How many documents are read at most: of payments that wait for a look-up, most may be merely pending. */
  readonly lookedAt?: number;
}

interface Unresolved {
  readonly rows: readonly Stored<KnownPayment>[];
  /** False if the look ended before the last document: there may be more. */
  readonly isWhole: boolean;
}

/**
 * Payments with an unknown outcome at `now` (ms, business time), in the order of their next look-up. Throws
 * StoreUnavailable.
 */
export const unknownOutcomes = (readModels: Pick<FindsOf, 'find'>, now: number, wanted: Wanted): Promise<Unresolved> =>
  // Every attempt with an unknown outcome is looked up at some time, so its payment is due.
  found(readModels, by('dueAt', wanted), (doc) => hasUnknownOutcome(doc, now), wanted);

/**
 * The other payments that only an operator closes, in the order of their last change: OVER_REFUNDED, and refused
 * reversals.
 */
export const awaitingOperator = (readModels: Pick<FindsOf, 'find'>, now: number, wanted: Wanted): Promise<Unresolved> =>
  found(readModels, by('awaitsOperatorAt', wanted), (doc) => !hasUnknownOutcome(doc, now), wanted);

/**
 * The other payments with an answer to a dispute whose outcome is unknown, in the order of their disputes' next due
 * time.
 */
export const unknownAnswers = (readModels: Pick<FindsOf, 'find'>, now: number, wanted: Wanted): Promise<Unresolved> =>
  found(
    readModels,
    by('disputeDueAt', wanted),
    (doc) => hasUnknownAnswer(doc, now) && !hasUnknownOutcome(doc, now),
    wanted,
  );

interface UnresolvedPayments extends Unresolved {
  /** Other payments with an operation that the processor has accepted and not ended: it will tell. */
  readonly pending: { readonly count: number; readonly isMore: boolean };
}

/** Payments of an account that are read in each of the two orders, at most. */
const LOOKED_AT = 1_000;

/** Both for an account, the unknown outcomes first. `limit` of the rows, and of what is counted. */
export const unresolvedPayments =
  (readModels: FindsOf) =>
  async (accountId: string, now: number, limit: number): Promise<UnresolvedPayments> => {
    const finds = ofOneRequest(readModels);
    const wanted = { where: { accountId: [accountId] }, limit, lookedAt: LOOKED_AT };
    const isPending = (doc: KnownPayment): boolean =>
      !hasUnknownOutcome(doc, now) && doc.attempts.some(({ state }) => state === 'pending');
    const [unresolved, pending] = await Promise.all([
      unresolvedIn(finds, now, wanted),
      found(finds, by('dueAt', wanted), isPending, wanted),
    ]);
    return { ...unresolved, pending: { count: pending.rows.length, isMore: !pending.isWhole } };
  };

/** The number of payments that `unresolvedPayments` lists; it counts up to `limit`. */
export const countUnresolved =
  (readModels: FindsOf) =>
  async (
    accountId: string,
    now: number,
    limit: number,
  ): Promise<{ readonly count: number; readonly isMore: boolean }> => {
    const wanted = { where: { accountId: [accountId] }, limit, lookedAt: LOOKED_AT };
    const { rows, isWhole } = await unresolvedIn(ofOneRequest(readModels), now, wanted);
    return { count: rows.length, isMore: !isWhole };
  };

async function unresolvedIn(finds: Pick<FindsOf, 'find'>, now: number, wanted: Wanted): Promise<Unresolved> {
  const [unknown, others] = await Promise.all([
    unknownOutcomes(finds, now, wanted),
    awaitingOperator(finds, now, wanted),
  ]);
  const rows = [...unknown.rows, ...others.rows];
  return {
    rows: rows.slice(0, wanted.limit),
    isWhole: unknown.isWhole && others.isWhole && rows.length <= wanted.limit,
  };
}

const by = (key: 'dueAt' | 'awaitsOperatorAt' | 'disputeDueAt', { where }: Wanted): UnknownsQuery => ({
  where: { ...where, [key]: { from: 0 } },
  order: { by: key, descending: false },
});

async function found(
  readModels: Pick<FindsOf, 'find'>,
  along: UnknownsQuery,
  isWanted: (doc: KnownPayment) => boolean,
  { limit, lookedAt = Number.POSITIVE_INFINITY }: Wanted,
): Promise<Unresolved> {
  const rows: Stored<KnownPayment>[] = [];
  let looked = 0;
  for await (const row of allOf(readModels, payments, along, Math.min(1_000, limit + 1))) {
    if (rows.length === limit || looked === lookedAt) return { rows, isWhole: false };
    const { doc } = row;
    if (isKnown(doc) && isWanted(doc)) rows.push({ ...row, doc });
    looked += 1;
  }
  return { rows, isWhole: true };
}

export interface OpenWork {
  /** `reference`: what the processor has it under; `lookUpAt`: when the processor is asked next, ms. */
  readonly attempts: readonly (Pick<Attempt, 'attemptId' | 'reference' | 'operation' | 'state'> & {
    readonly lookUpAt?: number;
  })[];
  /** Their ids. */
  readonly notifications: readonly string[];
}

const UNHANDLED: Pick<Query<NotificationKey>, 'where' | 'order'> = {
  where: { receivedAt: { from: 0 } },
  order: { by: 'receivedAt', descending: false },
};
/** Of all payments, those that want attention some time; those with open attempts are among them. */
const DUE: Pick<Query<PaymentKey>, 'where' | 'order'> = {
  where: { dueAt: { from: 0 } },
  order: { by: 'dueAt', descending: false },
};
const PAGE = 100;

function viewOf(attempt: Attempt): OpenWork['attempts'][number] {
  const { attemptId, reference, operation, state } = attempt;
  const lookUpAt = dueAtOf(attempt);
  return { attemptId, reference, operation, state, ...(lookUpAt !== undefined && { lookUpAt }) };
}

/**
 * The open work of all accounts, the earliest due first: up to `limit` (1 to 1000) of each kind. Parked notifications
 * are not work: they may stay parked.
 */
export async function openWork(readModels: ReadModels, limit: number): Promise<OpenWork> {
  const received = await readModels.find(notifications, { ...UNHANDLED, limit });
  const attempts: OpenWork['attempts'][number][] = [];
  for await (const { doc } of allOf(readModels, payments, DUE, PAGE)) {
    if (!isKnown(doc)) continue;
    // A customer who has to act may take an hour, and nobody can hurry that. A mismatch that a look-up found waits for
    // an operator.
    attempts.push(
      ...openAttempts(doc)
        .filter((attempt) => !awaitsCustomer(attempt) && !isFoundMismatched(attempt))
        .map(viewOf),
    );
    if (attempts.length >= limit) break;
  }
  return { attempts: attempts.slice(0, limit), notifications: received.map(({ id }) => id) };
}
