// Which tries are counted together: those of one card of an account, by whatever instrument and connection.
import { expect } from 'chai';
import { cardOf } from '../../../src/commands/payments/retry-ledger.ts';

const CARD = {
  network: 'VISA',
  last4Digits: '4242',
  expirationMonth: '12',
  expirationYear: '2030',
} as const;
const storeKey = { name: (label: string, text: string) => `${label} ${JSON.stringify(text)}` };

describe('the ledger of a card', () => {
  const ledger = (mode: 'test' | 'live', accountId: string, fingerprint: string | undefined, token: string) =>
    cardOf({ storeKey, mode }, accountId, { paymentMethodData: CARD, fingerprint }, token)?.ledgerId;

  it('is that of its fingerprint, for each account', () => {
    const one = ledger('live', 'acc_1', 'print', 'pm_1');
    expect(ledger('live', 'acc_1', 'print', 'pm_2')).to.equal(one);
    expect(ledger('live', 'acc_2', 'print', 'pm_1')).to.not.equal(one);
    expect(ledger('live', 'acc_1', 'other', 'pm_1')).to.not.equal(one);
  });

  it('is that of the instrument without a fingerprint, and in test mode, whose few cards are shared', () => {
    expect(ledger('live', 'acc_1', undefined, 'pm_1')).to.equal(ledger('live', 'acc_1', undefined, 'pm_1'));
    expect(ledger('live', 'acc_1', undefined, 'pm_2')).to.not.equal(ledger('live', 'acc_1', undefined, 'pm_1'));
    expect(ledger('test', 'acc_1', 'print', 'pm_2')).to.not.equal(ledger('test', 'acc_1', 'print', 'pm_1'));
  });

  it('is there for cards alone', () => {
    expect(cardOf({ storeKey, mode: 'live' }, 'acc_1', { paymentMethodData: { ibanLast4: '3000' } }, 'pm_1')).to.equal(
      undefined,
    );
  });
});
