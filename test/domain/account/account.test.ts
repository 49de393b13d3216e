// Accounts are made by operators, once.
import { expect } from 'chai';
import {
  account,
  clearRouting,
  createAccount,
  renameAccount,
  setAllowedOrigins,
  setRouting,
} from '../../../src/domain/account.ts';
import { givenOf } from '../../support/given.ts';

const given = givenOf(account);
const made = { type: 'AccountCreated', data: { name: 'Shop', operator: false } } as const;

describe('an account', () => {
  it('is made once', () => {
    given().when(createAccount('Shop', false)).then(made);
    given(made).when(createAccount('Other', true)).thenNothing();
  });
  it('is renamed, and not twice to the same name, or to a card number', () => {
    const renamed = { type: 'AccountRenamed', data: { name: 'Corner shop' } } as const;
    given(made).when(renameAccount('Corner shop')).then(renamed);
    given(made, renamed).when(renameAccount('Corner shop')).thenNothing();
    given(made).when(renameAccount('Shop 4242 4242 4242 4242')).thenRejected('CardNumberNotAllowed');
    given().when(renameAccount('Corner shop')).thenRejected('NotFound');
  });
  it('is not called by a card number', () =>
    given().when(createAccount('Shop 4242 4242 4242 4242', false)).thenRejected('CardNumberNotAllowed'));
  it('knows its name and when it was recorded', () =>
    expect(given(made).state).to.deep.equal({ status: 'open', name: 'Shop', operator: false, createdAt: 1_000 }));

  it('counts its rules of routing on from a version that removed them, which is refused for another than was shown', () => {
    const target = { use: [{ connection: 'sandbox', weight: 1 }], then: [] };
    const rules = { rules: [], default: target, fallbackOn: [], never: [], mostAttempts: 1 };
    const connections = [{ name: 'sandbox', connectionId: 'sandbox', processor: 'sandbox' }];
    const set = { type: 'RoutingSet', data: { version: 1, rules, connections } } as const;
    const cleared = { type: 'RoutingCleared', data: { version: 2 } } as const;
    given(made, set).when(clearRouting(1)).then(cleared);
    given(made, set).when(clearRouting(0)).thenRejected('Conflict');
    given(made).when(clearRouting()).thenNothing();
    given(made, set, cleared).when(clearRouting()).thenNothing();
    given().when(clearRouting()).thenRejected('NotFound');
    expect(given(made, set, cleared).state)
      .to.include({ clearedRouting: 2 })
      .and.not.to.have.property('routing');
    const again = { type: 'RoutingSet', data: { version: 3, rules, connections } } as const;
    given(made, set, cleared)
      .when(setRouting({ rules, connections, shown: 2 }))
      .then(again);
    given(made, set, cleared)
      .when(setRouting({ rules, connections, shown: 1 }))
      .thenRejected('Conflict');
    expect(given(made, set, cleared, again).state).not.to.have.property('clearedRouting');
  });

  it('names the complete list of origins that may frame its checkout', () => {
    const origins = ['https://shop.example', 'https://shop.example:8443', 'http://localhost:3000'];
    const set = { type: 'AllowedOriginsSet', data: { origins } } as const;
    given(made)
      .when(setAllowedOrigins([...origins, 'https://shop.example']))
      .then(set);
    given(made, set).when(setAllowedOrigins(origins)).thenNothing();
    given(made, set)
      .when(setAllowedOrigins([]))
      .then({ type: 'AllowedOriginsSet', data: { origins: [] } });
    given().when(setAllowedOrigins(origins)).thenRejected('NotFound');
  });

  const WRONG = [
    'http://shop.example',
    'https://shop.example/',
    'https://*',
    '*',
    "https://a.example; script-src 'unsafe-inline'",
    'https://A.example',
    'https://a.example https://b.example',
    '',
  ];
  for (const origin of WRONG) {
    it(`is framed by no ${JSON.stringify(origin)}`, () =>
      given(made)
        .when(setAllowedOrigins([origin]))
        .thenRejected('RequestValidationError'));
  }
});
