// Agreements by id. Keys: the filters of GET /agreements, newest first; and when the newest charge without an outcome
// was claimed.
import { type Agreement, agreement, type KnownAgreement, openCharges } from '../../domain/agreement/state.ts';
import type { Key } from '../../stores/read-models.ts';
import { foldOf, projection, type StreamProjection } from '../projection.ts';

const known =
  (key: (of: KnownAgreement) => Key | undefined) =>
  (doc: Agreement): Key | undefined =>
    doc.status === 'absent' ? undefined : key(doc);

const newestOf = (times: readonly number[]): number | undefined =>
  times.length === 0 ? undefined : Math.max(...times);

export type AgreementKey = 'accountId' | 'createdAt' | 'status' | 'customerId' | 'claimedAt';

export const agreements: StreamProjection<Agreement, AgreementKey> = projection(foldOf(agreement), {
  name: 'agreements',
  version: 1,
  keys: {
    accountId: known((of) => of.accountId),
    createdAt: known((of) => of.createdAt),
    status: known((of) => of.status),
    customerId: known((of) => of.customerId),
    // each claim moves it on, so that a sweep comes to every one of them
    claimedAt: known((of) => newestOf(openCharges(of).map(({ claimedAt }) => claimedAt))),
  },
  indexes: [
    ['accountId', 'customerId', 'createdAt'],
    ['accountId', 'status', 'createdAt'],
    ['accountId', 'createdAt'],
    ['claimedAt'],
  ],
});
