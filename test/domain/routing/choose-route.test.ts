// The choice of a connection: total, the same at every try, and by weight.
import { expect } from 'chai';
import { drawFor } from '../../../src/commands/payments/route-payment.ts';
import { chooseRoute } from '../../../src/domain/routing/choose-route.ts';
import { RoutingRules } from '../../../src/domain/routing/routing-rules.ts';
import type { RouteFacts } from '../../../src/domain/routing/when.ts';
import { StoreKey } from '../../../src/secrets.ts';

const facts: RouteFacts = {
  currencyCode: 'EUR',
  amount: 1_000,
  methodType: 'PAYMENT_CARD',
  network: 'VISA',
  initiator: 'customer',
  metadata: { tier: 'gold' },
};
const rulesOf = (sent: object) =>
  RoutingRules.parse({ rules: [], default: { use: [{ connection: 'd', weight: 1 }] }, ...sent });
const weighted = (...weights: readonly (readonly [string, number])[]) =>
  weights.map(([connection, weight]) => ({ connection, weight }));
const none = (): undefined => undefined;
const never = (): number => {
  throw new Error('nothing is to be drawn');
};

describe('choosing a route', () => {
  it('takes the first rule whose members all hold, and otherwise the default', () => {
    const rules = rulesOf({
      rules: [
        { name: 'dollars', when: { currencyCode: ['USD'] }, use: weighted(['a', 1]) },
        { name: 'small gold', when: { amount: { lt: 1_001 }, metadata: { tier: ['gold'] } }, use: weighted(['b', 1]) },
        { name: 'all', when: {}, use: weighted(['c', 1]) },
      ],
    });
    const chosen = (more: Partial<RouteFacts>) => chooseRoute(rules, { ...facts, ...more }, none, never);
    expect(chosen({})).to.include({ rule: 'small gold', connection: 'b' });
    expect(chosen({ amount: 1_001 })).to.include({ rule: 'all', connection: 'c' });
    expect(chosen({ currencyCode: 'USD' })).to.include({ rule: 'dollars', connection: 'a' });
    expect(chooseRoute(rulesOf({}), facts, none, never)).to.include({ rule: 'default', connection: 'd' });
  });

  it('draws by weight, within 1 % over 100,000 payments, and the same each time', () => {
    const key = new StoreKey(Buffer.alloc(32, 5));
    const rules = rulesOf({ default: { use: weighted(['a', 90], ['b', 10]) } });
    const counts = new Map<string | undefined, number>();
    for (let nth = 0; nth < 100_000; nth += 1) {
      const { connection } = chooseRoute(rules, facts, none, () => drawFor(key, `pay_${nth}`));
      counts.set(connection, (counts.get(connection) ?? 0) + 1);
    }
    expect(counts.get('a')).to.be.closeTo(90_000, 1_000);
    expect(drawFor(key, 'pay_1')).to.equal(drawFor(key, 'pay_1'));
    expect(drawFor(new StoreKey(Buffer.alloc(32, 6)), 'pay_1')).to.not.equal(drawFor(key, 'pay_1'));
  });

  it('spreads what a skipped connection leaves by the weights of the others', () => {
    const rules = rulesOf({ default: { use: weighted(['a', 50], ['b', 25], ['c', 25]) } });
    const counts = { b: 0, c: 0 };
    for (let nth = 0; nth < 10_000; nth += 1) {
      const skip = (connection: string) => (connection === 'a' ? ('disabled' as const) : undefined);
      const { connection } = chooseRoute(rules, facts, skip, () => (nth + 0.5) / 10_000);
      if (connection === 'b' || connection === 'c') counts[connection] += 1;
    }
    expect(counts.b).to.be.closeTo(5_000, 100);
    expect(counts.b + counts.c).to.equal(10_000);
  });

  it('goes on to `then` where all that could be drawn are skipped, and says what was skipped', () => {
    const rules = rulesOf({ default: { use: weighted(['a', 1], ['b', 0]), then: ['b', 'c'] } });
    const skip = (connection: string) => (connection === 'c' ? undefined : ('circuit_open' as const));
    expect(chooseRoute(rules, facts, skip, never)).to.deep.equal({
      rule: 'default',
      connection: 'c',
      skipped: [
        { connection: 'a', because: 'circuit_open' },
        { connection: 'b', because: 'circuit_open' },
      ],
      then: ['b'],
    });
    expect(chooseRoute(rules, facts, () => 'disabled' as const, never).connection).to.equal(undefined);
  });
});
