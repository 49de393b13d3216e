// When a delivery that failed is tried again (contract §8).

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** From each failed attempt to the next one, ms; after the last of them the delivery has failed. */
export const RETRY_DELAYS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** The most that chance adds to a delay, as a part of it: receivers that were down together are not called together again. */
const JITTER = 0.2;

/**
 * When the next attempt is due, ms; undefined after the last one. `attempts`: those that were made, 1 and up. `failedAt`: ms.
 * `chance`: 0 to 1.
 */
export function nextAttemptAt(attempts: number, failedAt: number, chance: number): number | undefined {
  const delay = RETRY_DELAYS[attempts - 1];
  return delay === undefined ? undefined : failedAt + Math.round(delay * (1 + JITTER * chance));
}
