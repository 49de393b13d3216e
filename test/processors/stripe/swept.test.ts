// Notifications that never came: Stripe's own list of events tells what they told.
import { expect } from 'chai';
import { Notice } from '../../../src/app-error.ts';
import { secretsOfMachine } from '../../../src/cli/open/secret-reference.ts';
import { notifications } from '../../../src/projections/models/notifications.ts';
import { openService, type Service } from '../../../src/service.ts';
import { done, known } from '../../support/answers.ts';
import { checkout, memoryStores, merchant } from '../../support/node.ts';
import { type MovableWorld, movableWorld } from '../../support/test-world.ts';
import { atStripe } from './twin-service.ts';
import { openTwinShop, type TwinShop } from './twin-shop.ts';

/** Older than what is left to notifications, newer than what a sweep takes again. */
const BEHIND_MS = 15 * 60_000;

describe('an event of Stripe that no notification told', () => {
  let shop: TwinShop;
  let world: MovableWorld;
  let service: Service;
  let accountId: string;
  let connectionId: string;
  let reported: unknown[];
  let behindMs: number;
  beforeEach(async () => {
    behindMs = BEHIND_MS;
    shop = await openTwinShop({ now: () => Date.now() - behindMs });
    world = movableWorld();
    reported = [];
    const { events, readModels, secrets } = await memoryStores(world);
    service = await openService(
      {
        events,
        readModels,
        world,
        processors: new Map(),
        openable: new Map([['stripe', async () => shop.stripe]]),
        report: (fault) => void reported.push(fault),
      },
      {
        mode: 'test',
        secrets,
        publicUrl: () => 'http://127.0.0.1:4000',
        post: () => Promise.reject(new Error('nobody is called')),
        secretOf: secretsOfMachine({ KEY: shop.connection.secrets['secretKey'] }),
      },
    );
    accountId = done(await service.access.createAccount('Shop')).id;
    const { apiUrl } = shop.connection;
    const asked = { accountId, processor: 'stripe', name: 'eu', secretKey: 'env:KEY', apiUrl };
    connectionId = done(await service.connections.add(asked)).id;
  });
  afterEach(() => shop.close());

  async function paid(orderId = 'o-1'): Promise<string> {
    const caller = merchant(accountId, world);
    const session = await service.sessions.createClientSession({ orderId, currencyCode: 'EUR', amount: 1_000 }, caller);
    if (session.kind === 'rejected') throw new Error(session.errorId);
    const token = shop.twin.accounts[0].confirmationToken('pm_card_visa');
    const made = await service.instruments.tokenizeCard(
      { processorToken: { connectionId, type: 'confirmation_token', token } },
      checkout(accountId, session.id, world),
    );
    const asked = { clientToken: session.clientToken, paymentMethodToken: done(made).id };
    return done(await service.payments.authorizePayment(asked, caller)).id;
  }
  const stateOf = async (id: string) => known((await service.streams.payments.current(id)).state);
  const sweep = async () => {
    const row = await service.connections.known.read(connectionId);
    if (row === undefined) throw new Error('there is a connection');
    shop.lines();
    return service.work.sweepEvents(row, 'sweep-events');
  };
  const lists = () => shop.lines().filter((line) => line === 'GET /v1/events');
  const intent = () => shop.twin.effects().at(-1)?.paymentIntent ?? '';

  it('is found by the sweep, and taken once', async () => {
    const id = await paid();
    await atStripe(shop, `payment_intents/${intent()}/capture`);
    await sweep();
    expect(await stateOf(id)).to.include({ status: 'SETTLED', amountCaptured: 1_000 });
    const { attempts } = await stateOf(id);
    await sweep();
    expect((await stateOf(id)).attempts).to.deep.equal(attempts);
    const records = await service.readModels.find(notifications, { where: {}, limit: 100 });
    expect(new Set(records.map(({ doc }) => ('notificationId' in doc ? doc.notificationId : ''))).size).to.equal(
      records.length,
    );
  });

  it('is found however many others come after it, page by page', async () => {
    const first = await paid();
    await atStripe(shop, `payment_intents/${intent()}/capture`);
    const { events } = shop.twin.accounts[0];
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
    expect(await sweep()).to.include({ calls: 3 });
    expect(await stateOf(first)).to.include({ status: 'SETTLED' });
  });

  it('is looked for again from the same place when the list could not be read, which is told once', async () => {
    const id = await paid();
    await sweep();
    await atStripe(shop, `payment_intents/${intent()}/capture`);
    for (let times = 0; times < 2; times += 1) {
      shop.answerNext({ status: 503, body: 'busy' });
      expect(await sweep()).to.equal(undefined);
    }
    const notices = reported.filter((one) => one instanceof Notice && /list of events/.test(one.message));
    expect(notices).to.have.length(1);
    expect(await stateOf(id)).to.include({ status: 'AUTHORIZED' });
    await sweep();
    expect(await stateOf(id)).to.include({ status: 'SETTLED' });
    expect(lists()).to.have.length(1);
  });

  it('is left to its notification for ten minutes', async () => {
    const id = await paid();
    behindMs = 0;
    await atStripe(shop, `payment_intents/${intent()}/capture`);
    await sweep();
    expect(await stateOf(id)).to.include({ status: 'AUTHORIZED' });
    world.pass(BEHIND_MS);
    await sweep();
    expect(await stateOf(id)).to.include({ status: 'SETTLED' });
  });
});
