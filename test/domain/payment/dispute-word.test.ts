// The newer of two decisions on a dispute: the time of the processor's own clock decides, otherwise the time of the
// question (contract §13).
import type { DisputeStatus, DisputeType } from '../../../src/domain/dispute-status.ts';
import { type DisputeWord, recordDispute } from '../../../src/domain/payment/dispute-word.ts';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import type { Evidence } from '../../../src/domain/payment/outcome.ts';
import { referenceOf } from '../../../src/domain/payment/reference.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { givenOf } from '../../support/given.ts';
import { AT, authorizationRequested, id, pending, place, settled, wasDeclined, wentThrough } from './story.ts';

const given = givenOf(payment);
const money = { amount: 400, currencyCode: 'EUR' };
const names = { disputeId: 'd', processorDisputeId: 'dp', ...money, openedAt: AT };
const round = (number: number, type: DisputeType) => ({ round: number, type });
const opened: PaymentEvent = {
  type: 'DisputeOpened',
  data: { ...names, ...place, ...round(1, 'DISPUTE'), evidence: { source: 'notification', occurredAt: AT } },
};
const decided = (type: 'DisputeWon' | 'DisputeLost', evidence: Evidence): PaymentEvent => ({
  type,
  data: { disputeId: 'd', evidence },
});
const says = (status: DisputeStatus, evidence: Evidence) => recordDispute({ ...names, status, evidence });

describe('a word on a dispute', () => {
  const evidence: Evidence = { source: 'notification', occurredAt: AT };
  const least: DisputeWord = { ...names, status: 'OPEN', evidence };
  const full: DisputeWord = {
    ...least,
    attemptId: id('c'),
    reason: 'FRAUD',
    reasonCode: '10.4',
    challengeRequiredBy: AT + 86_400_000,
  };
  const openedAs = ({ status: _told, ...data }: DisputeWord, where = place): PaymentEvent => ({
    type: 'DisputeOpened',
    data: { ...data, ...where, ...round(1, 'DISPUTE') },
  });

  it('opens it as the processor reports it, and leaves out what the processor does not report', () => {
    given(...settled)
      .when(recordDispute(full))
      .then(openedAs(full));
    given(...settled)
      .when(recordDispute(least))
      .then(openedAs(least));
    given().when(recordDispute(least)).thenRejected('NotFound');
  });

  it('counts where the money moved: by the connection of the disputed attempt, otherwise of the payment', () => {
    const again: PaymentEvent = {
      type: 'AuthorizationRequested',
      data: {
        ...authorizationRequested.data,
        attemptId: id('b'),
        reference: referenceOf(id('b')),
        connectionId: 'con_2',
      },
    };
    const moved = [...pending, wasDeclined('a', 'authorization'), again, wentThrough('b', 'authorization', 1_000)];
    for (const [attemptId, connectionId] of [
      [id('a'), 'sandbox'],
      [id('b'), 'con_2'],
      [id('none'), 'con_2'],
    ] as const)
      given(...moved)
        .when(recordDispute({ ...full, attemptId }))
        .then(openedAs({ ...full, attemptId }, { ...place, connectionId }));
  });

  it('opens one that is on record under another name beside it, and its own once', () => {
    given(...settled, opened)
      .when(recordDispute({ ...least, disputeId: 'e', processorDisputeId: 'dp-e' }))
      .then(openedAs({ ...least, disputeId: 'e', processorDisputeId: 'dp-e' }));
    given(...settled, opened)
      .when(recordDispute(least))
      .thenNothing();
  });

  it('opens and ends it where the end is told first', () => {
    for (const [status, type] of [
      ['LOST', 'DisputeLost'],
      ['WON', 'DisputeWon'],
    ] as const)
      given(...settled)
        .when(recordDispute({ ...full, status }))
        .then(openedAs(full), decided(type, evidence));
  });

  it('that it was accepted after all counts where it is newer than the end of its time', () => {
    const expired: PaymentEvent = { type: 'DisputeExpired', data: { disputeId: 'd', evidence } };
    const later: Evidence = { source: 'notification', occurredAt: AT + 1 };
    given(...settled, opened, expired)
      .when(says('ACCEPTED', later))
      .then({ type: 'DisputeAccepted', data: { disputeId: 'd', evidence: later } });
  });

  it('of an earlier stage, or of the same stage without a decision, changes nothing', () => {
    const submitted: PaymentEvent = {
      type: 'DisputeEvidenceSubmitted',
      data: { disputeId: 'd', evidence, submission: {}, submitted: true },
    };
    const expired: PaymentEvent = { type: 'DisputeExpired', data: { disputeId: 'd', evidence } };
    const later: Evidence = { source: 'notification', occurredAt: AT + 500 };
    for (const [onRecord, statuses] of [
      [submitted, ['OPEN', 'CHALLENGED']],
      [expired, ['OPEN', 'CHALLENGED', 'EXPIRED']],
      [decided('DisputeWon', evidence), ['OPEN', 'CHALLENGED', 'EXPIRED', 'ACCEPTED']],
    ] as const)
      for (const status of statuses)
        given(...settled, opened, onRecord)
          .when(says(status, later))
          .thenNothing();
  });

  it('takes the place of our own clock, whatever it says of the end', () => {
    const byClock: PaymentEvent = {
      type: 'DisputeExpired',
      data: { disputeId: 'd', evidence: { source: 'clock', occurredAt: AT } },
    };
    const before = given(...settled, opened, byClock);
    before.when(says('OPEN', evidence)).thenNothing();
    before.when(says('EXPIRED', evidence)).then({ type: 'DisputeExpired', data: { disputeId: 'd', evidence } });
    before.when(says('ACCEPTED', evidence)).then({ type: 'DisputeAccepted', data: { disputeId: 'd', evidence } });
  });

  it('that it is challenged has the decision looked up a day later, where the word has a time', () => {
    const challenged = (told: Evidence, due?: number): PaymentEvent => ({
      type: 'DisputeEvidenceSubmitted',
      data: {
        disputeId: 'd',
        evidence: told,
        submission: {},
        submitted: true,
        ...(due !== undefined && { nextLookUpAt: due }),
      },
    });
    given(...settled, opened)
      .when(says('CHALLENGED', evidence))
      .then(challenged(evidence, AT + 86_400_000));
    given(...settled, opened)
      .when(says('CHALLENGED', { source: 'notification' }))
      .then(challenged({ source: 'notification' }));
  });
});

