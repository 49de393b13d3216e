// A duration as text: one unit, the largest that fits, with one decimal below ten.

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;
/** From here on a duration is in days: `36 h` says more than `1.5 d`. */
const LEAST_DAYS = 2;
/** 59.8 s is a minute, not 60 s. */
const NEARLY = 0.995;

/** `ms` as `30 ms`, `1.4 s`, `25 s`, `3 h`; 0 is `0 s`. */
export function durationText(ms: number): string {
  if (ms === 0) return '0 s';
  const [unit, size] = UNITS.find(([name, each]) => ms >= each * (name === 'd' ? LEAST_DAYS : NEARLY)) ?? ['ms', 1];
  const count = ms / size;
  if (unit === 'ms' && count < 1) return 'under 1 ms';
  return `${unit !== 'ms' && count < 9.95 ? Math.round(count * 10) / 10 : Math.round(count)} ${unit}`;
}
