// Rule files: each mistake has a sentence with its place, and a rule that no payment can reach is one.
import { expect } from 'chai';
import { checkRules } from '../../../src/domain/routing/routing-rules.ts';
import { firstUnreachable, matches, type RouteFacts } from '../../../src/domain/routing/when.ts';

const use = [{ connection: 'a', weight: 1 }];
const last = { use, then: [] };
const problemsIn = (sent: unknown): readonly string[] => {
  const checked = checkRules(sent, (name) => ({ a: 'con_a', con_a: 'con_a', b: 'con_b' })[name]);
  return checked.kind === 'wrong' ? checked.problems : [];
};
const rule = (name: string, when: object, more: object = {}) => ({ name, when, use, ...more });

describe('a rule file', () => {
  it('is read with what it leaves out', () => {
    const checked = checkRules({ rules: [], default: { use } }, (name) => name);
    expect(checked.kind === 'rules' && checked.rules).to.deep.equal({
      rules: [],
      default: last,
      fallbackOn: [],
      never: [],
      mostAttempts: 2,
    });
  });

  for (const [what, sent, place] of [
    ['no object', [], /^Invalid input/],
    ['no default', { rules: [] }, /^default: /],
    ['an unknown member', { rules: [], default: last, retries: 3 }, /Unrecognized key: "retries"/],
    [
      'an unknown member of a rule',
      { rules: [rule('r', { country: ['DE'] })], default: last },
      /^rules\[0\]\.when: .*"country"/,
    ],
    [
      'an unknown connection',
      { rules: [], default: { use: [{ connection: 'x', weight: 1 }] } },
      /^default\.use\[0\]\.connection: .*"x"/,
    ],
    [
      'an unknown connection in then',
      { rules: [rule('r', {}, { then: ['y'] })], default: last },
      /^rules\[0\]\.then\[0\]: .*"y"/,
    ],
    [
      'weights that are all zero',
      { rules: [], default: { use: [{ connection: 'a', weight: 0 }] } },
      /^default\.use: .*more than 0/,
    ],
    [
      'a weight below zero',
      { rules: [], default: { use: [{ connection: 'a', weight: -1 }] } },
      /^default\.use\[0\]\.weight: /,
    ],
    ['no connection at all', { rules: [], default: { use: [] } }, /^default\.use: /],
    ['a connection twice', { rules: [], default: { use: [...use, ...use] } }, /^default\.use: .*twice/],
    [
      'a connection by its name and by its id',
      { rules: [], default: { use: [...use, { connection: 'con_a', weight: 1 }] } },
      /^default\.use: .*twice/,
    ],
    [
      'a network of a method that has none',
      { rules: [rule('r', { network: ['VISA'], methodType: ['IDEAL'] })], default: last },
      /^rules\[0\]\.when: .*only cards/,
    ],
    [
      'a currency that the method does not have',
      { rules: [rule('r', { currencyCode: ['USD'], methodType: ['IDEAL', 'SEPA_DEBIT'] })], default: last },
      /^rules\[0\]\.when: No such method takes USD/,
    ],
    [
      'the number of a card as a name',
      { rules: [rule('4242424242424242', {})], default: last },
      /^rules\[0\]\.name: .*card number/,
    ],
    [
      'two rules of one name',
      { rules: [rule('r', { currencyCode: ['EUR'] }), rule('r', {})], default: last },
      /^rules\[1\]\.name: /,
    ],
    ['a rule named default', { rules: [rule('default', {})], default: last }, /^rules\[0\]\.name: /],
    ['an empty list', { rules: [rule('r', { network: [] })], default: last }, /^rules\[0\]\.when\.network: /],
    [
      'a currency that is none',
      { rules: [rule('r', { currencyCode: ['EURO'] })], default: last },
      /^rules\[0\]\.when\.currencyCode\[0\]: /,
    ],
    [
      'an empty range',
      { rules: [rule('r', { amount: { gte: 5, lt: 5 } })], default: last },
      /^rules\[0\]\.when\.amount: /,
    ],
    ['an end that is none', { rules: [], default: last, fallbackOn: ['HARD'] }, /^fallbackOn\[0\]: /],
    ['a code that is none', { rules: [], default: last, never: ['fraud'] }, /^never\[0\]: /],
    ['too many attempts', { rules: [], default: last, mostAttempts: 9 }, /^mostAttempts: /],
    [
      'a rule that an earlier one hides',
      { rules: [rule('r', {}), rule('s', { currencyCode: ['EUR'] })], default: last },
      /^rules\[1\]: .*"s"/,
    ],
  ] as const)
    it(`is refused for ${what}, with its place`, () => {
      const problems = problemsIn(sent);
      expect(problems.length).to.be.greaterThan(0);
      expect(problems[0]).to.match(place);
    });

  it('is refused where two rules together hide a third', () => {
    const both = { currencyCode: ['EUR', 'USD'] };
    expect(firstUnreachable([{ currencyCode: ['EUR'] }, { currencyCode: ['USD'] }, both])).to.equal(2);
    expect(firstUnreachable([{ amount: { lt: 10 } }, { amount: { gte: 5 } }, { network: ['VISA'] }])).to.equal(2);
    expect(firstUnreachable([{ initiator: ['customer'] }, { initiator: ['merchant'] }, {}])).to.equal(2);
    expect(firstUnreachable([{ currencyCode: ['EUR'] }, both, {}])).to.equal(undefined);
  });

  it('never hides a rule that some payment reaches, nor the other way round', () => {
    const answers = { currencyCode: ['EUR', 'USD', 'GBP'], network: ['VISA', 'AMEX', 'JCB'], amount: [0, 5, 10, 15] };
    let seed = 7;
    const below = (most: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * most);
    };
    const some = (values: readonly string[]) => values.slice(0, 2).filter(() => below(2) === 0);
    for (let round = 0; round < 300; round += 1) {
      const whens = Array.from({ length: 4 }, () => {
        const [currencyCode, network] = [some(answers.currencyCode), some(answers.network)];
        const gte = below(3) * 5;
        return {
          ...(currencyCode.length > 0 && { currencyCode }),
          ...(network.length > 0 && { network }),
          ...(below(2) === 0 && { amount: { gte, lt: gte + 5 + below(2) * 5 } }),
        };
      });
      const payments = answers.currencyCode.flatMap((currencyCode) =>
        answers.network.flatMap((network) =>
          answers.amount.map(
            (amount): RouteFacts => ({
              currencyCode,
              network,
              amount,
              methodType: 'PAYMENT_CARD',
              initiator: 'customer',
            }),
          ),
        ),
      );
      const reached = new Set(payments.map((payment) => whens.findIndex((when) => matches(when, payment))));
      const hidden = whens.findIndex((_when, place) => !reached.has(place));
      expect(firstUnreachable(whens), JSON.stringify(whens)).to.equal(hidden === -1 ? undefined : hidden);
    }
  });
});