describe('of two decisions on a dispute', () => {
  const won = decided('DisputeWon', { source: 'notification', occurredAt: AT + 100, sentAt: AT + 10 });

  it('the one counts that the processor dates later', () => {
    const later: Evidence = { source: 'notification', occurredAt: AT + 101 };
    given(...settled, opened, won)
      .when(says('LOST', later))
      .then(decided('DisputeLost', later));
  });

  it('one that is said again counts by its newest time, so that a contrary one from before it changes nothing', () => {
    const again = decided('DisputeWon', { source: 'notification', occurredAt: AT + 200 });
    given(...settled, opened, won)
      .when(says('WON', { source: 'notification', occurredAt: AT + 200 }))
      .then(again);
    given(...settled, opened, won, again)
      .when(says('LOST', { source: 'notification', occurredAt: AT + 150 }))
      .thenNothing();
  });

  it('the first counts where both are of one moment', () => {
    given(...settled, opened, won)
      .when(says('LOST', { source: 'notification', occurredAt: AT + 100 }))
      .thenNothing();
  });

  it('the older one changes nothing when it is asked for, or sent, later', () => {
    given(...settled, opened, won)
      .when(says('LOST', { source: 'lookup', sentAt: AT + 500, occurredAt: AT + 50 }))
      .thenNothing();
  });

  it('a look-up without a date counts as of the moment of the question', () => {
    const asked: Evidence = { source: 'lookup', sentAt: AT + 101 };
    given(...settled, opened, won)
      .when(says('LOST', asked))
      .then(decided('DisputeLost', asked));
    given(...settled, opened, won)
      .when(says('LOST', { source: 'lookup', sentAt: AT + 99 }))
      .thenNothing();
  });
});
