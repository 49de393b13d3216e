// Which events of a payment make a message for its merchant, and of which type (contract §8).
import { expect } from 'chai';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import { nothingTold, type PaymentMessageType, tellOf } from '../../../src/domain/payment/message.ts';
import {
  AT,
  authorizationRequested,
  authorized,
  captureRequested,
  id,
  isUnknown,
  pending,
  refundRequested,
  wasDeclined,
  wasNotFound,
  wasNotSent,
  wentThrough,
} from './story.ts';

/** For each event that creates a message: its own type, and the message's. */
const toldOf = (...events: readonly PaymentEvent[]): readonly string[] => {
  let told = nothingTold;
  return events.flatMap((event, revision) => {
    const tells: { readonly told: typeof told; readonly type?: PaymentMessageType } = tellOf(told, event, {
      id: `e${revision}`,
      revision,
      at: AT,
    });
    told = tells.told;
    return tells.type === undefined ? [] : [`${event.type} ${tells.type}`];
  });
};

describe('the messages of a payment', () => {
  it('do not report an authentication, and report a decline only if no second attempt follows', () => {
    const authenticated: PaymentEvent = {
      type: 'AuthenticationCompleted',
      data: {
        attemptId: id('a'),
        evidence: { source: 'answer' },
        threeDSecure: { responseCode: 'AUTH_SUCCESS' },
        nextLookUpAt: AT,
      },
    };
    expect(toldOf(...pending, authenticated, wentThrough('a', 'authorization', 1_000))).to.deep.equal([
      'PaymentAuthorized PAYMENT.STATUS',
    ]);
    const first = wasDeclined('a', 'authorization');
    if (first.type !== 'AuthorizationDeclined') throw new Error(first.type);
    const again: PaymentEvent = {
      ...authorizationRequested,
      data: { ...authorizationRequested.data, attemptId: id('a-3ds') },
    };
    const retried: PaymentEvent = { ...first, data: { ...first.data, retriedAs: id('a-3ds') } };
    expect(toldOf(...pending, retried, again, wentThrough('a-3ds', 'authorization', 1_000))).to.deep.equal([
      'PaymentAuthorized PAYMENT.STATUS',
    ]);
    expect(toldOf(...pending, first)).to.deep.equal(['AuthorizationDeclined PAYMENT.STATUS']);
  });

  it('report a refund that never arrived, and not one that is retried', () => {
    const paid = [...authorized, captureRequested('c', 1_000), wentThrough('c', 'capture', 1_000)];
    const asked = [...paid, refundRequested('r', 400, 'c'), isUnknown('r', 'refund')];
    const before = toldOf(...asked).length;
    for (const ended of [wasNotSent, wasNotFound]) {
      expect(toldOf(...asked, ended('r', 'refund')).slice(before)).to.deep.equal([
        `${ended('r', 'refund').type} PAYMENT.REFUND.FAILED`,
      ]);
      expect(toldOf(...asked, ended('r', 'refund', AT + 60_000)).slice(before)).to.deep.equal([]);
    }
  });
});
