// Durations as people write them: 90d, 24h, 30m, 45s.
import { InvalidArgumentError } from 'commander';

const UNITS: ReadonlyMap<string, number> = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);
/** A century: a longer duration is a typing error. */
const LONGEST_MS = 36_525 * 86_400_000;

/** Milliseconds, for commander: an option's value is checked before the command runs. */
export function parseDuration(text: string): number {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS.get(unit ?? '') ?? Number.NaN);
  if (!(ms >= 0 && ms <= LONGEST_MS))
    throw new InvalidArgumentError('Allowed is a whole number and a unit: 90d, 24h, 30m, 45s.');
  return ms;
}

/** The approximate length, in the largest unit that it fills: `8d`, `45s`. */
export function roughly(ms: number): string {
  const [unit, size] = [...UNITS].findLast(([, length]) => ms >= length) ?? ['s', 1_000];
  return `${Math.max(0, Math.floor(ms / size))}${unit}`;
}

/** Whole numbers in a range, for commander. */
export const parseWholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max))
      throw new InvalidArgumentError(`Allowed is a whole number from ${min} to ${max}.`);
    return value;
  };
