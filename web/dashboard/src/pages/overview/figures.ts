// The overview's answer, and its figures as text.
import { queryOptions } from '@tanstack/react-query';
import type { Sum } from '../../../../../src/domain/money.ts';
import { answerOf, api } from '../../app/api.ts';
import type { paths } from '../../app/api-types.d.ts';
import { KEYS } from '../../app/query-keys.ts';
import { durationText } from '../../parts/duration.ts';
import { moneyText } from '../../parts/money.tsx';
import { whenText } from '../../parts/when.tsx';
import type { OverviewSearch } from './period.ts';

type Query = NonNullable<paths['/dashboard/api/overview']['get']['parameters']['query']>;
/** Its form alone: the API says which of them there are. */
const isCurrency = (text: string | undefined): text is NonNullable<Query['currency']> =>
  text !== undefined && /^[A-Z]{3}$/.test(text);

const REFRESH_MS = 60_000;

export const overviewQuery = (search: OverviewSearch) =>
  queryOptions({
    queryKey: [KEYS.overview, search],
    queryFn: ({ signal }) => {
      const { currency, ...period } = search;
      const query: Query = { ...period, ...(isCurrency(currency) && { currency }) };
      return answerOf(api.GET('/dashboard/api/overview', { params: { query }, signal }));
    },
    select: fromFirstHour,
    placeholderData: (before) => before,
    refetchInterval: REFRESH_MS,
  });

export type Overview = paths['/dashboard/api/overview']['get']['responses']['200']['content']['application/json'];

const LEAST_HOURS = 6;
const hasFigures = ({ authorized, declined, captured, refunded }: Overview['sums']): boolean =>
  authorized.count + declined.count + captured.count + refunded.count > 0;

/** The overview without the hours before the account's first payment, which would hide the few that have figures. */
function fromFirstHour(overview: Overview): Overview {
  const { points, before, resolution } = overview;
  const first = points.findIndex(hasFigures);
  if (resolution !== 'hour' || first === -1 || hasFigures(before)) return overview;
  return { ...overview, points: points.slice(Math.max(0, Math.min(first - 1, points.length - LEAST_HOURS))) };
}

export const percentText = (share: number | null): string =>
  share === null ? '–' : `${(share * 100).toFixed(share === 1 ? 0 : 1)}%`;

export const msText = (ms: number | null): string => (ms === null ? '–' : durationText(ms));

export const secondsText = (seconds: number): string => durationText(seconds * 1_000);

export const amountText = (amount: Sum, currencyCode: string | null): string =>
  currencyCode === null ? '–' : moneyText({ amount, currencyCode });

const DAY_AND_HOUR = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const LONG_DAY = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});

/** Under a point: a time in the viewer's zone, and the day at midnight. */
export function timeOnAxis(start: string): string {
  const ms = Date.parse(start);
  const time = whenText({ ms, as: 'time' });
  return time === '00:00' ? whenText({ ms, as: 'day' }) : time;
}
/** Under a point: hours in the viewer's zone, days in UTC. */
export const startText = (start: string, { resolution }: Pick<Overview, 'resolution'>): string =>
  resolution === 'hour' ? timeOnAxis(start) : DAY.format(new Date(start));
/** The same in a table or a tooltip. */
export const longStartText = (start: string, { resolution }: Pick<Overview, 'resolution'>): string =>
  (resolution === 'hour' ? DAY_AND_HOUR : LONG_DAY).format(new Date(start));

export interface Change {
  readonly text: string;
  /** 1 for better, -1 for worse, 0 for neither. */
  readonly tone: 1 | 0 | -1;
}

/** The change of a figure from the previous period, or undefined if either is missing. */
export function changeOf(
  now: number | null,
  before: number | null,
  isBetterWhen: 'more' | 'less' | 'neither',
  unit: '%' | 'points' = '%',
): Change | undefined {
  if (now === null || before === null || (unit === '%' && before === 0)) return undefined;
  const difference = unit === 'points' ? (now - before) * 100 : ((now - before) / before) * 100;
  const rounded = Math.round(difference * 10) / 10;
  const sign = rounded > 0 ? '+' : rounded < 0 ? '−' : '±';
  const direction = Math.sign(rounded);
  const better = isBetterWhen === 'more' ? direction : isBetterWhen === 'less' ? -direction : 0;
  return {
    text: `${sign}${Math.abs(rounded)}${unit === 'points' ? ' pts' : '%'}`,
    tone: better > 0 ? 1 : better < 0 ? -1 : 0,
  };
}
