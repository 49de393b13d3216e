// Cancelling, and expiry, beside an authorization that was answered in another amount or currency: it is never
// AUTHORIZED on (contract §4).
import { expect } from 'chai';
import { requestCancellation } from '../../../src/domain/payment/change.ts';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import { expireAuthorization } from '../../../src/domain/payment/expire.ts';
import { openAttempts } from '../../../src/domain/payment/queries.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { givenOf } from '../../support/given.ts';
import {
  cancellationRequested,
  id,
  isPending,
  isUnknown,
  known,
  mismatched,
  pending,
  place,
  reasonOf,
  settle,
  success,
  timing,
  wasDeclined,
  wasNotFound,
  wentThrough,
} from './story.ts';

const given = givenOf(payment);
const cancel = requestCancellation({ attemptId: id('x'), ...timing });
const expire = expireAuthorization({ attemptId: id('a'), evidence: { source: 'notification' } });
const expired: PaymentEvent = {
  type: 'AuthorizationExpired',
  data: { ...place, evidence: { source: 'notification' } },
};
const voided = [...mismatched, cancellationRequested('a-void')];

describe('cancelling beside a mismatch', () => {
  it('asks for nothing while the void is on its way', () => {
    for (const word of [[], [isUnknown('a-void', 'cancellation')], [isPending('a-void', 'cancellation')]]) {
      given(...voided, ...word)
        .when(cancel)
        .thenNothing();
      expect(known(given(...voided, ...word).state).status).to.equal('PENDING');
    }
  });

  it('asks for a void, and does not merely call it cancelled, when the one before came to nothing', () => {
    for (const end of [wasDeclined, wasNotFound]) {
      const before = [...voided, end('a-void', 'cancellation')];
      given(...before)
        .when(cancel)
        .then(cancellationRequested('x'));
      const { state } = given(...before, cancellationRequested('x'), wentThrough('x', 'cancellation', 0));
      expect(known(state)).to.include({ status: 'FAILED', amountAuthorized: 0, amountCapturable: 0 });
      expect(reasonOf(state)?.type).to.equal('APPLICATION_ERROR');
    }
  });
});

describe('expiry beside a mismatch', () => {
  it('ends the payment as FAILED, never as CANCELLED, whatever became of the void', () => {
    for (const before of [mismatched, voided, [...voided, wasDeclined('a-void', 'cancellation')]]) {
      given(...before)
        .when(expire)
        .then(expired);
      const { state } = given(...before, expired);
      expect(known(state)).to.include({ status: 'FAILED', amountAuthorized: 0, amountCapturable: 0 });
      expect(reasonOf(state)?.type).to.equal('APPLICATION_ERROR');
    }
  });

  it('that came first leaves nothing to void', () => {
    const { state } = given(...pending, expired).when(settle('a', success('a', 1_000, 'USD'), 'notification'));
    expect(known(state)).to.include({ status: 'FAILED', amountAuthorized: 0 });
    expect(openAttempts(state)).to.deep.equal([]);
  });
});
