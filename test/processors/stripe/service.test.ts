// Stripe in a whole service: payments from the card to the refund at the twin, answers that are lost, customers at the
// bank, and events over HTTP.
import { expect } from 'chai';
import { z } from 'zod';
import { parkedNotifications } from '../../../src/queries/notifications.ts';
import { bodyOf } from '../../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../../support/http-service.ts';
import { until } from '../../support/until.ts';
import { atTwin, CHALLENGED, DECLINED, handled, PENDING_REFUND, tellEvent } from './twin-service.ts';
import { openTwinShop, type TwinShop } from './twin-shop.ts';

const Money = z.looseObject({
  status: z.string(),
  processor: z.looseObject({ name: z.string(), amountCaptured: z.number(), amountRefunded: z.number() }),
});
type Money = z.infer<typeof Money>;
const Reasoned = z.looseObject({ statusReason: z.looseObject({}) });
const LATER_THAN_THE_FIRST_LOOK_UP = 60_000;
const LATER_THAN_THE_SECOND = 600_000;

describe('a service with Stripe as its processor', () => {
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

  const asked = async (method: string, path: string, body?: unknown): Promise<Money> =>
    bodyOf(await http.shop.ask(method, path, body), Money);
  const read = (id: string): Promise<Money> => asked('GET', `/payments/${id}`);
  const effects = (since: number): readonly string[] =>
    shop.twin
      .effects()
      .slice(since)
      .map(({ kind, amount }) => `${kind} ${amount}`);
  const lookLater = (ms: number): void => {
    http.world.advance(ms);
    http.service.lookAtOnce();
  };

  it('authorizes, captures and refunds, each by one effect over there', async () => {
    const before = shop.twin.effects().length;
    const { id, status } = await http.shop.paid();
    expect(status).to.equal('AUTHORIZED');
    expect(await asked('POST', `/payments/${id}/capture`, { amount: 700, final: true })).to.include({
      status: 'PARTIALLY_SETTLED',
    });
    const { processor } = await asked('POST', `/payments/${id}/refund`, { amount: 300 });
    expect(processor).to.include({ name: 'stripe', amountCaptured: 700, amountRefunded: 300 });
    expect(effects(before)).to.deep.equal(['hold 1000', 'capture 700', 'release 300', 'refund 300']);
  });

  it('declines, and cancels', async () => {
    const declined = await http.shop.paid({ card: DECLINED });
    expect(declined.status).to.equal('DECLINED');
    const before = shop.twin.effects().length;
    const { id } = await http.shop.paid();
    expect(await asked('POST', `/payments/${id}/cancel`)).to.include({ status: 'CANCELLED' });
    expect(effects(before)).to.deep.equal(['hold 1000', 'release 1000']);
  });

  it('tells a refusal of Stripe itself in its own words, and gives the token back', async () => {
    shop.twin.fault(
      { path: '/v1/payment_intents' },
      { kind: 'refused', status: 400, code: 'payment_method_unactivated' },
    );
    const { id, status, paymentMethodToken } = await http.shop.paid();
    expect(status).to.equal('DECLINED');
    const { statusReason } = bodyOf(await http.shop.ask('GET', `/payments/${id}`), Reasoned);
    expect(statusReason).to.deep.equal({
      type: 'APPLICATION_ERROR',
      code: 'REQUEST_REFUSED',
      message: 'The processor refused the request.',
    });
    const why = await http.shop.ask('GET', `/payments/${id}/why`);
    expect(JSON.stringify(why.body)).to.match(/"outcome":"refused".*payment_method_unactivated/);
    const again = await http.shop.ask('GET', `/payment-instruments/${paymentMethodToken}`);
    expect(again.body).to.include({ used: false });
  });

  it('captures nothing that was canceled at Stripe, and says so at once', async () => {
    const { id } = await http.shop.paid();
    const held = { ...shop.authorization(), processorTransactionId: newest() };
    await shop.stripe.perform(shop.follow(held, 'cancellation'), shop.call());
    const refused = await http.shop.ask('POST', `/payments/${id}/capture`);
    expect(refused.status).to.equal(422);
    expect(JSON.stringify(refused.body)).to.contain('AUTHORIZATION_CLOSED');
  });

  it('settles a lost confirmation by a look-up, and never by asking again', async () => {
    const before = shop.twin.effects().length;
    shop.twin.fault({ path: /confirm$/ }, { kind: 'reset', effect: 'done' });
    const { id, status } = await http.shop.paid();
    expect(status).to.equal('PENDING');
    lookLater(LATER_THAN_THE_FIRST_LOOK_UP);
    await until(async () => (await read(id)).status === 'AUTHORIZED');
    expect(effects(before)).to.deep.equal(['hold 1000']);
  });

  it('proves by a fence that a confirmation never came, and holds nothing when it comes', async () => {
    const before = shop.twin.effects().length;
    const confirmation = shop.twin.fault({ path: /confirm$/ }, { kind: 'hold', at: 'arrival' });
    shop.dropNext(/confirm$/);
    const { id, status } = await http.shop.paid();
    expect(status).to.equal('PENDING');
    lookLater(LATER_THAN_THE_FIRST_LOOK_UP);
    lookLater(LATER_THAN_THE_SECOND);
    await until(async () => {
      lookLater(LATER_THAN_THE_SECOND);
      return (await read(id)).status !== 'PENDING';
    });
    await confirmation.release();
    expect(effects(before)).to.deep.equal([]);
  });

  const told = (type: string, sign?: Parameters<typeof tellEvent>[3]) => tellEvent(http, shop, type, sign);
  const newest = (): string => shop.twin.effects().at(-1)?.paymentIntent ?? '';

  it('learns of a success from an event, and believes no other', async () => {
    shop.twin.fault({ path: /confirm$/ }, { kind: 'reset', effect: 'done' });
    const { id, status } = await http.shop.paid();
    expect(status).to.equal('PENDING');
    const type = 'payment_intent.amount_capturable_updated';
    expect(await told(type, { secret: 'whsec_other' })).to.equal(401);
    expect(await told(type, { livemode: true })).to.equal(401);
    expect((await read(id)).status).to.equal('PENDING');
    expect(await told(type)).to.equal(202);
    await until(async () => (await read(id)).status === 'AUTHORIZED');
    expect(await told(type), 'again').to.equal(202);
  });

  it('takes no success of another PaymentIntent, although it has our reference', async () => {
    shop.twin.fault({ path: /confirm$/ }, { kind: 'reset', effect: 'done' });
    const { id, status } = await http.shop.paid();
    expect(status).to.equal('PENDING');
    const type = 'payment_intent.amount_capturable_updated';
    const change = (text: string): string =>
      text.replaceAll(newest(), 'pi_ofAnotherProgram').replace('"id":"evt_', '"id":"evt_other');
    expect(await told(type, { change })).to.equal(202);
    const { readModels } = http.service;
    const parked = () => parkedNotifications(readModels, http.shop.accountId, 10);
    await until(async () => (await parked()).length === 1);
    expect((await read(id)).status).to.equal('PENDING');
    expect(await told(type)).to.equal(202);
    await until(async () => (await read(id)).status === 'AUTHORIZED');
    expect(await told(type, { change }), 'again').to.equal(202);
  });

  it('looks when an event says that something changed', async () => {
    const { id } = await http.shop.paid();
    shop.twin.fault({ path: /capture$/ }, { kind: 'reset', effect: 'done' });
    expect((await http.shop.ask('POST', `/payments/${id}/capture`)).status).to.equal(202);
    http.world.advance(LATER_THAN_THE_FIRST_LOOK_UP);
    expect(await told('payment_intent.succeeded')).to.equal(202);
    await until(async () => (await read(id)).status === 'SETTLED');
  });

  it('waits for a refund, which comes back in the end', async () => {
    const { id } = await http.shop.captured({ card: PENDING_REFUND });
    const pending = await http.shop.ask('POST', `/payments/${id}/refund`, { amount: 400 });
    expect(bodyOf(pending, Money).processor.amountRefunded, JSON.stringify(pending)).to.equal(0);
    const [account] = shop.twin.accounts;
    const refund = account.events.findLast(({ type }) => type === 'refund.created')?.data.object ?? {};
    const name = 'id' in refund ? String(refund.id) : '';
    account.completeRefund(name);
    expect(await told('refund.updated')).to.equal(202);
    await until(async () => (await read(id)).processor.amountRefunded === 400);
    await shop.twin.moveClock(5_000);
    account.failRefund(name);
    expect(await told('refund.failed')).to.equal(202);
    await until(async () => (await read(id)).processor.amountRefunded === 0);
  });

  describe('whose customer is at the bank', () => {
    const waiting = async () => {
      const { id } = await http.shop.paid({ card: CHALLENGED });
      const [account] = shop.twin.accounts;
      const event = account.events.findLast(({ type }) => type === 'payment_intent.requires_action');
      const intent = event?.data.object ?? {};
      return { id, account, name: 'id' in intent ? String(intent.id) : '' };
    };

    it('learns that the customer has approved', async () => {
      const { id, account, name } = await waiting();
      const page = account.approve(name);
      expect(page).to.include('payment_intent_client_secret');
      expect(newest()).to.equal(name);
      expect(await told('payment_intent.amount_capturable_updated')).to.equal(202);
      await until(async () => (await read(id)).status === 'AUTHORIZED');
    });

    it('takes the action back when the merchant cancels', async () => {
      const before = shop.twin.effects().length;
      const { id, account, name } = await waiting();
      expect(await asked('POST', `/payments/${id}/cancel`)).to.include({ status: 'CANCELLED' });
      expect(() => account.approve(name)).to.throw();
      expect(effects(before)).to.deep.equal([]);
    });

    it('takes back what the customer approved at that moment', async () => {
      const before = shop.twin.effects().length;
      const { id, account, name } = await waiting();
      const cancel = shop.twin.fault({ path: /cancel$/ }, { kind: 'hold', at: 'arrival' });
      const cancelled = asked('POST', `/payments/${id}/cancel`);
      await cancel.applied;
      account.approve(name);
      await cancel.release();
      expect(await cancelled).to.include({ status: 'CANCELLED' });
      expect(effects(before)).to.deep.equal(['hold 1000', 'release 1000']);
    });
  });

  it('reports no fault', () => expect(http.faults).to.deep.equal([]));
});

