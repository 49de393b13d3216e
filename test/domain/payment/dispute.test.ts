// Disputes and customers' actions: what their events fold to, before anything produces them (contract §13).
import { expect } from 'chai';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import { type ToldPayment, tellOf } from '../../../src/domain/payment/message.ts';
import { attemptOf, dueLookUpAt } from '../../../src/domain/payment/queries.ts';
import { requestRefund } from '../../../src/domain/payment/refund.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { givenOf } from '../../support/given.ts';
import {
  AT,
  actionRequired,
  captureRequested,
  id,
  known,
  partlySettled,
  pending,
  place,
  reasonOf,
  settled,
  timing,
  wentThrough,
} from './story.ts';

const given = givenOf(payment);
const evidence = { source: 'notification' } as const;
const opened = (disputeId: string, amount: number, currencyCode = 'EUR'): PaymentEvent => ({
  type: 'DisputeOpened',
  data: {
    disputeId,
    processorDisputeId: `dp_${disputeId}`,
    round: 1,
    type: 'DISPUTE',
    amount,
    currencyCode,
    ...place,
    openedAt: AT,
    evidence,
  },
});
const ended = (
  type: 'DisputeAccepted' | 'DisputeWon' | 'DisputeLost' | 'DisputeExpired',
  disputeId: string,
): PaymentEvent => ({
  type,
  data: { disputeId, evidence },
});

describe('a dispute', () => {
  it('takes its amount from what can be refunded until it is won; the status stays', () => {
    expect(known(given(...settled, opened('d', 400)).state)).to.include({
      status: 'SETTLED',
      amountCaptured: 1_000,
      amountRefundable: 600,
    });
    for (const end of ['DisputeAccepted', 'DisputeLost', 'DisputeExpired'] as const)
      expect(known(given(...settled, opened('d', 400), ended(end, 'd')).state).amountRefundable).to.equal(600);
    expect(known(given(...settled, opened('d', 400), ended('DisputeWon', 'd')).state).amountRefundable).to.equal(1_000);
  });

  it('stops a refund of what is disputed, and no other', () => {
    const refund = (amount?: number) => requestRefund({ attemptId: id('r'), refundId: 'ref_r', amount, ...timing });
    given(...settled, opened('d', 400))
      .when(refund(700))
      .thenRejected('PaymentDisputed');
    given(...settled, opened('d', 400))
      .when(refund(1_000))
      .thenRejected('PaymentDisputed');
    given(...settled, opened('d', 400))
      .when(refund(1_001))
      .thenRejected('UnprocessableRefundAmount');
    given(...settled, opened('d', 1_000))
      .when(refund())
      .thenRejected('PaymentDisputed');
    expect(known(given(...settled, opened('d', 400)).when(refund()).state).amountRefundPending).to.equal(600);
  });

  describe('in another currency than the payment', () => {
    const stated = (...events: readonly PaymentEvent[]) => {
      const { amountDisputed, amountRefundable } = known(given(...events).state);
      return [amountDisputed, amountRefundable];
    };

    it('takes all that is captured from what can be refunded until it is won, and keeps its own amount', () => {
      const { state } = given(...settled, opened('d', 5, 'USD'));
      expect(known(state).disputes).to.have.length(1);
      expect(known(state).disputes[0]).to.include({ amount: 5, currencyCode: 'USD' });
      expect(known(state)).to.include({
        status: 'SETTLED',
        amountCaptured: 1_000,
        amountDisputed: 1_000,
        amountRefundable: 0,
      });
      for (const end of ['DisputeAccepted', 'DisputeLost', 'DisputeExpired'] as const)
        expect(stated(...settled, opened('d', 5, 'USD'), ended(end, 'd'))).to.deep.equal([1_000, 0]);
      expect(stated(...settled, opened('d', 5, 'USD'), ended('DisputeWon', 'd'))).to.deep.equal([0, 1_000]);
    });

    it('counts a large amount no further, and leaves another dispute as it is once it is won', () => {
      const both = [...settled, opened('d', 1_000_000, 'JPY'), opened('e', 400)];
      expect(stated(...both)).to.deep.equal([1_000, 0]);
      expect(stated(...both, ended('DisputeWon', 'd'))).to.deep.equal([400, 600]);
      expect(stated(...both, ended('DisputeWon', 'e'))).to.deep.equal([1_000, 0]);
    });

    it('takes a later capture as well', () => {
      const more = [opened('d', 5, 'USD'), captureRequested('d', 600), wentThrough('d', 'capture', 600)];
      expect(stated(...partlySettled, ...more)).to.deep.equal([1_000, 0]);
    });

    it('stops every refund', () =>
      given(...settled, opened('d', 5, 'USD'))
        .when(requestRefund({ attemptId: id('r'), refundId: 'ref_r', amount: 1, ...timing }))
        .thenRejected('PaymentDisputed'));
  });

  it('is sent to merchants once in each status, even if our own clock was first', () => {
    const byClock: PaymentEvent = {
      type: 'DisputeExpired',
      data: { disputeId: 'd', evidence: { source: 'clock', occurredAt: AT } },
    };
    const events = [
      opened('d', 400),
      byClock,
      ended('DisputeExpired', 'd'),
      ended('DisputeWon', 'd'),
      ended('DisputeWon', 'd'),
    ];
    let told: ToldPayment = { payment: given(...settled).state, status: 'SETTLED' };
    const types = events.map((event, place) => {
      const tells = tellOf(told, event, { id: `e${place}`, revision: 9 + place, at: AT });
      told = tells.told;
      return tells.type;
    });
    expect(types).to.deep.equal(['DISPUTE.OPENED', 'DISPUTE.STATUS', undefined, 'DISPUTE.STATUS', undefined]);
  });

  it('is challenged when its evidence is submitted, and not by a draft', () => {
    const said = (submitted: boolean): PaymentEvent => ({
      type: 'DisputeEvidenceSubmitted',
      data: { disputeId: 'd', evidence, submission: { text: 'delivered' }, submitted },
    });
    const statuses = (...events: readonly PaymentEvent[]) =>
      known(given(...settled, ...events).state).disputes.map(({ status }) => status);
    expect(statuses(opened('d', 1), opened('e', 1), said(false))).to.deep.equal(['OPEN', 'OPEN']);
    expect(statuses(opened('d', 1), opened('e', 1), said(true))).to.deep.equal(['CHALLENGED', 'OPEN']);
  });
});

