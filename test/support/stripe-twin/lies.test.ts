// What every Stripe does, of an honest twin and of each lying one.
import { AssertionError, expect } from 'chai';
import Stripe from 'stripe';
import type { Expectation } from './expectations/expectation.ts';
import { KEYS } from './expectations/keys.ts';
import { MONEY } from './expectations/money.ts';
import { LIES, type Lie } from './lies.ts';
import { clientOf } from './outside-client.ts';
import { openStripeTwin } from './stripe-twin.ts';

const EXPECTATIONS = [...KEYS, ...MONEY];

async function check(expectation: Expectation, lies: readonly Lie[] = []): Promise<void> {
  const twin = await openStripeTwin({ lies: new Set(lies) });
  try {
    await expectation.check(twin, clientOf(twin));
  } finally {
    await twin.close();
  }
}

/** True if a twin with this lie does not meet the expectation. */
const finds = (expectation: Expectation, lie: Lie): Promise<boolean> =>
  check(expectation, [lie]).then(
    () => false,
    (error: unknown) => {
      if (error instanceof AssertionError || error instanceof Stripe.errors.StripeError) return true;
      throw error;
    },
  );

describe('what every Stripe does', () => {
  for (const expectation of EXPECTATIONS) it(expectation.promise, () => check(expectation));
});

describe('a lying twin', () => {
  for (const lie of LIES)
    it(`is found: ${lie}`, async () => {
      const responsible = EXPECTATIONS.filter((one) => one.finds.includes(lie));
      expect(responsible, 'no expectation finds it').not.to.deep.equal([]);
      for (const one of responsible) expect(await finds(one, lie), one.promise).to.equal(true);
    });
});
