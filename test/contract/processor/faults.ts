// What every operation owes when its server, or the way to it, goes wrong: a grade by evidence, and no repetition.
import { expect } from 'chai';
import type { LookUp, Outcome } from '../../../src/domain/payment/outcome.ts';
import type { Misbehaviour } from '../misbehaving-proxy.ts';
import type { Row } from './row.ts';

interface Graded {
  readonly outcomes: readonly Outcome['kind'][];
  readonly found: Extract<LookUp['kind'], 'succeeded' | 'not_found'>;
}
const HAPPENED: Graded = { outcomes: ['unknown'], found: 'succeeded' };
const NOTHING: Graded = { outcomes: ['unknown'], found: 'not_found' };
const GRADES = {
  refused: { outcomes: ['not_sent'], found: 'not_found' },
  reset_before: NOTHING,
  reset_after: HAPPENED,
  hung: HAPPENED,
  page_403_before: NOTHING,
  page_404_before: NOTHING,
  page_408_after: HAPPENED,
  status_409: NOTHING,
  status_429: NOTHING,
  // The processor's own words: whether they prove that nothing was begun is in its documentation.
  busy: { outcomes: ['unknown', 'not_sent'], found: 'not_found' },
  status_500_after: HAPPENED,
  truncated: HAPPENED,
  late: HAPPENED,
} as const satisfies { readonly [M in Misbehaviour]?: Graded };
type GradedFault = keyof typeof GRADES;
const isGraded = (how: string): how is GradedFault => Object.hasOwn(GRADES, how);
const FAULTS = Object.keys(GRADES).filter(isGraded);

const graded = (how: GradedFault): Row => ({
  name: `grades an operation whose server is ${how} as ${GRADES[how].outcomes.join(' or ')}, and finds it ${GRADES[how].found}`,
  async check(bench) {
    const { outcomes, found }: Graded = GRADES[how];
    for (const request of await bench.all()) {
      const before = bench.writes();
      const outcome = await bench.performDuring(how, request);
      expect(outcome.kind, request.operation).to.be.oneOf(outcomes);
      bench.isDiscreet(outcome);
      if (before !== undefined)
        expect(bench.writes(), `${request.operation}: requests`).to.equal(before + (how === 'refused' ? 0 : 1));
      expect(await bench.effectsOf(request.reference), request.operation).to.have.length(found === 'succeeded' ? 1 : 0);
      expect((await bench.lookUp(request)).kind, request.operation).to.equal(found);
    }
  },
});

const UNANSWERED = [
  'refused',
  'reset_before',
  'reset_after',
  'hung',
  'page_403_before',
  'page_404_before',
  'status_429',
  'busy',
  'status_500_after',
  'truncated',
] as const satisfies readonly Misbehaviour[];

const unanswered = (how: Misbehaviour): Row => ({
  name: `calls a look-up whose server is ${how} unanswered, never not found`,
  async check(bench) {
    for (const request of await bench.all()) {
      await bench.perform(request);
      const found = await bench.during(how, (call) => bench.processor.lookUp(request, call));
      expect(found.kind, request.operation).to.be.oneOf(['unreachable', 'unknown']);
      bench.isDiscreet(found);
      expect(await bench.lookUp(request), request.operation).to.have.property('kind', 'succeeded');
    }
  },
});

export const FAULTY: readonly Row[] = [
  ...FAULTS.map(graded),
  ...UNANSWERED.map(unanswered),
  {
    name: 'does one thing although its server gets the request twice',
    async check(bench) {
      for (const request of await bench.all()) {
        expect(await bench.performDuring('twice', request), request.operation).to.have.property('kind', 'succeeded');
        expect(await bench.effectsOf(request.reference), request.operation).to.have.length(1);
      }
    },
  },
  {
    name: 'reports another currency than asked as it is',
    async check(bench) {
      const outcome = await bench.performDuring('other_currency', await bench.authorization('inUsd'));
      expect(outcome).to.deep.include({ kind: 'succeeded', amount: 1_000, currencyCode: 'USD' });
    },
  },
  {
    name: 'reports another amount than asked as it is',
    async check(bench) {
      const outcome = await bench.performDuring('other_amount', await bench.authorization('inPart'));
      expect(outcome).to.deep.include({ kind: 'succeeded', currencyCode: 'EUR' });
      expect(outcome).to.have.property('amount').that.is.not.equal(1_000);
    },
  },
  {
    name: 'calls what is lost at any of its requests nothing that it is not',
    async check(bench) {
      for (const nth of [1, 2, 3]) {
        const request = await bench.authorization(`lost${nth}`);
        const { kind } = await bench.performDuring('reset_after', request, nth);
        const effects = await bench.effectsOf(request.reference);
        if (kind !== 'unknown') expect(kind).to.equal(effects.length === 1 ? 'succeeded' : 'not_sent');
        expect((await bench.lookUp(request)).kind).to.equal(effects.length === 1 ? 'succeeded' : 'not_found');
      }
    },
  },
  {
    name: 'sends nothing when the deadline has passed already',
    async check(bench) {
      for (const request of await bench.all()) {
        const before = bench.writes();
        const outcome = await bench.processor.perform(request, bench.call(AbortSignal.abort()));
        expect(outcome.kind, request.operation).to.equal('not_sent');
        expect(bench.writes(), request.operation).to.equal(before);
        expect(await bench.effectsOf(request.reference), request.operation).to.deep.equal([]);
      }
    },
  },
  {
    name: 'makes no token that its server has not made, and says no secret',
    async check(bench) {
      const request = {
        reference: 'tok_1',
        accountId: 'acc_1',
        from: bench.tested.card('approved', bench.tested.connection),
      };
      for (const how of ['refused', 'reset_before', 'page_404_before', 'status_500_after', 'truncated'] as const) {
        const told = await bench
          .during(how, (call) => bench.processor.tokenize(request, call))
          .then(
            ({ kind }) => ({ kind }),
            (fault: unknown) => ({ kind: 'thrown', fault: String(fault) }),
          );
        expect(told.kind, how).to.equal('thrown');
        bench.isDiscreet(told);
      }
    },
  },
];
