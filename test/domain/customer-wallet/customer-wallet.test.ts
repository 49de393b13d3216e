// A customer's wallet: one instrument a card, one default, and deleted ones still readable (contract §5).
import { expect } from 'chai';
import {
  type AddedInstrument,
  addInstrument,
  type CustomerWalletEvent,
  customerWallet,
  instrumentOf,
  liveInstruments,
  makeDefault,
  removeInstrument,
  tokenOfCard,
} from '../../../src/domain/customer-wallet.ts';
import { cardIn } from '../../../src/domain/payment-instrument/recorded-data.ts';
import { givenOf } from '../../support/given.ts';

const given = givenOf(customerWallet);
const AT = 1_000_000;

const card = (token: string, fingerprint = token, expirationYear = '2030'): AddedInstrument => ({
  accountId: 'acc_1',
  customerId: 'cus_1',
  token,
  fingerprint,
  processor: 'sandbox',
  connectionId: 'sandbox',
  processorToken: `tok_${token}`,
  paymentMethodType: 'PAYMENT_CARD',
  paymentMethodData: {
    network: 'VISA',
    first6Digits: '424242',
    last4Digits: '4242',
    expirationMonth: '12',
    expirationYear,
  },
  createdAt: AT,
  addedAt: AT,
});
const added = (token: string, fingerprint?: string): CustomerWalletEvent => ({
  type: 'InstrumentAdded',
  data: card(token, fingerprint),
});
const defaultIs = (token: string): CustomerWalletEvent => ({ type: 'DefaultInstrumentChanged', data: { token } });
const removed = (token: string): CustomerWalletEvent => ({ type: 'InstrumentRemoved', data: { token, deletedAt: AT } });
const one = [added('pm_1'), defaultIs('pm_1')];
const three = [...one, added('pm_2'), added('pm_3')];
const remove = (token: string) => removeInstrument({ token, deletedAt: AT });
const defaultOf = (state: ReturnType<typeof given>['state']) =>
  state.status === 'absent' ? undefined : state.defaultToken;

describe('adding an instrument to a wallet', () => {
  it('makes the first one the default, and no other', () => {
    given()
      .when(addInstrument(card('pm_1')))
      .then(added('pm_1'), defaultIs('pm_1'));
    given(...one)
      .when(addInstrument(card('pm_2')))
      .then(added('pm_2'));
  });

  it('makes the next one the default when all before are deleted', () => {
    given(...one, removed('pm_1'))
      .when(addInstrument(card('pm_2')))
      .then(added('pm_2'), defaultIs('pm_2'));
  });

  it('does nothing if the token already exists, even if it is deleted', () => {
    given(...one)
      .when(addInstrument(card('pm_1')))
      .thenNothing();
    given(...one, removed('pm_1'))
      .when(addInstrument(card('pm_1')))
      .thenNothing();
  });

  it('of a card that already exists keeps the first one', () => {
    given(...one)
      .when(addInstrument(card('pm_9', 'pm_1')))
      .thenNothing();
    expect(tokenOfCard(given(...one).state, 'pm_1')).to.equal('pm_1');
    expect(instrumentOf(given(...one).state, 'pm_9')).to.equal(undefined);
  });

  it('of the same card with a newer expiry refreshes it, with an older one not', () => {
    const newer = card('pm_9', 'pm_1', '2031');
    const refreshed: CustomerWalletEvent = {
      type: 'InstrumentRefreshed',
      data: { token: 'pm_1', processorToken: 'tok_pm_9', paymentMethodData: newer.paymentMethodData },
    };
    given(...one)
      .when(addInstrument(newer))
      .then(refreshed);
    given(...one, refreshed)
      .when(addInstrument(newer))
      .thenNothing();
    given(...one)
      .when(addInstrument(card('pm_9', 'pm_1', '2029')))
      .thenNothing();
    const instrument = instrumentOf(given(...one, refreshed).state, 'pm_1');
    expect(instrument).to.include({ processorToken: 'tok_pm_9', version: 3 });
    expect(instrument && cardIn(instrument.paymentMethodData)?.expirationYear).to.equal('2031');
  });

  it('of the same card with a newer expiry leaves it as it is where the token came by another connection', () => {
    const newer = card('pm_9', 'pm_1', '2031');
    for (const elsewhere of [{ connectionId: 'second' }, { processor: 'other', connectionId: 'other' }])
      given(...one)
        .when(addInstrument({ ...newer, ...elsewhere }))
        .thenNothing();
  });

  it('of the same card with a newer expiry refreshes it by a further token at its connection', () => {
    const newer = { ...card('pm_9', 'pm_1', '2031'), connectionId: 'second' };
    const others = [{ connectionId: 'sandbox', processor: 'sandbox', processorToken: 'tok_further' }];
    given(...one)
      .when(addInstrument(newer, others))
      .then({
        type: 'InstrumentRefreshed',
        data: { token: 'pm_1', processorToken: 'tok_further', paymentMethodData: newer.paymentMethodData },
      });
  });

  it('of a card whose instrument was deleted is a new one', () => {
    const before = given(...one, removed('pm_1'));
    before.when(addInstrument(card('pm_9', 'pm_1'))).then(added('pm_9', 'pm_1'), defaultIs('pm_9'));
    expect(tokenOfCard(before.state, 'pm_1')).to.equal(undefined);
  });
});

