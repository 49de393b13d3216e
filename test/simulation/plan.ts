// The plan of a seed: when each shopper comes, how bad the weather is, and when each misfortune strikes.
import { between, chance, randomOf } from './random.ts';
import { type ReceiverPlan, receiversOf } from './receivers.ts';
import { RULES, type WorldKind } from './routes.ts';

export type Misfortune =
  | { readonly kind: 'crash'; readonly node: number; readonly atMs: number; readonly downMs: number }
  | { readonly kind: 'pause'; readonly node: number; readonly atMs: number; readonly forMs: number }
  /** No node reaches the store. */
  | {
      readonly kind: 'store unavailable';
      readonly store: 'events' | 'readModels';
      readonly atMs: number;
      readonly forMs: number;
    }
  | { readonly kind: 'processor unavailable'; readonly atMs: number; readonly forMs: number }
  /** One of the two sandboxes of a routed world, by its number. */
  | { readonly kind: 'sandbox unavailable'; readonly sandbox: 0 | 1; readonly atMs: number; readonly forMs: number }
  /** Somebody sets other rules of routing, by their place in RULES, or removes them. */
  | { readonly kind: 'rules changed'; readonly to: number; readonly atMs: number }
  /** Both nodes crash and all read models are lost: the log alone is left. */
  | { readonly kind: 'read models lost'; readonly atMs: number };

/** Everything that a run depends on: the same plan gives the same bytes. */
export interface Plan {
  readonly seed: string;
  /** Shoppers by number. Each behaves by its own number, whichever others there are. */
  readonly shoppers: readonly number[];
  /** All shoppers come within this time. */
  readonly spreadMs: number;
  readonly misfortunes: readonly Misfortune[];
  /** Receivers of webhooks. */
  readonly receivers: readonly ReceiverPlan[];
  /** How far the nodes' clocks are ahead of the true time. */
  readonly skewsMs: readonly [number, number];
  /** How bad the weather is, from 0 (calm) up. */
  readonly badness: number;
  /** No process outlives the processor's consistency window, so none can observe alone that an effect never appears. */
  readonly restartsOften: boolean;
  /** Payments go by two connections to twins of Stripe, in place of the sandbox. */
  readonly twins?: {
    /** True if a fence of a twin counts as proof, as after a person's run. */
    readonly isProven: boolean;
  };
  /** Payments are routed over two sandboxes, at first by the rules of this place in RULES. */
  readonly routed?: { readonly rules: number };
  /** Shoppers agree to later charges, and billing jobs charge them. */
  readonly isBilling?: true;
  /** True if an operator settles some of the open attempts by the processor's statement. */
  readonly isSettledByHand: boolean;
}

/** The average time between two shoppers. */
const ARRIVE_EVERY_MS = 60;
/** Shopping goes on for about this long after the last shopper has come. */
const BUSY_MS = 40_000;
/** The average time between two misfortunes of one kind. */
const CRASH_EVERY_MS = 25_000;
const PAUSE_EVERY_MS = 50_000;
const STORE_UNAVAILABLE_EVERY_MS = 80_000;

/** In routed worlds: the average time between two times in which one sandbox is unavailable, and between two rules. */
const SANDBOX_UNAVAILABLE_EVERY_MS = 30_000;
const RULES_CHANGED_EVERY_MS = 30_000;

/**
 * The plan of a seed with a number of shoppers, one for each of `payments`. Without `kind` the seed decides whether the
 * world is routed; half of the worlds are.
 */
export function planOf(seed: string, payments: number, kind?: WorldKind): Plan {
  const random = randomOf(seed, 'plan');
  const ofRoutes = randomOf(seed, 'routes');
  const isRouted = kind === undefined ? chance(ofRoutes, 0.5) : kind === 'routed';
  const twins = kind === 'twins';
  const isBilling = kind === 'billing';
  const spreadMs = payments * ARRIVE_EVERY_MS;
  const misfortunes: Misfortune[] = [];
  const wildness = chance(random, 0.2) ? 4 : 1;
  const moments = (everyMs: number): readonly number[] => {
    const count = between(random, 0, Math.ceil((2 * wildness * (spreadMs + BUSY_MS)) / everyMs));
    return Array.from({ length: count }, () => between(random, 0, spreadMs + BUSY_MS));
  };
  for (const atMs of moments(CRASH_EVERY_MS))
    misfortunes.push({ kind: 'crash', node: between(random, 0, 1), atMs, downMs: between(random, 100, 8_000) });
  for (const atMs of moments(PAUSE_EVERY_MS)) {
    const forMs = chance(random, 0.25) ? between(random, 20_000, 240_000) : between(random, 100, 8_000);
    misfortunes.push({ kind: 'pause', node: between(random, 0, 1), atMs, forMs });
  }
  for (const atMs of moments(STORE_UNAVAILABLE_EVERY_MS))
    misfortunes.push({
      kind: 'store unavailable',
      store: chance(random, 0.5) ? 'events' : 'readModels',
      atMs,
      forMs: between(random, 200, 8_000),
    });
  if (chance(random, 0.4))
    misfortunes.push({
      kind: 'processor unavailable',
      atMs: between(random, 0, spreadMs),
      forMs: between(random, 500, 40_000),
    });
  if (chance(random, 0.15))
    misfortunes.push({ kind: 'read models lost', atMs: between(random, 0, spreadMs + BUSY_MS) });
  const drawRules = (): number => between(ofRoutes, 0, RULES.length - 1);
  const routed = isRouted && { rules: drawRules() };
  const momentsOf = (everyMs: number): readonly number[] =>
    Array.from({ length: between(ofRoutes, 0, Math.ceil((2 * (spreadMs + BUSY_MS)) / everyMs)) }, () =>
      between(ofRoutes, 0, spreadMs + BUSY_MS),
    );
  if (isRouted) {
    for (const atMs of momentsOf(SANDBOX_UNAVAILABLE_EVERY_MS))
      misfortunes.push({
        kind: 'sandbox unavailable',
        sandbox: chance(ofRoutes, 0.6) ? 0 : 1,
        atMs,
        forMs: between(ofRoutes, 500, 30_000),
      });
    for (const atMs of momentsOf(RULES_CHANGED_EVERY_MS))
      misfortunes.push({ kind: 'rules changed', to: drawRules(), atMs });
  }
  const skew = (): number => (chance(random, 0.5) ? 0 : between(random, -200_000, 200_000));
  return {
    seed,
    shoppers: Array.from({ length: payments }, (_, index) => index),
    spreadMs,
    misfortunes,
    receivers: receiversOf(seed, spreadMs),
    skewsMs: [skew(), skew()],
    badness: chance(random, 0.2) ? 0.2 : between(random, 5, 20) / 10,
    restartsOften: chance(random, 0.5),
    // the sandbox alone has a statement
    isSettledByHand: chance(random, 0.5) && !twins && !isBilling,
    ...(twins && { twins: { isProven: chance(random, 0.7) } }),
    ...(isBilling && { isBilling }),
    ...(routed !== false && { routed }),
  };
}
