// What each connection of an account authorized in the last days: how many payments, and which amounts.
import { dailyTotals, isTotals, type PaymentSumsKey } from '../projections/models/daily-totals.ts';
import { type Counted, nothing, withCounted } from '../projections/models/payment-facts.ts';
import type { Query, ReadModels } from '../stores/read-models.ts';
import { dayOf } from './overview.ts';
import { allOf, ofOneRequest } from './pages.ts';

interface TakenInCurrency extends Counted {
  readonly currencyCode: string;
}

interface TakenByConnection {
  readonly connectionId: string;
  /** Payments. */
  readonly count: number;
  /** The currency of most payments first. */
  readonly currencies: readonly TakenInCurrency[];
}

/** Days, the current one included. */
export const TAKEN_DAYS = 30;
const DAY_MS = 86_400_000;

/** The most payments first. `now`: ms. The figures are as old as the follower. */
export const takenByConnection =
  (readModels: Pick<ReadModels, 'find' | 'place' | 'ofOneRequest'>) =>
  async (accountId: string, now: number): Promise<readonly TakenByConnection[]> => {
    const query: Pick<Query<PaymentSumsKey>, 'where' | 'order'> = {
      where: { accountId: [accountId], day: { from: dayOf(now - (TAKEN_DAYS - 1) * DAY_MS), to: dayOf(now) } },
      order: { by: 'day', descending: false },
    };
    const taken = new Map<string, Map<string, Counted>>();
    for await (const { doc } of allOf(ofOneRequest(readModels), dailyTotals, query)) {
      if (!isTotals(doc) || doc.declineCode !== undefined) continue;
      const { connectionId, currencyCode, authorized } = doc;
      const sums = taken.get(connectionId) ?? new Map<string, Counted>();
      taken.set(connectionId, sums);
      sums.set(currencyCode, withCounted(sums.get(currencyCode) ?? nothing.authorized, authorized));
    }
    return [...taken]
      .map(([connectionId, sums]) => takenOf(connectionId, sums))
      .filter(({ count }) => count > 0)
      .sort((one, other) => other.count - one.count || (one.connectionId < other.connectionId ? -1 : 1));
  };

function takenOf(connectionId: string, sums: ReadonlyMap<string, Counted>): TakenByConnection {
  const currencies = [...sums]
    .map(([currencyCode, sum]) => ({ currencyCode, ...sum }))
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count || (one.currencyCode < other.currencyCode ? -1 : 1));
  return { connectionId, count: currencies.reduce((total, { count }) => total + count, 0), currencies };
}
