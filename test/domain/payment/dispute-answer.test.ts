// The merchant's answer to a dispute whose call was lost: what another word proves of it, and what stays of what was
// sent (contract §13).
import { expect } from 'chai';
import { hasUnknownAnswer } from '../../../src/domain/payment/derived-status.ts';
import {
  draftEvidence,
  recordAnswerNotFound,
  recordDisputeLookUp,
  requestDisputeAnswer,
  settleAnswerByWord,
  settleDisputeAnswer,
} from '../../../src/domain/payment/dispute-answer.ts';
import { changedBy } from '../../../src/domain/payment/dispute-word.ts';
import type { DisputeSubmission, PaymentEvent } from '../../../src/domain/payment/events.ts';
import type { Evidence, Outcome } from '../../../src/domain/payment/outcome.ts';
import type { Dispute, Payment } from '../../../src/domain/payment/payment.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { disputeAnswer } from '../../../src/http/answers/dispute.ts';
import { givenOf } from '../../support/given.ts';
import { AT, id, known, place, settled, timing } from './story.ts';

const given = givenOf(payment);
const told: Evidence = { source: 'notification' };
const answered: Evidence = { source: 'answer' };
const money = { amount: 400, currencyCode: 'EUR' };
const opened: PaymentEvent = {
  type: 'DisputeOpened',
  data: {
    round: 1,
    type: 'DISPUTE',
    disputeId: 'd',
    processorDisputeId: 'dp',
    ...money,
    ...place,
    openedAt: AT,
    evidence: told,
  },
};
const sent: DisputeSubmission = { text: 'sent' };
const asked = (kind: 'evidence' | 'acceptance'): readonly PaymentEvent[] => [
  ...settled,
  opened,
  ...(kind === 'evidence'
    ? [{ type: 'DisputeEvidenceDrafted', data: { disputeId: 'd', submission: sent } } as const]
    : []),
  {
    type: 'DisputeAnswerRequested',
    data: {
      disputeId: 'd',
      answerId: id('e'),
      reference: 'ref_e',
      answer: kind,
      requestedAt: AT,
      sendBy: AT,
      nextLookUpAt: AT + 30_000,
    },
  },
];
const learnt = { disputeId: 'd', answerId: id('e'), evidence: answered };
const unknown: PaymentEvent = { type: 'DisputeAnswerOutcomeUnknown', data: { ...learnt, nextLookUpAt: AT + 30_000 } };
const notFound: PaymentEvent = { type: 'DisputeAnswerNotFound', data: { ...learnt, evidence: { source: 'lookup' } } };
const expired: PaymentEvent = { type: 'DisputeExpired', data: { disputeId: 'd', evidence: told } };

const only = (state: Payment): Dispute => {
  const [dispute] = known(state).disputes;
  if (dispute === undefined) throw new Error('no dispute');
  return dispute;
};
const settle = (outcome: Outcome) => settleDisputeAnswer({ ...learnt, outcome, nextLookUpAt: AT + 30_000 });
const succeeded: Outcome = { kind: 'succeeded', processorTransactionId: 'dp', ...money };

describe('an answer to a dispute whose outcome is unknown', () => {
  const stateAfter = (kind: 'evidence' | 'acceptance', status: Dispute['status']) => {
    const { state } = given(...asked(kind), unknown);
    return only(given(...asked(kind), unknown, ...changedBy({ status, evidence: told }, only(state))).state).answer
      ?.state;
  };

  it('has succeeded where the status of the dispute proves it', () => {
    for (const status of ['CHALLENGED', 'WON', 'LOST'] as const)
      expect(stateAfter('evidence', status), status).to.equal('succeeded');
    expect(stateAfter('acceptance', 'ACCEPTED')).to.equal('succeeded');
  });

  it('has come to nothing where the dispute goes on in another way, and is not shown as submitted', () => {
    for (const status of ['EXPIRED', 'ACCEPTED'] as const)
      expect(stateAfter('evidence', status), status).to.equal('overtaken');
    for (const status of ['EXPIRED', 'CHALLENGED', 'WON', 'LOST'] as const)
      expect(stateAfter('acceptance', status), status).to.equal('overtaken');
    expect(disputeAnswer(only(given(...asked('evidence'), unknown, expired).state)).evidence).to.deep.equal({
      ...sent,
      submitted: false,
    });
  });

  it('stays so when its own call is refused after that', () =>
    given(...asked('evidence'), expired)
      .when(settle({ kind: 'declined', code: 'DISPUTE_EXPIRED', declineType: 'HARD' }))
      .thenNothing());
});

