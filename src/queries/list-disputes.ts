// The disputes of an account: those that can be answered first, by their last moment, then the newest.
import type { DisputeStatus } from '../domain/dispute-status.ts';
import { type DisputeKey, disputes, type ListedDispute } from '../projections/models/disputes.ts';
import type { Query, ReadModels, Stored } from '../stores/read-models.ts';

type DisputesPlace = NonNullable<Query<DisputeKey>['after']>;

interface DisputesPage {
  readonly rows: readonly Stored<ListedDispute>[];
  readonly next?: DisputesPlace;
}

/** `statuses`: only these, where there are any; `limit` 1 to 100. */
export const listDisputes =
  (readModels: ReadModels) =>
  async (
    accountId: string,
    statuses: readonly DisputeStatus[],
    limit: number,
    after?: DisputesPlace,
  ): Promise<DisputesPage> => {
    const where: Query<DisputeKey>['where'] = {
      accountId: [accountId],
      ...(statuses.length > 0 && { status: statuses }),
    };
    const found = await readModels.find<ListedDispute, DisputeKey>(disputes, {
      where,
      order: { by: 'place', descending: false },
      ...(after !== undefined && { after }),
      limit: limit + 1,
    });
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    const key = last && disputes.keys.place(last.doc);
    return {
      rows,
      ...(found.length > limit && last !== undefined && key !== undefined && { next: { key, id: last.id } }),
    };
  };
