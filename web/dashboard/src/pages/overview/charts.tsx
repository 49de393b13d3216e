// The overview's charts: volume, authorization rate, and authorization time. Each point leads to its payments.
import '@mantine/charts/styles.layer.css';
import { BarChart, LineChart } from '@mantine/charts';
import type { ReactNode } from 'react';
import type { Sum } from '../../../../../src/domain/money.ts';
import { roundedAmounts } from '../../parts/minor-units.ts';
import { useGo } from '../../parts/path-link.tsx';
import { type Axis, axisOf, daysNamed, decimalStep, durationStep, timesNamed } from './axis.ts';
import { ChartCard } from './chart-card.tsx';
import { animated, common, leadsTo, quiet, timeAxis, timeTooltip, valueAxis } from './chart-look.ts';
import type { ChartPoint } from './chart-points.tsx';
import { amountText, longStartText, msText, type Overview, percentText, startText } from './figures.ts';
import classes from './overview.module.css';
import { AUTHORIZED, PAID, partFrom, paymentsPath } from './period.ts';

interface ChartProps {
  /** Undefined while it is loaded. */
  readonly overview: Overview | undefined;
}

type Point = Overview['points'][number];

const VOLUME = [
  { name: 'Captured', color: 'var(--cf-chart-1)' },
  { name: 'Refunded', color: 'var(--cf-chart-3)' },
] as const;
const LATENCY = [
  { name: '95th percentile', color: 'var(--cf-chart-4)' },
  { name: 'Median', color: 'var(--cf-chart-1)' },
] as const;
const PERCENT: Axis = { domain: [0, 100], ticks: [0, 25, 50, 75, 100], isCut: false };
const ANSWERED = [...AUTHORIZED, 'DECLINED'];

const Legend = ({
  series,
}: {
  readonly series: readonly { readonly name: string; readonly color: string }[];
}): ReactNode =>
  series.map(({ name, color }) => (
    <span key={name} className={classes['legend']}>
      <span className={classes['swatch']} style={{ background: color }} aria-hidden />
      {name}
    </span>
  ));

const rowsOf = (overview: Overview, cells: (point: Point) => readonly string[]): readonly (readonly string[])[] =>
  overview.points.map((point) => [longStartText(point.start, overview), ...cells(point)]).toReversed();
const timeColumn = (overview: Overview | undefined): string => (overview?.resolution === 'hour' ? 'Hour' : 'Day (UTC)');

/** `status`: of the payments that a point counts; `above`: its value, if the axis cuts it off. */
const pointsOf = (
  overview: Overview | undefined,
  status: readonly string[],
  words: (point: Point) => string,
  above?: (point: Point) => string | undefined,
): readonly ChartPoint[] =>
  overview?.points.map((point) => ({
    start: point.start,
    words: `${longStartText(point.start, overview)}: ${words(point)}`,
    path: paymentsPath(overview, { status }, partFrom(point.start, overview.resolution)),
    above: above?.(point),
  })) ?? [];

/** The parts of a chart that follow from its points in time. */
function timePropsOf(overview: Overview | undefined, points: readonly ChartPoint[], go: (path: string) => void) {
  const starts = points.map(({ start }) => start);
  const resolution = overview?.resolution ?? 'day';
  return {
    look: {
      ...quiet,
      onClick: leadsTo(
        points.map(({ path }) => path),
        go,
      ),
    },
    xAxisProps: timeAxis(resolution === 'hour' ? timesNamed(starts) : daysNamed(starts), (start) =>
      startText(start, { resolution }),
    ),
    tooltipProps: timeTooltip((start) => longStartText(start, { resolution })),
  };
}

