// The overview's charts: volume, authorization rate, and authorization time. Each point leads to its payments.
import type { ReactNode } from 'react';
import type { Sum } from '../../../../../src/domain/money.ts';
import { roundedAmounts } from '../../parts/minor-units.ts';
import { type Axis, axisOf, daysNamed, decimalStep, durationStep, timesNamed } from './axis.ts';
import { ChartCard } from './chart-card.tsx';
import { amountText, longStartText, msText, type Overview, percentText, startText } from './figures.ts';
import classes from './overview.module.css';
import { AUTHORIZED, PAID, partFrom, paymentsPath } from './period.ts';
import type { PlotProps, PlotSeries } from './plot.tsx';

interface ChartProps {
  /** Undefined while it is loaded. */
  readonly overview: Overview | undefined;
}

type Point = Overview['points'][number];

const PERCENT: Axis = { domain: [0, 100], ticks: [0, 25, 50, 75, 100], isCut: false };
const ANSWERED = [...AUTHORIZED, 'DECLINED'];

const Legend = ({ series }: { readonly series: readonly PlotSeries[] }): ReactNode =>
  series.map(({ name, color }) => (
    <span key={name} className={classes['legend']}>
      <span className={classes['swatch']} style={{ background: color }} aria-hidden />
      {name}
    </span>
  ));

const rowsOf = (
  overview: Overview | undefined,
  cells: (point: Point) => readonly string[],
): readonly (readonly string[])[] =>
  overview?.points.map((point) => [longStartText(point.start, overview), ...cells(point)]).toReversed() ?? [];
const timeColumn = (overview: Overview | undefined): string => (overview?.resolution === 'hour' ? 'Hour' : 'Day (UTC)');

interface PointWords {
  /** Statuses of the payments that a point counts. */
  readonly status: readonly string[];
  readonly words: (point: Point) => string;
  /** The value of a point, if the axis cuts it off. */
  readonly above?: (point: Point) => string | undefined;
}

/** The parts of a chart that follow from its points in time. */
function timesOf(
  overview: Overview | undefined,
  { status, words, above = () => undefined }: PointWords,
): Pick<PlotProps, 'points' | 'named' | 'startText'> {
  const { points = [], resolution = 'day' } = overview ?? {};
  const starts = points.map(({ start }) => start);
  return {
    points: points.map((point) => ({
      start: point.start,
      words: `${longStartText(point.start, { resolution })}: ${words(point)}`,
      path: paymentsPath(overview, { status }, partFrom(point.start, resolution)),
      above: above(point),
    })),
    named: resolution === 'hour' ? timesNamed(starts) : daysNamed(starts),
    startText: (start) => startText(start, { resolution }),
  };
}

const isKnown = ({ values }: PlotSeries): boolean => values.some((value) => value !== null);

export function VolumeChart({ overview }: ChartProps): ReactNode {
  const { points = [], currencyCode = null } = overview ?? {};
  const money = (amount: Sum): string => amountText(amount, currencyCode);
  const series: readonly PlotSeries[] = [
    { name: 'Captured', color: 'var(--cf-chart-1)', values: points.map(({ volume }) => Number(volume)) },
    { name: 'Refunded', color: 'var(--cf-chart-3)', values: points.map(({ refunded }) => Number(refunded.amount)) },
  ];
  const values = series.flatMap((one) => one.values);
  const axis = axisOf(values, decimalStep);
  const total = overview === undefined ? '' : money(overview.sums.volume);
  const times = timesOf(overview, {
    status: PAID,
    words: ({ volume, refunded }) => `captured ${money(volume)}, refunded ${money(refunded.amount)}`,
    above: ({ volume, refunded }) => {
      const most = Number(volume) > Number(refunded.amount) ? volume : refunded.amount;
      return Number(most) > axis.domain[1] ? money(most) : undefined;
    },
  });
  return (
    <ChartCard
      title="Volume"
      summary={`Captured volume over time, ${total} in total.`}
      isLoading={overview === undefined}
      none="No captures in this period."
      aside={<Legend series={series} />}
      table={{
        columns: [timeColumn(overview), 'Captured', 'Refunded'],
        rows: rowsOf(overview, ({ volume, refunded }) => [money(volume), money(refunded.amount)]),
      }}
      plot={
        values.some((value) => value !== 0)
          ? { kind: 'bars', ...times, series, axis, valueText: roundedAmounts(currencyCode) }
          : undefined
      }
    />
  );
}

export function RateChart({ overview }: ChartProps): ReactNode {
  const rates = overview?.points.map(({ authorizationRate: rate }) => (rate === null ? null : rate * 100)) ?? [];
  const series = { name: 'Rate', color: 'var(--cf-chart-2)', values: rates };
  const times = timesOf(overview, {
    status: ANSWERED,
    words: ({ authorizationRate }) => percentText(authorizationRate),
  });
  return (
    <ChartCard
      title="Authorization rate"
      summary={`Authorization rate over time, ${percentText(overview?.sums.authorizationRate ?? null)} overall.`}
      isLoading={overview === undefined}
      none="No authorizations were completed in this period."
      table={{
        columns: [timeColumn(overview), 'Rate', 'Authorized', 'Declined'],
        rows: rowsOf(overview, ({ authorizationRate, authorized, declined }) => [
          percentText(authorizationRate),
          String(authorized.count),
          String(declined.count),
        ]),
      }}
      plot={
        isKnown(series)
          ? { kind: 'lines', ...times, series: [series], axis: PERCENT, valueText: (value) => `${value}%` }
          : undefined
      }
    />
  );
}

export function LatencyChart({ overview }: ChartProps): ReactNode {
  const { points = [], sums } = overview ?? {};
  const high = { name: '95th percentile', color: 'var(--cf-chart-4)', values: points.map(({ p95 }) => p95) };
  const median = { name: 'Median', color: 'var(--cf-chart-1)', values: points.map(({ p50 }) => p50) };
  const series = [high, median];
  const axis = axisOf([...median.values, ...high.values], durationStep);
  const times = timesOf(overview, {
    status: ANSWERED,
    words: ({ p50, p95 }) => `median ${msText(p50)}, 95th percentile ${msText(p95)}`,
    above: ({ p95 }) => (p95 !== null && p95 > axis.domain[1] ? msText(p95) : undefined),
  });
  return (
    <ChartCard
      title="Time to authorize"
      summary={`Time from an authorization's request to its outcome, without payments for which the customer had to act: median ${msText(sums?.p50 ?? null)}, 95th percentile ${msText(sums?.p95 ?? null)}.`}
      isLoading={overview === undefined}
      none="No authorizations were completed in this period."
      aside={<Legend series={series} />}
      table={{
        columns: [timeColumn(overview), 'Median', '95th percentile'],
        rows: rowsOf(overview, ({ p50, p95 }) => [msText(p50), msText(p95)]),
      }}
      plot={isKnown(high) ? { kind: 'lines', ...times, series, axis, valueText: msText } : undefined}
    />
  );
}
