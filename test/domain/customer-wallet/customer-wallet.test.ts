// A customer's wallet: one instrument a card, one default, and deleted ones still readable (contract §5).
import { expect } from 'chai';
import {
  type AddedInstrument,
  addInstrument,
  type CustomerWalletEvent,
  closeInWallet,
  customerWallet,
  instrumentOf,
  liveInstruments,
  makeDefault,
  removeInstrument,
  renewInstrument,
  tokenOfCard,
  usableInstruments,
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

describe("a network's word in a wallet", () => {
  const closed = (token: string): CustomerWalletEvent => ({ type: 'InstrumentClosed', data: { token, closedAt: AT } });
  const close = (token: string) => closeInWallet({ token, closedAt: AT });
  const renew = (expirationYear: string, fingerprint = 'pm_1', more: Partial<typeof shown> = {}) =>
    renewInstrument({ token: 'pm_1', data: { ...shown, expirationYear, ...more }, fingerprint });
  const { processorToken, paymentMethodData: shown } = card('pm_1');
  const renewed = (data: Partial<typeof shown>, fingerprint?: string): CustomerWalletEvent => ({
    type: 'InstrumentRefreshed',
    data: {
      token: 'pm_1',
      processorToken,
      paymentMethodData: { ...shown, ...data },
      ...(fingerprint !== undefined && { fingerprint }),
    },
  });

  it('shows the new expiry once, and not where the customer has entered a later one since', () => {
    given(...one)
      .when(renew('2035'))
      .then(renewed({ expirationYear: '2035' }));
    given(...one, renewed({ expirationYear: '2035' }))
      .when(renew('2035'))
      .thenNothing();
    given(...one, renewed({ expirationYear: '2039' }))
      .when(renew('2035'))
      .thenNothing();
    given(...one, removed('pm_1'))
      .when(renew('2035'))
      .thenNothing();
    given().when(renew('2035')).thenNothing();
  });

  it('makes it another card by a new number, under the same token', () => {
    given(...one)
      .when(renew('2035', 'new', { last4Digits: '1111' }))
      .then(renewed({ last4Digits: '1111', expirationYear: '2035' }, 'new'));
    const { state } = given(...one, renewed({ last4Digits: '1111' }, 'new'));
    expect(tokenOfCard(state, 'new')).to.equal('pm_1');
    expect(tokenOfCard(state, 'pm_1')).to.equal(undefined);
  });

  it('closes it once, and passes the default on to the newest that can be charged', () => {
    given(...one)
      .when(close('pm_1'))
      .then(closed('pm_1'));
    given(...three)
      .when(close('pm_1'))
      .then(closed('pm_1'), defaultIs('pm_3'));
    given(...three, closed('pm_3'))
      .when(close('pm_1'))
      .then(closed('pm_1'), defaultIs('pm_2'));
    given(...three, closed('pm_1'))
      .when(close('pm_1'))
      .thenNothing();
    given(...three, removed('pm_2'))
      .when(close('pm_2'))
      .thenNothing();
  });

  it('leaves a closed one listed, and lets nobody use it', () => {
    const { state } = given(...three, closed('pm_2'));
    expect(liveInstruments(state).map(({ token }) => token)).to.deep.equal(['pm_1', 'pm_2', 'pm_3']);
    expect(usableInstruments(state).map(({ token }) => token)).to.deep.equal(['pm_1', 'pm_3']);
    expect(tokenOfCard(state, 'pm_2')).to.equal(undefined);
    given(...three, closed('pm_2'))
      .when(makeDefault('pm_2'))
      .thenRejected('InvalidPaymentInstrumentToken');
    given(...three, closed('pm_2'))
      .when(remove('pm_2'))
      .then(removed('pm_2'));
  });
});
