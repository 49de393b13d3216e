// A decline of Stripe in a whole service: a page with the client secret can confirm it again, until it is fenced.
import { expect } from 'chai';
import { z } from 'zod';
import { bodyOf, type Payment, paymentOf } from '../../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../../support/http-service.ts';
import { until } from '../../support/until.ts';
import { atTwin, CHALLENGED, DECLINED, handled, tellEvent } from './twin-service.ts';
import { openTwinShop, type TwinShop } from './twin-shop.ts';

const Intent = z.looseObject({ id: z.string() });
const LATER_THAN_ANY_PAUSE = 60_000;

describe('a decline of Stripe that can be confirmed again', () => {
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

  const newestOf = (type: string): string =>
    Intent.parse(shop.twin.accounts[0].events.findLast((one) => one.type === type)?.data.object).id;
  const confirmAgain = (name: string) => shop.twin.accounts[0].confirmAgain(name, 'pm_card_visa');
  const Events = z.looseObject({ data: z.array(z.looseObject({ type: z.string() })) });
  const typesOf = async (id: string): Promise<readonly string[]> =>
    bodyOf(await http.shop.ask('GET', `/payments/${id}/events`), Events).data.map(({ type }) => type);
  const lookUntil = (isSo: () => Promise<boolean>) => {
    http.world.advance(LATER_THAN_ANY_PAUSE);
    return until(async () => {
      http.service.lookAtOnce();
      return isSo();
    });
  };
  const fenced = (id: string) => lookUntil(async () => (await typesOf(id)).includes('AttemptFenced'));
  const pay = async (clientToken: string, number?: string) =>
    http.shop.ask('POST', '/payments', {
      paymentMethodToken: await http.shop.tokenize(clientToken, number),
      clientToken,
    });

  it('lets the customer pay at once if no page was shown, and is fenced soon', async () => {
    const clientToken = await http.shop.session();
    const declined = paymentOf(await pay(clientToken, DECLINED));
    expect(declined.status).to.equal('DECLINED');
    const refused = newestOf('payment_intent.payment_failed');
    expect(paymentOf(await pay(clientToken)).status).to.equal('AUTHORIZED');
    await fenced(declined.id);
    expect(() => confirmAgain(refused)).to.throw();
    expect(shop.twin.unreversed(declined.id)).to.deep.equal([]);
  });

  /** A payment whose customer has failed the challenge, and the token to come back with. */
  async function failed(clientToken: string): Promise<{ payment: Payment; name: string; resumeToken: string }> {
    const payment = paymentOf(await pay(clientToken, CHALLENGED));
    const name = newestOf('payment_intent.requires_action');
    const page = shop.twin.accounts[0].fail(name) ?? '';
    return { payment, name, resumeToken: new URL(page).searchParams.get('resumeToken') ?? '' };
  }
  const resume = async ({ id }: Payment, resumeToken: string) =>
    bodyOf(
      await http.shop.ask('POST', `/payments/${id}/resume`, { resumeToken }),
      z.looseObject({ status: z.string() }),
    );

  it('is fenced before the customer who comes back can pay again', async () => {
    const clientToken = await http.shop.session();
    const { payment, name, resumeToken } = await failed(clientToken);
    expect(await resume(payment, resumeToken)).to.have.property('status', 'DECLINED');
    expect(await typesOf(payment.id)).to.include.members(['AuthorizationDeclined', 'AttemptFenced']);
    expect(() => confirmAgain(name)).to.throw();
    expect(paymentOf(await pay(clientToken)).status).to.equal('AUTHORIZED');
  });

  it('keeps the session while the fence is not answered, and no longer', async () => {
    const clientToken = await http.shop.session();
    const { payment, resumeToken } = await failed(clientToken);
    shop.twin.fault({ path: /cancel$/ }, { kind: 'reset', effect: 'none' });
    expect(await resume(payment, resumeToken)).to.have.property('status', 'DECLINED');
    expect((await pay(clientToken)).status).to.equal(409);
    await fenced(payment.id);
    expect(paymentOf(await pay(clientToken)).status).to.equal('AUTHORIZED');
  });

  it('is taken back by the fence if it was confirmed again', async () => {
    const clientToken = await http.shop.session();
    const { payment, name, resumeToken } = await failed(clientToken);
    const cancel = shop.twin.fault({ path: /cancel$/ }, { kind: 'hold', at: 'arrival' });
    const resumed = resume(payment, resumeToken);
    await cancel.applied;
    confirmAgain(name);
    expect((await pay(clientToken)).status, 'not free yet').to.equal(409);
    await cancel.release();
    expect(await resumed).to.have.property('status', 'DECLINED');
    expect(shop.twin.unreversed(payment.id)).to.deep.equal([]);
    expect(await typesOf(payment.id)).to.include.members([
      'AttemptFenced',
      'LateSuccessRecorded',
      'AuthorizationVoided',
    ]);
    expect(paymentOf(await pay(clientToken)).status).to.equal('AUTHORIZED');
  });

  it('is voided if the fence finds that it was confirmed again', async () => {
    const clientToken = await http.shop.session();
    const declined = paymentOf(await pay(clientToken, DECLINED));
    confirmAgain(newestOf('payment_intent.payment_failed'));
    expect(shop.twin.unreversed(declined.id)).to.have.length(1);
    await lookUntil(async () => (await typesOf(declined.id)).includes('AuthorizationVoided'));
    expect(await typesOf(declined.id)).to.include('LateSuccessRecorded');
    expect(shop.twin.unreversed(declined.id)).to.deep.equal([]);
  });

  it('ends the first try of a card that wants its customer, and leaves the second alone', async () => {
    const clientToken = await http.shop.session();
    shop.twin.fault({ path: /confirm$/ }, { kind: 'declined', declineCode: 'authentication_required' });
    const { id, status } = paymentOf(await pay(clientToken));
    expect(status).to.equal('PENDING');
    shop.twin.accounts[0].approve(newestOf('payment_intent.requires_action'));
    expect(await tellEvent(http, shop, 'payment_intent.amount_capturable_updated')).to.equal(202);
    const read = async () => paymentOf(await http.shop.ask('GET', `/payments/${id}`)).status;
    await until(async () => (await read()) === 'AUTHORIZED');
    await fenced(id);
    const refused = newestOf('payment_intent.payment_failed');
    expect(newestOf('payment_intent.canceled')).to.equal(refused);
    expect(await tellEvent(http, shop, 'payment_intent.canceled')).to.equal(202);
    await handled(http);
    expect(await read()).to.equal('AUTHORIZED');
    expect(shop.twin.unreversed(id)).to.have.length(1);
  });

  it('reports no fault', () => expect(http.faults).to.deep.equal([]));
});