describe('the outcome of the call that answers a dispute', () => {
  const nextLookUpAt = AT + 30_000;
  const pending: PaymentEvent = { type: 'DisputeAnswerPending', data: { ...learnt, nextLookUpAt } };
  const CODE = { code: 'DISPUTE_EXPIRED', declineType: 'HARD' } as const;
  const outcomes: readonly (readonly [outcome: Outcome, event: PaymentEvent, state: string, again: boolean])[] = [
    [{ kind: 'declined', ...CODE }, { type: 'DisputeAnswerDeclined', data: { ...learnt, ...CODE } }, 'declined', true],
    [{ kind: 'pending' }, pending, 'pending', true],
    [
      { kind: 'not_sent', detail: 'connection refused' },
      { type: 'DisputeAnswerNotSent', data: learnt },
      'not_sent',
      true,
    ],
    [{ kind: 'unknown', detail: 'no answer' }, unknown, 'unknown', false],
  ];
  for (const [outcome, event, stands, settlesUnknown] of outcomes)
    it(`is on record once when it is ${outcome.kind}`, () => {
      given(...asked('evidence'))
        .when(settle(outcome))
        .then(event);
      expect(only(given(...asked('evidence'), event).state).answer?.state).to.equal(stands);
      given(...asked('evidence'), event)
        .when(settle(outcome))
        .thenNothing();
      const later = given(...asked('evidence'), unknown).when(settle(outcome));
      if (settlesUnknown) later.then(event);
      else later.thenNothing();
    });

  it('is confirmed manually while it is not known, and no longer', () => {
    const word = (as: 'succeeded' | 'failed') =>
      settleAnswerByWord({ ...learnt, as, evidence: { source: 'operator' } });
    const failed: PaymentEvent = {
      type: 'DisputeAnswerNotFound',
      data: { ...learnt, evidence: { source: 'operator' } },
    };
    given(...asked('evidence'), unknown)
      .when(word('failed'))
      .then(failed);
    expect(only(given(...asked('evidence'), unknown).when(word('succeeded')).state)).to.include({
      status: 'CHALLENGED',
    });
    expect(only(given(...asked('acceptance'), unknown).when(word('succeeded')).state)).to.include({
      status: 'ACCEPTED',
    });
    for (const as of ['succeeded', 'failed'] as const) {
      given(...asked('evidence'), failed)
        .when(word(as))
        .thenNothing();
    }
  });

  it('has to be known before the next response to the dispute', () => {
    const next = requestDisputeAnswer({ disputeId: 'd', answerId: id('f'), answer: { kind: 'acceptance' }, ...timing });
    given(...asked('evidence'))
      .when(next)
      .thenRejected('PaymentOperationInProgress', { retryAfterSeconds: 1 });
    for (const word of [unknown, pending])
      given(...asked('evidence'), word)
        .when(next)
        .thenRejected('PaymentOperationInProgress', { retryAfterSeconds: 30 });
  });
});

describe('the outcome of an answer to a dispute counts as unknown', () => {
  const due = AT + 30_000;
  const isCounted = (now: number, ...events: readonly PaymentEvent[]) =>
    hasUnknownAnswer(known(given(...asked('evidence'), ...events).state), now);

  it('when the answer was lost, or none is on record when its call must be over', () => {
    expect([isCounted(due - 1), isCounted(due), isCounted(due - 1, unknown)]).to.deep.equal([false, true, true]);
    const other: PaymentEvent = { ...opened, data: { ...opened.data, disputeId: 'e', processorDisputeId: 'dp-e' } };
    expect(isCounted(due, other), 'beside a dispute that nobody answers').to.equal(true);
  });

  it('no longer when the processor has it, or does not know it', () => {
    const pending: PaymentEvent = { type: 'DisputeAnswerPending', data: { ...learnt, nextLookUpAt: due } };
    for (const word of [pending, notFound, expired]) expect(isCounted(due, unknown, word), word.type).to.equal(false);
    expect(hasUnknownAnswer(known(given(...settled, opened).state), due)).to.equal(false);
  });
});

