// Payment instruments on their way out: their own stream's document and their entry in the customer's wallet.
import { expect } from 'chai';
import type { CustomerWallet } from '../../../src/domain/customer-wallet.ts';
import type { UsableInstrument } from '../../../src/domain/payment-instrument/state.ts';
import {
  PaymentInstrumentAnswer,
  PaymentInstrumentListAnswer,
  paymentInstrumentAnswer,
  TokenizedCardAnswer,
  tokenizedCardAnswer,
  walletAnswers,
} from '../../../src/http/answers/payment-instrument.ts';

const card = {
  network: 'VISA',
  first6Digits: '424242',
  last4Digits: '4242',
  expirationMonth: '12',
  expirationYear: '2030',
} as const;
const tokenized: UsableInstrument = {
  status: 'tokenized',
  accountId: 'acc_1',
  processor: 'sandbox',
  connectionId: 'sandbox',
  processorToken: 'tok_1',
  paymentMethodType: 'PAYMENT_CARD',
  paymentMethodData: card,
  fingerprint: 'ffff',
  createdAt: 0,
  expiresAt: 1,
};
const vault = { customerId: 'cus_1', walletId: 'wallet_1', requestedAt: 0 };
const vaulted: UsableInstrument = {
  ...tokenized,
  status: 'vaulted',
  vault: { ...vault, vaultedAt: 1, description: 'blue' },
};
const entry = {
  token: 'pm_1',
  fingerprint: 'ffff',
  processor: 'sandbox',
  connectionId: 'sandbox',
  processorToken: 'tok_2',
  paymentMethodType: 'PAYMENT_CARD',
  paymentMethodData: { ...card, expirationYear: '2035' },
  description: 'blue',
  createdAt: 0,
  addedAt: 1,
  version: 2,
} as const;
const wallet: CustomerWallet = {
  status: 'open',
  accountId: 'acc_1',
  customerId: 'cus_1',
  instruments: [entry, { ...entry, token: 'pm_2', deletedAt: 5 }, { ...entry, token: 'pm_3' }],
  defaultToken: 'pm_1',
};

describe('the answer about a payment instrument', () => {
  it('of a single-use token has no customer and no names of the processor', () => {
    expect(PaymentInstrumentAnswer.parse(paymentInstrumentAnswer('pm_1', { instrument: tokenized }, 0))).to.deep.equal({
      token: 'pm_1',
      tokenType: 'SINGLE_USE',
      paymentMethodType: 'PAYMENT_CARD',
      paymentMethodData: card,
      default: false,
      used: false,
      expired: false,
      deleted: false,
      createdAt: '1970-01-01T00:00:00.000Z',
    });
    const vaulting: UsableInstrument = { ...tokenized, status: 'vaulting', vault };
    expect(paymentInstrumentAnswer('pm_1', { instrument: vaulting }, 0))
      .to.include({ tokenType: 'SINGLE_USE' })
      .and.not.have.property('customerId');
  });

  it('of a vaulted token has the newest expiry and the default from the wallet', () => {
    const answer = PaymentInstrumentAnswer.parse(paymentInstrumentAnswer('pm_1', { instrument: vaulted, wallet }, 0));
    expect(answer).to.include({
      tokenType: 'MULTI_USE',
      customerId: 'cus_1',
      description: 'blue',
      default: true,
      deleted: false,
    });
    expect(answer.paymentMethodData).to.include({ expirationYear: '2035' });
  });

  it('of a deleted token has the fact and time of the deletion', () => {
    const instrument: UsableInstrument = { ...vaulted, status: 'deleted', deletedAt: 5 };
    const answer = PaymentInstrumentAnswer.parse(paymentInstrumentAnswer('pm_2', { instrument, wallet }, 0));
    expect(answer).to.include({
      tokenType: 'MULTI_USE',
      deleted: true,
      deletedAt: '1970-01-01T00:00:00.005Z',
      default: false,
    });
  });

  it('is the same alone and in the list, which leaves deleted tokens out', () => {
    const { data } = PaymentInstrumentListAnswer.parse({ data: walletAnswers(wallet, undefined) });
    expect(data.map(({ token }) => token)).to.deep.equal(['pm_1', 'pm_3']);
    expect(data[0]).to.deep.equal(paymentInstrumentAnswer('pm_1', { instrument: vaulted, wallet }, 0));
    expect(walletAnswers(undefined, undefined)).to.deep.equal([]);
    expect(walletAnswers({ status: 'absent' }, undefined)).to.deep.equal([]);
    expect(
      walletAnswers(wallet, 'pm_2').map(({ token }) => token),
      'after a deleted one',
    ).to.deep.equal(['pm_3']);
  });

  it('of a card just tokenized is a token and the data on the card', () => {
    expect(TokenizedCardAnswer.parse(tokenizedCardAnswer('pm_1', tokenized))).to.deep.equal({
      token: 'pm_1',
      tokenType: 'SINGLE_USE',
      paymentMethodType: 'PAYMENT_CARD',
      paymentMethodData: card,
    });
  });
});
