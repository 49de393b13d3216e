// Clients of MongoDB that no longer get an answer although the server is there: others take their place.
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import type { MongoDbTimings } from '../../src/stores/mongodb/connection.ts';
import { openMongoDbKeyStore } from '../../src/stores/mongodb/key-store.ts';
import { noMeters } from '../../src/stores/store-meters.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { ordersOf, row } from '../contract/read-models.suite.ts';
import { until } from '../support/until.ts';
import { type ServerUnderTest, startServer } from './mongodb-server.ts';
import { PATIENT_MODELS } from './patient-timings.ts';

const TIMINGS: MongoDbTimings = { ...PATIENT_MODELS, renewMs: 300 };

const isAnswered = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    (fault: unknown) => {
      expect(fault).to.be.instanceOf(StoreUnavailable);
      return false;
    },
  );

describe('MongoDB whose clients no longer get an answer', () => {
  let server: ServerUnderTest;
  let clients: Set<MongoClient>;
  const { db } = MongoClient.prototype;
  before(() => {
    MongoClient.prototype.db = function noted(this: MongoClient, ...asked) {
      clients.add(this);
      return db.apply(this, asked);
    };
  });
  after(() => {
    MongoClient.prototype.db = db;
  });
  beforeEach(async () => {
    clients = new Set();
    server = await startServer();
  });
  afterEach(() => server.dispose());

  /** As useless as one whose monitor waits on a destroyed connection: a closed client never opens again. */
  const breakAll = async (): Promise<void> => {
    await Promise.all([...clients].map((client) => client.close()));
  };

  it('is read and written by other clients, and so are collections that were open before', async () => {
    const available: boolean[] = [];
    const store = await server.open({
      timings: TIMINGS,
      meters: { ...noMeters, available: (is) => void available.push(is) },
    });
    const orders = ordersOf(1);
    const build = await store.build(orders);
    await build.finish();
    await store.write(orders, [row('a', 0)]);
    await breakAll();
    expect(await isAnswered(store.get(orders, ['a']))).to.equal(false);
    await until(() => isAnswered(store.write(orders, [row('a', 1)])));
    expect((await store.get(orders, ['a'])).map(({ revision }) => revision)).to.deep.equal([1]);
    expect(await store.count(orders)).to.equal(1);
    expect(await store.generations(orders.name)).to.deep.equal([1]);
    expect(available).to.deep.equal([true, false, true]);
    expect(clients.size).to.equal(4);
  });

  it('keeps its clients while no others are answered either', async () => {
    const store = await server.open({ timings: { ...TIMINGS, readMs: 300, writeMs: 300 } });
    const orders = ordersOf();
    await store.write(orders, [row('a', 0)]);
    await server.loopback.server.kill();
    await until(async () => {
      await isAnswered(store.get(orders, ['a']));
      return clients.size >= 6; // two tries
    });
    await server.loopback.server.start();
    await until(() => isAnswered(store.get(orders, ['a'])));
  });

  it('gives the keys of personal data by other clients', async () => {
    const keys = await openMongoDbKeyStore({ url: server.loopback.url, timings: TIMINGS });
    try {
      await keys.putIfAbsent('one', 'wrapped');
      await breakAll();
      expect(await isAnswered(keys.get(['one']))).to.equal(false);
      await until(() => isAnswered(keys.get(['one'])));
      expect(await keys.get(['one'])).to.deep.equal([{ id: 'one', wrapped: 'wrapped' }]);
    } finally {
      await keys.close();
    }
  });
});
