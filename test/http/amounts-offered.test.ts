// What the processor's table of amounts refuses is not offered; the merchant reads why (contract §3).
import { expect } from 'chai';
import { z } from 'zod';
import { atTwin } from '../processors/stripe/twin-service.ts';
import { openTwinShop, type TwinShop } from '../processors/stripe/twin-shop.ts';
import { bodyOf } from '../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';

const Drawn = z.looseObject({
  paymentMethods: z.array(z.looseObject({ paymentMethodType: z.string() })).optional(),
  paymentInstruments: z.array(z.looseObject({ token: z.string() })).optional(),
});
const Warned = z.looseObject({
  clientToken: z.string().optional(),
  warnings: z
    .array(
      z.looseObject({ code: z.string(), paths: z.array(z.string()).readonly(), description: z.string().optional() }),
    )
    .optional(),
});
type Warned = z.infer<typeof Warned>;
/** Between two steps of Stripe, and on one. */
const BETWEEN = { currencyCode: 'BHD', amount: 5_001 };
const ON = { currencyCode: 'BHD', amount: 5_000 };

describe('an amount that the processor cannot take', () => {
  let shop: TwinShop;
  let http: HttpService;
  before(async () => {
    shop = await openTwinShop();
    http = await serveHttp({ processor: atTwin(shop) });
  });
  after(async () => {
    await http.stop();
    await shop.close();
  });

  const drawn = async (token: string) => bodyOf(await http.request('GET', '/checkout/session', { token }), Drawn);
  const asked = async (method: string, body: object): Promise<Warned> =>
    bodyOf(await http.shop.ask(method, '/client-session', body), Warned);
  const created = (fields: object) => asked('POST', { orderId: 'o-1', ...fields });
  const codes = ({ warnings = [] }: Warned) => warnings.map(({ code }) => code);

  it('has no method in the checkout, and every method with an amount next to it', async () => {
    expect(await drawn(await http.shop.session(BETWEEN))).not.to.have.property('paymentMethods');
    const { paymentMethods = [] } = await drawn(await http.shop.session(ON));
    expect(paymentMethods.map(({ paymentMethodType }) => paymentMethodType)).to.include('PAYMENT_CARD');
  });

  it('is told to the merchant in each answer of the session, with the methods that are lost', async () => {
    const { clientToken = '', warnings } = await created(BETWEEN);
    expect(warnings?.map(({ code, paths }) => [code, paths])).to.deep.equal([['AMOUNT_NOT_TAKEN', ['$.amount']]]);
    expect(warnings?.[0]?.description).to.contain('PAYMENT_CARD');
    const read = async () => bodyOf(await http.shop.ask('GET', `/client-session?clientToken=${clientToken}`), Warned);
    expect(await read()).to.deep.include({ warnings });
    expect(codes(await asked('PATCH', { clientToken, amount: 5_000 }))).to.deep.equal([]);
    expect(codes(await read())).to.deep.equal([]);
    expect(codes(await asked('PATCH', { clientToken, amount: 5_009 }))).to.deep.equal(['AMOUNT_NOT_TAKEN']);
  });

  it('names no method that the session does not offer anyway', async () => {
    const paymentMethod = { orderedAllowedMethods: ['IDEAL'], captureMode: 'AUTOMATIC' };
    expect(await created({ ...BETWEEN, paymentMethod })).not.to.have.property('warnings');
  });

  it('is read whole each time, because connections decide what the revision does not say', async () => {
    const { clientToken = '' } = await created(BETWEEN);
    const path = `/client-session?clientToken=${clientToken}`;
    const { etag = '' } = (await http.shop.ask('GET', path)).headers;
    expect((await http.shop.ask('GET', path, undefined, { 'if-none-match': etag })).status).to.equal(200);
  });

  it('has none of the saved cards that are charged there', async () => {
    const paymentMethod = { vaultOnSuccess: true };
    await http.shop.paid({ fields: { customerId: 'customer-1', paymentMethod } });
    const saved = async (fields: object) =>
      (await drawn(await http.shop.session({ ...fields, customerId: 'customer-1' }))).paymentInstruments?.length;
    expect([await saved(ON), await saved(BETWEEN)]).to.deep.equal([1, undefined]);
  });
});
