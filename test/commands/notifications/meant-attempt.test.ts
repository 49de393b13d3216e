// Which attempt a notification means that has only a name of the processor's own.
import { expect } from 'chai';
import { meantAttempt } from '../../../src/commands/notifications/apply-to-payment.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import {
  authorized,
  captureRequested,
  id,
  known,
  success,
  wasNotFound,
  wasNotSent,
} from '../../domain/payment/story.ts';
import { givenOf } from '../../support/given.ts';

const given = givenOf(payment);

describe('a notification that names a capture as nobody has heard of it', () => {
  const word = {
    notificationId: 'n-1',
    occurredAt: 0,
    subject: { processorTransactionId: 'tx_a' },
    about: { operation: 'capture', outcome: success('b', 400) },
  } as const;
  const first = [...authorized, captureRequested('b', 400, false)];
  const meant = (...events: typeof first) =>
    meantAttempt(
      known(given(...events, captureRequested('c', 400, false)).when(() => ({ kind: 'accepted', events: [] })).state),
      word,
    );

  it('means the one that waits for its word', () => {
    expect(meant(...authorized)?.attemptId).to.equal(id('c'));
    expect(meant(...first, wasNotSent('b', 'capture'))?.attemptId).to.equal(id('c'));
  });

  it('means none where an earlier one without a name may have happened', () => {
    expect(meant(...first, wasNotFound('b', 'capture'))).to.equal(undefined);
    expect(meant(...first)).to.equal(undefined);
  });
});
