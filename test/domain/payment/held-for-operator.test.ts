// The captured money at a processor that is in no total, and that only an operator closes.
import { expect } from 'chai';
import { addHeld, type Held, heldForOperator } from '../../../src/domain/payment/derived-status.ts';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import { awaitsOperator } from '../../../src/domain/payment/queries.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { givenOf } from '../../support/given.ts';
import { AT, authorized, heldTooLate, isUnknown, partlySettled, settled, wentThrough } from './story.ts';

const given = givenOf(payment);
const stateOf = (...events: readonly PaymentEvent[]) => given(...events).state;
const heldAfter = (...events: readonly PaymentEvent[]) => Object.fromEntries(heldForOperator(stateOf(...events)));
const differs = (captured: number, refunded = 0, currencyCode = 'EUR'): PaymentEvent => ({
  type: 'StandingRecorded',
  data: {
    evidence: { source: 'lookup', sentAt: AT },
    answer: 'differs',
    captured,
    capturable: 0,
    refunded,
    currencyCode,
    nextLookUpAt: AT,
  },
});

describe('money held for an operator', () => {
  it('is what came too late and cannot be refunded, until it was refunded', () => {
    const state = stateOf(...heldTooLate);
    expect([awaitsOperator(state), ...heldForOperator(state)]).to.deep.equal([true, ['EUR', 1_000]]);
    const asked = heldTooLate.slice(0, -1);
    expect(heldAfter(...asked)).to.deep.equal({});
    expect(heldAfter(...asked, isUnknown('a-refund', 'refund'))).to.deep.equal({});
    expect(heldAfter(...asked, wentThrough('a-refund', 'refund', 1_000))).to.deep.equal({});
  });

  it('is what a read shows as captured beyond the record, less what was given back there', () => {
    expect(heldAfter(...partlySettled, differs(1_000))).to.deep.equal({ EUR: 600 });
    expect(heldAfter(...partlySettled, differs(1_000, 100))).to.deep.equal({ EUR: 500 });
    expect(heldAfter(...partlySettled, differs(1_000, 600))).to.deep.equal({});
    expect(heldAfter(...partlySettled, differs(400, 0, 'USD'))).to.deep.equal({ USD: 400 });
  });

  it('is nothing where a read shows less than the record, and after an operator has seen to it', () => {
    expect(heldAfter(...settled, differs(400))).to.deep.equal({});
    const accepted: PaymentEvent = { type: 'DifferenceAccepted', data: { evidence: { source: 'operator' } } };
    expect(heldAfter(...authorized, differs(1_000), accepted)).to.deep.equal({});
  });

  it('adds up by currency, and can be taken back', () => {
    const sums = new Map<string, Held>();
    for (const events of [heldTooLate, [...partlySettled, differs(1_000)], [...authorized, differs(5, 0, 'USD')]])
      addHeld(sums, stateOf(...events));
    expect([...sums]).to.deep.equal([
      ['EUR', { payments: 2, amount: 1_600 }],
      ['USD', { payments: 1, amount: 5 }],
    ]);
    addHeld(sums, stateOf(...heldTooLate), -1);
    expect(sums.get('EUR')).to.deep.equal({ payments: 1, amount: 600 });
  });
});
