// What a chart shows between its title and its table: lines or bars over a grid, the texts of both axes, and over them
// each point as a link with its values in words. Drawn in parts of the width and the height, so nothing is measured.
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { PathLink } from '../../parts/path-link.tsx';
import type { Axis } from './axis.ts';
import classes from './plot.module.css';

interface PlotPoint {
  /** ISO 8601 */
  readonly start: string;
  /** Its time and values, in words. */
  readonly words: string;
  /** Its list, without /dashboard; undefined if the user may not read it. */
  readonly path: string | undefined;
  /** The value that is above the axis, as text. */
  readonly above: string | undefined;
}

export interface PlotSeries {
  readonly name: string;
  /** Of CSS. */
  readonly color: string;
  /** For each point; null where nothing is known. */
  readonly values: readonly (number | null)[];
}

export interface PlotProps {
  /** An area ends where a value is missing; a line goes on to the next one. */
  readonly kind: 'bars' | 'lines' | 'area';
  /** In the order of the axis. */
  readonly points: readonly PlotPoint[];
  /** The last one lies over the others. */
  readonly series: readonly PlotSeries[];
  readonly axis: Axis;
  readonly valueText: (value: number) => string;
  /** The starts that the axis names. */
  readonly named: readonly string[];
  readonly startText: (start: string) => string;
}

/** Points of lines have dots up to this number. */
const MOST_DOTS = 31;
/** Marks that are nearer than this share of the width would cover each other. */
const MARK_SHARE = 0.12;

const percent = (share: number): string => `${share * 100}%`;

/** `title`: the chart's; `summary`: what it says, in a sentence. */
export function Plot({ title, summary, ...plot }: PlotProps & { readonly title: string; readonly summary: string }) {
  const { kind, points, axis, named, valueText, startText } = plot;
  // Bars have a band each; points of a line begin and end at the edges.
  const share = (place: number): number =>
    kind === 'bars' ? (place + 0.5) / points.length : points.length === 1 ? 0.5 : place / (points.length - 1);
  const [bottom, top] = axis.domain;
  /** From the top. */
  const depth = (value: number): number => (top - value) / (top - bottom);
  return (
    <div className={classes['plot']}>
      <div role="img" aria-label={summary} className={classes['drawn']}>
        {axis.ticks.map((tick) => (
          <div key={tick} className={classes['level']} style={{ top: percent(depth(tick)) }}>
            <span>{valueText(tick)}</span>
          </div>
        ))}
        {points.map(({ start }, place) =>
          named.includes(start) ? (
            <span
              key={start}
              className={classes['start']}
              data-second={(named.length > 5 && named.indexOf(start) % 2 === 1) || undefined}
              style={{ left: percent(share(place)) }}
            >
              {startText(start)}
            </span>
          ) : null,
        )}
        {kind === 'bars' ? <Bars {...plot} depth={depth} /> : <Lines {...plot} share={share} depth={depth} />}
      </div>
      <Points title={title} kind={kind} points={points} share={share} />
      {apart(points, share).map(({ place, above }) => (
        <span key={place} className={classes['above']} style={{ left: percent(share(place)) }} aria-hidden>
          ▲ {above}
        </span>
      ))}
    </div>
  );
}

type Drawing = Pick<PlotProps, 'kind' | 'points' | 'series'> & { readonly depth: (value: number) => number };

const Bars = ({ points, series, depth }: Drawing): ReactNode => (
  <div className={classes['bars']}>
    {points.map(({ start }, place) => (
      <div key={start} className={classes['band']}>
        {series.map(({ name, color, values }) => {
          const value = values[place] ?? 0;
          const from = Math.max(0, depth(Math.max(0, value)));
          const height = depth(Math.min(0, value)) - from;
          return <i key={name} style={{ background: color, top: percent(from), height: percent(height) }} />;
        })}
      </div>
    ))}
  </div>
);

/** A coordinate of the drawing, which is stretched to the plot. */
const SIZE = 1_000;

