// Open work: attempts whose end is not known and that wait for no customer, and notifications that were received and
// not handled.
import { type Attempt, awaitsCustomer, dueAtOf, isFoundMismatched } from '../domain/payment/attempt.ts';
import { isKnown, openAttempts } from '../domain/payment/queries.ts';
import { type NotificationKey, notifications } from '../projections/models/notifications.ts';
import { type PaymentKey, payments } from '../projections/models/payments.ts';
import type { Query, ReadModels } from '../stores/read-models.ts';
import { allOf } from './pages.ts';

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
