// The simulator: the whole service keeps every promise through misfortunes, runs repeat to the byte, and broken
// services are caught.
import { expect } from 'chai';
import { type Plan, planOf } from './plan.ts';
import { run } from './run.ts';
import { shrink } from './shrink.ts';
import { VARIANTS } from './variants.ts';

const SEEDS = 20;
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
      const outcome = await run(planOf(`test.${seed}`, PAYMENTS));
      expect(outcome.violations, `npm run simulate -- --world ${PAYMENTS} --replay test.${seed}`).to.deep.equal([]);
      events += outcome.events;
      acknowledged += outcome.acknowledged;
      misfortunes += outcome.misfortunes;
    }
    expect(acknowledged).to.be.greaterThan(SEEDS * PAYMENTS);
    console.log(`      ${events} events, ${acknowledged} acknowledged commands, ${misfortunes} misfortunes`);
  });

  it(`keeps every promise by two connections to twins of Stripe, in ${TWIN_SEEDS * PAYMENTS} payments`, async () => {
    let misfortunes = 0;
    for (let seed = 0; seed < TWIN_SEEDS; seed += 1) {
      const outcome = await run(planOf(`twins.${seed}`, PAYMENTS, true));
      expect(
        outcome.violations,
        `npm run simulate -- --twins --world ${PAYMENTS} --replay twins.${seed}`,
      ).to.deep.equal([]);
      misfortunes += outcome.misfortunes;
    }
    expect(misfortunes).to.be.greaterThan(TWIN_SEEDS);
  });

  it('has the same history, log and ledger to the byte whenever its plan is the same', async () => {
    const histories = [await historyOf(planOf('again', 60)), await historyOf(planOf('again', 60))];
    expect(histories[0]).to.deep.equal(histories[1]);
    expect((await historyOf(planOf('other', 60))).digest).not.to.equal(histories[0]?.digest);
    const byTwins = await historyOf(planOf('again', 60, true));
    expect(await historyOf(planOf('again', 60, true))).to.deep.equal(byTwins);
    expect(byTwins.digest).not.to.equal(histories[0]?.digest);
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
          planOf(`broken.${Math.floor(world / SIZES.length)}`, size, variant.stripe !== undefined),
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
    const plan = planOf('broken.0', PAYMENTS / 2);
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
