// OVER_REFUNDED: a refund that was done after all is booked in full, and an operator sees to it (contract §4).
import { expect } from 'chai';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import { awaitsOperator, openOverRefund } from '../../../src/domain/payment/queries.ts';
import { acceptOverRefund, requestRefund } from '../../../src/domain/payment/refund.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { overRefundOf } from '../../../src/domain/payment/totals.ts';
import { givenOf } from '../../support/given.ts';
import {
  AT,
  captureRequested,
  id,
  known,
  partlySettled,
  place,
  refundRequested,
  settle,
  settled,
  success,
  timing,
  wasNotFound,
  wentThrough,
} from './story.ts';

const given = givenOf(payment);
const evidence = { source: 'operator' as const, detail: 'the shop asked the customer for it' };
const accept = acceptOverRefund(evidence);
const accepted = (amount: number): PaymentEvent => ({
  type: 'OverRefundAccepted',
  data: { amount, currencyCode: 'EUR', evidence },
});

/** Refunds of 700, one after the other, each taken for lost before the next was asked for. */
const lost = (...names: readonly string[]) =>
  names.flatMap((name) => [refundRequested(name, 700, 'c'), wasNotFound(name, 'refund')] satisfies PaymentEvent[]);
const twice = [...settled, ...lost('r', 's'), wentThrough('r', 'refund', 700), wentThrough('s', 'refund', 700)];

const lostDispute: readonly PaymentEvent[] = [
  {
    type: 'DisputeOpened',
    data: {
      disputeId: 'd',
      processorDisputeId: 'dp',
      round: 1,
      type: 'DISPUTE',
      amount: 1_000,
      currencyCode: 'EUR',
      ...place,
      openedAt: AT,
      evidence: { source: 'notification' },
    },
  },
  { type: 'DisputeLost', data: { disputeId: 'd', evidence: { source: 'notification' } } },
];

describe('more refunded than captured', () => {
  it('is a debit, too, that was refunded and then taken back by the customer’s bank', () => {
    const facts = known(given(...settled, ...lostDispute).state);
    const overRefund = (paymentMethodType: 'PAYMENT_CARD' | 'SEPA_DEBIT') =>
      overRefundOf({ ...facts, amountRefunded: 500, paymentMethod: { ...facts.paymentMethod, paymentMethodType } });
    expect([overRefund('SEPA_DEBIT'), overRefund('PAYMENT_CARD')]).to.deep.equal([500, 0]);
  });

  it('is booked in full when the word comes late, with nothing left to refund', () => {
    const { state } = given(...settled, ...lost('r', 's'), wentThrough('r', 'refund', 700)).when(
      settle('s', success('s', 700), 'notification'),
    );
    expect(known(state)).to.include({
      status: 'SETTLED',
      amountCaptured: 1_000,
      amountRefunded: 1_400,
      amountRefundable: 0,
    });
    given(...twice)
      .when(requestRefund({ attemptId: id('t'), refundId: 'ref_t', amount: 1, ...timing }))
      .thenRejected('PaymentAlreadyRefunded');
  });

  it('is open by so much until an operator accepts it, once', () => {
    expect(openOverRefund(given(...settled, ...lost('r'), wentThrough('r', 'refund', 700)).state)).to.equal(0);
    expect(openOverRefund(given(...twice).state)).to.equal(400);
    given(...twice)
      .when(accept)
      .then(accepted(400));
    expect(openOverRefund(given(...twice, accepted(400)).state)).to.equal(0);
    expect([[], [accepted(400)]].map((more) => awaitsOperator(given(...twice, ...more).state))).to.deep.equal([
      true,
      false,
    ]);
    expect(openOverRefund(given().state)).to.equal(0);
    given(...twice, accepted(400))
      .when(accept)
      .thenNothing();
    given(...settled)
      .when(accept)
      .thenNothing();
    given().when(accept).thenRejected('NotFound');
  });

  it('is open again when a further refund turns out to be done', () => {
    const { state } = given(...twice, accepted(400), ...lost('t')).when(settle('t', success('t', 700), 'notification'));
    expect([known(state).amountRefunded, openOverRefund(state)]).to.deep.equal([2_100, 1_100]);
  });

  it('is open again after a capture had made up for what was accepted', () => {
    const early = [...partlySettled, ...lost('r'), wentThrough('r', 'refund', 700), accepted(300)];
    const made = [...early, captureRequested('d', 600), wentThrough('d', 'capture', 600)];
    expect(known(given(...made).state)).to.include({ amountRefundable: 300, overRefundAccepted: 0 });
    const { state } = given(...made, ...lost('s')).when(settle('s', success('s', 700), 'notification'));
    expect(openOverRefund(state)).to.equal(400);
  });
});
