// Accounts are made by operators, once.
import { expect } from 'chai';
import { createAccount } from '../../../src/domain/account/decide.ts';
import { account } from '../../../src/domain/account/state.ts';
import { givenOf } from '../../support/given.ts';

const given = givenOf(account);
const made = { type: 'AccountCreated', data: { name: 'Shop' } } as const;

describe('an account', () => {
  it('is made once', () => {
    given().when(createAccount('Shop')).then(made);
    given(made).when(createAccount('Other')).thenNothing();
  });
  it('is not called by a card number', () => given().when(createAccount('Shop 4242 4242 4242 4242')).thenRejected('CardNumberNotAllowed'));
  it('knows its name and when it was recorded', () =>
    expect(given(made).state).to.deep.equal({ status: 'open', name: 'Shop', createdAt: 1_000 }));
});
