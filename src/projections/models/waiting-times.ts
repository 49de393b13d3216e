// How often something took how long, in buckets of a fixed logarithmic scale: each bound is √2 times the previous one.

/** Upper bounds, ms, from 10 ms to three hours; the last bucket has no bound. */
const BOUNDS: readonly number[] = Array.from({ length: 41 }, (_, place) => Math.round(10 * 2 ** (place / 2)));

/** Counts by bucket, up to the last one that is not empty. */
export type WaitingTimes = readonly number[];

/** One more that took `ms`. */
export function withWait(times: WaitingTimes, ms: number): WaitingTimes {
  const found = BOUNDS.findIndex((bound) => ms <= bound);
  const bucket = found === -1 ? BOUNDS.length : found;
  return Array.from(
    { length: Math.max(times.length, bucket + 1) },
    (_, place) => (times[place] ?? 0) + (place === bucket ? 1 : 0),
  );
}

/** All of both. */
export const bothWaits = (a: WaitingTimes, b: WaitingTimes): WaitingTimes =>
  Array.from({ length: Math.max(a.length, b.length) }, (_, place) => (a[place] ?? 0) + (b[place] ?? 0));

/** The time, ms, that this share (0 to 1) of them took at most, to within a bucket; undefined if there are none. */
export function waitAt(times: WaitingTimes, share: number): number | undefined {
  const count = times.reduce((sum, one) => sum + one, 0);
  if (count === 0) return undefined;
  const wanted = Math.max(1, Math.ceil(count * share));
  let before = 0;
  for (const [place, counted] of times.entries()) {
    if (before + counted >= wanted) {
      const from = place === 0 ? 0 : (BOUNDS[place - 1] ?? 0);
      const to = BOUNDS[place] ?? from;
      return Math.round(from + ((to - from) * (wanted - before)) / counted);
    }
    before += counted;
  }
  return undefined;
}
