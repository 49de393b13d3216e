// Agreements by id. Keys: the filters of GET /agreements, newest first; when the newest charge without an outcome was
// claimed; when a declined period is tried again; and the method that is charged, until the agreement is over.
import {
  type Agreement,
  agreement,
  isFinalAgreement,
  type KnownAgreement,
  openCharges,
  plannedRetries,
} from '../../domain/agreement/state.ts';
import type { Key } from '../../stores/read-models.ts';
import { foldOf, projection, type StreamProjection } from '../projection.ts';

const known =
  (key: (of: KnownAgreement) => Key | undefined) =>
  (doc: Agreement): Key | undefined =>
    doc.status === 'absent' ? undefined : key(doc);

const newestOf = (times: readonly number[]): number | undefined =>
  times.length === 0 ? undefined : Math.max(...times);

const earliestOf = (times: readonly number[]): number | undefined =>
  times.length === 0 ? undefined : Math.min(...times);

export type AgreementKey =
  | 'accountId'
  | 'createdAt'
  | 'status'
  | 'customerId'
  | 'claimedAt'
  | 'retryAt'
  | 'paymentMethodToken';

export const agreements: StreamProjection<Agreement, AgreementKey> = projection(foldOf(agreement), {
  name: 'agreements',
  version: 3,
  keys: {
    accountId: known((of) => of.accountId),
    createdAt: known((of) => of.createdAt),
    status: known((of) => of.status),
    customerId: known((of) => of.customerId),
    // each claim moves it on, so that a sweep comes to every one of them
    claimedAt: known((of) => newestOf(openCharges(of).map(({ claimedAt }) => claimedAt))),
    retryAt: known((of) => earliestOf(plannedRetries(of).flatMap(({ retryAt }) => retryAt ?? []))),
    paymentMethodToken: known((of) => (isFinalAgreement(of) ? undefined : of.method?.paymentMethodToken)),
  },
  indexes: [
    ['accountId', 'customerId', 'createdAt'],
    ['accountId', 'status', 'createdAt'],
    ['accountId', 'createdAt'],
    ['claimedAt'],
    ['retryAt'],
    ['paymentMethodToken'],
  ],
});
