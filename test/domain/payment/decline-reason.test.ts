// The advice to a shop after a refusal of a processor: it never suggests another card if there is no customer at the
// checkout.
import { expect } from 'chai';
import { Operation } from '../../../src/domain/operation.ts';
import { declineReason, shopperCode } from '../../../src/domain/payment/decline-reason.ts';
import type { DeclineType } from '../../../src/domain/payment/outcome.ts';
import type { AnswerToDispute, Cause } from '../../../src/domain/payment/payment.ts';
import { answerReason, statusReason } from '../../../src/domain/payment/status-reason.ts';

const OPERATIONS = Operation.options;

describe('the reason of a refusal', () => {
  const advised = (code: string, declineType: DeclineType) =>
    OPERATIONS.map((operation) => declineReason({ code, declineType }, operation).advisedAction);

  it('advises by what was asked, when it is refused for good', () => {
    expect(advised('GENERIC_DECLINE', 'HARD')).to.deep.equal([
      'Ask the customer for another payment method.',
      'Cancel what is not captured, and ask the customer for a new payment.',
      'Let the authorization expire, or capture it and refund the capture.',
      'Refund the customer outside this payment.',
      'Continue with the authorized amount, or ask for a new payment.',
    ]);
  });

  it('advises to try the same again, when it is refused for now', () => {
    for (const code of ['PROCESSING_ERROR', 'INCORRECT_CVC', 'INSUFFICIENT_FUNDS']) {
      expect(advised(code, 'SOFT').slice(1)).to.deep.equal(
        OPERATIONS.slice(1).map((operation) => `Try the ${operation} again later.`),
      );
    }
    expect(advised('INCORRECT_CVC', 'SOFT')[0]).to.equal('Ask the customer to enter the security code again.');
  });

  it('says the same of the decline itself, whatever was asked', () => {
    for (const operation of OPERATIONS) {
      const { advisedAction: _advice, ...said } = declineReason({ code: 'LOST_CARD', declineType: 'HARD' }, operation);
      expect(said).to.deep.equal({
        type: 'ISSUER_DECLINE',
        declineType: 'HARD',
        code: 'LOST_CARD',
        message: 'The card was reported lost.',
      });
    }
  });

  it('has words for a code that it does not know', () => {
    for (const code of ['NEW_CODE', 'constructor', '__proto__', '']) {
      expect(declineReason({ code, declineType: 'SOFT' }, 'authorization')).to.deep.equal({
        type: 'ISSUER_DECLINE',
        declineType: 'SOFT',
        code,
        message: 'The issuer declined.',
        advisedAction: 'Try again later.',
      });
    }
  });

  it("of an acquirer's own rule names the rule, and neither a decline type nor an advice", () => {
    expect(declineReason({ code: 'NOTHING_TO_CAPTURE', declineType: 'HARD' }, 'capture')).to.deep.equal({
      type: 'APPLICATION_ERROR',
      code: 'NOTHING_TO_CAPTURE',
      message: 'Nothing is left to capture: the amount was captured, released or cancelled.',
    });
  });
});

describe('the public reason', () => {
  it('of how a payment or an attempt stands tells apart what is not known, what never arrived, and what was refused', () => {
    const types: { readonly [because in Cause['because']]: string } = {
      declined: 'ISSUER_DECLINE',
      returned: 'ISSUER_DECLINE',
      unknown: 'GATEWAY_TIMEOUT',
      not_sent: 'GATEWAY_UNAVAILABLE',
      not_found: 'GATEWAY_TIMEOUT',
      did_not_happen: 'GATEWAY_TIMEOUT',
      mismatched: 'APPLICATION_ERROR',
      action_expired: 'AUTHENTICATION_REQUIRED',
      not_paid: 'PAYMENT_EXPIRED',
      awaiting_funds: 'AWAITING_FUNDS',
    };
    const reasons = Object.keys(types).map((because) =>
      statusReason({ because: because as Cause['because'], operation: 'capture' }),
    );
    expect(reasons.map(({ type }) => type)).to.deep.equal(Object.values(types));
    const words = reasons.map(({ message }) => message);
    expect(new Set(words).size).to.equal(words.length - 1); // a refusal without a code says what a return says
  });

  it('of a refusal or a return that has a code says the code', () => {
    for (const because of ['declined', 'returned'] as const)
      expect(statusReason({ because, operation: 'refund', code: 'LOST_CARD', declineType: 'HARD' })).to.deep.equal(
        declineReason({ code: 'LOST_CARD', declineType: 'HARD' }, 'refund'),
      );
  });

  it('of a return whose reason is not known advises nothing', () => {
    for (const told of [{}, { code: 'LOST_CARD' }, { declineType: 'HARD' }] as const)
      expect(statusReason({ because: 'returned', operation: 'refund', ...told })).to.have.all.keys('type', 'message');
  });

  it('of an answer to a dispute is there while the answer did not arrive, or came to nothing', () => {
    const asked = {
      answerId: 'e',
      kind: 'evidence',
      reference: 'r',
      requestedAt: 0,
      requestedRevision: 0,
      sendBy: 0,
      lookUps: 0,
    } as const;
    const reasonOf = (change: object) =>
      answerReason({ ...asked, hasEnded: true, nextLookUpAt: 0, ...change } as AnswerToDispute);
    for (const state of ['open', 'pending', 'succeeded']) expect(reasonOf({ state }), state).to.equal(undefined);
    expect(['overtaken', 'unknown', 'not_sent', 'not_found'].map((state) => reasonOf({ state })?.type)).to.deep.equal([
      'APPLICATION_ERROR',
      'GATEWAY_TIMEOUT',
      'GATEWAY_UNAVAILABLE',
      'GATEWAY_TIMEOUT',
    ]);
    expect(reasonOf({ state: 'unknown' })).to.not.deep.equal(reasonOf({ state: 'not_found' }));
    expect(reasonOf({ state: 'declined', code: 'DISPUTE_CLOSED' })).to.include({
      type: 'APPLICATION_ERROR',
      code: 'DISPUTE_CLOSED',
    });
  });
});

describe('the code that a browser of a shopper is told', () => {
  it('is a plain decline where it would tell which stolen card is which', () => {
    for (const code of ['LOST_CARD', 'STOLEN_CARD', 'RESTRICTED_CARD', 'SUSPECTED_FRAUD', 'AUTHORIZATION_REVOKED'])
      expect(shopperCode(code)).to.equal('GENERIC_DECLINE');
    for (const code of ['INSUFFICIENT_FUNDS', 'INCORRECT_CVC', 'EXPIRED_CARD', 'GENERIC_DECLINE', 'NEW_CODE'])
      expect(shopperCode(code)).to.equal(code);
  });
});
