// The lag of the read models over the last hours: on the overview, and in Operations with a choice of hours.
import '@mantine/charts/styles.layer.css';
import { AreaChart } from '@mantine/charts';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answerOf, api } from '../../app/api.ts';
import { KEYS } from '../../app/query-keys.ts';
import { useMay } from '../../app/session.tsx';
import { MachineTime } from '../../parts/machine-time.tsx';
import { useGo } from '../../parts/path-link.tsx';
import { whenText } from '../../parts/when.tsx';
import { type Axis, axisOf, durationStep, timesNamed } from './axis.ts';
import { ChartCard } from './chart-card.tsx';
import { animated, common, leadsTo, quiet, timeAxis, timeTooltip, valueAxis } from './chart-look.ts';
import { secondsText, timeOnAxis } from './figures.ts';

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

/** A smaller lag is not worth showing, so the axis does not magnify it. */
const CALM_SECONDS = 5;
const LOW = 132;
const HOUR_MS = 3_600_000;
const LEFT = 56;

/** The shortest period that has all recorded points of a day. */
function hoursRecorded(points: Points): LagHours {
  const first = points.find(({ seconds }) => seconds !== null)?.start;
  const last = points.at(-1)?.start;
  if (first === undefined || last === undefined) return 1;
  const hours = (Date.parse(last) - Date.parse(first)) / HOUR_MS;
  return hours <= 1 ? 1 : hours <= 6 ? 6 : 24;
}

interface LagChartProps {
  /** What the user chose; otherwise the chart shows the hours that have points. */
  readonly hours?: LagHours;
  readonly aside: (hours: LagHours) => ReactNode;
}

export function LagChart({ hours: chosen, aside }: LagChartProps): ReactNode {
  const day = useLag(24);
  const hours = chosen ?? (day.data === undefined ? 24 : hoursRecorded(day.data.points));
  const { data, error } = useLag(hours);
  const mayOpen = useMay('owner', 'developer');
  const go = useGo();
  const recorded = data?.points ?? [];
  const isKnown = recorded.some(({ seconds }) => seconds !== null);
  const rows = recorded.map(({ start, seconds }) => ({ start, Lag: seconds }));
  const axis = axisOf(
    recorded.map(({ seconds }) => (seconds === null ? null : seconds * 1_000)),
    durationStep,
    CALM_SECONDS * 1_000,
  );
  const inSeconds: Axis = {
    domain: [axis.domain[0] / 1_000, axis.domain[1] / 1_000],
    ticks: axis.ticks.map((ms) => ms / 1_000),
    isCut: axis.isCut,
  };
  const points = recorded.map(({ start, seconds, name }) => ({
    start,
    words: `${timeText(start)}: ${lagText(seconds)}${name === null ? '' : `, ${name}`}`,
    path: mayOpen && seconds !== null ? '/operations' : undefined,
    above: seconds !== null && seconds > inSeconds.domain[1] ? secondsText(seconds) : undefined,
  }));
  return (
    <ChartCard
      title="Projection lag"
      summary={summaryOf(recorded, hours)}
      isLoading={data === undefined && error === null}
      isLow
      none={error === null ? 'One point a minute. The first appears within two minutes.' : error.message}
      aside={
        <>
          <MachineTime />
          {aside(hours)}
        </>
      }
      points={points}
      left={LEFT}
      table={{
        columns: ['Time', 'Longest lag', 'Read model'],
        rows: recorded.map(({ start, seconds, name }) => [timeText(start), lagText(seconds), name ?? '–']).toReversed(),
      }}
      chart={
        isKnown ? (
          <AreaChart
            {...common}
            h={LOW}
            data={rows}
            series={[{ name: 'Lag', color: 'var(--cf-chart-1)' }]}
            valueFormatter={secondsText}
            xAxisProps={timeAxis(timesNamed(recorded.map(({ start }) => start)), timeOnAxis)}
            yAxisProps={valueAxis(inSeconds, LEFT, secondsText)}
            tooltipProps={timeTooltip(timeText)}
            curveType="linear"
            strokeWidth={1.5}
            fillOpacity={0.16}
            withGradient={false}
            withDots={false}
            areaProps={animated}
            areaChartProps={{
              ...quiet,
              onClick: leadsTo(
                points.map(({ path }) => path),
                go,
              ),
            }}
            connectNulls={false}
          />
        ) : undefined
      }
    />
  );
}

const timeText = (start: string): string => whenText({ ms: Date.parse(start) });

const lagText = (seconds: number | null): string =>
  seconds === null ? 'not known' : seconds === 0 ? 'none' : secondsText(seconds);

function summaryOf(points: Points, hours: LagHours): string {
  const worst = points.reduce<Points[number] | undefined>(
    (most, one) => ((one.seconds ?? 0) > (most?.seconds ?? 0) ? one : most),
    undefined,
  );
  const period = hours === 1 ? 'hour' : `${hours} hours`;
  if (worst?.seconds === undefined || worst.seconds === null) return `No lag was recorded in the last ${period}.`;
  return `In the last ${period} the longest lag was ${secondsText(worst.seconds)}, of ${worst.name}, at ${timeText(worst.start)}.`;
}