describe('evidence that is kept after other evidence was asked to be sent', () => {
  const later: DisputeSubmission = { text: 'kept' };
  const redrafted = (): readonly PaymentEvent[] => {
    const decision = draftEvidence('pay_1', 'd', later, AT)(given(...asked('evidence'), unknown, notFound).state);
    if (decision.kind === 'rejected') throw new Error(decision.description);
    return [...asked('evidence'), unknown, notFound, ...decision.events];
  };

  it('is not what the late success of the call is about', () => {
    const { state } = given(...redrafted()).when(settle(succeeded));
    given(...redrafted())
      .when(settle(succeeded))
      .then({
        type: 'DisputeEvidenceSubmitted',
        data: { disputeId: 'd', evidence: answered, submission: { ...sent }, submitted: true },
      });
    expect(disputeAnswer(only(state)).evidence).to.deep.equal({ ...sent, submitted: true });
  });

  it('is on no record as submitted when the dispute was challenged elsewhere', () => {
    const { state } = given(...redrafted());
    const [word] = changedBy({ status: 'CHALLENGED', evidence: told }, only(state));
    expect(word?.data).to.include({ submitted: true }).and.to.have.deep.property('submission', {});
    expect(disputeAnswer(only(state)).evidence).to.deep.equal({ ...later, submitted: false });
  });

  it('is what the next answer sends', () => {
    const next = given(...redrafted()).when(
      requestDisputeAnswer({
        disputeId: 'd',
        answerId: id('f'),
        answer: { kind: 'evidence', submission: later },
        ...timing,
      }),
    ).state;
    expect(only(next).answer).to.deep.include({ submission: later, state: 'open' });
  });
});

describe('an answer to a dispute', () => {
  const DUE = AT + 86_400_000;
  const answerableUntil: PaymentEvent = { ...opened, data: { ...opened.data, challengeRequiredBy: DUE } };
  const declined: PaymentEvent = {
    type: 'DisputeAnswerDeclined',
    data: { ...learnt, code: 'DISPUTE_CLOSED', declineType: 'HARD' },
  };
  const evidence: Evidence = { source: 'lookup' };
  const notFoundBy = recordAnswerNotFound('d', id('e'), evidence);
  const lookedUpAfter = (lookUps: number) =>
    recordDisputeLookUp({
      disputeId: 'd',
      answerId: id('e'),
      lookUps,
      answer: 'unreachable',
      evidence,
      nextLookUpAt: AT + 300_000,
    });

  it('can be asked for until the last moment that the processor named', () => {
    const draft = (at: number) => draftEvidence('pay_1', 'd', sent, at);
    given(...settled, answerableUntil)
      .when(draft(DUE - 1))
      .then({ type: 'DisputeEvidenceDrafted', data: { disputeId: 'd', submission: sent } });
    given(...settled, answerableUntil)
      .when(draft(DUE))
      .thenRejected('InvalidDisputeStatus');
  });

  it('can be asked for while the dispute is open, and not once it is decided', () => {
    for (const status of ['CHALLENGED', 'ACCEPTED', 'WON', 'LOST', 'EXPIRED'] as const) {
      const over = given(...settled, opened);
      given(...settled, opened, ...changedBy({ status, evidence: told }, only(over.state)))
        .when(draftEvidence('pay_1', 'd', sent, AT))
        .thenRejected('InvalidDisputeStatus');
    }
  });

  it('is not the one that a word on an earlier answer is about', () => {
    const next: PaymentEvent = {
      type: 'DisputeAnswerRequested',
      data: {
        disputeId: 'd',
        answerId: id('f'),
        reference: 'ref_f',
        answer: 'acceptance',
        requestedAt: AT,
        sendBy: AT,
        nextLookUpAt: AT,
      },
    };
    const now = given(...asked('evidence'), notFound, next);
    now.when(settle(succeeded)).thenNothing();
    now.when(notFoundBy).thenNothing();
    now.when(settleAnswerByWord({ disputeId: 'd', answerId: id('e'), as: 'failed', evidence })).thenNothing();
    now.when(lookedUpAfter(0)).thenNothing();
  });

  it('that is settled is not found missing, and not looked up', () => {
    for (const end of [declined, notFound]) {
      given(...asked('evidence'), end)
        .when(notFoundBy)
        .thenNothing();
      given(...asked('evidence'), end)
        .when(lookedUpAfter(0))
        .thenNothing();
    }
  });

  it('has one record of look-ups that two nodes make at once', () => {
    const once = given(...asked('evidence'), unknown).when(lookedUpAfter(0));
    const look: PaymentEvent = {
      type: 'DisputeLookUpRecorded',
      data: { disputeId: 'd', answerId: id('e'), answer: 'unreachable', evidence, nextLookUpAt: AT + 300_000 },
    };
    once.then(look);
    given(...asked('evidence'), unknown, look)
      .when(lookedUpAfter(0))
      .thenNothing();
  });

  it('that was refused stays refused, whatever its own call says after that', () => {
    const { state } = given(...asked('evidence'), declined).when(settle(succeeded));
    expect(only(state)).to.deep.include({ status: 'CHALLENGED' });
    expect(only(state).answer?.state).to.equal('declined');
  });
});