describe('the default of a wallet', () => {
  it('can be changed to any that is not deleted', () => {
    given(...three)
      .when(makeDefault('pm_2'))
      .then(defaultIs('pm_2'));
    given(...three)
      .when(makeDefault('pm_1'))
      .thenNothing();
    given(...three, removed('pm_2'))
      .when(makeDefault('pm_2'))
      .thenRejected('InvalidPaymentInstrumentToken');
    given(...three)
      .when(makeDefault('pm_9'))
      .thenRejected('NotFound');
    given().when(makeDefault('pm_1')).thenRejected('NotFound');
  });

  it('passes to the newest that remains when it is deleted', () => {
    given(...three)
      .when(remove('pm_1'))
      .then(removed('pm_1'), defaultIs('pm_3'));
    given(...three, defaultIs('pm_3'))
      .when(remove('pm_3'))
      .then(removed('pm_3'), defaultIs('pm_2'));
    given(...three)
      .when(remove('pm_2'))
      .then(removed('pm_2'));
  });

  it('is none when nothing remains', () => {
    given(...one)
      .when(remove('pm_1'))
      .then(removed('pm_1'));
    expect(defaultOf(given(...one, removed('pm_1')).state)).to.equal(undefined);
  });
});

describe('removing an instrument from a wallet', () => {
  it('happens once, and it can still be read', () => {
    given(...three, removed('pm_2'))
      .when(remove('pm_2'))
      .thenNothing();
    given(...three)
      .when(remove('pm_9'))
      .thenNothing();
    given().when(remove('pm_1')).thenNothing();
    const { state } = given(...three, removed('pm_2'));
    expect(instrumentOf(state, 'pm_2')).to.include({ deletedAt: AT });
    expect(liveInstruments(state).map(({ token }) => token)).to.deep.equal(['pm_1', 'pm_3']);
  });
});

describe('the version of an instrument in its wallet', () => {
  const versions = (...events: readonly CustomerWalletEvent[]) =>
    liveInstruments(given(...events).state).map(({ version }) => version);

  it('counts the events that touched it: being added, made default, and losing that', () => {
    expect(versions(...three)).to.deep.equal([2, 1, 1]);
    expect(versions(...three, defaultIs('pm_2'))).to.deep.equal([3, 2, 1]);
    expect(versions(...three, defaultIs('pm_2'), defaultIs('pm_1'))).to.deep.equal([4, 3, 1]);
  });

  it('counts once what one event does', () => {
    const { state } = given(...three, removed('pm_1'), defaultIs('pm_3'));
    expect(instrumentOf(state, 'pm_1')?.version).to.equal(3);
    expect(instrumentOf(state, 'pm_3')?.version).to.equal(2);
    expect(instrumentOf(state, 'pm_2')?.version).to.equal(1);
  });
});
