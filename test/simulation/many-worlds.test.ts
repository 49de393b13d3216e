// The simulator, at length: many seeds, every broken service, and what a history is read by. `simulation.test.ts`
// is the short form of it, which every run of `npm test` has.
import { expect } from 'chai';
import { exposed, keepsEveryPromise, repeatsToTheByte } from './held.ts';
import { planOf } from './plan.ts';
import { run } from './run.ts';
import { shrink } from './shrink.ts';
import { VARIANTS } from './variants.ts';

const SEEDS = 20;
const ROUTED_SEEDS = 10;
const TWIN_SEEDS = 5;
const BILLING_SEEDS = 5;
const PAYMENTS = 100;
/** A small world shows most broken services in a fifth of the time, a large one the rest. */
const SIZES = [PAYMENTS / 2, PAYMENTS];
/** A broken variant must be caught within this many payments, in worlds of the sizes above. */
const CAUGHT_WITHIN = 10_000;

describe('many simulated worlds', function () {
  this.timeout(1_200_000);

  it(`keep every promise in ${SEEDS * PAYMENTS} payments of ${SEEDS} seeds`, async () => {
    const { acknowledged } = await keepsEveryPromise('test', 'sandbox', SEEDS, PAYMENTS);
    expect(acknowledged).to.be.greaterThan(SEEDS * PAYMENTS);
  });

  it(`keep every promise over two sandboxes with rules of routing, in ${ROUTED_SEEDS * PAYMENTS} payments`, async () => {
    const routed = await keepsEveryPromise('routed', 'routed', ROUTED_SEEDS, PAYMENTS);
    expect(routed.choices).to.be.greaterThan(ROUTED_SEEDS * PAYMENTS * 0.4);
    expect(routed.fallbacks).to.be.greaterThan(ROUTED_SEEDS);
    expect(routed.skips).to.be.greaterThan(ROUTED_SEEDS);
  });

  it(`keep every promise by two connections to twins of Stripe, in ${TWIN_SEEDS * PAYMENTS} payments`, async () => {
    const { misfortunes } = await keepsEveryPromise('twins', 'twins', TWIN_SEEDS, PAYMENTS);
    expect(misfortunes).to.be.greaterThan(TWIN_SEEDS);
  });

  it(`charge no period twice, in ${BILLING_SEEDS * PAYMENTS} subscriptions with billing jobs that run twice`, async () => {
    const { acknowledged } = await keepsEveryPromise('billing', 'billing', BILLING_SEEDS, PAYMENTS);
    expect(acknowledged).to.be.greaterThan(BILLING_SEEDS * PAYMENTS * 3);
  });

  it('have the same history, log and ledger to the byte whenever their plan is the same', () => repeatsToTheByte(60));

  it('take the same turns with and without a reader of their history', async () => {
    const plan = planOf('told.0', 60);
    const { violations, digest, simulatedMs } = await run(plan);
    expect(await run(plan, { history: () => undefined }))
      .to.include({ digest, simulatedMs })
      .and.deep.include({ violations });
  });

  for (const variant of VARIANTS) {
    it(`expose a service that is broken on purpose: ${variant.name}`, () => exposed(variant, SIZES, CAUGHT_WITHIN));
  }

  it('that break a promise shrink to a short history that still breaks it', async () => {
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
