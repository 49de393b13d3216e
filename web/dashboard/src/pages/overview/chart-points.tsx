// What lies over a drawn chart: a link for each point, for the keyboard, and the values that the axis cuts off.
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { PathLink } from '../../parts/path-link.tsx';
import { RIGHT } from './chart-look.ts';
import classes from './chart-points.module.css';

export interface ChartPoint {
  readonly start: string;
  /** Its time and values, in words. */
  readonly words: string;
  /** Its list, without /dashboard; undefined if the user may not read it. */
  readonly path: string | undefined;
  /** The value that is above the axis, as text. */
  readonly above?: string | undefined;
}

interface ChartPointsProps {
  /** In the order of the axis. */
  readonly points: readonly ChartPoint[];
  /** The chart's title. */
  readonly title: string;
  /** True for bars, which have a band each; points of a line begin and end at the edges. */
  readonly isBars: boolean;
  /** The width of the y axis, in px. */
  readonly left: number;
}

/** Marks that are nearer than this share of the width would cover each other. */
const MARK_SHARE = 0.12;

export function ChartPoints({ points, title, isBars, left }: ChartPointsProps): ReactNode {
  const list = useRef<HTMLDivElement>(null);
  const linked = points.flatMap((point, place) => (point.path === undefined ? [] : [{ ...point, place }]));
  const [chosen, setChosen] = useState<string>();
  const at = linked.findIndex(({ start }) => start === chosen);
  const current = at === -1 ? linked.length - 1 : at;
  const share = (place: number): number =>
    isBars ? (place + 0.5) / points.length : points.length === 1 ? 0.5 : place / (points.length - 1);
  const plot = `(100% - ${left + RIGHT}px)`;
  const leftOf = (at: number): string => `calc(${left}px + ${plot} * ${at})`;
  // Half of the way to each neighbour, and never beyond the plot: a day that has begun has two points.
  const half = 0.5 / Math.max(1, isBars ? points.length : points.length - 1);
  const bandOf = (place: number): { readonly left: string; readonly width: string } => {
    const [from, to] = [Math.max(0, share(place) - half), Math.min(1, share(place) + half)];
    return { left: leftOf(from), width: `calc(${plot} * ${to - from})` };
  };
  const go = (event: KeyboardEvent): void => {
    const steps: { readonly [key: string]: number } = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0 };
    const next = event.key === 'End' ? linked.length - 1 : steps[event.key];
    const link = next === undefined ? undefined : list.current?.children[next];
    if (!(link instanceof HTMLElement)) return;
    event.preventDefault();
    link.focus();
  };
  return (
    <>
      {linked.length > 0 && (
        <nav ref={list} className={classes['points']} aria-label={`${title}, by point`}>
          {linked.map(({ start, words, path = '', place }, nth) => (
            <PathLink
              key={start}
              path={path}
              className={classes['point']}
              aria-label={words}
              tabIndex={nth === current ? 0 : -1}
              style={bandOf(place)}
              onFocus={() => setChosen(start)}
              onKeyDown={go}
            >
              <span className={classes['words']} data-side={share(place) < 0.5 ? 'right' : 'left'} aria-hidden>
                {words}
              </span>
            </PathLink>
          ))}
        </nav>
      )}
      {apart(points, share).map(({ place, above }) => (
        <span key={place} className={classes['above']} style={{ left: leftOf(share(place)) }} aria-hidden>
          ▲ {above}
        </span>
      ))}
    </>
  );
}

/** The values above the axis. Of two that would cover each other the first one stays. */
function apart(
  points: readonly ChartPoint[],
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
