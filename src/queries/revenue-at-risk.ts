// The revenue that only customers can save: an account's suspended agreements, by what their customers have to do and
// since when, with the amounts of their next periods.
import type { AgreementAction } from '../domain/agreement/events.ts';
import type { Agreement, KnownAgreement } from '../domain/agreement/state.ts';
import { plus, type Sum } from '../domain/money.ts';
import { type AgreementKey, agreements } from '../projections/models/agreements.ts';
import type { ReadModels } from '../stores/read-models.ts';
import { allOf } from './pages.ts';

/** How long an agreement has been suspended: WEEK: up to one. MONTH: up to 30 days. LONGER: more. */
export const RISK_AGES = ['WEEK', 'MONTH', 'LONGER'] as const;
type RiskAge = (typeof RISK_AGES)[number];

interface AtRisk {
  readonly action: AgreementAction;
  readonly age: RiskAge;
  readonly currencyCode: string;
  readonly count: number;
  /** Minor units, of the periods that are known: an agreement of any amount may have had none. */
  readonly amount: Sum;
}

interface RevenueAtRisk {
  readonly rows: readonly AtRisk[];
  /** The suspended agreements, up to MOST. */
  readonly count: number;
  readonly isMore: boolean;
}

/** Agreements that are looked at: the newest. */
const MOST = 1_000;
const PAGE = 200;
const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;
const MONTH_DAYS = 30;

/** The keys find the suspended agreements alone. `now`: ms. */
export const revenueAtRisk =
  (readModels: Pick<ReadModels, 'find'>) =>
  async (accountId: string, now: number): Promise<RevenueAtRisk> => {
    const sums = new Map<string, AtRisk>();
    let count = 0;
    const where = { accountId: [accountId], status: ['SUSPENDED'] };
    const order = { by: 'createdAt', descending: true } as const;
    for await (const { doc } of allOf<Agreement, AgreementKey>(readModels, agreements, { where, order }, PAGE)) {
      if (count === MOST) return { rows: sorted(sums), count, isMore: true };
      count += 1;
      if (doc.status === 'absent' || doc.action === undefined) continue;
      const { action, terms, suspendedAt = doc.updatedAt } = doc;
      const age = ageOf(now - suspendedAt);
      const name = `${action} ${age} ${terms.currencyCode}`;
      const before = sums.get(name) ?? { action, age, currencyCode: terms.currencyCode, count: 0, amount: 0 };
      sums.set(name, { ...before, count: before.count + 1, amount: plus(before.amount, nextAmount(doc) ?? 0) });
    }
    return { rows: sorted(sums), count, isMore: false };
  };

const ageOf = (ms: number): RiskAge =>
  ms <= WEEK_DAYS * DAY_MS ? 'WEEK' : ms <= MONTH_DAYS * DAY_MS ? 'MONTH' : 'LONGER';

const sorted = (sums: ReadonlyMap<string, AtRisk>): readonly AtRisk[] =>
  [...sums.values()].sort(
    (a, b) =>
      (a.action < b.action ? -1 : a.action > b.action ? 1 : 0) ||
      RISK_AGES.indexOf(a.age) - RISK_AGES.indexOf(b.age) ||
      b.count - a.count,
  );

/** The amount of the period that was not charged; otherwise of one by the terms, or like the last one. */
function nextAmount({ terms, periods }: KnownAgreement): number | undefined {
  const last = periods.at(-1);
  if (last !== undefined && last.outcome !== 'SUCCEEDED') return last.amount;
  return terms.amount ?? last?.amount;
}
