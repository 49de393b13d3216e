// What all charts have in common: size, lines, axes, and how little they move.
import type { Axis } from './axis.ts';

const HEIGHT = 220;
/** The room to the right of the plot, in px: for the half of the last time. */
export const RIGHT = 24;

export const common = {
  h: HEIGHT,
  dataKey: 'start',
  withLegend: false,
  tickLine: 'none',
  gridAxis: 'x',
  strokeDasharray: '0',
  gridColor: 'var(--cf-line)',
  textColor: 'var(--cf-dim)',
} as const;
/** The picture has a name of its own (ChartCard); what is inside is for the eye. */
export const quiet = { accessibilityLayer: false, margin: { top: 18, right: RIGHT, bottom: 0, left: 0 } } as const;
export const animated = { isAnimationActive: false } as const;

/** The x axis: the named starts as text; those that have no room are left out evenly. */
export const timeAxis = (named: readonly string[], textOf: (start: string) => string) => ({
  ticks: [...named],
  tickFormatter: textOf,
  minTickGap: 16,
  tickMargin: 8,
  interval: 'equidistantPreserveStart' as const,
});

/** The tooltip with its point's time as text. A tooltip that is not shown has no time. */
export const timeTooltip = (textOf: (start: string) => string) => ({
  labelFormatter: (start: unknown) => (typeof start === 'string' && start !== '' ? textOf(start) : ''),
});

/** The y axis; a text stays on one line, because its blanks do not break. */
export const valueAxis = (
  { domain: [bottom, top], ticks, isCut }: Axis,
  width: number,
  textOf: (value: number) => string,
) => ({
  width,
  domain: [bottom, top] as [number, number],
  ticks: [...ticks],
  tickFormatter: (value: number) => textOf(value).replaceAll(' ', '\u00a0'),
  allowDataOverflow: isCut,
});

/** What a click on the chart does: it follows the point that the tooltip shows. */
export const leadsTo =
  (paths: readonly (string | undefined)[], go: (path: string) => void) =>
  ({ activeTooltipIndex }: { readonly activeTooltipIndex?: string | number | null | undefined }): void => {
    const path = activeTooltipIndex == null ? undefined : paths[Number(activeTooltipIndex)];
    if (path !== undefined) go(path);
  };
