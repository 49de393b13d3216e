// The disputes of an account: those that can be answered first, by their last moment, then the newest; or by another
// order.
import { type DisputeStatus, disputeStatuses } from '../domain/dispute-status.ts';
import { type DisputeKey, disputes, type ListedDispute } from '../projections/models/disputes.ts';
import type { Query, ReadModels, Stored } from '../stores/read-models.ts';
import { type Totals, totalsOf } from './pages.ts';

export type DisputesPlace = NonNullable<Query<DisputeKey>['after']>;

/** `deadline`: the disputes that can be answered come first, by their last moment, then the newest. */
export const disputeOrders = ['deadline', 'newest', 'oldest', 'largest', 'smallest'] as const;

export interface DisputeFilter {
  /** Left out: any status. */
  readonly status?: DisputeStatus | undefined;
  readonly currencyCode?: string | undefined;
  /** Left out: `deadline`. By amount, `currencyCode` has to be given. */
  readonly sort?: (typeof disputeOrders)[number] | undefined;
}

interface DisputesPage {
  readonly rows: readonly Stored<ListedDispute>[];
  readonly next?: DisputesPlace;
}

const ORDERS = {
  deadline: { by: 'place', descending: false },
  newest: { by: 'openedAt', descending: true },
  oldest: { by: 'openedAt', descending: false },
  largest: { by: 'amount', descending: true },
  smallest: { by: 'amount', descending: false },
} as const;

/** `limit` 1 to 999. */
export const listDisputes =
  (readModels: Pick<ReadModels, 'find'>) =>
  async (
    accountId: string,
    { status, currencyCode, sort = 'deadline' }: DisputeFilter,
    limit: number,
    after?: DisputesPlace,
  ): Promise<DisputesPage> => {
    const order = ORDERS[sort];
    const found = await readModels.find<ListedDispute, DisputeKey>(disputes, {
      where: {
        accountId: [accountId],
        status: status === undefined ? disputeStatuses : [status],
        ...(currencyCode !== undefined && { currencyCode: [currencyCode] }),
      },
      order,
      ...(after !== undefined && { after }),
      limit: limit + 1,
    });
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    const key = last && disputes.keys[order.by](last.doc);
    return {
      rows,
      ...(found.length > limit && last !== undefined && key !== undefined && { next: { key, id: last.id } }),
    };
  };

/** A page and the row after it are what a store finds at once. A total looks at ten pages. */
const COUNTED_AT_ONCE = 999;

/** The number of disputes that match, and the sum of their amounts in each currency. */
export const totalDisputes =
  (list: ReturnType<typeof listDisputes>) =>
  (accountId: string, filter: Omit<DisputeFilter, 'sort'>): Promise<Totals> =>
    totalsOf<DisputesPlace>(async (after) => {
      const { rows, next } = await list(accountId, filter, COUNTED_AT_ONCE, after);
      return { rows: rows.map(({ doc }) => doc), ...(next !== undefined && { next }) };
    });

/** The disputes with these ids, in their order; those of other accounts are left out. */
export const disputesById =
  (readModels: Pick<ReadModels, 'get'>) =>
  async (accountId: string, ids: readonly string[]): Promise<readonly Stored<ListedDispute>[]> => {
    const found = await readModels.get<ListedDispute, DisputeKey>(disputes, ids);
    const own = new Map(found.flatMap((row) => (row.doc.accountId === accountId ? [[row.id, row]] : [])));
    return ids.flatMap((id) => own.get(id) ?? []);
  };
