// The rounds of a dispute: which report opens one, what it takes along, and what a prevented dispute refunded
// (contract §13).
import { expect } from 'chai';
import type { DisputeStatus, DisputeType } from '../../../src/domain/dispute-status.ts';
import { requestDisputeAnswer, settleDisputeAnswer } from '../../../src/domain/payment/dispute-answer.ts';
import { expireByClock } from '../../../src/domain/payment/dispute-due.ts';
import { recordDispute } from '../../../src/domain/payment/dispute-word.ts';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import { nothingTold, tellOf } from '../../../src/domain/payment/message.ts';
import type { Evidence } from '../../../src/domain/payment/outcome.ts';
import type { Dispute, Payment } from '../../../src/domain/payment/payment.ts';
import { openOverRefund } from '../../../src/domain/payment/queries.ts';
import { unexplained } from '../../../src/domain/payment/refund.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { givenOf } from '../../support/given.ts';
import { AT, id, known, place, settled, timing } from './story.ts';

const given = givenOf(payment);
const DAY = 86_400_000;

interface Said {
  readonly status: DisputeStatus;
  readonly type?: DisputeType;
  readonly day: number;
  readonly amount?: number;
  readonly refunded?: { readonly amount: number; readonly refunds: readonly string[] };
}
const says = ({ day, amount = 400, ...said }: Said) =>
  recordDispute({
    disputeId: 'd',
    processorDisputeId: 'dp',
    amount,
    currencyCode: 'EUR',
    openedAt: AT,
    challengeRequiredBy: AT + (day + 7) * DAY,
    evidence: { source: 'notification', occurredAt: AT + day * DAY },
    ...said,
  });

/** A settled payment after these reports. */
const heard = (said: readonly Said[]): Payment => given(...settled, ...eventsOfAll(said)).state;
const disputeIn = (state: Payment): Dispute | undefined => known(state).disputes[0];

const OPEN: Said = { status: 'OPEN', type: 'DISPUTE', day: 0 };
const LOST: Said = { status: 'LOST', day: 10 };
const APPEAL: Said = { status: 'OPEN', type: 'APPEAL', day: 12 };

describe('a round of a dispute', () => {
  it('is opened by a report of a later type, whatever had been decided, with a deadline of its own', () => {
    for (const before of [[OPEN], [OPEN, LOST], [OPEN, { ...LOST, status: 'WON' as const }], [LOST]]) {
      const dispute = disputeIn(heard([...before, APPEAL]));
      expect(dispute).to.include({ disputeId: 'd', round: 2, type: 'APPEAL', status: 'OPEN', openedAt: AT });
      expect(dispute).to.include({ challengeRequiredBy: AT + 19 * DAY });
      expect(dispute).not.to.have.any.keys('endedAt', 'endedBy');
    }
    const inquiry: Said = { status: 'OPEN', type: 'RETRIEVAL', day: 0 };
    expect(disputeIn(heard([inquiry, { ...OPEN, day: 1 }]))).to.include({ round: 2, type: 'DISPUTE', status: 'OPEN' });
  });

  it('is opened and decided by one report where its opening was not heard', () =>
    expect(disputeIn(heard([OPEN, LOST, { ...APPEAL, status: 'CHALLENGED' }]))).to.include({
      round: 2,
      type: 'APPEAL',
      status: 'CHALLENGED',
    }));

  it('is not opened by a report of the same type, of an earlier one, or from before the recorded end', () => {
    const same = heard([OPEN, LOST]);
    expect(says({ ...OPEN, day: 11 })(same)).to.deep.equal({ kind: 'accepted', events: [] });
    expect(says({ ...OPEN, type: 'RETRIEVAL', day: 11 })(same)).to.deep.equal({ kind: 'accepted', events: [] });
    expect(says({ ...APPEAL, day: 9 })(same)).to.deep.equal({ kind: 'accepted', events: [] });
    expect(says({ ...LOST, type: 'DISPUTE', day: 13 })(heard([OPEN, LOST, APPEAL])), 'typed').to.deep.equal({
      kind: 'accepted',
      events: [],
    });
  });

  it('ends by a decision that is newer than its opening, and keeps on after an older one', () => {
    const appealed = heard([OPEN, APPEAL]);
    for (const day of [10, 12])
      expect(says({ ...LOST, day })(appealed)).to.deep.equal({ kind: 'accepted', events: [] });
    expect(disputeIn(heard([OPEN, LOST, APPEAL, { status: 'WON', day: 30 }]))).to.include({ round: 2, status: 'WON' });
  });

  it('is heard in any order', () => {
    const all: readonly Said[] = [OPEN, LOST, APPEAL, { ...APPEAL, status: 'CHALLENGED', day: 14 }];
    for (const order of permutations(all))
      expect(disputeIn(heard(order)), JSON.stringify(order)).to.include({ type: 'APPEAL', status: 'CHALLENGED' });
  });

  it('takes the place of an end by our clock', () => {
    const expired = evolved(heard([OPEN]), expireByClock('d', AT + 8 * DAY));
    expect(disputeIn(expired)?.status).to.equal('EXPIRED');
    expect(disputeIn(evolved(expired, says({ ...APPEAL, day: 1 })))).to.include({ round: 2, status: 'OPEN' });
  });

  it('keeps from refunds what was lost before it, until it is won', () => {
    const refundable = (...said: readonly Said[]): number => known(heard(said)).amountRefundable;
    expect(refundable(OPEN, LOST, APPEAL)).to.equal(600);
    expect(refundable(OPEN, LOST, { ...APPEAL, amount: 100 }), 'the customer has all of it').to.equal(600);
    expect(refundable(OPEN, LOST, { ...APPEAL, amount: 500 })).to.equal(500);
    expect(refundable(OPEN, LOST, APPEAL, { status: 'WON', day: 30 })).to.equal(1_000);
  });

  it('is sent to merchants as DISPUTE.OPENED again', () => {
    let told = nothingTold;
    const types: (string | undefined)[] = [];
    const events = eventsOfAll([OPEN, LOST, APPEAL]);
    for (const [index, event] of [...settled, ...events].entries()) {
      const next = tellOf(told, event, { id: `e${index}`, revision: index, at: AT + index });
      told = next.told;
      types.push(next.type);
    }
    expect(types.slice(settled.length)).to.deep.equal(['DISPUTE.OPENED', 'DISPUTE.STATUS', 'DISPUTE.OPENED']);
  });

  it('takes no answer of the round before: one on its way came to nothing, whatever its own call says later', () => {
    const answerId = id('answer');
    const asked = evolved(
      heard([OPEN]),
      requestDisputeAnswer({ disputeId: 'd', answerId, answer: { kind: 'acceptance' }, ...timing }),
    );
    const appealed = evolved(asked, says(APPEAL));
    expect(disputeIn(appealed)).to.have.nested.property('answer.state', 'overtaken');
    const evidence: Evidence = { source: 'answer', sentAt: AT };
    const outcome = { kind: 'succeeded', processorTransactionId: 'dp', amount: 400, currencyCode: 'EUR' } as const;
    const late = settleDisputeAnswer({ disputeId: 'd', answerId, outcome, evidence, nextLookUpAt: AT });
    expect(late(appealed)).to.deep.equal({ kind: 'accepted', events: [] });
    const settledBefore = evolved(evolved(asked, late), says(APPEAL));
    expect(disputeIn(settledBefore)).to.include({ status: 'OPEN', round: 2 }).and.not.to.have.property('answer');
  });
});

