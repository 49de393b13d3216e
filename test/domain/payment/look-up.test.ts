// Look-ups: what an attempt becomes by one that settles nothing, and when the next one is due (contract §4).
import { expect } from 'chai';
import {
  actionLookUpAt,
  firstVerdictLookUp,
  plannedLookUpAt,
  recordLookUp,
  verdictLookUpAfter,
} from '../../../src/domain/payment/look-up.ts';
import { attemptOf, dueLookUpAt } from '../../../src/domain/payment/queries.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { givenOf } from '../../support/given.ts';
import {
  AT,
  authorized,
  captureRequested,
  id,
  isPending,
  isUnknown,
  known,
  lookedUp,
  partlySettled,
  pending,
  reasonOf,
  refundRequested,
} from './story.ts';

const given = givenOf(payment);
const lookUp = (answer: 'pending' | 'unknown' | 'not_found') =>
  recordLookUp({
    attemptId: id('a'),
    answer,
    processorTransactionId: undefined,
    evidence: { source: 'lookup' },
    nextLookUpAt: AT + 300_000,
  });
const DAY = 86_400_000;

describe('the look-up whether a customer has acted', () => {
  it('comes minutes after the page of a method was shown, daily with a voucher, and with the end of the time to act', () => {
    const LATE = AT + 30 * DAY;
    expect([0, 1, 2].map((lookUps) => actionLookUpAt('page', LATE, lookUps, AT) - AT)).to.deep.equal([
      300_000, 600_000, 1_200_000,
    ]);
    expect(actionLookUpAt('page', AT + 1_000, 0, AT)).to.equal(AT + 1_000);
    expect(actionLookUpAt('show', LATE, 5, AT)).to.equal(AT + DAY);
    expect(actionLookUpAt('frame', LATE, 0, AT)).to.equal(LATE);
  });
});

describe('the schedule of look-ups of a challenged dispute', () => {
  it('is the next day, then after twice as many days each time, a week at most', () => {
    expect(firstVerdictLookUp(AT)).to.equal(AT + DAY);
    const days = [0, 1, 2, 3].map((lookUps) => (verdictLookUpAfter('undecided', lookUps, AT) - AT) / DAY);
    expect(days).to.deep.equal([2, 4, 7, 7]);
  });

  it('is the next day where the processor did not answer, and a month where it does not tell', () => {
    expect([verdictLookUpAfter('unreachable', 5, AT), verdictLookUpAfter('untold', 5, AT)]).to.deep.equal([
      AT + DAY,
      AT + 30 * DAY,
    ]);
  });
});

describe('the schedule of look-ups', () => {
  it('is 30 s, 5 min and 1 h after the request, then daily', () => {
    const times = [0, 1, 2, 3, 4, 5].map((lookUps) => plannedLookUpAt(AT, lookUps) - AT);
    expect(times).to.deep.equal([30_000, 300_000, 3_600_000, DAY, 2 * DAY, 3 * DAY]);
  });

  it('goes on after a time when nobody asked, and makes up for none that was missed', () => {
    expect(plannedLookUpAt(AT, 1, AT + 200_000) - AT).to.equal(300_000);
    expect(plannedLookUpAt(AT, 1, AT + 300_000) - AT).to.equal(3_600_000);
    expect(plannedLookUpAt(AT, 1, AT + 40 * DAY + 5) - AT).to.equal(41 * DAY);
    expect(plannedLookUpAt(AT, 4, AT + 40 * DAY) - AT).to.equal(41 * DAY);
  });

  it('is due when the first of the attempts is', () => {
    const before = [
      ...partlySettled,
      captureRequested('d', 100, false),
      isUnknown('d', 'capture'),
      refundRequested('r', 1, 'c'),
    ];
    expect(dueLookUpAt(given(...before).state)).to.equal(AT + 30_000);
    const scheduled = lookedUp('d', 'capture', 'unknown', AT + 5);
    expect(dueLookUpAt(given(...before, scheduled).state)).to.equal(AT + 5);
    expect(dueLookUpAt(given(...authorized).state)).to.equal(undefined);
    expect(dueLookUpAt(given().state)).to.equal(undefined);
  });
});

describe('a look-up that settles nothing', () => {
  it('moves the next one and counts', () => {
    const { state } = given(...pending, isUnknown('a', 'authorization')).when(lookUp('not_found'));
    expect(attemptOf(state, id('a'))).to.include({ state: 'unknown', lookUps: 1, nextLookUpAt: AT + 300_000 });
  });

  it('remembers when it was first not found, until something else is learnt', () => {
    const scheduled = (answer: 'unknown' | 'not_found') => lookedUp('a', 'authorization', answer, AT + 50_000);
    const before = [...pending, isUnknown('a', 'authorization'), scheduled('unknown')];
    expect(attemptOf(given(...before).state, id('a'))).not.to.have.property('notFoundAt');
    const asked = [...before, scheduled('not_found'), scheduled('not_found')];
    expect(attemptOf(given(...asked).state, id('a'))).to.include({ notFoundAt: 1_004 });
    expect(attemptOf(given(...asked, isPending('a', 'authorization')).state, id('a'))).not.to.have.property(
      'notFoundAt',
    );
  });

  it('makes an attempt whose caller never came back unknown', () => {
    const { state } = given(...pending).when(lookUp('not_found'));
    expect(attemptOf(state, id('a'))?.state).to.equal('unknown');
    expect(known(state)).to.include({ status: 'PENDING' });
    expect(reasonOf(state)?.type).to.equal('GATEWAY_TIMEOUT');
    expect(dueLookUpAt(state)).to.equal(AT + 300_000);
  });

  it('makes an attempt pending that the processor is working on', () => {
    for (const before of [pending, [...pending, isUnknown('a', 'authorization')]]) {
      const { state } = given(...before).when(lookUp('pending'));
      expect(attemptOf(state, id('a'))).to.include({ state: 'pending', lookUps: 1 });
    }
  });

  it('keeps the processor’s name for what it is working on', () => {
    const record = recordLookUp({
      attemptId: id('a'),
      answer: 'pending',
      processorTransactionId: 'tx_a',
      evidence: { source: 'lookup' },
      nextLookUpAt: AT + 300_000,
    });
    const { state } = given(...pending).when(record);
    expect(attemptOf(state, id('a'))).to.include({ state: 'pending', processorTransactionId: 'tx_a' });
    expect(known(state)).to.include({ processorTransactionId: 'tx_a' });
  });

  it('does not touch when the payment was updated, nor what is known already', () => {
    const before = given(...pending, isPending('a', 'authorization'));
    const { state } = before.when(lookUp('unknown'));
    expect(known(state).dateUpdated).to.equal(known(before.state).dateUpdated);
    expect(attemptOf(state, id('a'))?.state).to.equal('pending');
  });

  it('does nothing to an attempt that is settled, and of none is NotFound', () => {
    given(...authorized)
      .when(lookUp('unknown'))
      .thenNothing();
    given().when(lookUp('unknown')).thenRejected('NotFound');
  });
});
