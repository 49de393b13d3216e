// The lag of the read models over the last hours: on the overview, and in Operations with a choice of hours.
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answerOf, api } from '../../app/api.ts';
import type { paths } from '../../app/api-types.d.ts';
import { KEYS } from '../../app/query-keys.ts';
import { useMay } from '../../app/session.tsx';
import { MachineTime } from '../../parts/machine-time.tsx';
import { whenText } from '../../parts/when.tsx';
import { type Axis, axisOf, durationStep, timesNamed } from './axis.ts';
import { ChartCard } from './chart-card.tsx';
import { secondsText, timeOnAxis } from './figures.ts';

/** A point is a minute or more. */
const REFRESH_MS = 60_000;

const lagQuery = (hours: LagHours | undefined) =>
  queryOptions({
    queryKey: [KEYS.lag, hours],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/dashboard/api/lag', { params: { query: { ...(hours !== undefined && { hours }) } }, signal })),
    placeholderData: (before) => before,
    refetchInterval: REFRESH_MS,
  });

type Lag = paths['/dashboard/api/lag']['get']['responses']['200']['content']['application/json'];
export type LagHours = Lag['hours'];

/** A smaller lag is not worth showing, so the axis does not magnify it. */
const CALM_SECONDS = 5;

interface LagChartProps {
  /** What the user chose; otherwise the service chooses the hours that have samples. */
  readonly hours?: LagHours;
  readonly aside: (hours: LagHours) => ReactNode;
}

export function LagChart({ hours: chosen, aside }: LagChartProps): ReactNode {
  const { data, error } = useQuery(lagQuery(chosen));
  const hours = chosen ?? data?.hours ?? 24;
  const mayOpen = useMay('owner', 'developer');
  const recorded = data?.points ?? [];
  const isKnown = recorded.some(({ seconds }) => seconds !== null);
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
      table={{
        columns: ['Time', 'Longest lag', 'Read model'],
        rows: recorded.map(({ start, seconds, name }) => [timeText(start), lagText(seconds), name ?? '–']).toReversed(),
      }}
      plot={
        isKnown
          ? {
              kind: 'area',
              points,
              series: [{ name: 'Lag', color: 'var(--cf-chart-1)', values: recorded.map(({ seconds }) => seconds) }],
              axis: inSeconds,
              valueText: secondsText,
              named: timesNamed(recorded.map(({ start }) => start)),
              startText: timeOnAxis,
            }
          : undefined
      }
    />
  );
}

const timeText = (start: string): string => whenText({ ms: Date.parse(start) });

const lagText = (seconds: number | null): string =>
  seconds === null ? 'not known' : seconds === 0 ? 'none' : secondsText(seconds);

function summaryOf(points: Lag['points'], hours: LagHours): string {
  const worst = points.reduce<Lag['points'][number] | undefined>(
    (most, one) => ((one.seconds ?? 0) > (most?.seconds ?? 0) ? one : most),
    undefined,
  );
  const period = hours === 1 ? 'hour' : `${hours} hours`;
  if (worst?.seconds === undefined || worst.seconds === null) return `No lag was recorded in the last ${period}.`;
  return `In the last ${period} the longest lag was ${secondsText(worst.seconds)}, of ${worst.name}, at ${timeText(worst.start)}.`;
}
