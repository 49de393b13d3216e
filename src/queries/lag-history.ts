// How far the read models lagged over the last hours, as points for a chart.
import { type LagSample, lagSamples } from '../projections/running/lag-history.ts';
import type { ReadModels } from '../stores/read-models.ts';

interface LagPoint {
  /** ms, of the machine's clock. */
  readonly start: number;
  /** The longest lag that was seen in it; undefined if no process could tell, or none ran. */
  readonly seconds: number | undefined;
  /** The read model that lagged so. */
  readonly name: string | undefined;
}

const MINUTE_MS = 60_000;

/**
 * `minutes` up to `now` (ms, of the machine's clock) in steps of `stepMinutes`, oldest first; the minute under way is
 * left out.
 */
export const readLagHistory =
  (readModels: Pick<ReadModels, 'get'>) =>
  async (now: number, minutes: number, stepMinutes: number): Promise<readonly LagPoint[]> => {
    const worst = new Map<number, LagSample>();
    const stepOf = (minute: number): number => Math.floor(minute / stepMinutes);
    for (const sample of await lagSamples(readModels, now)) {
      const step = stepOf(sample.minute);
      if (sample.seconds >= (worst.get(step)?.seconds ?? 0)) worst.set(step, sample);
    }
    const last = stepOf(Math.floor(now / MINUTE_MS) - 1);
    const count = Math.ceil(minutes / stepMinutes);
    return Array.from({ length: count }, (_, place) => {
      const step = last - count + 1 + place;
      const { seconds, name } = worst.get(step) ?? {};
      return { start: step * stepMinutes * MINUTE_MS, seconds, name };
    });
  };
