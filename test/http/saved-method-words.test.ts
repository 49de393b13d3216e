// What a network's updater, or a bank, reports about a saved method: the method, the wallet and the agreements that
// charge it (contract §5, contract §14).
import { expect } from 'chai';
import { z } from 'zod';
import { parkedNotifications } from '../../src/queries/notifications.ts';
import { agreementOf, firstPayment, TERMS } from '../support/agreement-made.ts';
import { bodyOf } from '../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { until } from '../support/until.ts';
import { wholeLedger } from '../support/whole-ledger.ts';

const DAY_MS = 86_400_000;
const TOLD_AFTER_MS = 10 * DAY_MS;
const NEW_EXPIRY = '4000009900006019';
const NEW_NUMBER = '4000009900006027';
const CLOSED = '4000009900006035';
const WITHDRAWN_IBAN = 'DE08370400440532013003';

const Agreement = z.looseObject({
  id: z.string(),
  status: z.string(),
  action: z.string().optional(),
  statusReason: z.looseObject({ code: z.string() }).optional(),
  version: z.number(),
});
const Instrument = z.looseObject({
  paymentMethodData: z.looseObject({
    last4Digits: z.string(),
    first6Digits: z.string().optional(),
    expirationMonth: z.string(),
    expirationYear: z.string(),
  }),
  default: z.boolean(),
  closedAt: z.string().optional(),
});
const Instruments = z.looseObject({ data: z.array(Instrument.extend({ token: z.string() })).default([]) });
const Payment = z.looseObject({
  id: z.string(),
  status: z.string(),
  paymentMethod: z.looseObject({ isVaulted: z.boolean() }),
});

