// The figures of an account over a period in one currency, and over the previous period: points for charts, sums, and
// declines by reason.
import {
  dailyTotals,
  isFigures,
  isTotals,
  type PaymentFigures,
  type PaymentSumsKey,
} from '../projections/models/daily-totals.ts';
import { type Counted, type Measure, measures, nothing, withCounted } from '../projections/models/payment-facts.ts';
import { bothWaits, type WaitingTimes } from '../projections/models/waiting-times.ts';
import { type LagSample, lagSamples } from '../projections/running/lag-history.ts';
import type { Query, ReadModels } from '../stores/read-models.ts';
import { formatTime } from '../world.ts';
import { allOf, ofOneRequest } from './pages.ts';

/** Sums, and how long authorizations took. */
export type FigureSums = Pick<PaymentFigures, Measure | 'waits'>;

interface FigurePoint extends FigureSums {
  /** ms; of an hour or a day. */
  readonly start: number;
}

export interface OverviewFigures {
  /** The currencies of all facts of the period and the previous one, the most authorized first. */
  readonly currencyCodes: readonly string[];
  /** The requested one, otherwise the first of those; undefined if there is none. */
  readonly currencyCode: string | undefined;
  readonly resolution: 'hour' | 'day';
  /** Every hour or day of the period that has begun, oldest first. */
  readonly points: readonly FigurePoint[];
  readonly sums: FigureSums;
  /** The sums of each currency that has facts in the period, in the order of `currencyCodes`. */
  readonly byCurrency: readonly (FigureSums & { readonly currencyCode: string })[];
  /** As many days before; where the period is not over, up to the same hour of its last day. */
  readonly before: FigureSums;
  /** The most frequent first. */
  readonly declines: readonly (Counted & { readonly code: string })[];
  /** False until the account's first fact. */
  readonly hasFacts: boolean;
}

type FigureQuery = Pick<Query<PaymentSumsKey>, 'where' | 'order'>;

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Periods up to so many days are shown by the hour. */
const HOURLY_DAYS = 2;

/**
 * `from` and `to`: midnight of the first and the last day, UTC, ms. `now`: ms. The figures are as old as the follower.
 */
export const readOverview =
  (stores: Pick<ReadModels, 'find' | 'place' | 'ofOneRequest'>) =>
  async (accountId: string, from: number, to: number, now: number, asked?: string): Promise<OverviewFigures> => {
    const readModels = ofOneRequest(stores);
    const dayCount = (to - from) / DAY_MS + 1;
    const first = from - dayCount * DAY_MS;
    const days = await figuresOf(readModels, accountId, 'figuresDay', dayOf(first), dayOf(to));
    const currencyCodes = byVolume(days);
    const currencyCode = asked ?? currencyCodes[0];
    const own = days.filter((day) => day.currencyCode === currencyCode);
    const isOver = now >= to + DAY_MS;
    /** As much of the period before as has passed of this one. */
    const cut = Math.max(first, now - dayCount * DAY_MS);
    const lastHours = isOver ? [] : await hoursOf(readModels, accountId, currencyCode, cut - (cut % DAY_MS), cut);
    const before = own.filter(({ start }) => start < dayOf(from) && (isOver || start < dayOf(cut)));
    const resolution = dayCount <= HOURLY_DAYS ? 'hour' : 'day';
    const within = own.filter(({ start }) => start >= dayOf(from));
    const end = Math.min(to + DAY_MS - 1, Math.max(from, now));
    const hours = resolution === 'hour' ? await hoursOf(readModels, accountId, currencyCode, from, end) : [];
    return {
      currencyCodes,
      currencyCode,
      resolution,
      points:
        resolution === 'hour'
          ? pointsOf(hours, from, end, HOUR_MS, hourOf)
          : pointsOf(within, from, end, DAY_MS, dayOf),
      sums: sumOf(within),
      byCurrency: currencyCodes.flatMap((code) => {
        const its = days.filter((day) => day.currencyCode === code && day.start >= dayOf(from));
        return its.length === 0 ? [] : [{ ...sumOf(its), currencyCode: code }];
      }),
      before: sumOf([...before, ...lastHours]),
      declines:
        currencyCode === undefined ? [] : await declinesOf(readModels, accountId, currencyCode, dayOf(from), dayOf(to)),
      hasFacts: days.length > 0 || (await firstDay(readModels, accountId)) !== undefined,
    };
  };

const WEEK_DAYS = 7;

/**
 * The number of days up to `last`, a midnight in ms, that are worth showing: a week, but those of an account whose
 * first facts are of that day or the previous one.
 */
export const readDaysShown =
  (readModels: Pick<ReadModels, 'find'>) =>
  async (accountId: string, last: number): Promise<number> => {
    const first = await firstDay(readModels, accountId);
    if (first?.start === dayOf(last)) return 1;
    return first?.start === dayOf(last - DAY_MS) ? HOURLY_DAYS : WEEK_DAYS;
  };

