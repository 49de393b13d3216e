// The overview's charts: volume, authorization rate, and authorization time.
import '@mantine/charts/styles.layer.css';
import { BarChart, LineChart } from '@mantine/charts';
import type { ReactNode } from 'react';
import { roundedAmounts } from '../../parts/minor-units.ts';
import { ChartCard } from './chart-card.tsx';
import { animated, common, quiet } from './chart-look.ts';
import { amountText, longStartText, msText, type Overview, percentText, startText } from './figures.ts';
import classes from './overview.module.css';

interface ChartProps {
  /** Undefined while it is loaded. */
  readonly overview: Overview | undefined;
}

const VOLUME = [
  { name: 'Captured', color: 'var(--cf-chart-1)' },
  { name: 'Refunded', color: 'var(--cf-chart-3)' },
] as const;
const LATENCY = [
  { name: '95th percentile', color: 'var(--cf-chart-4)' },
  { name: 'Median', color: 'var(--cf-chart-1)' },
] as const;

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

const rowsOf = (
  overview: Overview,
  cells: (point: Overview['points'][number]) => readonly string[],
): readonly (readonly string[])[] =>
  overview.points.map((point) => [longStartText(point.start, overview), ...cells(point)]).toReversed();
const timeColumn = (overview: Overview | undefined): string => (overview?.resolution === 'hour' ? 'Hour' : 'Day (UTC)');

export function VolumeChart({ overview }: ChartProps): ReactNode {
  const currencyCode = overview?.currencyCode ?? null;
  const money = (amount: number): string => amountText(amount, currencyCode);
  const data = overview?.points.map((point) => ({
    label: startText(point.start, overview),
    Captured: point.volume,
    Refunded: point.refunded.amount,
  }));
  const total = overview === undefined ? '' : money(overview.sums.volume);
  return (
    <ChartCard
      title="Volume"
      summary={`Captured volume over time, ${total} in total.`}
      isLoading={overview === undefined}
      none="No captures in this period."
      aside={<Legend series={VOLUME} />}
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
            data={data}
            series={[...VOLUME]}
            valueFormatter={money}
            yAxisProps={{ width: 64, tickFormatter: roundedAmounts(currencyCode) }}
            barProps={{ ...animated, radius: [3, 3, 0, 0] }}
            barChartProps={{ ...quiet, barGap: 1, barCategoryGap: '18%' }}
            maxBarWidth={28}
          />
        ) : undefined
      }
    />
  );
}

export function RateChart({ overview }: ChartProps): ReactNode {
  const data = overview?.points.map(({ start, authorizationRate }) => ({
    label: startText(start, overview),
    Rate: authorizationRate === null ? null : authorizationRate * 100,
  }));
  return (
    <ChartCard
      title="Authorization rate"
      summary={`Authorization rate over time, ${percentText(overview?.sums.authorizationRate ?? null)} overall.`}
      isLoading={overview === undefined}
      none="No authorizations were completed in this period."
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
            data={data}
            series={[{ name: 'Rate', color: 'var(--cf-chart-2)' }]}
            valueFormatter={(value) => `${value.toFixed(1)} %`}
            yAxisProps={{
              width: 48,
              domain: [0, 100],
              ticks: [0, 25, 50, 75, 100],
              tickFormatter: (value: number) => `${value} %`,
            }}
            curveType="linear"
            strokeWidth={2}
            withDots={data.length <= 31}
            dotProps={{ r: 2.5, strokeWidth: 0 }}
            lineProps={animated}
            lineChartProps={quiet}
            connectNulls
          />
        ) : undefined
      }
    />
  );
}

export function LatencyChart({ overview }: ChartProps): ReactNode {
  const data = overview?.points.map(({ start, p50, p95 }) => ({
    label: startText(start, overview),
    Median: p50,
    '95th percentile': p95,
  }));
  return (
    <ChartCard
      title="Authorization latency"
      summary={`Time from an authorization's request to its outcome: median ${msText(overview?.sums.p50 ?? null)}, 95th percentile ${msText(overview?.sums.p95 ?? null)}.`}
      isLoading={overview === undefined}
      none="No authorizations were completed in this period."
      aside={<Legend series={LATENCY} />}
      table={{
        columns: [timeColumn(overview), 'Median', '95th percentile'],
        rows: overview === undefined ? [] : rowsOf(overview, ({ p50, p95 }) => [msText(p50), msText(p95)]),
      }}
      chart={
        data?.some((point) => point['95th percentile'] !== null) ? (
          <LineChart
            {...common}
            data={data}
            series={[...LATENCY]}
            valueFormatter={msText}
            yAxisProps={{ width: 56, tickFormatter: msText }}
            curveType="linear"
            strokeWidth={2}
            withDots={data.length <= 31}
            dotProps={{ r: 2.5, strokeWidth: 0 }}
            lineProps={animated}
            lineChartProps={quiet}
            connectNulls
          />
        ) : undefined
      }
    />
  );
}
