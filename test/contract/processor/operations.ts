// What every operation owes when nothing goes wrong: one effect, of what was asked for, that a look-up finds.
import { expect } from 'chai';
import { CURRENT, WITHDRAWN } from '../../../src/domain/currency.ts';
import type { OperationRequest } from '../../../src/processors/processor.ts';
import { type Bench, HOUR_MS } from './bench.ts';
import type { Row } from './row.ts';

/** More than a page of any list has. */
const CROWD = 150;
const A_DAY_AND_AN_HOUR = 25 * HOUR_MS;
const CURRENCIES = [...CURRENT, ...WITHDRAWN];

const UNDONE = ['declined', 'refused', 'not_sent'];

const expected = ({ reference, amount, currencyCode }: OperationRequest) => [{ reference, amount, currencyCode }];

/** So many at a time: a processor may count the requests that run at once. */
async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < items.length; from += 10) await Promise.all(items.slice(from, from + 10).map(work));
}

export const OPERATIONS: readonly Row[] = [
  {
    name: 'does every operation once, by one request and as asked, and answers its look-up as it answered the call',
    async check(bench) {
      for (const request of await bench.all()) {
        const before = bench.writes();
        const outcome = await bench.perform(request);
        expect(outcome, request.operation).to.deep.include({
          kind: 'succeeded',
          amount: request.amount,
          currencyCode: 'EUR',
        });
        if (before !== undefined) expect(bench.writes(), `${request.operation}: requests`).to.equal(before + 1);
        expect(await bench.lookUp(request), request.operation).to.deep.equal(outcome);
        expect(await bench.effectsOf(request.reference), request.operation).to.deep.equal(expected(request));
      }
    },
  },
  {
    name: 'does one thing for one reference that it is asked for twice',
    async check(bench) {
      const request = await bench.authorization('twice');
      const first = await bench.perform(request);
      expect(await bench.perform(request)).to.deep.equal(first);
      expect(await bench.effectsOf('twice')).to.deep.equal(expected(request));
    },
  },
  {
    name: 'does one thing for one reference that it is asked for again 25 hours later',
    async check(bench) {
      const request = await bench.authorization('later');
      await bench.perform(request);
      await bench.tested.advance(A_DAY_AND_AN_HOUR);
      const again = await bench.perform(request);
      expect(await bench.effectsOf('later'), JSON.stringify(again)).to.deep.equal(expected(request));
    },
  },
  {
    name: 'calls a reference unknown that was used for something else, or reports what was done by it',
    async check(bench) {
      const authorization = await bench.held('used');
      const first = bench.capture('used1', 600, authorization);
      const done = await bench.perform(first);
      const other = await bench.perform(bench.capture('used1', 500, authorization));
      if (other.kind !== 'unknown') expect(other).to.deep.equal(done);
      expect(await bench.effectsOf('used1')).to.deep.equal(expected(first));
    },
  },
  {
    name: 'finds a payment 25 hours later, among 150 newer ones',
    async check(bench) {
      const request = await bench.authorization('first');
      const outcome = await bench.perform(request);
      const others = Array.from({ length: CROWD }, (_, place) => `other${place}`);
      await inTurns(others, async (reference) => bench.perform(await bench.authorization(reference)));
      expect(await bench.lookUp(request), 'at once').to.deep.equal(outcome);
      await bench.tested.advance(A_DAY_AND_AN_HOUR);
      expect(await bench.lookUp(request), 'later').to.deep.equal(outcome);
    },
  },
  {
    name: 'finds a refund among 150 newer ones of its payment, and calls it unanswered if one of the reads is lost',
    async check(bench) {
      const refund = await bench.refunds('many', 10_000);
      const request = refund('first', 50);
      const outcome = await bench.perform(request);
      const others = Array.from({ length: CROWD }, (_, place) => `other${place}`);
      await inTurns(others, (reference) => bench.perform(refund(reference, 1)));
      expect(await bench.lookUp(request)).to.deep.equal(outcome);
      for (const nth of [1, 2]) {
        const found = await bench.during('page_404_before', (call) => bench.processor.lookUp(request, call), nth);
        if (nth === 1 || found.kind !== 'succeeded') expect(found.kind).to.be.oneOf(['unreachable', 'unknown']);
      }
    },
  },
  {
    name: 'finds an authorization by our own reference where its name is unknown, or sends nothing',
    async check(bench) {
      const { paymentId } = await bench.held('known');
      const capture = bench.capture('capture1', 400, { paymentId, authorization: { reference: 'known' } });
      const outcome = await bench.perform(capture);
      // What is prepared has its name on record, and needs no other.
      const sends = bench.processor.prepare === undefined || outcome.kind !== 'not_sent';
      if (sends) expect(outcome).to.include({ kind: 'succeeded', amount: 400 });
      expect(await bench.effectsOf('capture1')).to.have.length(sends ? 1 : 0);
    },
  },
  {
    name: 'calls an unseen operation not found, and a look-up changes nothing',
    async check(bench) {
      const unseen = await bench.all();
      const before = await bench.tested.effects(bench.tested.connection);
      for (const request of unseen)
        expect(await bench.lookUp(request), request.operation).to.deep.equal({ kind: 'not_found' });
      expect(await bench.tested.effects(bench.tested.connection)).to.deep.equal(before);
    },
  },
  {
    name: 'keeps the rest of an authorization after a capture that is not final, and only then',
    async check(bench) {
      const { partialCapture, multipleCaptures } = bench.processor.capabilities(bench.tested.connection);
      if (!partialCapture) return;
      const closed = await bench.held('closed');
      await bench.done(bench.capture('final1', 600, closed));
      const late = await bench.perform(bench.capture('final2', 100, closed));
      expect(late.kind).to.not.equal('succeeded');
      expect(await bench.effectsOf('final2')).to.deep.equal([]);
      if (!multipleCaptures) return;
      const open = await bench.held('open');
      await bench.done(bench.capture('part1', 600, open, false));
      await bench.done(bench.capture('part2', 100, open, false));
      expect(await bench.effectsOf('part2')).to.have.length(1);
    },
  },
  {
    name: 'reports what the issuer refused as declined, with a code',
    async check(bench) {
      const request = await bench.authorization('refused', { card: 'declined' });
      const outcome = await bench.perform(request);
      expect(outcome).to.have.property('kind', 'declined');
      expect(outcome).to.have.property('code').that.is.a('string').and.not.empty;
      expect(outcome).to.have.property('declineType').that.is.oneOf(['SOFT', 'HARD']);
      // Only a look-up may show the network's own name of what was refused.
      expect(await bench.lookUp(request)).to.deep.include(outcome);
      expect(await bench.effectsOf('refused')).to.deep.equal([]);
    },
  },
  {
    name: 'reports what is not decided yet as pending',
    async check(bench) {
      const request = await bench.authorization('open', { card: 'pending' });
      const outcome = await bench.perform(request);
      expect(outcome).to.have.property('kind', 'pending');
      const { processorTransactionId: name } = outcome.kind === 'pending' ? outcome : {};
      const recorded = name === undefined ? request : { ...request, processorTransactionId: name };
      expect(await bench.lookUp(recorded)).to.deep.equal(outcome);
      expect(await bench.effectsOf('open')).to.deep.equal([]);
    },
  },
  {
    name: 'authorizes every currency in our minor units, or refuses the amount and does nothing',
    async check(bench) {
      const asked = CURRENCIES.flatMap((currencyCode) =>
        [20_000, 20_001].map((amount) => ({ amount, currencyCode, reference: `in${currencyCode}${amount}` })),
      );
      const done: object[] = [];
      await inTurns(asked, async ({ reference, amount, currencyCode }) => {
        const requested = await bench.requested(reference, { amount, currencyCode });
        const ready = await bench.processor.prepare?.(requested, bench.call());
        const isReady = ready === undefined || ready.kind === 'prepared';
        const name = ready?.kind === 'prepared' && { processorTransactionId: ready.processorTransactionId };
        const outcome = isReady ? await bench.perform({ ...requested, ...name }) : ready;
        if (outcome.kind !== 'succeeded') return void expect(outcome.kind, reference).to.be.oneOf(UNDONE);
        expect(outcome, reference).to.include({ amount, currencyCode });
        done.push({ reference, amount, currencyCode });
      });
      const effects = await bench.tested.effects(bench.tested.connection);
      expect(
        effects.map(({ reference, amount, currencyCode }) => ({ reference, amount, currencyCode })),
      ).to.have.deep.members(done);
    },
  },
  {
    name: 'acts for the account of the connection that it is called with, and for no other',
    needs: 'secrets',
    async check(bench) {
      const { connection, otherConnection } = bench.tested;
      if (otherConnection === undefined) throw new Error('the suite needs a second connection');
      const request = await bench.authorization('theirs', { connection: otherConnection });
      expect(await bench.perform(request, otherConnection)).to.have.property('kind', 'succeeded');
      expect(await bench.effectsOf('theirs', otherConnection)).to.deep.equal(expected(request));
      expect(await bench.effectsOf('theirs', connection)).to.deep.equal([]);
      expect(await bench.lookUp(request, otherConnection)).to.have.property('kind', 'succeeded');
      expect((await bench.lookUp(request, connection)).kind).to.not.equal('succeeded');
    },
  },
  {
    name: 'sends nothing by secrets that the processor refuses, and finds nothing out by them',
    needs: 'secrets',
    async check(bench) {
      const { connection } = bench.tested;
      const secrets = Object.fromEntries(Object.entries(connection.secrets).map(([name, one]) => [name, `${one}0`]));
      const stranger = { ...connection, secrets };
      for (const request of await bench.all()) {
        const outcome = await bench.perform(request, stranger);
        expect(outcome.kind, request.operation).to.equal('not_sent');
        const found = await bench.lookUp(request, stranger);
        expect(found.kind, request.operation).to.be.oneOf(['unreachable', 'unknown']);
        for (const secret of Object.values(secrets)) expect(JSON.stringify([outcome, found])).to.not.contain(secret);
        expect(await bench.effectsOf(request.reference)).to.deep.equal([]);
      }
    },
  },
  {
    name: 'makes one token of one reference, and reports the parts of the card that may be kept',
    async check(bench) {
      const { processor, tested } = bench;
      const from = tested.card('approved', tested.connection);
      const request = { reference: 'tok_1', accountId: 'acc_1', from };
      const first = await processor.tokenize(request, bench.call());
      expect(first).to.have.property('kind', 'token');
      expect(await processor.tokenize(request, bench.call())).to.deep.equal(first);
      expect(first)
        .to.have.nested.property('card.last4Digits')
        .that.matches('card' in from ? new RegExp(`^${from.card.number.slice(-4)}$`) : /^\d{4}$/);
      bench.isDiscreet(first);
      const other = { ...request, reference: 'tok_2', from: tested.card('not_taken', tested.connection) };
      expect(await processor.tokenize(other, bench.call())).to.have.property('kind', 'refused');
    },
  },
  {
    name: 'sends the customer to the issuer, holds nothing meanwhile, and finds the outcome',
    needs: 'challenges',
    async check(bench) {
      for (const isApproved of [true, false]) {
        const reference = isApproved ? 'agreed' : 'refused';
        const [request, asked] = await bench.challenged(reference);
        expect(asked).to.have.nested.property('action.url').that.is.a('string');
        expect(await bench.lookUp(request)).to.deep.equal(asked);
        expect(await bench.effectsOf(reference)).to.deep.equal([]);
        await bench.tested.challenges?.answer(asked, isApproved);
        expect(await bench.goOn(request)).to.have.property('kind', isApproved ? 'succeeded' : 'declined');
        expect(await bench.effectsOf(reference)).to.deep.equal(isApproved ? expected(request) : []);
      }
    },
  },
  {
    name: 'continues when the customer has acted, and not before or twice',
    needs: ['challenges', 'resumes'],
    async check(bench) {
      const [request, asked] = await bench.challenged('resumed');
      expect(await bench.goOn(request)).to.deep.equal(asked);
      expect(await bench.effectsOf('resumed')).to.deep.equal([]);
      await bench.tested.challenges?.answer(asked, true);
      expect(await bench.effectsOf('resumed'), 'the customer alone').to.deep.equal([]);
      const outcome = await bench.goOn(request);
      expect(outcome).to.have.property('kind', 'succeeded');
      expect(await bench.goOn(request)).to.deep.equal(outcome);
      expect(await bench.lookUp(request)).to.deep.equal(outcome);
      expect(await bench.effectsOf('resumed')).to.deep.equal(expected(request));
    },
  },
  {
    name: 'decides nothing by a continuation that has no answer, and continues once when it is asked again',
    needs: ['challenges', 'resumes'],
    async check(bench) {
      for (const how of ['refused', 'reset_before', 'reset_after', 'page_404_before', 'status_500_after'] as const) {
        const [request, asked] = await bench.challenged(how.replaceAll('_', ''));
        await bench.tested.challenges?.answer(asked, true);
        const lost = await bench.during(how, async (call) => bench.processor.resume?.(request, call));
        // the processor has the attempt, so the service takes "not sent" for unknown here
        expect(lost?.kind, how).to.be.oneOf(['unknown', 'not_sent']);
        expect(await bench.goOn(request), how).to.have.property('kind', 'succeeded');
        expect(await bench.effectsOf(request.reference), how).to.deep.equal(expected(request));
      }
    },
  },
  {
    name: 'lets no customer act after a fence',
    needs: ['challenges', 'fences'],
    async check(bench) {
      const [request, asked] = await bench.challenged('withdrawn');
      const fenced = await bench.processor.fence?.(request, bench.call());
      expect(fenced).to.deep.equal(asked);
      await bench.tested.challenges?.answer(asked, true);
      expect(await bench.effectsOf('withdrawn')).to.deep.equal([]);
    },
  },
  {
    name: 'says that a refusal owes a fence which a customer can still pay, and finds that payment',
    needs: 'confirms_again',
    async check(bench) {
      const request = await refused(bench);
      expect(again(bench, request)).to.equal(true);
      expect(await bench.lookUp(request)).to.include({ kind: 'succeeded', amount: 1_000 });
    },
  },
  {
    name: 'makes a refusal final by a fence',
    needs: 'confirms_again',
    async check(bench) {
      const request = await refused(bench);
      const fenced = await bench.processor.fence?.(request, bench.call());
      expect(fenced).to.have.property('kind', 'declined');
      expect(fenced, 'no other fence is owed').to.not.have.property('fence');
      expect(again(bench, request)).to.equal(false);
      expect(await bench.lookUp(request)).to.have.property('kind', 'declined');
      expect(await bench.effectsOf(request.reference)).to.deep.equal([]);
    },
  },
];

async function refused(bench: Bench): Promise<OperationRequest> {
  const request = await bench.authorization('refused', { card: 'declined' });
  expect(await bench.perform(request)).to.include({ kind: 'declined', fence: 'owed' });
  return request;
}

/** The customer pays it with another card. */
const again = ({ tested }: Bench, { processorTransactionId: name = '' }: OperationRequest): boolean =>
  tested.confirmAgain?.(name) ?? false;