describe('a page of the bank that can no longer be used', () => {
  let shop: TwinShop;
  let http: HttpService;
  beforeEach(async () => {
    shop = await openTwinShop();
    // no run has proven the fences
    http = await serveHttp({ processor: atTwin({ ...shop, connection: { ...shop.connection, burnProven: false } }) });
  });
  afterEach(async () => {
    expect(http.faults).to.deep.equal([]);
    await http.stop();
    await shop.close();
  });

  const Shown = z.looseObject({ status: z.string() });
  const read = async (id: string) => bodyOf(await http.shop.ask('GET', `/payments/${id}`), Shown);
  const Events = z.looseObject({ data: z.array(z.looseObject({ type: z.string() })) });
  const typesOf = async (id: string): Promise<readonly string[]> =>
    bodyOf(await http.shop.ask('GET', `/payments/${id}/events`), Events).data.map(({ type }) => type);
  const count = (type: string): number => shop.twin.accounts[0].events.filter((one) => one.type === type).length;
  const lookLater = (ms: number): void => {
    http.world.advance(ms);
    http.service.lookAtOnce();
  };

  it('is not shown after the fence that withdrew it', async () => {
    shop.twin.fault({ path: /confirm$/ }, { kind: 'reset', effect: 'done' });
    const { id } = await http.shop.paid({ card: CHALLENGED });
    const unanswered = shop.twin.fault({ method: 'GET' }, { kind: 'reset', effect: 'none' });
    lookLater(LATER_THAN_THE_FIRST_LOOK_UP);
    await unanswered.applied;
    await until(async () => (await typesOf(id)).includes('LookUpRecorded'));
    lookLater(LATER_THAN_THE_SECOND);
    await until(async () => count('payment_intent.canceled') === 1);
    expect(await tellEvent(http, shop, 'payment_intent.canceled')).to.equal(202);
    await handled(http);
    expect(await typesOf(id)).not.to.include('CustomerActionRequired');
    await until(async () => {
      lookLater(3_600_000);
      return (await read(id)).status === 'FAILED';
    });
  });

  it('ends the payment if somebody canceled it at Stripe itself', async () => {
    const { id } = await http.shop.paid({ card: CHALLENGED });
    const action = shop.twin.accounts[0].events.findLast(({ type }) => type === 'payment_intent.requires_action');
    const { id: name } = z.looseObject({ id: z.string() }).parse(action?.data.object);
    await fetch(`${shop.twin.url}/v1/payment_intents/${name}/cancel`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${shop.connection.secrets['secretKey']}` },
      body: new URLSearchParams({ cancellation_reason: 'requested_by_customer' }),
    });
    http.world.advance(LATER_THAN_THE_FIRST_LOOK_UP);
    expect(await tellEvent(http, shop, 'payment_intent.canceled')).to.equal(202);
    await until(async () => (await read(id)).status === 'DECLINED');
    expect((await typesOf(id)).filter((type) => type === 'CustomerActionRequired')).to.have.length(1);
  });
});