describe('a saved method about which its network reports', () => {
  let http: HttpService;
  let delivering: Promise<void>;
  const ending = new AbortController();
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true });
    const { sandbox } = http.stores;
    await sandbox.connect({ accountId: http.shop.accountId, apiKey: http.shop.key });
    delivering = sandbox.run(`http://127.0.0.1:${http.port}`, ending.signal);
  });
  after(async () => {
    ending.abort();
    await delivering;
    await http.stop();
  });

  const ask = (method: string, path: string, body?: object) => http.shop.ask(method, path, body);
  const instrument = async (token: string) => bodyOf(await ask('GET', `/payment-instruments/${token}`), Instrument);
  const agreement = async (id: string) => bodyOf(await ask('GET', `/agreements/${id}`), Agreement);
  const charge = (id: string, periodKey: string) =>
    ask('POST', `/agreements/${id}/charges`, { periodKey, orderId: `order-${periodKey}` });
  const authorizations = async (): Promise<number> =>
    (await wholeLedger(http.stores.sandbox)).filter(({ operation }) => operation === 'authorization').length;
  const undelivered = async () => (await http.stores.sandbox.undelivered()).count;
  /** The day of the word, and all that is told by then is handled. */
  const told = async (): Promise<void> => {
    http.world.advance(TOLD_AFTER_MS + 1_000);
    await until(async () => (await undelivered()) === 0);
  };
  const saved = async (card: string, customerId: string) => {
    const first = await firstPayment(http, customerId, { card });
    return { token: first.paymentMethodToken, id: await agreementOf(http, first) };
  };

  it('keeps the card with a new expiry, and its agreement charges on', async () => {
    const { token, id } = await saved(NEW_EXPIRY, 'customer-expiry');
    await told();
    await until(async () => (await instrument(token)).paymentMethodData.expirationYear === '2049');
    const { paymentMethodData, closedAt } = await instrument(token);
    expect(paymentMethodData).to.include({ last4Digits: '6019', first6Digits: '400000', expirationMonth: '12' });
    expect(closedAt).to.equal(undefined);
    const listed = bodyOf(await ask('GET', '/payment-instruments?customer_id=customer-expiry'), Instruments);
    expect(listed.data.map((one) => one.paymentMethodData.expirationYear)).to.deep.equal(['2049']);
    const paid = bodyOf(await charge(id, 'p'), Payment);
    expect(paid.status).to.equal('SETTLED');
    expect(paid).to.have.nested.property('paymentMethod.paymentMethodData.expirationYear', '2049');
  });

  it('takes a new number in place of the old one, which is then another card of the customer', async () => {
    const { token, id } = await saved(NEW_NUMBER, 'customer-number');
    await told();
    await until(async () => (await instrument(token)).paymentMethodData.last4Digits === '4242');
    expect((await instrument(token)).paymentMethodData.first6Digits, 'of the old number').to.equal(undefined);
    expect(bodyOf(await charge(id, 'p'), Payment).status).to.equal('SETTLED');
    const old = await firstPayment(http, 'customer-number', { card: NEW_NUMBER });
    expect(old.paymentMethodToken).to.not.equal(token);
    const listed = bodyOf(await ask('GET', '/payment-instruments?customer_id=customer-number'), Instruments);
    expect(listed.data.map((one) => one.paymentMethodData.last4Digits)).to.deep.equal(['4242', '6027']);
  });

  describe('that it is closed', () => {
    it('suspends each agreement that charges it, and no other', async () => {
      const first = await firstPayment(http, 'customer-closed', { card: CLOSED });
      const ids = [await agreementOf(http, first), await agreementOf(http, first), await agreementOf(http, first)];
      const [active = '', paused = '', cancelled = ''] = ids;
      await ask('POST', `/agreements/${paused}/pause`, {});
      await ask('POST', `/agreements/${cancelled}/cancel`, {});
      const other = await saved(NEW_EXPIRY, 'customer-closed');
      await told();
      for (const id of [active, paused]) {
        await until(async () => (await agreement(id)).status === 'SUSPENDED');
        expect(await agreement(id)).to.deep.include({ action: 'NEW_INSTRUMENT' });
        expect((await agreement(id)).statusReason).to.include({ code: 'ACCOUNT_CLOSED' });
      }
      expect((await agreement(cancelled)).status).to.equal('CANCELLED');
      expect((await agreement(other.id)).status).to.equal('ACTIVE');
      const before = await authorizations();
      const refused = await charge(active, 'p');
      expect(refused.error).to.include({ errorId: 'InvalidAgreementStatus', action: 'NEW_INSTRUMENT' });
      expect(await authorizations()).to.equal(before);
    });

    it('passes the default on, is offered in no checkout, and cannot begin an agreement or pay', async () => {
      const customerId = 'customer-default';
      const closed = await firstPayment(http, customerId, { card: CLOSED });
      const second = await firstPayment(http, customerId);
      expect((await instrument(closed.paymentMethodToken)).default).to.equal(true);
      await told();
      await until(async () => (await instrument(closed.paymentMethodToken)).closedAt !== undefined);
      await until(async () => !(await instrument(closed.paymentMethodToken)).default);
      expect((await instrument(second.paymentMethodToken)).default).to.equal(true);
      const clientToken = await http.shop.session({ customerId });
      const session = bodyOf(
        await http.request('GET', '/checkout/session', { token: clientToken }),
        z.looseObject({ paymentInstruments: z.array(z.looseObject({ token: z.string() })) }),
      );
      expect(session.paymentInstruments.map(({ token }) => token)).to.deep.equal([second.paymentMethodToken]);
      const before = await authorizations();
      const paid = await ask('POST', '/payments', {
        paymentMethodToken: closed.paymentMethodToken,
        orderId: 'o',
        currencyCode: 'EUR',
        amount: 100,
        paymentMethod: { paymentType: 'UNSCHEDULED' },
      });
      expect(paid.error?.errorId).to.equal('InvalidPaymentInstrumentToken');
      const made = await ask('POST', '/agreements', {
        paymentId: closed.id,
        kind: 'RECURRING',
        terms: TERMS,
        consent: { acceptedAt: '2026-01-01T00:00:00Z', channel: 'ONLINE', textDigest: 'ab'.repeat(32) },
      });
      expect(made.error?.errorId).to.equal('InitialPaymentNotUsable');
      expect(made.text).to.include('closed');
      const noDefault = await ask('POST', `/payment-instruments/${closed.paymentMethodToken}/default`);
      expect(noDefault.error?.errorId).to.equal('InvalidPaymentInstrumentToken');
      expect(await authorizations()).to.equal(before);
    });

    it('can be entered again: the issuer took it, so it is saved as another one', async () => {
      const closed = await firstPayment(http, 'customer-again', { card: CLOSED });
      await told();
      await until(async () => (await instrument(closed.paymentMethodToken)).closedAt !== undefined);
      const again = await firstPayment(http, 'customer-again', { card: CLOSED });
      expect(again.paymentMethodToken).to.not.equal(closed.paymentMethodToken);
      expect(bodyOf(await charge(await agreementOf(http, again), 'p'), Payment).status).to.equal('SETTLED');
    });
  });

  it('revokes the agreement of a debit whose mandate is withdrawn, once, with the mandate on record', async () => {
    const customerId = 'customer-mandate';
    const method = {
      type: 'SEPA_DEBIT',
      iban: WITHDRAWN_IBAN,
      accountHolderName: 'Ada',
      mandateAccepted: true,
    };
    const clientToken = await http.shop.session({
      customerId,
      paymentMethod: { vaultOnSuccess: true, paymentType: 'FIRST_PAYMENT', captureMode: 'AUTOMATIC' },
    });
    const { token } = bodyOf(
      await http.request('POST', '/checkout/payment-instruments', { token: clientToken, body: { method } }),
      z.looseObject({ token: z.string() }),
    );
    const first = bodyOf(
      await ask('POST', '/payments', { paymentMethodToken: token, clientToken }),
      z.looseObject({ id: z.string() }),
    );
    const read = async () => bodyOf(await ask('GET', `/payments/${first.id}`), Payment);
    http.world.advance(5 * DAY_MS);
    // a policy saves what was authorized by a notification
    await until(async () => (await read()).paymentMethod.isVaulted);
    const id = await agreementOf(http, first);
    expect((await agreement(id)).status).to.equal('ACTIVE');
    http.world.advance(5 * DAY_MS + 1_000);
    await until(async () => (await agreement(id)).status === 'REVOKED');
    const revoked: unknown[] = [];
    for await (const { event } of http.service.streams.agreements.history(id, -1))
      if (event.type === 'AgreementRevoked') revoked.push(event.data);
    expect(revoked).to.have.length(1);
    expect(revoked[0]).to.include({ source: 'mandate', code: 'AUTHORIZATION_REVOKED' });
    expect(revoked[0])
      .to.have.property('mandate')
      .that.matches(/^sbx_mandate_/);
  });

  it('leaves no notification parked, and no fault', async () => {
    await until(async () => (await undelivered()) === 0);
    expect(await parkedNotifications(http.service.readModels, http.shop.accountId, 10)).to.deep.equal([]);
    expect(http.faults).to.deep.equal([]);
  });
});
