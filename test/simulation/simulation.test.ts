// The simulator: the whole service keeps every promise through misfortunes, runs repeat to the byte, and broken
// services are caught. `many-worlds.test.ts` is the long form of it.
import { expect } from 'chai';
import { exposed, keepsEveryPromise, repeatsToTheByte } from './held.ts';
import { VARIANTS } from './variants.ts';

const SEEDS = 3;
const PAYMENTS = 50;
/** Mostly the first of them shows what is broken. By chance its calls may come in an order that does no harm. */
const WORLDS = 8;
/** Broken services that small worlds show: one for each kind of promise. */
const SHOWN_AT_ONCE = [
  'retry on unknown',
  'settle on first not-found',
  'drop the revision guard',
  'claim after the call',
  'the resolver calls instead of looking up',
  'refund ignores what is refundable',
  'a notification is not a cause',
  'the fan-out skips a payment',
];

describe('a simulated world', function () {
  this.timeout(1_200_000);

  for (const kind of ['sandbox', 'routed', 'twins'] as const) {
    it(`keeps every promise in ${SEEDS * PAYMENTS} payments: ${kind}`, async () => {
      const held = await keepsEveryPromise(`third.${kind}`, kind, SEEDS, PAYMENTS);
      expect(held.acknowledged).to.be.greaterThan(SEEDS * PAYMENTS);
      expect(held.misfortunes).to.be.greaterThan(SEEDS);
      if (kind !== 'routed') return;
      expect(held.choices).to.be.greaterThan((SEEDS * PAYMENTS) / 4);
      expect(held.fallbacks).to.be.at.least(SEEDS);
      expect(held.skips).to.be.at.least(SEEDS);
    });
  }

  it(`charges no period twice, in ${PAYMENTS} subscriptions with billing jobs that run twice`, async () => {
    const { acknowledged } = await keepsEveryPromise('short.billing', 'billing', 1, PAYMENTS);
    expect(acknowledged).to.be.greaterThan(PAYMENTS * 3);
  });

  it('has the same history, log and ledger to the byte whenever its plan is the same', () => repeatsToTheByte(20));

  for (const name of SHOWN_AT_ONCE) {
    it(`exposes a service that is broken on purpose: ${name}`, async () => {
      const variant = VARIANTS.find((one) => one.name === name);
      if (variant === undefined) throw new Error('there is no such variant');
      await exposed(variant, [PAYMENTS], WORLDS * PAYMENTS);
    });
  }
});
