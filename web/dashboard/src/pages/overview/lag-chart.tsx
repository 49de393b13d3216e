// The lag of the read models over the last hours: on the overview, and in Operations with a choice of hours.
import '@mantine/charts/styles.layer.css';
import { AreaChart } from '@mantine/charts';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answerOf, api } from '../../app/api.ts';
import { KEYS } from '../../app/query-keys.ts';
import { ChartCard } from './chart-card.tsx';
import { animated, common, quiet } from './chart-look.ts';
import { secondsText } from './figures.ts';

export type LagHours = 1 | 6 | 24;

/** A point is a minute or more. */
const REFRESH_MS = 60_000;

const lagQuery = (hours: LagHours) =>
  queryOptions({
    queryKey: [KEYS.lag, hours],
    queryFn: ({ signal }) => answerOf(api.GET('/dashboard/api/lag', { params: { query: { hours } }, signal })),
    placeholderData: (before) => before,
    refetchInterval: REFRESH_MS,
  });

type Points = NonNullable<ReturnType<typeof useLag>['data']>['points'];
const useLag = (hours: LagHours) => useQuery(lagQuery(hours));

const TIME = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
/** A smaller lag is not worth showing, so the axis does not magnify it. */
const CALM_SECONDS = 5;
const LOW = 132;

export function LagChart({ hours, aside }: { readonly hours: LagHours; readonly aside?: ReactNode }): ReactNode {
  const { data, error } = useLag(hours);
  const points = data?.points ?? [];
  const isKnown = points.some(({ seconds }) => seconds !== null);
  const rows = points.map(({ start, seconds }) => ({ label: TIME.format(new Date(start)), Lag: seconds }));
  const most = Math.max(CALM_SECONDS, ...points.map(({ seconds }) => seconds ?? 0));
  return (
    <ChartCard
      title="Projection lag"
      summary={summaryOf(points, hours)}
      isLoading={data === undefined && error === null}
      isLow
      none={error === null ? 'One point a minute. The first appears within two minutes.' : error.message}
      aside={aside}
      table={{
        columns: ['Time', 'Longest lag', 'Read model'],
        rows: points
          .map(({ start, seconds, name }) => [TIME.format(new Date(start)), lagText(seconds), name ?? '–'])
          .toReversed(),
      }}
      chart={
        isKnown ? (
          <AreaChart
            {...common}
            h={LOW}
            data={rows}
            series={[{ name: 'Lag', color: 'var(--cf-chart-1)' }]}
            valueFormatter={secondsText}
            yAxisProps={{ width: 56, domain: [0, most], tickCount: 3, tickFormatter: secondsText }}
            curveType="linear"
            strokeWidth={1.5}
            fillOpacity={0.16}
            withGradient={false}
            withDots={false}
            areaProps={animated}
            areaChartProps={quiet}
            connectNulls={false}
          />
        ) : undefined
      }
    />
  );
}

const lagText = (seconds: number | null): string =>
  seconds === null ? 'not known' : seconds === 0 ? 'none' : secondsText(seconds);

function summaryOf(points: Points, hours: LagHours): string {
  const worst = points.reduce<Points[number] | undefined>(
    (most, one) => ((one.seconds ?? 0) > (most?.seconds ?? 0) ? one : most),
    undefined,
  );
  const period = hours === 1 ? 'hour' : `${hours} hours`;
  if (worst?.seconds === undefined || worst.seconds === null) return `No lag was recorded in the last ${period}.`;
  return `In the last ${period} the longest lag was ${secondsText(worst.seconds)}, of ${worst.name}, at ${TIME.format(new Date(worst.start))}.`;
}