/** The first day on which something happened; undefined for an account without facts. */
async function firstDay(readModels: Pick<ReadModels, 'find'>, accountId: string): Promise<PaymentFigures | undefined> {
  const along: FigureQuery = { where: { accountId: [accountId] }, order: { by: 'figuresDay', descending: false } };
  const [first] = await readModels.find(dailyTotals, { ...along, limit: 1 });
  return first !== undefined && isFigures(first.doc) ? first.doc : undefined;
}

/** The day of a time in UTC, as the sums have it: `2026-11-30`. `ms`: since 1970. */
export const dayOf = (ms: number): string => formatTime(ms).slice(0, 'YYYY-MM-DD'.length);
const hourOf = (ms: number): string => formatTime(ms).slice(0, 'YYYY-MM-DDTHH'.length);

async function figuresOf(
  readModels: Pick<ReadModels, 'find'>,
  accountId: string,
  span: 'figuresDay' | 'hour',
  from: string,
  to: string,
): Promise<readonly PaymentFigures[]> {
  const figures: PaymentFigures[] = [];
  const along: FigureQuery = {
    where: { accountId: [accountId], [span]: { from, to } },
    order: { by: span, descending: false },
  };
  for await (const { doc } of allOf(readModels, dailyTotals, along)) if (isFigures(doc)) figures.push(doc);
  return figures;
}

const hoursOf = async (
  readModels: Pick<ReadModels, 'find'>,
  accountId: string,
  currencyCode: string | undefined,
  from: number,
  to: number,
): Promise<readonly PaymentFigures[]> =>
  (await figuresOf(readModels, accountId, 'hour', hourOf(from), hourOf(to))).filter(
    (hour) => hour.currencyCode === currencyCode,
  );

function byVolume(days: readonly PaymentFigures[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { currencyCode, authorized, declined } of days) {
    counts.set(currencyCode, (counts.get(currencyCode) ?? 0) + authorized.count + declined.count);
  }
  return [...counts]
    .sort(([a, most], [b, other]) => other - most || (a < b ? -1 : 1))
    .map(([currencyCode]) => currencyCode);
}

function pointsOf(
  figures: readonly PaymentFigures[],
  from: number,
  to: number,
  step: number,
  nameOf: (ms: number) => string,
): readonly FigurePoint[] {
  const byStart = new Map(figures.map((one) => [one.start, one]));
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, place) => {
    const start = from + place * step;
    const found = byStart.get(nameOf(start));
    return { ...sumOf(found === undefined ? [] : [found]), start };
  });
}

function sumOf(figures: readonly FigureSums[]): FigureSums {
  const waits = figures.reduce<WaitingTimes>((sum, one) => bothWaits(sum, one.waits), []);
  const sums = { ...nothing, waits };
  for (const one of figures) for (const measure of measures) sums[measure] = withCounted(sums[measure], one[measure]);
  return sums;
}

async function declinesOf(
  readModels: Pick<ReadModels, 'find'>,
  accountId: string,
  currencyCode: string,
  from: string,
  to: string,
): Promise<OverviewFigures['declines']> {
  const byCode = new Map<string, Counted>();
  const order = { by: 'day', descending: false } as const;
  const along: FigureQuery = { where: { accountId: [accountId], day: { from, to } }, order };
  for await (const { doc } of allOf(readModels, dailyTotals, along)) {
    if (!isTotals(doc)) continue;
    const { declineCode, declined } = doc;
    if (declineCode === undefined || doc.currencyCode !== currencyCode) continue;
    byCode.set(declineCode, withCounted(byCode.get(declineCode) ?? nothing.declined, declined));
  }
  return [...byCode]
    .map(([code, counted]) => ({ code, ...counted }))
    .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
}

interface LagPoint {
  /** ms, of the machine's clock. */
  readonly start: number;
  /** The longest lag that was seen in it; undefined if no process could tell, or none ran. */
  readonly seconds: number | undefined;
  /** The read model that lagged so. */
  readonly name: string | undefined;
}

const MINUTE_MS = 60_000;

/**
 * `minutes` up to `now` (ms, of the machine's clock) in steps of `stepMinutes`, oldest first; the minute under way is
 * left out.
 */
export const readLagHistory =
  (readModels: Pick<ReadModels, 'get'>) =>
  async (now: number, minutes: number, stepMinutes: number): Promise<readonly LagPoint[]> => {
    const worst = new Map<number, LagSample>();
    const stepOf = (minute: number): number => Math.floor(minute / stepMinutes);
    for (const sample of await lagSamples(readModels, now)) {
      const step = stepOf(sample.minute);
      if (sample.seconds >= (worst.get(step)?.seconds ?? 0)) worst.set(step, sample);
    }
    const last = stepOf(Math.floor(now / MINUTE_MS) - 1);
    const count = Math.ceil(minutes / stepMinutes);
    return Array.from({ length: count }, (_, place) => {
      const step = last - count + 1 + place;
      const { seconds, name } = worst.get(step) ?? {};
      return { start: step * stepMinutes * MINUTE_MS, seconds, name };
    });
  };