describe('a prevented dispute', () => {
  const prevented = (amount: number, ...refunds: readonly string[]): Said => ({
    status: 'PREVENTED',
    day: 0,
    refunded: { amount, refunds },
  });

  it('takes what the processor refunded from what can be refunded, and nothing else', () => {
    expect(known(heard([prevented(400)]))).to.include({
      amountRefundable: 600,
      amountRefunded: 0,
      amountDisputed: 400,
    });
    expect(known(heard([prevented(0)]))).to.include({ amountRefundable: 1_000, amountDisputed: 0 });
    expect(known(heard([OPEN, { ...prevented(400), day: 1 }]))).to.include({ amountRefundable: 600 });
  });

  it('explains its refunds in the processor’s list, by their names, or one of its amount', () => {
    const shown = [
      { name: 're_1', amount: 400 },
      { name: 're_2', amount: 400 },
      { name: 're_3', amount: 100 },
    ];
    const left = (said: Said): readonly string[] =>
      unexplained(known(heard([said])).disputes, shown).map(({ name }) => name);
    expect(left(prevented(400, 're_2'))).to.deep.equal(['re_1', 're_3']);
    expect(left(prevented(400))).to.deep.equal(['re_2', 're_3']);
    expect(left(OPEN)).to.deep.equal(['re_1', 're_2', 're_3']);
  });

  it('counts apart from its refund that is on record as made at the processor, by its name, or of its amount', () => {
    const outside: PaymentEvent = {
      type: 'RefundedOutside',
      data: {
        attemptId: id('outside-1'),
        processorTransactionId: 're_1',
        amount: 400,
        currencyCode: 'EUR',
        ...place,
        evidence: { source: 'lookup', sentAt: AT },
        allocations: [{ attemptId: id('c'), amount: 400 }],
      },
    };
    const refundable = (said: Said): number =>
      known(evolved(given(...settled, outside).state, says(said))).amountRefundable;
    expect(refundable(prevented(400, 're_1'))).to.equal(600);
    expect(refundable(prevented(400))).to.equal(600);
    expect(refundable(prevented(400, 're_2'))).to.equal(200);
    expect(refundable(prevented(300))).to.equal(300);
  });
});

describe('a debit that was refunded', () => {
  it('is over-refunded when it is taken back as a dispute, as it is after a return', () => {
    const refunded = known(heard([{ ...OPEN, amount: 1_000 }, LOST]));
    expect(openOverRefund({ ...refunded, amountRefunded: 1_000 }), 'a card').to.equal(0);
    const paymentMethod = { ...refunded.paymentMethod, paymentMethodType: 'SEPA_DEBIT' as const };
    expect(openOverRefund({ ...refunded, paymentMethod, amountRefunded: 1_000 })).to.equal(1_000);
    expect(openOverRefund({ ...refunded, paymentMethod })).to.equal(0);
  });
});

const eventsOf = (decide: ReturnType<typeof says>, state: Payment): readonly PaymentEvent[] => {
  const decision = decide(state);
  if (decision.kind !== 'accepted') throw new Error(decision.description);
  return decision.events;
};
const evolved = (state: Payment, decide: ReturnType<typeof says>): Payment =>
  eventsOf(decide, state).reduce(
    (before, event, index) =>
      payment.evolve(before, event, { id: `n${index}`, revision: 90 + index, at: AT + 9 * DAY }),
    state,
  );
function eventsOfAll(said: readonly Said[]): readonly PaymentEvent[] {
  const events = [...settled];
  for (const one of said) events.push(...eventsOf(says(one), given(...events).state));
  return events.slice(settled.length);
}
function permutations<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length <= 1) return [items];
  return items.flatMap((item, index) =>
    permutations(items.filter((_, other) => other !== index)).map((rest) => [item, ...rest]),
  );
}
