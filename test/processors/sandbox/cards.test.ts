// The table of cards against the numbers and outcomes of the sandbox's specification, row by row.
import { expect } from 'chai';
import { CARDS, cardOfId, cardOfNumber, scenarios } from '../../../src/processors/sandbox/cards.ts';
import type { Sandbox } from '../../../src/processors/sandbox/sandbox-interface.ts';
import { about, callOf } from '../../support/call-of.ts';
import { PLACES } from './other-node.ts';
import { type AdvancingWorld, advancingWorld, never, soon, TestPayment, temporaryDirectory } from './sandbox-setup.ts';

const isLuhn = (number: string): boolean =>
  [...number].reverse().reduce((sum, digit, place) => {
    const value = Number(digit) * (place % 2 === 0 ? 1 : 2);
    return sum + (value > 9 ? value - 9 : value);
  }, 0) %
    10 ===
  0;

interface Expected {
  readonly authorization: string;
  /** The answer of a look-up once the time has come. */
  readonly afterwards?: string;
  /** The answer in the end, and after how many ms, where that takes longer. */
  readonly finally?: readonly [string, number];
  readonly capture?: string;
  readonly captureAfterwards?: string;
  readonly refund?: string;
  readonly refundAfterwards?: string;
}

const approved: Expected = { authorization: 'succeeded 1000', capture: 'succeeded 1000', refund: 'succeeded 1000' };
const declined = (code: string, declineType: string): Expected => ({
  authorization: `declined ${declineType} ${code}`,
});

/** Every row, written here a second time from the specification. */
const EXPECTED: { readonly [number: string]: Expected } = {
  '4242424242424242': approved,
  '5555555555554444': approved,
  '378282246310005': approved,
  '6011111111111117': approved,
  '4000000000000002': declined('GENERIC_DECLINE', 'HARD'),
  '4000000000009995': declined('INSUFFICIENT_FUNDS', 'SOFT'),
  '4000000000009987': declined('LOST_CARD', 'HARD'),
  '4000000000009979': declined('STOLEN_CARD', 'HARD'),
  '4000000000000069': declined('EXPIRED_CARD', 'HARD'),
  '4000000000000127': declined('INCORRECT_CVC', 'SOFT'),
  '4000000000000119': declined('PROCESSING_ERROR', 'SOFT'),
  '4000000000000341': declined('GENERIC_DECLINE', 'HARD'),
  '4000000000003220': { authorization: 'requires_action' },
  '4000008400001629': { authorization: 'requires_action' },
  '4000009900005029': approved,
  '4000009900005011': declined('AUTHENTICATION_REQUIRED', 'SOFT'),
  '4000009900002042': declined('AUTHENTICATION_REQUIRED', 'SOFT'),
  '4000009900005037': approved,
  '4000009900005045': approved,
  '4000009900005052': approved,
  '4000009900005060': approved,
  '4000009900005078': approved,
  '4000009900005086': approved,
  '5100099900005018': approved,
  '5100099900005026': approved,
  '5100099900005034': approved,
  '5100099900005042': approved,
  '5100099900005059': approved,
  '5100099900005067': approved,
  '5100099900005075': approved,
  '4000009900006019': approved,
  '4000009900006027': approved,
  '4000009900006035': approved,
  '4000009900001010': {
    authorization: 'pending',
    afterwards: 'succeeded 1000',
    capture: 'succeeded 1000',
    refund: 'succeeded 1000',
  },
  '4000009900001028': { authorization: 'pending', afterwards: 'declined HARD GENERIC_DECLINE' },
  '4000009900001036': {
    authorization: 'pending',
    afterwards: 'succeeded 1000',
    capture: 'succeeded 1000',
    refund: 'succeeded 1000',
  },
  '4000009900001044': {
    authorization: 'unknown',
    afterwards: 'succeeded 1000',
    capture: 'succeeded 1000',
    refund: 'succeeded 1000',
  },
  '4000009900001051': { authorization: 'unknown', afterwards: 'not_found' },
  '4000009900001069': {
    ...approved,
    authorization: 'unknown',
    afterwards: 'not_found',
    finally: ['succeeded 1000', 60_000],
  },
  '4000009900001077': {
    authorization: 'unknown',
    afterwards: 'succeeded 1000',
    capture: 'succeeded 1000',
    refund: 'succeeded 1000',
  },
  '4000009900001085': { authorization: 'not_sent', afterwards: 'not_found' },
  '4000009900002018': approved,
  '4000009900002026': approved,
  '4000009900002034': approved,
  '4000009900002059': { ...approved, authorization: 'pending', afterwards: 'succeeded 1000' },
  '4000009900002067': { ...approved, authorization: 'pending', afterwards: 'succeeded 1000' },
  '4000009900002075': {
    ...approved,
    authorization: 'unknown',
    afterwards: 'not_found',
    finally: ['succeeded 1000', 600_000],
  },
  '4000009900003016': {
    authorization: 'succeeded 1000',
    capture: 'succeeded 900',
    refund: 'declined HARD AMOUNT_ABOVE_REFUNDABLE',
  },
  '4000009900003024': approved,
  '4000009900003032': approved,
  '4000009900003065': { ...approved, capture: 'succeeded 1000 USD' },
  '4000009900003040': {
    ...approved,
    capture: 'pending',
    captureAfterwards: 'succeeded 1000',
  },
  '4000009900003057': {
    authorization: 'succeeded 1000',
    capture: 'pending',
    captureAfterwards: 'declined SOFT PROCESSING_ERROR',
    refund: 'declined HARD AMOUNT_ABOVE_REFUNDABLE',
  },
  '4000009900004014': { ...approved, refund: 'declined HARD GENERIC_DECLINE' },
  '4000009900004022': { ...approved, refund: 'pending', refundAfterwards: 'declined HARD GENERIC_DECLINE' },
  '4000000000000259': approved,
  '4000009900004030': approved,
  '4000009900004048': approved,
  '4000009900004063': approved,
  '4000009900004071': approved,
  '4000009900004055': { ...approved, refund: 'pending', refundAfterwards: 'succeeded 1000' },
};

