// What the networks count: the tries of a card, over all connections and agreements of an account.
import { expect } from 'chai';
import fc from 'fast-check';
import { answerTry, claimTry, type RetryLedger, retryLedger } from '../../../src/domain/retry-ledger/ledger.ts';
import { endsCard, REVIEW_BY, TRY_LIMITS, WORD_RULES, wordOn } from '../../../src/domain/retry-ledger/network-rules.ts';
import { givenOf } from '../../support/given.ts';

const given = givenOf(retryLedger);
const DAY_MS = 86_400_000;
const NOW = 1_000 * DAY_MS;

const tried = (paymentId: string, network = 'VISA', amount = 1_900) => ({
  accountId: 'acc_1',
  paymentId,
  network,
  amount,
  currencyCode: 'EUR',
});
const claim = (
  paymentId: string,
  claimedAt: number,
  of: { network?: string; amount?: number; mostTries?: number } = {},
) => ({
  ...tried(paymentId, of.network, of.amount),
  mostTries: of.mostTries ?? 1,
  claimedAt,
});
const answer = (paymentId: string, declines: number, answeredAt: number, network?: string, amount?: number) => ({
  ...tried(paymentId, network, amount),
  declines,
  answeredAt,
});
const declinedTimes = (count: number, at: number, network = 'VISA', amount = 1_900) =>
  Array.from({ length: count }, (_, place) => ({
    type: 'NetworkTryAnswered' as const,
    data: answer(`pay_${at}_${place}`, 1, at, network, amount),
  }));

describe('the ledger of a card', () => {
  it('has nothing of a card without a decline', () => {
    given()
      .when(claimTry(claim('pay_1', NOW)))
      .thenNothing();
    given()
      .when(answerTry(answer('pay_1', 0, NOW)))
      .thenNothing();
  });

  it('counts each decline, and from then on each try before it begins', () => {
    const [first] = declinedTimes(1, NOW);
    if (first === undefined) expect.fail('there is one');
    given().when(answerTry(first.data)).then(first);
    given(first).when(answerTry(first.data)).thenNothing();
    const next = claim('pay_2', NOW + 1);
    given(first).when(claimTry(next)).then({ type: 'NetworkTryClaimed', data: next });
    given(first, { type: 'NetworkTryClaimed', data: next }).when(claimTry(next)).thenNothing();
    given(first)
      .when(claimTry(claim('pay_2', NOW + 30 * DAY_MS)))
      .thenNothing();
  });

  for (const { network, most, withinMs, sameAmount } of TRY_LIMITS) {
    const name = `${most} of ${network} in ${withinMs / DAY_MS} days`;
    it(`has room for ${name}, and for the next when the oldest is that old`, () => {
      // the longer limit alone: the tries are spread over its time
      const apart = Math.floor(withinMs / (most + 1));
      const events = Array.from({ length: most }, (_, place) =>
        declinedTimes(1, NOW - withinMs + (place + 1) * apart, network),
      ).flat();
      const [oldest] = events;
      const freeAt = (oldest?.data.answeredAt ?? 0) + withinMs;
      given(...events)
        .when(claimTry(claim('pay_next', NOW, { network })))
        .thenRejected('RetryNotAllowed', { notBefore: freeAt, because: 'NETWORK_LIMIT' });
      const later = claim('pay_next', freeAt, { network });
      given(...events)
        .when(claimTry(later))
        .then({ type: 'NetworkTryClaimed', data: later });
      const other = claim('pay_next', NOW, { network, amount: 1_901 });
      const decided = given(...events).when(claimTry(other));
      if (sameAmount === true) decided.then({ type: 'NetworkTryClaimed', data: other });
      else decided.thenRejected('RetryNotAllowed');
    });
  }

  it('counts an open try as often as it may come to, and a success not at all', () => {
    const nine = declinedTimes(9, NOW, 'MASTERCARD');
    const two = claim('pay_two', NOW, { network: 'MASTERCARD', mostTries: 2 });
    given(...nine)
      .when(claimTry(two))
      .thenRejected('RetryNotAllowed', { because: 'NETWORK_LIMIT' });
    const one = claim('pay_one', NOW, { network: 'MASTERCARD' });
    const open = given(...nine, { type: 'NetworkTryClaimed', data: one });
    open.when(claimTry(claim('pay_last', NOW, { network: 'MASTERCARD' }))).thenRejected('RetryNotAllowed');
    const last = claim('pay_last', NOW + 1, { network: 'MASTERCARD' });
    given(
      ...nine,
      { type: 'NetworkTryClaimed', data: one },
      { type: 'NetworkTryAnswered', data: answer('pay_one', 0, NOW, 'MASTERCARD') },
    )
      .when(claimTry(last))
      .then({ type: 'NetworkTryClaimed', data: last });
  });

  it('is closed for ever by a word of the network', () => {
    const ended = { ...answer('pay_1', 1, NOW), isLast: true as const, code: 'STOLEN_CARD' };
    given({ type: 'NetworkTryAnswered', data: ended })
      .when(claimTry(claim('pay_2', NOW + 400 * DAY_MS)))
      .thenRejected('RetryNotAllowed', { paymentId: 'pay_1', because: 'NETWORK_FORBIDS' });
  });

  it('folds the time of the longest limit alone', () => {
    const { state } = given(...declinedTimes(5, NOW), ...declinedTimes(1, NOW + 30 * DAY_MS));
    expect(state.status !== 'absent' && state.tries.length).to.equal(1);
  });

  it('never lets a network see more declines than its limits allow, whatever comes', () => {
    const step = fc.record({
      afterMs: fc.integer({ min: 0, max: DAY_MS / 4 }),
      mostTries: fc.integer({ min: 1, max: 3 }),
      amount: fc.constantFrom(100, 200),
    });
    fc.assert(
      fc.property(fc.constantFrom('VISA', 'MASTERCARD'), fc.array(step, { maxLength: 150 }), (network, steps) => {
        let ledger: RetryLedger = retryLedger.initial;
        let at = NOW;
        const declines: { readonly at: number; readonly amount: number }[] = [];
        const apply = (decided: ReturnType<ReturnType<typeof claimTry>>): void => {
          if (decided.kind === 'accepted')
            for (const event of decided.events) ledger = retryLedger.evolve(ledger, event, { id: '', revision: 0, at });
        };
        for (const [place, { afterMs, mostTries, amount }] of steps.entries()) {
          at += afterMs;
          const decided = claimTry(claim(`pay_${place}`, at, { network, amount, mostTries }))(ledger);
          if (decided.kind === 'rejected') continue;
          apply(decided);
          for (let one = 0; one < mostTries; one += 1) declines.push({ at, amount });
          apply(answerTry(answer(`pay_${place}`, mostTries, at, network, amount))(ledger));
        }
        for (const limit of TRY_LIMITS.filter((one) => one.network === network))
          for (const { at: end, amount } of declines) {
            const within = declines.filter(
              (one) =>
                one.at <= end && one.at > end - limit.withinMs && (limit.sameAmount !== true || one.amount === amount),
            );
            expect(within.length).to.be.at.most(limit.most);
          }
      }),
    );
  });
});

