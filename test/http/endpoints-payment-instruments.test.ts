// The endpoints of payment instruments without faults: their answers, and the events in the log (contract §5).
import { expect } from 'chai';
import { z } from 'zod';
import { appendedBy, expectCausedBy } from '../support/http-appended.ts';
import { bodyOf, CARDS } from '../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { card } from '../support/node.ts';

const List = z.strictObject({ data: z.array(z.looseObject({ token: z.string(), default: z.boolean() })) });
const DATA = {
  first6Digits: '424242',
  last4Digits: '4242',
  expirationMonth: '12',
  expirationYear: '2039',
  cardholderName: 'Ada Lovelace',
};

describe('payment instruments over HTTP', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp();
  });
  after(() => http.stop());

  const vault = (token: string, body: object) => http.shop.ask('POST', `/payment-instruments/${token}/vault`, body);
  const fresh = async (number?: string): Promise<string> => http.shop.tokenize(await http.shop.session(), number);
  const listed = async (customerId: string) => {
    const { data } = bodyOf(await http.shop.ask('GET', `/payment-instruments?customer_id=${customerId}`), List);
    return data.map(({ token, default: isDefault }) => [token, isDefault]);
  };

  it('GET /{token} returns a single-use one as it was created', async () => {
    const { shop, stores } = http;
    const token = await fresh();
    const read = await appendedBy(stores.events, () => shop.ask('GET', `/payment-instruments/${token}`));
    expect([read.answer.status, read.answer.headers.etag, read.types]).to.deep.equal([200, '"0"', []]);
    const { createdAt, ...rest } = bodyOf(read.answer, z.looseObject({ createdAt: z.iso.datetime({ precision: 3 }) }));
    expect(Date.parse(createdAt)).to.be.closeTo(http.world.now(), 60_000);
    expect(rest).to.deep.equal({
      token,
      tokenType: 'SINGLE_USE',
      paymentMethodType: 'PAYMENT_CARD',
      paymentMethodData: { network: 'VISA', ...DATA },
      default: false,
      used: false,
      expired: false,
      deleted: false,
    });
  });

  it('GET /{token} tells that one was used, by a payment or for a card that was there, and that one expired', async () => {
    const { shop, world } = http;
    const read = async (token: string) => (await shop.ask('GET', `/payment-instruments/${token}`)).body;
    const pays = async (paymentMethodToken: string) =>
      expect(
        (await shop.ask('POST', '/payments', { paymentMethodToken, orderId: 'o', currencyCode: 'EUR', amount: 1 }))
          .status,
      ).to.equal(200);
    const [paid, merged, late] = [await fresh(), await fresh(), await fresh()];
    await pays(paid);
    expect(await read(paid)).to.include({ tokenType: 'SINGLE_USE', used: true, expired: false });
    const vaulted = await shop.vaulted('c-used');
    await pays(vaulted);
    expect(await read(vaulted)).to.include({ tokenType: 'MULTI_USE', used: false, expired: false });
    expect((await vault(merged, { customerId: 'c-used' })).body).to.include({ token: vaulted, used: false });
    expect(await read(merged)).to.include({ used: true, expired: false });
    const deleted = await fresh();
    const headers = { 'x-idempotency-key': 'deleted in time' };
    const first = await shop.ask('DELETE', `/payment-instruments/${deleted}`, undefined, headers);
    world.advance(24 * 3_600_000);
    expect(await read(late)).to.include({ used: false, expired: true, deleted: false });
    expect(await read(paid)).to.include({ used: true, expired: false });
    expect((await shop.ask('DELETE', `/payment-instruments/${deleted}`, undefined, headers)).text).to.equal(first.text);
    expect(first.body).to.include({ deleted: true, expired: false });
  });

  it('POST /{token}/vault keeps it for a customer, under the same token, as the default when it is the first', async () => {
    const { shop, stores } = http;
    const token = await fresh();
    const vaulted = await appendedBy(stores.events, () => vault(token, { customerId: 'c-1', description: 'my card' }));
    expect(vaulted.answer.status).to.equal(200);
    expect(vaulted.answer.body).to.include({
      token,
      tokenType: 'MULTI_USE',
      customerId: 'c-1',
      description: 'my card',
      default: true,
      deleted: false,
    });
    expect(vaulted.types).to.deep.equal([
      'paymentInstrument VaultingRequested',
      'customerWallet InstrumentAdded',
      'customerWallet DefaultInstrumentChanged',
      'paymentInstrument InstrumentVaulted',
    ]);
    expectCausedBy(vaulted, shop.accountId, { kind: 'apiKey', id: shop.keyId });
    const read = await shop.ask('GET', `/payment-instruments/${token}`);
    expect([read.text, read.headers.etag]).to.deep.equal([vaulted.answer.text, vaulted.answer.headers.etag]);
  });

  it('POST /{token}/vault again answers the same, and appends no event', async () => {
    const { stores } = http;
    const token = await http.shop.vaulted('c-2');
    const again = await appendedBy(stores.events, () => vault(token, { customerId: 'c-2', description: 'another' }));
    expect([again.answer.status, again.types]).to.deep.equal([200, []]);
    expect(again.answer.body).to.include({ token, tokenType: 'MULTI_USE' }).and.not.to.have.property('description');
  });

  it('POST /{token}/vault of a card that the customer has answers the first instrument, uses the second up, and takes the newer expiry', async () => {
    const { shop, request } = http;
    const first = await shop.vaulted('c-3');
    const clientToken = await shop.session();
    const body = { card: { ...card().card, expirationYear: '2041' } };
    const made = await request('POST', '/checkout/payment-instruments', { token: clientToken, body });
    const second = bodyOf(made, z.looseObject({ token: z.string() })).token;
    const merged = await vault(second, { customerId: 'c-3' });
    expect(merged.body).to.deep.include({
      token: first,
      paymentMethodData: { network: 'VISA', ...DATA, expirationYear: '2041' },
    });
    expect(await listed('c-3')).to.deep.equal([[first, true]]);
    const used = await shop.ask('POST', '/payments', {
      paymentMethodToken: second,
      orderId: 'o',
      currencyCode: 'EUR',
      amount: 1,
    });
    expect(used.error?.errorId).to.equal('InvalidPaymentInstrumentToken');
  });

  it('GET lists the instruments of a customer with the default, and an empty list of an unknown customer', async () => {
    const first = await http.shop.vaulted('c-4', CARDS.approved);
    const second = await http.shop.vaulted('c-4', CARDS.otherApproved);
    expect(await listed('c-4')).to.deep.equal([
      [first, true],
      [second, false],
    ]);
    expect(await listed('nobody')).to.deep.equal([]);
  });

  it('POST /{token}/default changes the default under a new ETag of both; a repetition appends no event', async () => {
    const { shop, stores } = http;
    const first = await shop.vaulted('c-5', CARDS.approved);
    const second = await shop.vaulted('c-5', CARDS.otherApproved);
    const before = await shop.ask('GET', `/payment-instruments/${first}`);
    const changed = await appendedBy(stores.events, () => shop.ask('POST', `/payment-instruments/${second}/default`));
    expect(changed.answer.status).to.equal(200);
    expect(changed.answer.body).to.include({ token: second, default: true });
    expect(changed.types).to.deep.equal(['customerWallet DefaultInstrumentChanged']);
    expectCausedBy(changed, shop.accountId, { kind: 'apiKey', id: shop.keyId });
    expect(await listed('c-5')).to.deep.equal([
      [first, false],
      [second, true],
    ]);
    expect((await shop.ask('GET', `/payment-instruments/${first}`)).headers.etag).not.to.equal(before.headers.etag);
    const again = await appendedBy(stores.events, () => shop.ask('POST', `/payment-instruments/${second}/default`));
    expect([again.answer.status, again.answer.headers.etag, again.types]).to.deep.equal([
      200,
      changed.answer.headers.etag,
      [],
    ]);
  });

  it('DELETE /{token} answers the deleted object; the newest remaining one becomes the default; it can still be read', async () => {
    const { shop, stores } = http;
    const first = await shop.vaulted('c-6', CARDS.approved);
    await shop.vaulted('c-6', CARDS.otherApproved);
    const newest = await shop.vaulted('c-6', CARDS.refundLater);
    const deleted = await appendedBy(stores.events, () => shop.ask('DELETE', `/payment-instruments/${first}`));
    expect(deleted.answer.status).to.equal(200);
    expect(deleted.answer.body).to.include({ token: first, tokenType: 'MULTI_USE', deleted: true, default: false });
    expect(deleted.answer.body).to.have.property('deletedAt');
    expect(deleted.types).to.deep.equal([
      'paymentInstrument InstrumentDeleted',
      'customerWallet InstrumentRemoved',
      'customerWallet DefaultInstrumentChanged',
    ]);
    expectCausedBy(deleted, shop.accountId, { kind: 'apiKey', id: shop.keyId });
    expect(await listed('c-6'))
      .to.deep.include([newest, true])
      .and.to.have.length(2);
    const read = await shop.ask('GET', `/payment-instruments/${first}`);
    expect([read.status, read.text]).to.deep.equal([200, deleted.answer.text]);
    const again = await appendedBy(stores.events, () => shop.ask('DELETE', `/payment-instruments/${first}`));
    expect([again.answer.status, again.types]).to.deep.equal([200, []]);
  });

  describe('and all the while', () => {
    it('the service never met a fault', () => {
      expect(http.faults).to.deep.equal([]);
    });
  });
});