export function VolumeChart({ overview }: ChartProps): ReactNode {
  const currencyCode = overview?.currencyCode ?? null;
  const money = (amount: Sum): string => amountText(amount, currencyCode);
  const rounded = roundedAmounts(currencyCode);
  const data = overview?.points.map(({ start, volume, refunded }) => ({
    start,
    Captured: Number(volume),
    Refunded: Number(refunded.amount),
  }));
  const total = overview === undefined ? '' : money(overview.sums.volume);
  const axis = axisOf(data?.flatMap(({ Captured, Refunded }) => [Captured, Refunded]) ?? [], decimalStep);
  const points = pointsOf(
    overview,
    PAID,
    ({ volume, refunded }) => `captured ${money(volume)}, refunded ${money(refunded.amount)}`,
    ({ volume, refunded }) => {
      const most = Number(volume) > Number(refunded.amount) ? volume : refunded.amount;
      return Number(most) > axis.domain[1] ? money(most) : undefined;
    },
  );
  const { look, ...timeProps } = timePropsOf(overview, points, useGo());
  return (
    <ChartCard
      title="Volume"
      summary={`Captured volume over time, ${total} in total.`}
      isLoading={overview === undefined}
      none="No captures in this period."
      aside={<Legend series={VOLUME} />}
      points={points}
      left={64}
      isBars
      table={{
        columns: [timeColumn(overview), 'Captured', 'Refunded'],
        rows:
          overview === undefined
            ? []
            : rowsOf(overview, ({ volume, refunded }) => [money(volume), money(refunded.amount)]),
      }}
      chart={
        data?.some(({ Captured, Refunded }) => Captured !== 0 || Refunded !== 0) ? (
          <BarChart
            {...common}
            {...timeProps}
            data={data}
            series={[...VOLUME]}
            valueFormatter={(amount) => (Number.isSafeInteger(amount) ? money(amount) : rounded(amount))}
            yAxisProps={valueAxis(axis, 64, rounded)}
            barProps={{ ...animated, radius: [3, 3, 0, 0] }}
            barChartProps={{ ...look, barGap: 1, barCategoryGap: '18%' }}
            maxBarWidth={28}
          />
        ) : undefined
      }
    />
  );
}

export function RateChart({ overview }: ChartProps): ReactNode {
  const data = overview?.points.map(({ start, authorizationRate }) => ({
    start,
    Rate: authorizationRate === null ? null : authorizationRate * 100,
  }));
  const points = pointsOf(overview, ANSWERED, ({ authorizationRate }) => percentText(authorizationRate));
  const { look, ...timeProps } = timePropsOf(overview, points, useGo());
  return (
    <ChartCard
      title="Authorization rate"
      summary={`Authorization rate over time, ${percentText(overview?.sums.authorizationRate ?? null)} overall.`}
      isLoading={overview === undefined}
      none="No authorizations were completed in this period."
      points={points}
      left={56}
      table={{
        columns: [timeColumn(overview), 'Rate', 'Authorized', 'Declined'],
        rows:
          overview === undefined
            ? []
            : rowsOf(overview, ({ authorizationRate, authorized, declined }) => [
                percentText(authorizationRate),
                String(authorized.count),
                String(declined.count),
              ]),
      }}
      chart={
        data?.some(({ Rate }) => Rate !== null) ? (
          <LineChart
            {...common}
            {...timeProps}
            data={data}
            series={[{ name: 'Rate', color: 'var(--cf-chart-2)' }]}
            valueFormatter={(value) => percentText(value / 100)}
            yAxisProps={valueAxis(PERCENT, 56, (value) => `${value}%`)}
            curveType="linear"
            strokeWidth={2}
            withDots={data.length <= 31}
            dotProps={{ r: 2.5, strokeWidth: 0 }}
            lineProps={animated}
            lineChartProps={look}
            connectNulls
          />
        ) : undefined
      }
    />
  );
}

export function LatencyChart({ overview }: ChartProps): ReactNode {
  const data = overview?.points.map(({ start, p50, p95 }) => ({ start, Median: p50, '95th percentile': p95 }));
  const axis = axisOf(overview?.points.flatMap(({ p50, p95 }) => [p50, p95]) ?? [], durationStep);
  const points = pointsOf(
    overview,
    ANSWERED,
    ({ p50, p95 }) => `median ${msText(p50)}, 95th percentile ${msText(p95)}`,
    ({ p95 }) => (p95 !== null && p95 > axis.domain[1] ? msText(p95) : undefined),
  );
  const { look, ...timeProps } = timePropsOf(overview, points, useGo());
  return (
    <ChartCard
      title="Time to authorize"
      summary={`Time from an authorization's request to its outcome, without payments for which the customer had to act: median ${msText(overview?.sums.p50 ?? null)}, 95th percentile ${msText(overview?.sums.p95 ?? null)}.`}
      isLoading={overview === undefined}
      none="No authorizations were completed in this period."
      aside={<Legend series={LATENCY} />}
      points={points}
      left={64}
      table={{
        columns: [timeColumn(overview), 'Median', '95th percentile'],
        rows: overview === undefined ? [] : rowsOf(overview, ({ p50, p95 }) => [msText(p50), msText(p95)]),
      }}
      chart={
        data?.some((point) => point['95th percentile'] !== null) ? (
          <LineChart
            {...common}
            {...timeProps}
            data={data}
            series={[...LATENCY]}
            valueFormatter={msText}
            yAxisProps={valueAxis(axis, 64, msText)}
            curveType="linear"
            strokeWidth={2}
            withDots={data.length <= 31}
            dotProps={{ r: 2.5, strokeWidth: 0 }}
            lineProps={animated}
            lineChartProps={look}
            connectNulls
          />
        ) : undefined
      }
    />
  );
}
