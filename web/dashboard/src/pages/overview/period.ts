// The period and currency of the overview, as the page's address has them: days back from today, or two days, in UTC.

export interface OverviewSearch {
  /**
   * Today and the days before it. Without it and two days the service shows a week, or the first days of a young
   * account.
   */
  readonly days?: number;
  /** Both, or neither: YYYY-MM-DD. */
  readonly from?: string;
  readonly to?: string;
  readonly currency?: string;
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const CURRENCY = /^[A-Z]{3}$/;
const MOST_DAYS = 366;

export const PERIODS = [
  { days: 1, label: 'Today' },
  { days: 2, label: '48 h' },
  { days: 7, label: '7 days' },
  { days: 30, label: '30 days' },
  { days: 90, label: '90 days' },
] as const;
const DAY_MS = 86_400_000;

/** Whatever an address holds: what makes no sense is left out. */
export function readSearch(search: Readonly<Record<string, unknown>>): OverviewSearch {
  const { days, from, to, currency } = search;
  const isDay = (one: unknown): one is string => typeof one === 'string' && DAY.test(one);
  const count = Number(days);
  return {
    ...(isDay(from) && isDay(to)
      ? { from, to }
      : Number.isInteger(count) && count >= 1 && count <= MOST_DAYS
        ? { days: count }
        : {}),
    ...(typeof currency === 'string' && CURRENCY.test(currency) && { currency }),
  };
}

/** The first and the last day, YYYY-MM-DD, UTC. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

/**
 * How many days up to today are shown; undefined where the address names two days, and while it is the service that
 * decides.
 */
export function daysOf({ days, from }: OverviewSearch, shown: Period | undefined): number | undefined {
  if (from !== undefined) return undefined;
  return days ?? (shown && (Date.parse(shown.to) - Date.parse(shown.from)) / DAY_MS + 1);
}

/** The path of the payments list with these filters; without those of the period while the figures are loaded. */
export function paymentsPath(
  overview: (Period & { readonly currencyCode: string | null }) | undefined,
  filters: { readonly status?: readonly string[]; readonly decline_code?: string },
  /** Part of the period, as two times; the whole period without it. */
  part?: readonly [string, string],
): string {
  if (overview === undefined) return '/payments';
  const { from, to, currencyCode } = overview;
  const [first, last] = part ?? [`${from}T00:00:00.000Z`, `${to}T23:59:59.999Z`];
  const { status = [], decline_code } = filters;
  const query = new URLSearchParams();
  if (status.length > 0) query.set('status', status.join(','));
  if (decline_code !== undefined) query.set('decline_code', decline_code);
  query.set('from_date', first);
  query.set('to_date', last);
  if (currencyCode !== null) query.set('currency_code', currencyCode);
  return `/payments?${query}`;
}

/** `vs. the previous 7 days` */
export function versusText({ from, to }: Period): string {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  return `vs. the previous ${days === 1 ? 'day' : `${days} days`}`;
}

/** The statuses of payments that took money. */
export const PAID = ['SETTLED', 'PARTIALLY_SETTLED', 'SETTLING'];
/** Those of payments that were authorized. */
export const AUTHORIZED = ['AUTHORIZED', 'SETTLED', 'PARTIALLY_SETTLED', 'SETTLING', 'CANCELLED'];

const HOUR_MS = 3_600_000;

/** The first and the last ms of an hour or a day that begins at `start`. */
export function partFrom(start: string, resolution: 'hour' | 'day'): readonly [string, string] {
  const end = Date.parse(start) + (resolution === 'hour' ? HOUR_MS : DAY_MS) - 1;
  return [start, new Date(end).toISOString()];
}
