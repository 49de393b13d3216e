// The axes of the charts: round steps, a top that one outlier does not move, and round times.

export interface Axis {
  readonly domain: readonly [number, number];
  readonly ticks: readonly number[];
  /** True if values are above it. */
  readonly isCut: boolean;
}

const STEPS = 4;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const DURATION_STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR_MS),
];

/** The smallest step of a count or an amount that is at least `least`: 1, 2 or 5 times a power of ten. */
export function decimalStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((count) => count * power).find((step) => step >= least) ?? power;
}

/** The smallest step of a duration, in ms, that is at least `least`. */
export const durationStep = (least: number): number =>
  DURATION_STEPS.find((step) => step >= least) ?? decimalStep(least / DAY_MS) * DAY_MS;

/** Too few values have no outlier. */
const LEAST_VALUES = 5;
const OUTLIER_SHARE = 0.1;
const OUTLIER_TIMES = 4;

/** How many of the values, the largest first, are outliers: each more than four times the largest of the rest. */
function outliersOf(values: readonly number[], least: number): number {
  // Hours without payments are not what the others are compared with.
  const compared = least > 0 ? values.length : values.filter((value) => value > 0).length;
  if (compared < LEAST_VALUES) return 0;
  for (let count = Math.max(1, Math.floor(compared * OUTLIER_SHARE)); count > 0; count -= 1) {
    const rest = Math.max(least, values[count] ?? 0);
    if (rest > 0 && (values[count - 1] ?? 0) > OUTLIER_TIMES * rest) return count;
  }
  return 0;
}

/**
 * The axis of these values, from zero. If a tenth of them at most, or one, is more than four times the rest, the axis
 * ends above the rest. `least`: a top that is not magnified.
 */
export function axisOf(values: readonly (number | null)[], stepFrom: (least: number) => number, least = 0): Axis {
  const known = values.filter((value) => value !== null).sort((a, b) => b - a);
  const outliers = outliersOf(known, least);
  const top = Math.max(least, known[outliers] ?? 0);
  const bottom = Math.min(0, known.at(-1) ?? 0);
  const step = stepFrom((top - bottom) / STEPS);
  const first = Math.floor(bottom / step);
  const count = Math.max(1, Math.ceil(top / step) - first);
  const ticks = Array.from({ length: count + 1 }, (_, place) => (first + place) * step);
  return { domain: [first * step, (first + count) * step], ticks, isCut: outliers > 0 };
}

const MOST_TIMES = 8;
const MINUTE_STEPS = [5, 10, 15, 30, 60, 120, 180, 240, 360, 720];
const MINUTES_A_DAY = 1_440;

/** The starts that an axis names, of points of minutes or hours: at full minutes or hours of the viewer's day. */
export function timesNamed(starts: readonly string[]): readonly string[] {
  const [first = '', last = ''] = [starts[0], starts.at(-1)];
  const minutes = (Date.parse(last) - Date.parse(first)) / MINUTE_MS;
  const step = MINUTE_STEPS.find((one) => minutes / one <= MOST_TIMES) ?? MINUTES_A_DAY;
  const named = starts.filter((start) => {
    const time = new Date(start);
    return (time.getHours() * 60 + time.getMinutes()) % step === 0;
  });
  return named.length > 0 ? named : starts;
}

const FIFTHS = [1, 5, 10, 15, 20, 25];

/** The starts that an axis names, of points of days in UTC: each day, or the same days of each month. */
export function daysNamed(starts: readonly string[]): readonly string[] {
  if (starts.length <= MOST_TIMES) return starts;
  const days = starts.length <= 31 ? FIFTHS : starts.length <= 120 ? [1, 15] : [1];
  return starts.filter((start) => days.includes(new Date(start).getUTCDate()));
}
