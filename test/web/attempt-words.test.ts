// The words of the dashboard for an attempt that is not settled: true for each action, and for a wrong amount.
import { expect } from 'chai';
import { meaningOf } from '../../web/dashboard/src/pages/payments/attempt-words.ts';

describe('the words for an attempt that is not settled', () => {
  it('name 3-D Secure for it alone, and each action of its own', () => {
    const names = ['3DS_AUTHENTICATION', 'PAYMENT_METHOD_REDIRECT', 'PAYMENT_METHOD_VOUCHER', 'SDK_ACTION'] as const;
    const words = names.map((name) => meaningOf({ operation: 'authorization', state: 'action_required' }, name).words);
    expect(words.map((one) => one.includes('3-D Secure'))).to.deep.equal([true, false, false, false]);
    expect(new Set(words)).to.have.property('size', names.length);
    expect(words[2]).to.include('voucher');
  });

  it('say of a success of another amount that nobody asks again, and never that a response was lost', () => {
    const wrong = {
      operation: 'capture',
      state: 'unknown',
      mismatch: { amount: 20_199, currencyCode: 'USD' },
    } as const;
    const { title, words } = meaningOf(wrong, undefined);
    expect(title).to.equal('The capture went through with a different amount');
    expect(words).to.include('not asked again').and.not.to.include('lost');
    expect(meaningOf({ operation: 'capture', state: 'unknown' }, undefined).words).to.include('response was lost');
  });
});
