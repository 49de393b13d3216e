// Makes a plan that breaks a promise as small as it can: fewer shoppers, fewer misfortunes, better weather, and it still breaks it.
import type { Plan } from './plan.ts';
import { run } from './universe.ts';
import type { Variant } from './variant.ts';

export interface Shrunk {
  readonly plan: Plan;
  readonly violations: readonly string[];
  /** Every line of its history. */
  readonly history: readonly string[];
  /** Worlds that were tried on the way. */
  readonly tries: number;
}

/** What a violation says without the names and numbers in it: the same defect in another world says the same. */
const kindOf = (violation: string): string =>
  (violation.split('\n', 1)[0] ?? '')
    .replaceAll(/(pay|cs|pm|ref)_[\w.-]+/g, '$1')
    .replaceAll(/[0-9a-f]{16,}/g, 'id')
    .replaceAll(/\d+/g, 'n');

/** Never fails: at worst the plan stays as it is. `maxTries` bounds how many worlds are run. */
export async function shrink(plan: Plan, violations: readonly string[], variant: Variant, maxTries: number): Promise<Shrunk> {
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
    () => smallest.disturbances,
    (disturbances) => keep({ ...smallest, disturbances }),
    () => tries < maxTries,
  );
  await keep({ ...smallest, skewsMs: [0, 0] });
  for (const badness of [0, 0.2, 0.5]) if (badness < smallest.badness) await keep({ ...smallest, badness });
  const history: string[] = [];
  const last = await run(smallest, { variant, history: (line) => history.push(line) });
  return { plan: smallest, violations: last.violations, history, tries };
}

/** Takes parts of a list away, halves first, then ever smaller parts, as long as `attempt` keeps what is left. */
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
