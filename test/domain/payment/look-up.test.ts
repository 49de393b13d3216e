// Look-ups: what an attempt becomes by one that settles nothing, and when the next one is due (contract §4).
import { expect } from 'chai';
import { recordLookUp } from '../../../src/domain/payment/decide.ts';
import { attemptOf, dueLookUpAt, nextLookUpAt, payment } from '../../../src/domain/payment/state.ts';
import { givenOf } from '../../support/given.ts';
import { AT, authorized, captureRequested, id, isPending, isUnknown, known, partlySettled, pending, refundRequested } from './story.ts';

const given = givenOf(payment);
const lookedUp = (answer: 'pending' | 'unknown' | 'not_found') =>
  recordLookUp({
    attemptId: id('a'),
    answer,
    processorTransactionId: undefined,
    evidence: { source: 'lookup' },
    nextLookUpAt: AT + 300_000,
    at: AT + 30_000,
  });
const DAY = 86_400_000;

describe('the schedule of look-ups', () => {
  it('is 30 s, 5 min and 1 h after the request, then daily', () => {
    const times = [0, 1, 2, 3, 4, 5].map((lookUps) => nextLookUpAt(AT, lookUps) - AT);
    expect(times).to.deep.equal([30_000, 300_000, 3_600_000, DAY, 2 * DAY, 3 * DAY]);
  });

  it('goes on behind a time when nobody asked, and makes up for none that was missed', () => {
    expect(nextLookUpAt(AT, 1, AT + 200_000) - AT).to.equal(300_000);
    expect(nextLookUpAt(AT, 1, AT + 300_000) - AT).to.equal(3_600_000);
    expect(nextLookUpAt(AT, 1, AT + 40 * DAY + 5) - AT).to.equal(41 * DAY);
    expect(nextLookUpAt(AT, 4, AT + 40 * DAY) - AT).to.equal(41 * DAY);
  });

  it('is due when the first of the attempts is', () => {
    const before = [...partlySettled, captureRequested('d', 100, false), isUnknown('d', 'capture'), refundRequested('r', 1, 'c')];
    expect(dueLookUpAt(given(...before).state)).to.equal(AT + 30_000);
    const scheduled = {
      type: 'LookUpScheduled' as const,
      data: { attemptId: id('d'), at: AT, answer: 'unknown' as const, lookUpAt: AT + 5 },
    };
    expect(dueLookUpAt(given(...before, scheduled).state)).to.equal(AT + 5);
    expect(dueLookUpAt(given(...authorized).state)).to.equal(undefined);
    expect(dueLookUpAt(given().state)).to.equal(undefined);
  });
});

describe('a look-up that settles nothing', () => {
  it('moves the next one and counts', () => {
    const { state } = given(...pending, isUnknown('a', 'authorization')).when(lookedUp('not_found'));
    expect(attemptOf(state, id('a'))).to.include({ state: 'unknown', lookUps: 1, lookUpAt: AT + 300_000 });
  });

  it('remembers when it was first not found, until something else is learnt', () => {
    const scheduled = (answer: 'unknown' | 'not_found', at: number) => ({
      type: 'LookUpScheduled' as const,
      data: { attemptId: id('a'), at, answer, lookUpAt: at + 1_000 },
    });
    const before = [...pending, isUnknown('a', 'authorization'), scheduled('unknown', AT + 10_000)];
    expect(attemptOf(given(...before).state, id('a'))).not.to.have.property('notFoundAt');
    const asked = [...before, scheduled('not_found', AT + 20_000), scheduled('not_found', AT + 30_000)];
    expect(attemptOf(given(...asked).state, id('a'))).to.include({ notFoundAt: AT + 20_000 });
    expect(attemptOf(given(...asked, isPending('a', 'authorization')).state, id('a'))).not.to.have.property('notFoundAt');
  });

  it('makes an attempt whose caller never came back unknown', () => {
    const { state } = given(...pending).when(lookedUp('not_found'));
    expect(attemptOf(state, id('a'))?.state).to.equal('unknown');
    expect(known(state)).to.include({ status: 'PENDING' });
    expect(known(state).statusReason?.type).to.equal('GATEWAY_TIMEOUT');
    expect(dueLookUpAt(state)).to.equal(AT + 300_000);
  });

  it('makes an attempt pending that the processor is working on', () => {
    for (const before of [pending, [...pending, isUnknown('a', 'authorization')]]) {
      const { state } = given(...before).when(lookedUp('pending'));
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
      at: AT + 30_000,
    });
    const { state } = given(...pending).when(record);
    expect(attemptOf(state, id('a'))).to.include({ state: 'pending', processorTransactionId: 'tx_a' });
    expect(known(state)).to.include({ processorTransactionId: 'tx_a' });
  });

  it('does not touch when the payment was updated, nor what is known already', () => {
    const before = given(...pending, isPending('a', 'authorization'));
    const { state } = before.when(lookedUp('unknown'));
    expect(known(state).dateUpdated).to.equal(known(before.state).dateUpdated);
    expect(attemptOf(state, id('a'))?.state).to.equal('pending');
  });

  it('does nothing to an attempt that is settled, and of none is NotFound', () => {
    given(...authorized)
      .when(lookedUp('unknown'))
      .thenNothing();
    given().when(lookedUp('unknown')).thenRejected('NotFound');
  });
});
