// Makes a plan that breaks a promise smaller while it still breaks it: fewer shoppers, fewer misfortunes, better
// weather.
import type { Plan } from './plan.ts';
import { run } from './run.ts';
import type { Variant } from './variant.ts';

export interface Shrunk {
  readonly plan: Plan;
  readonly violations: readonly string[];
  /** Every line of the smallest plan's history. */
  readonly history: readonly string[];
  /** Worlds that were run on the way. */
  readonly tries: number;
}

/** A violation without its ids and numbers: the same defect in another world gives the same text. */
const kindOf = (violation: string): string =>
  (violation.split('\n', 1)[0] ?? '')
    .replaceAll(/(pay|cs|pm|ref)_[\w.-]+/g, '$1')
    .replaceAll(/[0-9a-f]{16,}/g, 'id')
    .replaceAll(/\d+/g, 'n');

/** At worst the plan stays as it is. At most `maxTries` worlds are run. */
export async function shrink(
  plan: Plan,
  violations: readonly string[],
  variant: Variant,
  maxTries: number,
): Promise<Shrunk> {
  const kinds = new Set(violations.map(kindOf));
  let smallest = plan;
  let tries = 0;
  const breaks = async (smaller: Plan): Promise<boolean> => {
    tries += 1;
    return (await run(smaller, { variant })).violations.some((violation) => kinds.has(kindOf(violation)));
  };
  const keep = async (smaller: Plan): Promise<void> => {
    if (tries < maxTries && (await breaks(smaller))) smallest = smaller;
  };
  await fewer(
    () => smallest.shoppers,
    (shoppers) => keep({ ...smallest, shoppers }),
    () => tries < maxTries,
  );
  await fewer(
    () => smallest.misfortunes,
    (misfortunes) => keep({ ...smallest, misfortunes }),
    () => tries < maxTries,
  );
  await keep({ ...smallest, skewsMs: [0, 0] });
  for (const badness of [0, 0.2, 0.5]) if (badness < smallest.badness) await keep({ ...smallest, badness });
  const history: string[] = [];
  const last = await run(smallest, { variant, history: (line) => history.push(line) });
  return { plan: smallest, violations: last.violations, history, tries };
}

/** Removes parts of a list, halves first, then smaller and smaller parts, where `attempt` keeps the rest. */
async function fewer<T>(
  current: () => readonly T[],
  attempt: (less: readonly T[]) => Promise<void>,
  mayGoOn: () => boolean,
): Promise<void> {
  for (let size = Math.ceil(current().length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < current().length && mayGoOn(); ) {
      const before = current();
      await attempt([...before.slice(0, from), ...before.slice(from + size)]);
      if (current() === before) from += size;
    }
  }
}
