// Charges without the customer, SUBSCRIPTION and UNSCHEDULED: nothing is ever required of anybody (contract §4).
import { expect } from 'chai';
import { z } from 'zod';
import { defaultTimings } from '../../src/commands/payment-timings.ts';
import { answered, challenged, resumeTokenIn } from '../support/challenged.ts';
import { bodyOf, CARDS } from '../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';

const Payment = z.looseObject({
  id: z.string(),
  status: z.string(),
  requiredAction: z.looseObject({}).optional(),
  paymentMethod: z.looseObject({ paymentMethodToken: z.string(), isVaulted: z.boolean() }),
  statusReason: z
    .looseObject({ type: z.string(), code: z.string().optional(), advisedAction: z.string().optional() })
    .optional(),
});
type Payment = z.infer<typeof Payment>;
const Events = z.looseObject({ data: z.array(z.looseObject({ type: z.string() })) });
const REVOKED = '4000009900005037';
const TYPES = ['SUBSCRIPTION', 'UNSCHEDULED'] as const;

describe('a charge of a saved card without its customer', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true, timings: { ...defaultTimings, answerWithinMs: 500 } });
  });
  after(() => http.stop());

  const vaulting = (customerId: string) => ({ customerId, paymentMethod: { vaultOnSuccess: true } });
  const charge = async (paymentMethodToken: string, customerId: string, paymentType: string): Promise<Payment> => {
    const body = {
      paymentMethodToken,
      customerId,
      orderId: 'order-later',
      currencyCode: 'EUR',
      amount: 1_900,
      paymentMethod: { paymentType },
    };
    return bodyOf(await http.shop.ask('POST', '/payments', body), Payment);
  };
  const types = async ({ id }: Payment): Promise<readonly string[]> =>
    bodyOf(await http.shop.ask('GET', `/payments/${id}/events?limit=100`), Events).data.map(({ type }) => type);
  /** A payment of a customer who passes the challenge. */
  const authenticated = async (customerId: string): Promise<Payment> => {
    const shown = await challenged(http, { session: vaulting(customerId) });
    const resumeToken = resumeTokenIn(await answered(http, shown.page));
    return bodyOf(await http.shop.ask('POST', `/payments/${shown.id}/resume`, { resumeToken }), Payment);
  };

  for (const type of TYPES) {
    it(`is approved after an authenticated first payment, as ${type}`, async () => {
      const first = await authenticated(`customer-of-${type}`);
      expect([first.status, first.paymentMethod.isVaulted]).to.deep.equal(['AUTHORIZED', true]);
      const later = await charge(first.paymentMethod.paymentMethodToken, `customer-of-${type}`, type);
      expect([later.status, later.requiredAction]).to.deep.equal(['AUTHORIZED', undefined]);
    });

    it(`asks nobody for 3-D Secure and is declined without it, as ${type}`, async () => {
      for (const card of [CARDS.challenged, CARDS.demandsAuthentication, CARDS.frictionless]) {
        const customerId = `customer-${type}-${card.slice(-4)}`;
        const token = await http.shop.vaulted(customerId, card);
        const later = await charge(token, customerId, type);
        expect([later.status, later.requiredAction], card).to.deep.equal(['DECLINED', undefined]);
        expect(later.statusReason).to.include({
          type: 'AUTHENTICATION_REQUIRED',
          code: 'AUTHENTICATION_REQUIRED',
          declineType: 'SOFT',
        });
        expect(later.statusReason?.advisedAction).to.include('Ask the customer to pay with 3-D Secure');
        expect(await types(later)).to.deep.equal(['PaymentCreated', 'AuthorizationRequested', 'AuthorizationDeclined']);
      }
    });
  }

  it('is approved of a card that asks nobody', async () => {
    const token = await http.shop.vaulted('customer-quiet', CARDS.approved);
    expect((await charge(token, 'customer-quiet', 'SUBSCRIPTION')).status).to.equal('AUTHORIZED');
  });

  it('is declined for good where the customer has withdrawn the consent, and the first payment is not', async () => {
    const first = bodyOf(await http.shop.pay({ card: REVOKED, session: vaulting('customer-gone') }), Payment);
    expect(first.status).to.equal('AUTHORIZED');
    const later = await charge(first.paymentMethod.paymentMethodToken, 'customer-gone', 'UNSCHEDULED');
    expect(later.statusReason).to.include({
      type: 'ISSUER_DECLINE',
      code: 'AUTHORIZATION_REVOKED',
      declineType: 'HARD',
    });
  });

  it('with another type still asks the customer, and so does the checkout with any type', async () => {
    const token = await http.shop.vaulted('customer-there', CARDS.challenged);
    expect((await charge(token, 'customer-there', 'ECOMMERCE')).status).to.equal('PENDING');
    const clientToken = await http.shop.session({ paymentMethod: { paymentType: 'SUBSCRIPTION' } });
    const paymentMethodToken = await http.shop.tokenize(clientToken, CARDS.challenged);
    const body = { paymentMethodToken };
    const shown = bodyOf(
      await http.request('POST', '/checkout/payments', { token: clientToken, body }),
      z.looseObject({ status: z.string(), requiredAction: z.looseObject({}).optional() }),
    );
    expect([shown.status, shown.requiredAction !== undefined]).to.deep.equal(['PENDING', true]);
  });
});