describe('the evidence of a dispute', () => {
  const draft = (text: string): PaymentEvent => ({
    type: 'DisputeEvidenceDrafted',
    data: { disputeId: 'd', submission: { text } },
  });
  const drafts = (count: number): readonly PaymentEvent[] =>
    Array.from({ length: count }, (_, at) => draft(`version ${at + 1}`));
  const submit = (text: string) =>
    requestDisputeAnswer({
      ...timing,
      disputeId: 'd',
      answerId: id('e'),
      answer: { kind: 'evidence', submission: { text } },
    });

  it('is kept in 50 versions, and the 51st is refused', () => {
    given(...settled, opened, ...drafts(49))
      .when(draftEvidence('pay_1', 'd', { text: 'version 50' }, AT))
      .then(draft('version 50'));
    given(...settled, opened, ...drafts(50))
      .when(draftEvidence('pay_1', 'd', { text: 'version 51' }, AT))
      .thenRejected('EvidenceLimitReached');
    given(...settled, opened, ...drafts(50))
      .when(draftEvidence('pay_1', 'd', { text: 'version 50' }, AT))
      .thenNothing();
  });

  it('can be submitted after 50 drafts, as it was kept or in other words, and ends at 100 versions', () => {
    const accepted = (versions: number, text: string) =>
      submit(text)(given(...settled, opened, ...drafts(versions)).state);
    expect(accepted(50, 'version 50')).to.have.property('kind', 'accepted');
    expect(accepted(50, 'in other words')).to.have.property('kind', 'accepted');
    expect(accepted(100, 'in other words')).to.include({ kind: 'rejected', errorId: 'EvidenceLimitReached' });
    expect(accepted(100, 'version 100')).to.have.property('kind', 'accepted');
  });

  it('has at most 128 KiB of all disputes of a payment, and the longest of one dispute fits', () => {
    const other: PaymentEvent = { ...opened, data: { ...opened.data, disputeId: 'e', processorDisputeId: 'dp-e' } };
    const longest = '\u0001'.repeat(20_000);
    given(...settled, opened, other)
      .when(draftEvidence('pay_1', 'd', { text: longest }, AT))
      .then(draft(longest));
    given(...settled, opened, other, draft(longest))
      .when(draftEvidence('pay_1', 'e', { text: longest }, AT))
      .thenRejected('EvidenceLimitReached');
    given(...settled, opened, other, draft('é'.repeat(20_000)), draft('é'))
      .when(draftEvidence('pay_1', 'd', { text: longest }, AT))
      .then(draft(longest));
  });
});
