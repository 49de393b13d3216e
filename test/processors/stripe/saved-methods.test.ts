// What Stripe reports about saved payment methods, over the twin: the updater's new card, a withdrawn mandate, and how
// a later charge goes on (contract §5, contract §14).
import { expect } from 'chai';
import type { KnownAgreement } from '../../../src/domain/agreement/state.ts';
import { cardIn } from '../../../src/domain/payment-instrument/recorded-data.ts';
import { parkedNotifications } from '../../../src/queries/notifications.ts';
import { done } from '../../support/answers.ts';
import { merchant } from '../../support/node.ts';
import { until } from '../../support/until.ts';
import { type ConnectedShop, openConnectedShop } from './connected-shop.ts';

const TERMS = { amountRule: 'MAXIMUM' as const, amount: 1_900, currencyCode: 'EUR', frequency: 'MONTH' as const };
const CONSENT = { acceptedAt: 1_000, channel: 'ONLINE' as const, textDigest: 'ab'.repeat(32) };

describe('what Stripe reports about a saved payment method', () => {
  let connected: ConnectedShop;
  let ending: AbortController;
  let running: Promise<void>;
  beforeEach(async () => {
    connected = await openConnectedShop();
    ending = new AbortController();
    running = connected.service.run(ending.signal);
  });
  afterEach(async () => {
    ending.abort();
    await running;
    await connected.close();
  });

  /** An agreement that was begun by a payment of its customer. */
  const begun = async (method = 'pm_card_mastercard') => {
    const { service, shop, accountId, world } = connected;
    const paymentId = await connected.paid({ customerId: 'customer-1', method });
    const { vaulting } = await connected.stateOf(paymentId);
    const token = vaulting?.paymentMethodToken ?? '';
    const asked = { paymentId, kind: 'RECURRING' as const, terms: { ...TERMS, description: 'x' }, consent: CONSENT };
    const { id } = done(await service.agreements.createAgreement(asked, merchant(accountId, world)));
    const instrument = await saved(token);
    const name = instrument.processorToken.split('/')[1] ?? '';
    await until(
      async () =>
        (await service.queries.methodCalled(accountId, instrument.connectionId, instrument.processorToken)) === token,
    );
    return { token, id, name, account: shop.twin.accounts[0] };
  };
  const saved = async (token: string) => {
    const { state } = await connected.service.streams.instruments.current(token);
    if (state.status === 'absent') throw new Error('there is no instrument');
    return state;
  };
  const agreement = async (id: string): Promise<KnownAgreement> => {
    const { state } = await connected.service.streams.agreements.current(id);
    if (state.status === 'absent') throw new Error('there is no agreement');
    return state;
  };
  const charged = async (id: string) => {
    const { service, accountId, world } = connected;
    const asked = { periodKey: 'p', orderId: 'o-p', captureMode: 'MANUAL' as const, amount: 500 };
    return service.payments.chargeAgreement(id, asked, merchant(accountId, world));
  };
  /** The newest event of a type. */
  const told = async (type: string): Promise<void> => {
    const event = connected.shop.twin.accounts[0].events.findLast((one) => one.type === type);
    if (event === undefined) throw new Error(`Stripe sent no ${type}`);
    await connected.tell(event);
  };
  const parked = async () => parkedNotifications(connected.service.readModels, connected.accountId, 10);

  it('gives the card its new number and expiry, once, and the charge goes by the same method', async () => {
    const { token, id, name, account } = await begun();
    const before = await saved(token);
    account.updateMethod(name, { number: '5555555555551111', expMonth: 3, expYear: 2041 });
    await told('payment_method.automatically_updated');
    await told('payment_method.automatically_updated');
    const after = await saved(token);
    expect(cardIn(after.paymentMethodData)).to.include({
      last4Digits: '1111',
      expirationMonth: '03',
      expirationYear: '2041',
    });
    expect(after.fingerprint).to.not.equal(before.fingerprint);
    expect(after.processorToken).to.equal(before.processorToken);
    const updates: unknown[] = [];
    for await (const { event } of connected.service.streams.instruments.history(token, -1))
      if (event.type === 'InstrumentUpdated') updates.push(event.data);
    expect(updates).to.have.length(1);
    expect(done(await charged(id)).doc).to.include({ status: 'AUTHORIZED' });
    expect(await parked()).to.deep.equal([]);
  });

  it('keeps the fingerprint of a card with a new expiry alone', async () => {
    const { token, name, account } = await begun();
    const before = await saved(token);
    account.updateMethod(name, { expYear: 2044 });
    await told('payment_method.automatically_updated');
    const after = await saved(token);
    expect(cardIn(after.paymentMethodData)).to.include({ expirationYear: '2044' });
    expect(after.fingerprint).to.equal(before.fingerprint);
  });

  it('revokes the agreement of a mandate that was withdrawn, and no charge goes out', async () => {
    const { id, name, account } = await begun();
    account.endMandate(name, 'single_use');
    await told('mandate.updated');
    expect((await agreement(id)).status).to.equal('ACTIVE');
    const mandate = account.endMandate(name);
    await told('mandate.updated');
    expect(await agreement(id)).to.include({ status: 'REVOKED', code: 'AUTHORIZATION_REVOKED' });
    const { shop } = connected;
    shop.lines();
    const refused = await charged(id);
    expect(refused).to.include({ kind: 'rejected', errorId: 'InvalidAgreementStatus' });
    expect(shop.lines()).to.deep.equal([]);
    const revoked: unknown[] = [];
    for await (const { event } of connected.service.streams.agreements.history(id, -1))
      if (event.type === 'AgreementRevoked') revoked.push(event.data);
    expect(revoked).to.deep.equal([{ source: 'mandate', code: 'AUTHORIZATION_REVOKED', mandate: mandate.id }]);
  });

  it('parks what is of a method that nobody has saved here', async () => {
    const { account, name } = await begun();
    account.updateMethod(name, { expYear: 2044 });
    const event = account.events.findLast(({ type }) => type === 'payment_method.automatically_updated');
    await connected.tell(JSON.parse(JSON.stringify(event).replaceAll(name, 'pm_ofAnotherSystem')));
    const [one] = await parked();
    expect(one?.doc).to.have.nested.property('reason.code', 'instrument_unknown');
  });
});
