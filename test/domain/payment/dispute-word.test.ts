// Which of two decisions on a dispute is the newer one: the time of the processor's own clock decides, else that of the question (contract §4).
import type { DisputeStatus } from '../../../src/domain/dispute-status.ts';
import { recordDispute } from '../../../src/domain/payment/dispute-word.ts';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import type { Evidence } from '../../../src/domain/payment/outcome.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { givenOf } from '../../support/given.ts';
import { AT, place, settled } from './story.ts';

const given = givenOf(payment);
const money = { amount: 400, currencyCode: 'EUR' };
const names = { disputeId: 'd', processorDisputeId: 'dp', ...money, openedAt: AT };
const opened: PaymentEvent = { type: 'DisputeOpened', data: { ...names, ...place, evidence: { source: 'notification', occurredAt: AT } } };
const decided = (type: 'DisputeWon' | 'DisputeLost', evidence: Evidence): PaymentEvent => ({ type, data: { disputeId: 'd', evidence } });
const says = (status: DisputeStatus, evidence: Evidence) => recordDispute({ ...names, status, evidence });

describe('of two decisions on a dispute', () => {
  const won = decided('DisputeWon', { source: 'notification', occurredAt: AT + 100, sentAt: AT + 10 });

  it('the one counts that the processor dates later', () => {
    const later: Evidence = { source: 'notification', occurredAt: AT + 101 };
    given(...settled, opened, won)
      .when(says('LOST', later))
      .then(decided('DisputeLost', later));
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
