// What a seed comes to: who shops when, which weather there is, and which node dies or stands still at which moment.
import { between, chance, randomOf } from './random.ts';

export type Disturbance =
  | { readonly kind: 'crash'; readonly node: number; readonly atMs: number; readonly downMs: number }
  | { readonly kind: 'pause'; readonly node: number; readonly atMs: number; readonly forMs: number }
  /** Nobody reaches it. */
  | { readonly kind: 'store away'; readonly store: 'events' | 'readModels'; readonly atMs: number; readonly forMs: number }
  | { readonly kind: 'processor away'; readonly atMs: number; readonly forMs: number }
  /** Both nodes die, and all that they had projected is gone: the log alone is left. */
  | { readonly kind: 'read models lost'; readonly atMs: number };

/** Everything that a run depends on: the same plan, the same bytes. */
export interface Plan {
  readonly seed: string;
  /** Shoppers by number; each behaves by its own number, whoever else is there. */
  readonly shoppers: readonly number[];
  /** Shoppers come within this time. */
  readonly spreadMs: number;
  readonly disturbances: readonly Disturbance[];
  /** How far the nodes' clocks are ahead of the true time. */
  readonly skewsMs: readonly [number, number];
  /** How bad the weather is, from 0 (calm) up. */
  readonly badness: number;
  /** No process lives long enough to watch for itself whether something never happened. */
  readonly restartsOften: boolean;
  /** Whether an operator settles some of what is open, by the processor's statement. */
  readonly isSettledByHand: boolean;
}

/** On the average. */
const ARRIVE_EVERY_MS = 60;
/** Shoppers are busy for about so long after the last has come. */
const BUSY_MS = 40_000;
/** One of its kind in so long, on the average. */
const CRASH_EVERY_MS = 25_000;
const PAUSE_EVERY_MS = 50_000;
const STORE_AWAY_EVERY_MS = 80_000;

/** The plan of a seed for so many payments. */
export function planOf(seed: string, payments: number): Plan {
  const random = randomOf(seed, 'plan');
  const spreadMs = payments * ARRIVE_EVERY_MS;
  const disturbances: Disturbance[] = [];
  const wildness = chance(random, 0.2) ? 4 : 1;
  const moments = (everyMs: number): readonly number[] => {
    const count = between(random, 0, Math.ceil((2 * wildness * (spreadMs + BUSY_MS)) / everyMs));
    return Array.from({ length: count }, () => between(random, 0, spreadMs + BUSY_MS));
  };
  for (const atMs of moments(CRASH_EVERY_MS))
    disturbances.push({ kind: 'crash', node: between(random, 0, 1), atMs, downMs: between(random, 100, 8_000) });
  for (const atMs of moments(PAUSE_EVERY_MS)) {
    const forMs = chance(random, 0.25) ? between(random, 20_000, 240_000) : between(random, 100, 8_000);
    disturbances.push({ kind: 'pause', node: between(random, 0, 1), atMs, forMs });
  }
  for (const atMs of moments(STORE_AWAY_EVERY_MS))
    disturbances.push({
      kind: 'store away',
      store: chance(random, 0.5) ? 'events' : 'readModels',
      atMs,
      forMs: between(random, 200, 8_000),
    });
  if (chance(random, 0.4))
    disturbances.push({ kind: 'processor away', atMs: between(random, 0, spreadMs), forMs: between(random, 500, 40_000) });
  if (chance(random, 0.15)) disturbances.push({ kind: 'read models lost', atMs: between(random, 0, spreadMs + BUSY_MS) });
  const skew = (): number => (chance(random, 0.5) ? 0 : between(random, -200_000, 200_000));
  return {
    seed,
    shoppers: Array.from({ length: payments }, (_, index) => index),
    spreadMs,
    disturbances,
    skewsMs: [skew(), skew()],
    badness: chance(random, 0.2) ? 0.2 : between(random, 5, 20) / 10,
    restartsOften: chance(random, 0.5),
    isSettledByHand: chance(random, 0.5),
  };
}
