// Notifications that never came: Stripe's own list of events tells what they told.
import { expect } from 'chai';
import { Notice } from '../../../src/app-error.ts';
import { notifications } from '../../../src/projections/models/notifications.ts';
import { BEHIND_MS, type ConnectedShop, openConnectedShop } from './connected-shop.ts';
import { atStripe } from './twin-service.ts';

describe('an event of Stripe that no notification told', () => {
  let connected: ConnectedShop;
  beforeEach(async () => {
    connected = await openConnectedShop();
  });
  afterEach(() => connected.close());

  const lists = () => connected.shop.lines().filter((line) => line === 'GET /v1/events');
  const intent = () => connected.shop.twin.effects().at(-1)?.paymentIntent ?? '';

  it('is found by the sweep, and taken once', async () => {
    const id = await connected.paid();
    await atStripe(connected.shop, `payment_intents/${intent()}/capture`);
    await connected.sweep();
    expect(await connected.stateOf(id)).to.include({ status: 'SETTLED', amountCaptured: 1_000 });
    const { attempts } = await connected.stateOf(id);
    await connected.sweep();
    expect((await connected.stateOf(id)).attempts).to.deep.equal(attempts);
    const records = await connected.service.readModels.find(notifications, { where: {}, limit: 100 });
    expect(new Set(records.map(({ doc }) => ('notificationId' in doc ? doc.notificationId : ''))).size).to.equal(
      records.length,
    );
  });

  it('is found however many others come after it, page by page', async () => {
    const first = await connected.paid();
    await atStripe(connected.shop, `payment_intents/${intent()}/capture`);
    const { events } = connected.shop.twin.accounts[0];
    const newest = events.at(-1);
    if (newest === undefined) throw new Error('there is an event');
    const foreign = {
      ...newest,
      type: 'payment_intent.created',
      data: {
        object: { object: 'payment_intent', id: 'pi_1', status: 'canceled', amount: 1, currency: 'eur', metadata: {} },
      },
    };
    const others = Array.from({ length: 250 }, (_, place) => Object.assign({}, foreign, { id: `evt_other_${place}` }));
    if (!Array.isArray(events)) throw new Error('the twin keeps a list');
    events.push(...others);
    expect(await connected.sweep()).to.include({ calls: 3 });
    expect(await connected.stateOf(first)).to.include({ status: 'SETTLED' });
  });

  it('is looked for again from the same place when the list could not be read, which is told once', async () => {
    const id = await connected.paid();
    await connected.sweep();
    await atStripe(connected.shop, `payment_intents/${intent()}/capture`);
    for (let times = 0; times < 2; times += 1) {
      connected.shop.answerNext({ status: 503, body: 'busy' });
      expect(await connected.sweep()).to.equal(undefined);
    }
    const notices = connected.reported.filter((one) => one instanceof Notice && /list of events/.test(one.message));
    expect(notices).to.have.length(1);
    expect(await connected.stateOf(id)).to.include({ status: 'AUTHORIZED' });
    await connected.sweep();
    expect(await connected.stateOf(id)).to.include({ status: 'SETTLED' });
    expect(lists()).to.have.length(1);
  });

  it('is left to its notification for ten minutes', async () => {
    const id = await connected.paid();
    connected.behindMs = 0;
    await atStripe(connected.shop, `payment_intents/${intent()}/capture`);
    await connected.sweep();
    expect(await connected.stateOf(id)).to.include({ status: 'AUTHORIZED' });
    connected.world.pass(BEHIND_MS);
    await connected.sweep();
    expect(await connected.stateOf(id)).to.include({ status: 'SETTLED' });
  });
});
