// What tests ask of simulated worlds: a sound service keeps every promise in them, and a broken one is caught.
import { expect } from 'chai';
import { type Plan, planOf } from './plan.ts';
import type { WorldKind } from './routes.ts';
import { run } from './run.ts';
import { type BrokenVariant, kindFor } from './variant.ts';

const FLAG = { sandbox: '', routed: '--routed ', twins: '--twins ', billing: '--billing ' } as const;

export interface Held {
  readonly acknowledged: number;
  readonly misfortunes: number;
  readonly choices: number;
  readonly fallbacks: number;
  readonly skips: number;
}

/** Runs so many worlds and expects no violation; what happened in all of them together. */
export async function keepsEveryPromise(name: string, kind: WorldKind, seeds: number, payments: number): Promise<Held> {
  let [events, acknowledged, misfortunes] = [0, 0, 0];
  const routed = { choices: 0, fallbacks: 0, skips: 0 };
  for (let seed = 0; seed < seeds; seed += 1) {
    const outcome = await run(planOf(`${name}.${seed}`, payments, kind));
    const again = `npm run simulate -- ${FLAG[kind]}--world ${payments} --replay ${name}.${seed}`;
    expect(outcome.violations, again).to.deep.equal([]);
    events += outcome.events;
    acknowledged += outcome.acknowledged;
    misfortunes += outcome.misfortunes;
    routed.choices += outcome.routed.choices;
    routed.fallbacks += outcome.routed.fallbacks;
    routed.skips += outcome.routed.skips;
  }
  const { choices, fallbacks, skips } = routed;
  const routes = kind === 'routed' ? `, ${choices} choices, ${fallbacks} fallbacks, ${skips} connections skipped` : '';
  console.log(`      ${events} events, ${acknowledged} acknowledged commands, ${misfortunes} misfortunes${routes}`);
  return { acknowledged, misfortunes, ...routed };
}

/** Runs worlds of these sizes in turn until the violation that the variant must cause is found. */
export async function exposed(variant: BrokenVariant, sizes: readonly number[], within: number): Promise<void> {
  const caught: string[] = [];
  let payments = 0;
  for (let world = 0; caught.length === 0 && payments < within; world += 1) {
    const size = sizes[world % sizes.length] ?? within;
    const plan = planOf(`broken.${Math.floor(world / sizes.length)}`, size, kindFor(variant) ?? 'sandbox');
    const { violations } = await run(plan, { variant });
    caught.push(...violations.filter((violation) => variant.breaks.test(violation)));
    payments += size;
  }
  expect(caught, `within ${within} payments`).not.to.deep.equal([]);
  console.log(`      within ${payments} payments: ${caught[0]}`);
}

/** Two runs of a plan have the same history, log and ledger, and other plans of as many payments have others. */
export async function repeatsToTheByte(payments: number): Promise<void> {
  const digests = new Set<string>();
  for (const kind of ['sandbox', 'routed', 'twins'] as const) {
    const first = await historyOf(planOf('again', payments, kind));
    expect(await historyOf(planOf('again', payments, kind))).to.deep.equal(first);
    digests.add(first.digest);
  }
  expect(digests.size).to.equal(3);
  expect(digests).not.to.include((await historyOf(planOf('other', payments, 'sandbox'))).digest);
}

async function historyOf(plan: Plan): Promise<{ readonly lines: readonly string[]; readonly digest: string }> {
  const lines: string[] = [];
  const { digest } = await run(plan, { history: (line) => lines.push(line) });
  return { lines, digest };
}