describe('the words of the networks', () => {
  it('name a source for each row, and a day to read them again', () => {
    for (const { source } of [...WORD_RULES, ...TRY_LIMITS]) expect(source).to.match(/\w+\.\w+/);
    expect(REVIEW_BY).to.match(/^20\d\d-\d\d-\d\d$/);
  });

  it('say one thing about a code', () => {
    const codes = WORD_RULES.flatMap(({ network, by, codes: of }) => of.map((code) => `${network} ${by} ${code}`));
    expect(new Set(codes).size).to.equal(codes.length);
  });

  for (const [network, told, word, isEnd] of [
    ['VISA', { networkCode: 'R0' }, 'withdrawn', false],
    ['VISA', { networkCode: 'R1' }, 'withdrawn', true],
    ['VISA', { networkCode: 'R3' }, 'withdrawn', true],
    ['VISA', { networkCode: '14' }, 'never', true],
    ['VISA', { networkCode: '57' }, 'never', true],
    ['VISA', { networkCode: '54' }, 'other', false],
    ['VISA', { networkCode: '51' }, 'wait', false],
    ['VISA', { networkAdviceCode: '03' }, 'wait', false],
    ['MASTERCARD', { networkAdviceCode: '03' }, 'never', true],
    ['MASTERCARD', { networkAdviceCode: '21' }, 'withdrawn', true],
    ['MASTERCARD', { networkAdviceCode: '01' }, 'other', false],
    ['MASTERCARD', { networkAdviceCode: '24', advice: 'DO_NOT_RETRY' }, 'wait', false],
    ['MASTERCARD', { networkCode: '14' }, 'wait', false],
    ['AMEX', { advice: 'DO_NOT_RETRY' }, 'other', false],
    ['AMEX', { advice: 'UPDATE_DATA' }, 'other', false],
    ['AMEX', {}, 'wait', false],
  ] as const)
    it(`of ${network}: ${JSON.stringify(told)} is ${word}`, () => {
      const found = wordOn({ network, code: 'DO_NOT_HONOR', declineType: 'SOFT', ...told });
      expect([found.kind, endsCard(found)]).to.deep.equal([word, isEnd]);
    });
});
