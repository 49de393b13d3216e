// The lasting parts of an attempt, whatever is reported later: the request, the time of its first response, its fence.
import { expect } from 'chai';
import type { Fact, PaymentEvent } from '../../../src/domain/payment/events.ts';
import { attemptOf } from '../../../src/domain/payment/queries.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { givenOf } from '../../support/given.ts';
import {
  AT,
  actionRequired,
  authorizationRequested,
  authorized,
  captureRequested,
  created,
  declined,
  holdExpired,
  id,
  isPending,
  isUnknown,
  refundRequested,
  settle,
  settled,
  wasDeclined,
  wasNotFound,
  wentThrough,
} from './story.ts';

const given = givenOf(payment);
const attemptIn = (name: string, events: readonly PaymentEvent[]) =>
  attemptOf(given(...events).state, id(name)) ?? expect.fail();

describe('an attempt, whatever is reported,', () => {
  it('is of the card, the authentication and the absent customer that it was asked with', () => {
    const asked: Fact<'AuthorizationRequested'> = {
      type: 'AuthorizationRequested',
      data: { ...authorizationRequested.data, threeDSecure: 'ask', offSession: true },
    };
    for (const word of [
      isUnknown('a', 'authorization'),
      isPending('a', 'authorization'),
      wentThrough('a', 'authorization', 1_000),
    ])
      expect(attemptIn('a', [created(), asked, word])).to.include({
        processorToken: 'tok_1',
        threeDSecure: 'ask',
        offSession: true,
      });
  });

  it('has nothing that it was not asked with', () => {
    for (const before of [authorized, [...authorized, captureRequested('c', 1), wentThrough('c', 'capture', 1)]]) {
      const attempt = attemptIn(before === authorized ? 'a' : 'c', before);
      for (const name of [
        'threeDSecure',
        'offSession',
        'refund',
        'follows',
        'resumeTokenHash',
        'resumed',
        'fenced',
        'retryAt',
        'code',
      ])
        expect(attempt).to.not.have.property(name);
    }
  });

  it('was answered when the first word came, and is settled by the last', () => {
    const attempt = attemptIn('a', [
      ...authorized.slice(0, 2),
      isPending('a', 'authorization'),
      wentThrough('a', 'authorization', 1_000),
    ]);
    expect(attempt).to.include({ answeredRevision: 2, settledRevision: 3, processorTransactionId: 'tx_a' });
  });

  it('stays fenced', () => {
    const fenced: PaymentEvent = {
      type: 'AttemptFenced',
      data: { attemptId: id('a'), operation: 'authorization', evidence: { source: 'lookup' } },
    };
    const attempt = attemptIn('a', [
      ...authorized.slice(0, 2),
      actionRequired,
      fenced,
      isPending('a', 'authorization'),
    ]);
    expect(attempt).to.include({ state: 'pending', fenced: true });
  });

  it('that gave money back has the refund’s id and its captures', () => {
    const attempt = attemptIn('r', [
      ...settled,
      refundRequested('r', 300, 'c'),
      isUnknown('r', 'refund'),
      wentThrough('r', 'refund', 300),
    ]);
    expect(attempt.refund).to.deep.equal({ refundId: 'ref_r', allocations: [{ attemptId: id('c'), amount: 300 }] });
  });

  it('that was not found is tried again when the record says so, and only then', () => {
    const asked = [...authorized, captureRequested('c', 1_000)];
    expect(attemptIn('c', [...asked, wasNotFound('c', 'capture', AT + 7)])).to.include({
      state: 'not_found',
      retryAt: AT + 7,
    });
    expect(attemptIn('c', [...asked, wasNotFound('c', 'capture')])).to.not.have.property('retryAt');
  });

  it('that was refused has no time of that, where the answer itself says it', () => {
    const asked = [...authorized, captureRequested('c', 1_000)];
    expect(attemptIn('c', [...asked, wasDeclined('c', 'capture')])).to.not.have.property('toldAt');
    expect(attemptOf(given(...asked).when(settle('c', declined)).state, id('c'))).to.not.have.property('retriedAs');
  });

  it('has the end of its hold as the last line of its history', () => {
    const lines = attemptIn('a', [...authorized, holdExpired]).events.map(({ type }) => type);
    expect(lines).to.deep.equal(['AuthorizationRequested', 'PaymentAuthorized', 'AuthorizationExpired']);
  });
});