function Lines({
  kind,
  points,
  series,
  share,
  depth,
}: Drawing & { readonly share: (place: number) => number }): ReactNode {
  const at = (place: number, value: number): string =>
    `${(share(place) * SIZE).toFixed(1)} ${(depth(value) * SIZE).toFixed(1)}`;
  const ground = (depth(0) * SIZE).toFixed(1);
  return (
    <svg className={classes['lines']} viewBox={`0 0 ${SIZE} ${SIZE}`} preserveAspectRatio="none" aria-hidden>
      {series.map(({ name, color, values }) => {
        const runs = runsOf(values, kind === 'area');
        const paths = runs.map((run) => `M${run.map(({ place, value }) => at(place, value)).join('L')}`);
        return (
          <g key={name} style={{ color }}>
            {kind === 'area' &&
              runs.map((run, nth) => (
                <path
                  key={run[0]?.place}
                  className={classes['area']}
                  d={`${paths[nth]}V${ground}H${(share(run[0]?.place ?? 0) * SIZE).toFixed(1)}Z`}
                />
              ))}
            <path className={classes['line']} d={paths.join('')} />
            {kind === 'lines' && points.length <= MOST_DOTS && (
              <path
                className={classes['dots']}
                d={runs.flatMap((run) => run.map(({ place, value }) => `M${at(place, value)}h0`)).join('')}
              />
            )}
          </g>
        );
      })}
    </svg>
  );
}

interface Known {
  readonly place: number;
  readonly value: number;
}

/** The known values in one run, or in one for each part without a gap. */
function runsOf(values: readonly (number | null)[], isBroken: boolean): readonly (readonly Known[])[] {
  const runs: Known[][] = [];
  let last: number | undefined;
  for (const [place, value] of values.entries()) {
    if (value === null) continue;
    if (last === undefined || (isBroken && place > last + 1)) runs.push([]);
    runs.at(-1)?.push({ place, value });
    last = place;
  }
  return runs;
}

interface PointsProps extends Pick<PlotProps, 'kind' | 'points'> {
  readonly title: string;
  readonly share: (place: number) => number;
}

/** The points as links, for the pointer and the keyboard; without a list to lead to, for the pointer alone. */
function Points({ title, kind, points, share }: PointsProps): ReactNode {
  const list = useRef<HTMLElement>(null);
  const [chosen, setChosen] = useState<string>();
  const at = points.findIndex(({ start }) => start === chosen);
  const linked = points.flatMap(({ path }, place) => (path === undefined ? [] : [place]));
  const current = at === -1 ? linked.at(-1) : at;
  // Half of the way to each neighbour, and never beyond the plot: a day that has begun has two points.
  const half = 0.5 / Math.max(1, kind === 'bars' ? points.length : points.length - 1);
  const bandOf = (place: number) => {
    const [from, to] = [Math.max(0, share(place) - half), Math.min(1, share(place) + half)];
    return { left: percent(from), width: percent(to - from) };
  };
  const go = (event: KeyboardEvent): void => {
    const nth = linked.indexOf(current ?? -1);
    const steps: { readonly [key: string]: number } = { ArrowLeft: nth - 1, ArrowRight: nth + 1, Home: 0 };
    const next = linked[event.key === 'End' ? linked.length - 1 : (steps[event.key] ?? -1)];
    const link = next === undefined ? undefined : list.current?.children[next];
    if (!(link instanceof HTMLElement)) return;
    event.preventDefault();
    link.focus();
  };
  return (
    <nav ref={list} className={classes['points']} aria-label={`${title}, by point`} hidden={points.length === 0}>
      {points.map(({ start, words, path }, place) => {
        const shared = { className: classes['point'], style: bandOf(place) };
        const side = share(place) < 0.5 ? 'right' : 'left';
        return path === undefined ? (
          <div key={start} {...shared}>
            <Words text={words} side={side} />
          </div>
        ) : (
          <PathLink
            key={start}
            {...shared}
            path={path}
            aria-label={words}
            tabIndex={place === current ? 0 : -1}
            onFocus={() => setChosen(start)}
            onKeyDown={go}
          >
            <Words text={words} side={side} />
          </PathLink>
        );
      })}
    </nav>
  );
}

const Words = ({ text, side }: { readonly text: string; readonly side: 'left' | 'right' }): ReactNode => (
  <span className={classes['words']} data-side={side} aria-hidden>
    {text}
  </span>
);

/** The values above the axis. Of two that would cover each other the first one stays. */
function apart(
  points: readonly PlotPoint[],
  share: (place: number) => number,
): readonly { readonly place: number; readonly above: string }[] {
  const kept: { readonly place: number; readonly above: string }[] = [];
  for (const [place, { above }] of points.entries()) {
    const last = kept.at(-1);
    if (above === undefined || (last !== undefined && share(place) - share(last.place) < MARK_SHARE)) continue;
    kept.push({ place, above });
  }
  return kept;
}
