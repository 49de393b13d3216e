// A rebuild in MongoDB that took hours: neither a majority that lags, nor an election, nor a server that is started
// again ends it.
import { expect } from 'chai';
import type { MongoDbTimings } from '../../src/stores/mongodb/connection.ts';
import type { Collection, ReadModelStore } from '../../src/stores/read-models.ts';
import { builtRows, type Order, type OrderKey, ordersOf, row } from '../contract/read-models.suite.ts';
import { pause } from '../support/calm-world.ts';
import { type ServerUnderTest, startServer } from './mongodb-server.ts';

const TIMINGS: MongoDbTimings = { readMs: 400, writeMs: 800, heartbeatMs: 500, silenceMs: 500, longWorkMs: 1_500 };
const IDS = Array.from({ length: 20 }, (_, n) => `id-${n}`);

describe('A rebuild in MongoDB', () => {
  let server: ServerUnderTest;
  let store: ReadModelStore;
  beforeEach(async () => {
    server = await startServer();
    store = await server.open({ timings: TIMINGS });
  });
  afterEach(() => server.dispose());

  /** Builds a generation of some rows; `meanwhile` happens after they were handed over and before they are finished. */
  async function build(orders: Collection<Order, OrderKey>, meanwhile: () => Promise<void>): Promise<void> {
    const builder = await store.build(orders);
    await builder.write(builtRows(orders, ...IDS.map((id, n) => row(id, 0, { shop: 's', total: n }))));
    await meanwhile();
    await builder.finish();
  }

  async function expectWhole(orders: Collection<Order, OrderKey>): Promise<void> {
    expect(await store.generations(orders.name)).to.deep.equal([1]);
    expect(await store.texts(orders, '', 1_000)).to.have.lengthOf(IDS.length);
    const inOrder = await store.find(orders, {
      where: { shop: ['s'] },
      order: { by: 'total', descending: false },
      limit: 100,
    });
    expect(inOrder.map(({ id }) => id)).to.deep.equal(IDS);
  }

  it('waits for a majority that is slower than a write of a request may be', async () => {
    const orders = ordersOf(1);
    await build(orders, async () => {
      await server.loopback.order({ lagMs: 1_200 });
      setTimeout(() => void server.loopback.order({ lagMs: 0 }), 3_000).unref();
    });
    await expectWhole(orders);
    const asked = (await server.loopback.counts()).filter(
      ({ command, collection }) => command !== 'find' && collection === `${orders.name}.1`,
    );
    const waitedFor = asked.filter(({ command }) => ['update', 'createIndexes'].includes(command));
    expect(waitedFor.map(({ times }) => times)).to.deep.equal([1, 1]); // and not asked again
  });

  it('continues when the server was not the primary for a while', async () => {
    const orders = ordersOf(1);
    await build(orders, async () => {
      await server.loopback.order({ primary: false });
      setTimeout(() => void server.loopback.order({ primary: true }), 2_000).unref();
    });
    await expectWhole(orders);
  });

  it('goes on when the server was killed and started again', async () => {
    const orders = ordersOf(1);
    let started: Promise<void> = Promise.resolve();
    await build(orders, async () => {
      await server.loopback.server.kill();
      started = pause(1_000).then(() => server.loopback.server.start());
    });
    await started;
    await expectWhole(orders);
  });

  it('asks again for an index whose answer never came', async () => {
    const orders = ordersOf(1);
    await server.loopback.order({
      fail: 'silent_after',
      of: 'writes',
      command: 'createIndexes',
      collection: `${orders.name}.1`,
    });
    await build(orders, async () => undefined);
    await expectWhole(orders);
  });
});
