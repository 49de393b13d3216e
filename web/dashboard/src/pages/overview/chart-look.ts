// What all charts have in common: size, lines, and how little they move.
const HEIGHT = 220;

export const common = {
  h: HEIGHT,
  dataKey: 'label',
  withLegend: false,
  tickLine: 'none',
  gridAxis: 'x',
  strokeDasharray: '0',
  gridColor: 'var(--cf-line)',
  textColor: 'var(--cf-dim)',
  xAxisProps: { minTickGap: 28, tickMargin: 8, interval: 'preserveStartEnd' },
} as const;
/** The picture has a name of its own (ChartCard); what is inside is for the eye. */
export const quiet = { accessibilityLayer: false, margin: { top: 8, right: 8, bottom: 0, left: 0 } } as const;
export const animated = { isAnimationActive: false } as const;
