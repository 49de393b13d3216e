// PaymentIntents that nobody has the name of: their creation was answered to nobody, and an event reports them.
import { expect } from 'chai';
import { parkedNotifications } from '../../../src/queries/notifications.ts';
import { type HttpService, serveHttp } from '../../support/http-service.ts';
import { until } from '../../support/until.ts';
import { atTwin, tellEvent } from './twin-service.ts';
import { openTwinShop, type TwinShop } from './twin-shop.ts';

const CREATED = 'payment_intent.created';
const CREATION = { method: 'POST', path: '/v1/payment_intents' } as const;

describe('a PaymentIntent whose creation was answered to nobody', () => {
  let shop: TwinShop;
  let http: HttpService;
  beforeEach(async () => {
    shop = await openTwinShop();
    http = await serveHttp({ processor: atTwin(shop) });
  });
  afterEach(async () => {
    expect(http.faults).to.deep.equal([]);
    await http.stop();
    await shop.close();
  });

  const told = () => tellEvent(http, shop, CREATED);
  const count = (type: string): number => shop.twin.accounts[0].events.filter((one) => one.type === type).length;
  const parked = async (): Promise<number> => {
    const { readModels } = http.service;
    return (await parkedNotifications(readModels, http.shop.accountId, 10)).length;
  };
  const canceled = () => until(async () => count('payment_intent.canceled') === 1);

  it('is canceled when an event reports it, and nothing was ever held', async () => {
    shop.twin.fault(CREATION, { kind: 'reset', effect: 'done' });
    expect((await http.shop.paid()).status).to.equal('FAILED');
    expect(await told()).to.equal(202);
    await canceled();
    expect(shop.twin.effects()).to.deep.equal([]);
    expect(await told(), 'again').to.equal(202);
    expect(count('payment_intent.canceled')).to.equal(1);
  });

  it('is canceled later, if Stripe does not answer at first', async () => {
    shop.twin.fault(CREATION, { kind: 'reset', effect: 'done' });
    await http.shop.paid();
    shop.twin.fault({ path: /cancel$/ }, { kind: 'reset', effect: 'none' });
    expect(await told()).to.equal(202);
    await until(async () => {
      http.world.advance(3_600_000);
      http.service.lookAtOnce();
      return count('payment_intent.canceled') === 1;
    });
  });

  it('stays where its answer is still on the way, or has come', async () => {
    const creation = shop.twin.fault(CREATION, { kind: 'hold', at: 'response' });
    const paying = http.shop.paid();
    await creation.applied;
    expect(await told()).to.equal(202);
    await until(async () => (await parked()) === 1);
    await creation.release();
    expect((await paying).status).to.equal('AUTHORIZED');
    expect(await told()).to.equal(202);
    await until(async () => (await parked()) === 0);
    expect(count('payment_intent.canceled')).to.equal(0);
  });

  it('of another store is left alone', async () => {
    const other = await shop.prepared();
    expect(await told()).to.equal(202);
    await until(async () => (await parked()) === 1);
    expect(await shop.stripe.perform(other, shop.call())).to.have.property('kind', 'succeeded');
  });
});
