// The simulator: the whole service keeps every promise through misfortunes, runs repeat to the byte, and broken
// services are caught.
import { expect } from 'chai';
import { type Plan, planOf } from './plan.ts';
import { run } from './run.ts';
import { shrink } from './shrink.ts';
import { kindFor } from './variant.ts';
import { VARIANTS } from './variants.ts';

const SEEDS = 20;
const ROUTED_SEEDS = 10;
const TWIN_SEEDS = 5;
const PAYMENTS = 100;
/** A small world shows most broken services in a fifth of the time, a large one the rest. */
const SIZES = [PAYMENTS / 2, PAYMENTS];
/** A broken variant must be caught within this many payments, in worlds of the sizes above. */
const CAUGHT_WITHIN = 10_000;

describe('a simulated world', function () {
  this.timeout(1_200_000);
  it(`keeps every promise in ${SEEDS * PAYMENTS} payments of ${SEEDS} seeds`, async () => {
    let [events, acknowledged, misfortunes] = [0, 0, 0];
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const outcome = await run(planOf(`test.${seed}`, PAYMENTS, 'sandbox'));
      expect(outcome.violations, `npm run simulate -- --world ${PAYMENTS} --replay test.${seed}`).to.deep.equal([]);
      events += outcome.events;
      acknowledged += outcome.acknowledged;
      misfortunes += outcome.misfortunes;
    }
    expect(acknowledged).to.be.greaterThan(SEEDS * PAYMENTS);
    console.log(`      ${events} events, ${acknowledged} acknowledged commands, ${misfortunes} misfortunes`);
  });

  it(`keeps every promise over two sandboxes with rules of routing, in ${ROUTED_SEEDS * PAYMENTS} payments`, async () => {
    const routed = { choices: 0, fallbacks: 0, skips: 0 };
    for (let seed = 0; seed < ROUTED_SEEDS; seed += 1) {
      const outcome = await run(planOf(`routed.${seed}`, PAYMENTS, 'routed'));
      expect(
        outcome.violations,
        `npm run simulate -- --routed --world ${PAYMENTS} --replay routed.${seed}`,
      ).to.deep.equal([]);
      routed.choices += outcome.routed.choices;
      routed.fallbacks += outcome.routed.fallbacks;
      routed.skips += outcome.routed.skips;
    }
    expect(routed.choices).to.be.greaterThan(ROUTED_SEEDS * PAYMENTS * 0.4);
    expect(routed.fallbacks).to.be.greaterThan(ROUTED_SEEDS);
    expect(routed.skips).to.be.greaterThan(ROUTED_SEEDS);
    console.log(`      ${routed.choices} choices, ${routed.fallbacks} fallbacks, ${routed.skips} connections skipped`);
  });

  it(`keeps every promise by two connections to twins of Stripe, in ${TWIN_SEEDS * PAYMENTS} payments`, async () => {
    let misfortunes = 0;
    for (let seed = 0; seed < TWIN_SEEDS; seed += 1) {
      const outcome = await run(planOf(`twins.${seed}`, PAYMENTS, 'twins'));
      expect(
        outcome.violations,
        `npm run simulate -- --twins --world ${PAYMENTS} --replay twins.${seed}`,
      ).to.deep.equal([]);
      misfortunes += outcome.misfortunes;
    }
    expect(misfortunes).to.be.greaterThan(TWIN_SEEDS);
  });

  it('has the same history, log and ledger to the byte whenever its plan is the same', async () => {
    const digests = new Set<string>();
    for (const kind of ['sandbox', 'routed', 'twins'] as const) {
      const first = await historyOf(planOf('again', 60, kind));
      expect(await historyOf(planOf('again', 60, kind))).to.deep.equal(first);
      digests.add(first.digest);
    }
    expect(digests.size).to.equal(3);
    expect(digests).not.to.include((await historyOf(planOf('other', 60, 'sandbox'))).digest);
  });

  it('takes the same turns with and without a reader of its history', async () => {
    const plan = planOf('told.0', 60);
    const { violations, digest, simulatedMs } = await run(plan);
    expect(await run(plan, { history: () => undefined }))
      .to.include({ digest, simulatedMs })
      .and.deep.include({ violations });
  });

  for (const variant of VARIANTS) {
    it(`exposes a service that is broken on purpose: ${variant.name}`, async () => {
      const caught: string[] = [];
      let payments = 0;
      for (let world = 0; caught.length === 0 && payments < CAUGHT_WITHIN; world += 1) {
        const size = SIZES[world % SIZES.length] ?? PAYMENTS;
        const { violations } = await run(
          planOf(`broken.${Math.floor(world / SIZES.length)}`, size, kindFor(variant) ?? 'sandbox'),
          { variant },
        );
        caught.push(...violations.filter((violation) => variant.breaks.test(violation)));
        payments += size;
      }
      expect(caught, `within ${CAUGHT_WITHIN} payments`).not.to.deep.equal([]);
      console.log(`      within ${payments} payments: ${caught[0]}`);
    });
  }

  it('that breaks a promise shrinks to a short history that still breaks it', async () => {
    const [variant] = VARIANTS;
    if (variant === undefined) throw new Error('there are variants');
    const plan = planOf('broken.0', PAYMENTS / 2, 'sandbox');
    const { violations } = await run(plan, { variant });
    const shrunk = await shrink(plan, violations, variant, 60);
    expect(shrunk.violations).not.to.deep.equal([]);
    expect(shrunk.plan.shoppers.length).to.be.lessThan(10);
    expect(shrunk.history.length).to.be.greaterThan(0);
  });
});

async function historyOf(plan: Plan): Promise<{ readonly lines: readonly string[]; readonly digest: string }> {
  const lines: string[] = [];
  const { digest } = await run(plan, { history: (line) => lines.push(line) });
  return { lines, digest };
}