describe('an authorization that asks for the customer', () => {
  const asked: PaymentEvent = {
    type: 'CustomerActionRequired',
    data: { ...actionRequired.data, action: { kind: 'sdk', data: { challenge: 'x' } } },
  };

  it('is PENDING until the action expires, and FAILED with AUTHENTICATION_REQUIRED then', () => {
    const { state } = given(...pending, asked);
    expect(known(state)).to.include({ status: 'PENDING', processorTransactionId: 'tx_a' });
    expect(attemptOf(state, id('a'))).to.include({ state: 'action_required' });
    expect(dueLookUpAt(state)).to.equal(AT + 3_600_000);
    const expired = given(...pending, asked, { type: 'CustomerActionExpired', data: { attemptId: id('a') } }).state;
    expect(known(expired).status).to.equal('FAILED');
    expect(reasonOf(expired)?.type).to.equal('AUTHENTICATION_REQUIRED');
  });

  it('goes on when the customer has done it', () => {
    const threeDSecure = { version: '2.2.0', status: 'Y' };
    const done: PaymentEvent = {
      type: 'AuthenticationCompleted',
      data: { attemptId: id('a'), evidence, threeDSecure, nextLookUpAt: AT + 9 },
    };
    const { state } = given(...pending, asked, done, wentThrough('a', 'authorization', 1_000));
    expect(known(state)).to.deep.include({ status: 'AUTHORIZED', threeDSecure });
  });
});
