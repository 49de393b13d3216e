// GET /checkout/session says what a payment of the session would be refused for, and offers no method that nothing can
// take (contract §3).
import { expect } from 'chai';
import { z } from 'zod';
import { bodyOf } from '../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';

const Drawn = z.looseObject({
  lacks: z.array(z.string()).optional(),
  paymentMethods: z.array(z.looseObject({ paymentMethodType: z.string() })).optional(),
  paymentInstruments: z.array(z.looseObject({ token: z.string() })).optional(),
});
const VAULTS = { paymentMethod: { vaultOnSuccess: true } };
/** Each member that a payment needs, as a session without it. */
const WITHOUT = [
  ['orderId', { orderId: undefined }],
  ['currencyCode', { currencyCode: undefined }],
  ['amount', { amount: undefined }],
  ['amount', { amount: 0 }],
  ['customerId', VAULTS],
] as const;

describe('what a checkout lacks', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp();
  });
  after(() => http.stop());

  const drawn = async (token: string) => bodyOf(await http.request('GET', '/checkout/session', { token }), Drawn);
  const refusedPaths = async (token: string): Promise<readonly string[]> => {
    const body = { paymentMethodToken: await http.shop.tokenize(token) };
    const { error } = await http.request('POST', '/checkout/payments', { token, body });
    expect(error?.errorId).to.equal('RequestValidationError');
    return (error?.validationErrors ?? []).flatMap(({ errors }) => errors.map(({ path }) => path));
  };

  it('is nothing of a session that can be paid', async () => {
    expect(await drawn(await http.shop.session())).not.to.have.property('lacks');
  });

  for (const [member, fields] of WITHOUT) {
    it(`is ${member} of a session with ${JSON.stringify(fields, (_, value) => value ?? null)}, as a payment of it would say`, async () => {
      const token = await http.shop.session(fields);
      expect((await drawn(token)).lacks).to.deep.equal([member]);
      expect(await refusedPaths(token)).to.deep.equal([`$.${member}`]);
    });
  }

  it('is all of it at once, and goes with a PATCH', async () => {
    const token = await http.shop.session({
      orderId: undefined,
      currencyCode: undefined,
      amount: undefined,
      ...VAULTS,
    });
    const lacks = (await drawn(token)).lacks ?? [];
    expect(lacks.toSorted()).to.deep.equal(['amount', 'currencyCode', 'customerId', 'orderId']);
    expect(await refusedPaths(token)).to.deep.equal(lacks.map((member) => `$.${member}`));
    const whole = { orderId: 'o-2', currencyCode: 'EUR', amount: 100, customerId: 'c-2' };
    bodyOf(await http.shop.ask('PATCH', '/client-session', { clientToken: token, ...whole }), z.looseObject({}));
    expect(await drawn(token)).not.to.have.property('lacks');
  });
});

describe('a checkout without a processor', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp({ processor: 'none' });
  });
  after(() => http.stop());

  it('offers no method that would be a 503 after the card was typed', async () => {
    const token = await http.shop.session();
    expect(bodyOf(await http.request('GET', '/checkout/session', { token }), Drawn)).not.to.have.property(
      'paymentMethods',
    );
  });
});
