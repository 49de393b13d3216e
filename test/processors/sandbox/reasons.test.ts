// What the sandbox advises when it refuses: a shop is never told to ask for another card where nobody is at the checkout.
import { expect } from 'chai';
import { OPERATIONS } from '../../../src/processors/sandbox/entry.ts';
import { issuerDecline } from '../../../src/processors/sandbox/reasons.ts';

describe('the reason of a refusal', () => {
  const advised = (code: string) => OPERATIONS.map((operation) => issuerDecline(code, operation).advisedAction);

  it('advises by what was asked, when it is refused for good', () => {
    expect(advised('GENERIC_DECLINE')).to.deep.equal([
      'Ask the customer for another payment method.',
      'Cancel what is not captured, and ask the customer for a new payment.',
      'Leave it to expire, or capture it and refund that.',
      'Pay the customer back in another way.',
      'Go on with the amount that is authorized, or ask for a new payment.',
    ]);
  });

  it('advises to try the same again, when it is refused for now', () => {
    for (const code of ['PROCESSING_ERROR', 'INCORRECT_CVC', 'INSUFFICIENT_FUNDS']) {
      expect(advised(code).slice(1)).to.deep.equal(OPERATIONS.slice(1).map((operation) => `Try the ${operation} again later.`));
    }
    expect(advised('INCORRECT_CVC')[0]).to.equal('Ask the customer to enter the security code again.');
  });

  it('says the same of the decline itself, whatever was asked', () => {
    for (const operation of OPERATIONS) {
      const { advisedAction: _advice, ...said } = issuerDecline('LOST_CARD', operation);
      expect(said).to.deep.equal({
        type: 'ISSUER_DECLINE',
        declineType: 'HARD',
        code: 'LOST_CARD',
        message: 'The card was reported lost.',
      });
      expect(issuerDecline('NEW_CODE', operation)).to.deep.equal({ type: 'ISSUER_DECLINE', message: 'NEW_CODE' });
    }
  });
});
