// What tests ask of simulated worlds: a sound service keeps every promise in them, and a broken one is caught.
import { expect } from 'chai';
import { planOf } from './plan.ts';
import type { WorldKind } from './routes.ts';
import { run } from './run.ts';
import { type BrokenVariant, kindFor } from './variant.ts';

const FLAG = { sandbox: '', routed: '--routed ', twins: '--twins ' } as const;

/** Runs so many worlds and expects no violation, and that each world met what its kind is for. */
export async function keepsEveryPromise(name: string, kind: WorldKind, seeds: number, payments: number): Promise<void> {
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
  expect(acknowledged).to.be.greaterThan(seeds * payments);
  expect(misfortunes).to.be.greaterThan(seeds);
  if (kind === 'routed') {
    expect(routed.choices).to.be.greaterThan((seeds * payments) / 4);
    expect(routed.fallbacks).to.be.at.least(seeds);
    expect(routed.skips).to.be.at.least(seeds);
  }
  const { choices, fallbacks, skips } = routed;
  const routes = kind === 'routed' ? `, ${choices} choices, ${fallbacks} fallbacks, ${skips} connections skipped` : '';
  console.log(`      ${events} events, ${acknowledged} acknowledged commands, ${misfortunes} misfortunes${routes}`);
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
