// A duration as text, in one form everywhere: below a minute one unit, with one decimal below ten; above it the two
// largest units.

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Each with the next smaller one. */
const PAIRS = [
  { unit: 'd', size: DAY_MS, smaller: 'h', each: HOUR_MS },
  { unit: 'h', size: HOUR_MS, smaller: 'min', each: MINUTE_MS },
  { unit: 'min', size: MINUTE_MS, smaller: 's', each: SECOND_MS },
] as const;
/** 59.6 s is a minute, not 60 s. */
const NEARLY = 0.995;

/** `ms` as `30 ms`, `1.4 s`, `25 s`, `3 min 20 s`, `3 h`, `5 d 2 h`; 0 is `0 s`. */
export function durationText(ms: number): string {
  if (ms === 0) return '0 s';
  if (ms < SECOND_MS * NEARLY) return ms < 1 ? 'under 1 ms' : `${Math.round(ms)} ms`;
  const seconds = ms / SECOND_MS;
  if (seconds < 9.95) return `${Math.round(seconds * 10) / 10} s`;
  return seconds < 59.5 ? `${Math.round(seconds)} s` : inTwoUnits(Math.round(seconds) * SECOND_MS);
}

/** `ms`: a minute or more. What rounds up to a larger unit is told in that one. */
function inTwoUnits(ms: number): string {
  const pair = PAIRS.find(({ size }) => ms >= size) ?? PAIRS[2];
  const rounded = Math.round(ms / pair.each) * pair.each;
  if (PAIRS.find(({ size }) => rounded >= size) !== pair) return inTwoUnits(rounded);
  const rest = (rounded % pair.size) / pair.each;
  const first = `${Math.floor(rounded / pair.size)} ${pair.unit}`;
  return rest === 0 ? first : `${first} ${rest} ${pair.smaller}`;
}
