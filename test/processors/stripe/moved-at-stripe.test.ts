// Money that somebody moves at Stripe itself: each act is on record here, or in front of an operator.
import { expect } from 'chai';
import { z } from 'zod';
import { bodyOf } from '../../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../../support/http-service.ts';
import { until } from '../../support/until.ts';
import { atStripe, atTwin, handled, tellEvent } from './twin-service.ts';
import { openTwinShop, type TwinShop } from './twin-shop.ts';

const Money = z.looseObject({
  status: z.string(),
  processor: z.looseObject({
    amountAuthorized: z.number(),
    amountCapturable: z.number(),
    amountCaptured: z.number(),
    amountRefunded: z.number(),
    amountRefundable: z.number(),
  }),
});
type Money = z.infer<typeof Money>;
const EIGHT_DAYS = 8 * 86_400_000;
const CAPTURABLE = 'payment_intent.amount_capturable_updated';

describe('money that is moved at Stripe itself', () => {
  let shop: TwinShop;
  let http: HttpService;
  beforeEach(async () => {
    shop = await openTwinShop();
    http = await serveHttp({ processor: atTwin(shop) });
  });
  afterEach(async () => {
    await http.stop();
    await shop.close();
  });

  const read = async (id: string): Promise<Money> => bodyOf(await http.shop.ask('GET', `/payments/${id}`), Money);
  const ask = (id: string, what: string, body: object) => http.shop.ask('POST', `/payments/${id}/${what}`, body);
  const intent = (): string => shop.twin.effects().at(-1)?.paymentIntent ?? '';
  const tell = async (...types: string[]): Promise<void> => {
    for (const type of types) expect(await tellEvent(http, shop, type), type).to.equal(202);
    await handled(http);
  };
  const eventsOf = async (id: string): Promise<readonly string[]> => {
    const types: string[] = [];
    for await (const { event } of http.service.streams.payments.history(id, -1)) types.push(event.type);
    return types;
  };
  /** AUTHORIZED, with all that Stripe has said of it. */
  const authorized = async (): Promise<string> => {
    const { id } = await http.shop.paid();
    await tell('payment_intent.created', CAPTURABLE);
    return id;
  };
  const captured = async (): Promise<string> => {
    const id = await authorized();
    await ask(id, 'capture', {});
    await tell('payment_intent.succeeded', 'charge.captured');
    return id;
  };

  it('reads nothing where all that it is told is on record', async () => {
    const id = await captured();
    await ask(id, 'refund', { amount: 300 });
    await tell('refund.created');
    expect(shop.lines().filter((line) => line.startsWith('GET'))).to.deep.equal([]);
    expect(await eventsOf(id)).to.not.include('StandingRecorded');
  });

  it('reads nothing where it is told late what was before the capture', async () => {
    const { id } = await http.shop.paid();
    await ask(id, 'capture', {});
    shop.lines();
    await tell('payment_intent.created', CAPTURABLE, 'payment_intent.succeeded', 'charge.captured');
    expect(shop.lines().filter((line) => line.startsWith('GET'))).to.deep.equal([]);
    expect(await eventsOf(id)).to.not.include('StandingRecorded');
  });

  it('books a capture', async () => {
    const id = await authorized();
    await atStripe(shop, `payment_intents/${intent()}/capture`);
    await tell('payment_intent.succeeded');
    expect(await read(id)).to.deep.include({ status: 'SETTLED' });
    expect((await read(id)).processor).to.include({ amountCaptured: 1_000, amountRefundable: 1_000 });
    await tell('payment_intent.succeeded', 'charge.captured');
    expect((await eventsOf(id)).filter((type) => type === 'CapturedOutside')).to.have.length(1);
  });

  it('books a capture of a part, which releases the rest', async () => {
    const id = await authorized();
    await atStripe(shop, `payment_intents/${intent()}/capture`, { amount_to_capture: '400' });
    await tell('payment_intent.succeeded');
    const { status, processor } = await read(id);
    expect(status).to.equal('PARTIALLY_SETTLED');
    expect(processor).to.include({ amountCaptured: 400, amountCapturable: 0 });
  });

  it('books a refund, so that no second one pays it twice', async () => {
    const id = await captured();
    await atStripe(shop, 'refunds', { payment_intent: intent(), amount: '400' });
    await tell('refund.created');
    expect((await read(id)).processor).to.include({ amountRefunded: 400, amountRefundable: 600 });
    expect((await ask(id, 'refund', { amount: 700 })).status).to.equal(422);
    expect((await ask(id, 'refund', {})).status).to.equal(200);
    expect((await read(id)).processor).to.include({ amountRefunded: 1_000, amountRefundable: 0 });
  });

  it('takes a refund back that fails, although its success was told in the same second', async () => {
    const id = await captured();
    await ask(id, 'refund', { amount: 400 });
    http.world.advance(600_000);
    shop.twin.accounts[0].failRefund(nameOfRefund());
    await tell('refund.failed');
    expect((await read(id)).processor).to.include({ amountRefunded: 0, amountRefundable: 1_000 });
    expect(await eventsOf(id)).to.include('RefundReturned');
  });
  const nameOfRefund = (): string => {
    const event = shop.twin.accounts[0].events.findLast(({ type }) => type === 'refund.created');
    return event !== undefined && 'id' in event.data.object ? String(event.data.object.id) : '';
  };

  it('takes a refund of somebody at Stripe back that fails', async () => {
    const id = await captured();
    await atStripe(shop, 'refunds', { payment_intent: intent(), amount: '400' });
    await tell('refund.created');
    shop.twin.accounts[0].failRefund(nameOfRefund());
    await tell('refund.failed');
    expect((await read(id)).processor).to.include({ amountRefunded: 0, amountRefundable: 1_000 });
  });

  for (const reason of ['requested_by_customer', 'duplicate', 'fraudulent', undefined])
    it(`books a cancellation, ${reason ?? 'without a reason'}`, async () => {
      const id = await authorized();
      await atStripe(
        shop,
        `payment_intents/${intent()}/cancel`,
        reason === undefined ? {} : { cancellation_reason: reason },
      );
      await tell('payment_intent.canceled');
      expect(await read(id)).to.include({ status: 'CANCELLED' });
      expect(await eventsOf(id)).to.include('VoidedOutside');
    });

  it('books a raise, which is not a first authorization', async () => {
    const id = (await http.shop.paid({ session: { paymentMethod: { authorizationType: 'ESTIMATED' } } })).id;
    await atStripe(shop, `payment_intents/${intent()}/increment_authorization`, { amount: '1500' });
    await tell(CAPTURABLE);
    expect((await read(id)).processor).to.include({ amountAuthorized: 1_500, amountCapturable: 1_500 });
  });

  it('learns of a capture whose event was lost when the hold ends', async () => {
    const id = await authorized();
    await atStripe(shop, `payment_intents/${intent()}/capture`);
    http.world.advance(EIGHT_DAYS);
    http.service.lookAtOnce();
    await until(async () => (await read(id)).status === 'SETTLED');
    expect(await eventsOf(id)).to.not.include('AuthorizationExpired');
  });

  it('goes on to read until the processor answers', async () => {
    const id = await authorized();
    await atStripe(shop, `payment_intents/${intent()}/capture`);
    shop.answerNext({ status: 503, body: 'down' });
    await tell('payment_intent.succeeded');
    expect(await eventsOf(id)).to.include('StandingRecorded');
    http.world.advance(11_000);
    http.service.lookAtOnce();
    await until(async () => (await read(id)).status === 'SETTLED');
    const { state } = await http.service.streams.payments.current(id);
    expect(state).to.not.have.property('standing');
  });

  it('learns from a refused capture that somebody has canceled', async () => {
    const id = await authorized();
    await atStripe(shop, `payment_intents/${intent()}/cancel`);
    expect((await ask(id, 'capture', {})).status).to.equal(422);
    expect(await read(id)).to.include({ status: 'CANCELLED' });
  });
});