const THREE_DAYS_MS = 3 * 86_400_000;

type Answer = Awaited<ReturnType<Sandbox['perform']>> | Awaited<ReturnType<Sandbox['lookUp']>>;

function inWords(answer: Answer): string {
  if (answer.kind === 'succeeded')
    return `succeeded ${answer.amount}${answer.currencyCode === 'EUR' ? '' : ` ${answer.currencyCode}`}`;
  return answer.kind === 'declined' ? `declined ${answer.declineType} ${answer.code}` : answer.kind;
}

describe('sandbox cards', () => {
  it('lists numbers that pass Luhn, each once, under ids that are each used once', () => {
    const numbers = CARDS.flatMap((row) => row.numbers);
    expect(numbers.filter((number) => !isLuhn(number))).to.deep.equal([]);
    expect(new Set(numbers).size).to.equal(numbers.length);
    expect(new Set(CARDS.map(({ id }) => id)).size).to.equal(CARDS.length);
  });

  it('is found by number, with spaces or without, and by id', () => {
    for (const row of CARDS) {
      expect(cardOfId(row.id)).to.equal(row);
      for (const number of row.numbers) expect(cardOfNumber(number.replaceAll(/(....)/g, '$1 ').trim())).to.equal(row);
    }
    expect(cardOfNumber('4111111111111111')).to.equal(undefined);
  });

  it('is shown by the scenarios with every number, a title and an outcome', () => {
    expect(scenarios().flatMap(({ numbers = [] }) => numbers)).to.deep.equal(CARDS.flatMap(({ numbers }) => numbers));
    for (const { title, outcome } of scenarios())
      expect([title, outcome]).to.satisfy((texts: string[]) => texts.every((text) => text !== ''));
  });

  it('holds the rows that this test expects, and no others', () => {
    expect(CARDS.flatMap(({ numbers }) => numbers).sort()).to.deep.equal(Object.keys(EXPECTED).sort());
  });

  for (const { where, open } of PLACES)
    describe(`at the processor ${where}`, () => {
      const directory = temporaryDirectory();
      let world: AdvancingWorld;
      let sandbox: Sandbox;
      before(async () => {
        world = advancingWorld();
        sandbox = await open(`${directory.path}/sandbox.db`, world);
      });
      after(async () => {
        await sandbox.close();
        directory.remove();
      });

      for (const [number, expected] of Object.entries(EXPECTED)) {
        it(`${number} does what its row says: ${cardOfNumber(number)?.title}`, async () => {
          const payment = new TestPayment(sandbox, `pay_${number}`);
          const lookUp = async (suffix: string): Promise<string> =>
            inWords(await sandbox.lookUp(about(payment.reference(suffix)), callOf(never())));

          // Only an answer that never comes is not waited for.
          const deadline = expected.authorization.startsWith('unknown') ? soon : never;
          expect(inWords(await payment.authorize(number, 1_000, deadline))).to.equal(expected.authorization);
          world.advance(5_000);
          expect(await lookUp('a')).to.equal(expected.afterwards ?? expected.authorization);
          if (expected.finally !== undefined) {
            const [says, afterMs] = expected.finally;
            world.advance(afterMs - 10_000);
            expect(await lookUp('a')).to.equal(expected.afterwards);
            world.advance(10_000);
            expect(await lookUp('a')).to.equal(says);
          }
          if (expected.capture === undefined) return;

          await payment.found();
          expect(inWords(await payment.ask('capture', 'c', 1_000))).to.equal(expected.capture);
          world.advance(5_000);
          expect(await lookUp('c')).to.equal(expected.captureAfterwards ?? expected.capture);

          expect(inWords(await payment.ask('refund', 'r', 1_000))).to.equal(expected.refund);
          world.advance(THREE_DAYS_MS);
          expect(await lookUp('r')).to.equal(expected.refundAfterwards ?? expected.refund);
        });
      }

      it('challenges the customer of 4000 0000 0000 3220 on a page of its own, which takes one answer', async () => {
        const payment = new TestPayment(sandbox, 'pay_challenged');
        const asked = await payment.authorize('4000000000003220', 1_000);
        const id =
          asked.kind === 'requires_action' && asked.action.kind === 'redirect'
            ? (asked.action.url.split('/').at(-1) ?? '')
            : '';
        const challenge = { accountId: about('a').accountId, last4Digits: '3220', amount: 1_000, currencyCode: 'EUR' };
        expect(await sandbox.challenge(id)).to.deep.equal({ ...challenge, state: 'waiting' });
        expect(await sandbox.challenge(`${id.slice(1)}0`)).to.equal(undefined);
        expect(await sandbox.answerChallenge(id, true)).to.deep.equal({ ...challenge, state: 'approved' });
        expect(await sandbox.answerChallenge(id, false)).to.deep.equal({ ...challenge, state: 'approved' });
        const found = await sandbox.lookUp(about(payment.reference('a')), callOf(never()));
        expect(found).to.have.nested.property('authorization.threeDSecure.responseCode', 'AUTH_SUCCESS');
        expect(await sandbox.fence(about(payment.reference('a')), callOf(never()))).to.deep.equal(found);
      });

      it('takes no answer after a fence, which says the same each time', async () => {
        const payment = new TestPayment(sandbox, 'pay_fenced');
        const asked = await payment.authorize('4000000000003220', 1_000);
        const id =
          asked.kind === 'requires_action' && asked.action.kind === 'redirect'
            ? (asked.action.url.split('/').at(-1) ?? '')
            : '';
        for (let time = 0; time < 2; time += 1)
          expect(await sandbox.fence(about(payment.reference('a')), callOf(never()))).to.deep.equal(asked);
        expect(await sandbox.answerChallenge(id, true)).to.include({ state: 'fenced' });
        expect(await sandbox.lookUp(about(payment.reference('a')), callOf(never()))).to.deep.equal(asked);
        expect(await sandbox.fence(about('pay_unknown.a'), callOf(never()))).to.deep.equal({ kind: 'not_found' });
      });

      it('says pending until the moment comes, and the end from then on', async () => {
        const payment = new TestPayment(sandbox, 'pay_moment');
        await payment.authorize('4000009900004022');
        await payment.ask('capture', 'c', 1_000);
        await payment.ask('refund', 'r', 400);
        world.advance(THREE_DAYS_MS - 60_000);
        expect((await sandbox.lookUp(about(payment.reference('r')), callOf(never()))).kind).to.equal('pending');
        world.advance(60_000);
        expect((await sandbox.lookUp(about(payment.reference('r')), callOf(never()))).kind).to.equal('declined');
      });

      it('shows in its ledger an effect that 4000 0099 0000 1069 hides from look-ups, and has it once', async () => {
        const payment = new TestPayment(sandbox, 'pay_hidden');
        await payment.authorize('4000009900001069', 700, soon);
        const [line] = await sandbox.linesOf([payment.reference('a')]);
        expect(line).to.include({ amount: 700, outcome: 'succeeded' });
        expect(await sandbox.lookUp(about(payment.reference('a')), callOf(never()))).to.deep.equal({
          kind: 'not_found',
        });
        expect((await payment.authorize('4000009900001069', 700)).kind).to.equal('succeeded');
        world.advance(60_000);
        expect(await sandbox.linesOf([payment.reference('a')])).to.deep.equal([line]);
      });

      it('holds 4000 0099 0000 3032 for 7 days, then declines everything but refunds', async () => {
        const [payment, captured] = [
          new TestPayment(sandbox, 'pay_expiring'),
          new TestPayment(sandbox, 'pay_captured'),
        ];
        for (const one of [payment, captured]) {
          const authorized = await one.authorize('4000009900003032', 1_000);
          const [line] = await sandbox.linesOf([one.reference('a')]);
          expect(authorized).to.have.nested.property('authorization.holdExpiresAt', (line?.at ?? 0) + 7 * 86_400_000);
          expect(await sandbox.lookUp(about(one.reference('a')), callOf(never()))).to.deep.equal(authorized);
        }
        expect(inWords(await captured.ask('capture', 'c', 400, { final: false }))).to.equal('succeeded 400');
        world.advance(7 * 86_400_000 - 60_000);
        expect(inWords(await captured.ask('capture', 'c2', 100, { final: false }))).to.equal('succeeded 100');
        world.advance(60_000);
        const words = async (
          one: TestPayment,
          ...asked: Parameters<TestPayment['ask']>
        ): Promise<string | undefined> => {
          const outcome = await one.ask(...asked);
          return outcome.kind === 'declined' ? outcome.code : outcome.kind;
        };
        for (const one of [payment, captured])
          for (const operation of ['capture', 'cancellation', 'adjustment'] as const)
            expect(await words(one, operation, `late-${operation}`, 100)).to.equal('AUTHORIZATION_EXPIRED');
        expect(await words(captured, 'refund', 'r', 500)).to.equal('succeeded');
      });

      it('refuses the second partial capture of 4000 0099 0000 3024', async () => {
        const payment = new TestPayment(sandbox, 'pay_partial');
        await payment.authorize('4000009900003024');
        expect(inWords(await payment.ask('capture', 'c1', 300, { final: false }))).to.equal('succeeded 300');
        expect(inWords(await payment.ask('capture', 'c2', 300, { final: false }))).to.equal(
          'declined HARD GENERIC_DECLINE',
        );
      });

      it('captures at least 1 of the amount asked of 4000 0099 0000 3016', async () => {
        const payment = new TestPayment(sandbox, 'pay_less');
        await payment.authorize('4000009900003016');
        expect(inWords(await payment.ask('capture', 'c1', 1, { final: false }))).to.equal('succeeded 1');
        expect(inWords(await payment.ask('capture', 'c2', 15, { final: false }))).to.equal('succeeded 13');
      });
    });
});
