// The indexes of a collection in MongoDB: without the documents that lack a key, and found by every query along them.
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import type { ReadModelStore } from '../../src/stores/read-models.ts';
import { ordersOf, row } from '../contract/read-models.suite.ts';
import { type ServerUnderTest, startServer } from './mongodb-server.ts';

describe('An index in MongoDB', () => {
  let server: ServerUnderTest;
  let client: MongoClient;
  let store: ReadModelStore;
  before(async () => {
    server = await startServer();
    client = await MongoClient.connect(server.loopback.url);
    store = await server.open();
  });
  after(async () => {
    await client.close();
    await server.dispose();
  });

  it('leaves out documents that lack one of its keys, in a generation and elsewhere', async () => {
    const [kept, built] = [ordersOf(), ordersOf(1)];
    await store.write(kept, [row('a', 0)]);
    await (await store.build(built)).finish();
    for (const name of [`${kept.name}@1`, `${built.name}.1`]) {
      const filters = (await client.db().collection(name).indexes()).map(({ partialFilterExpression }) =>
        Object.keys(partialFilterExpression ?? {}),
      );
      expect(filters).to.deep.equal([[], ['k.shop', 'k.total'], ['k.total'], ['k.shop', 'k.open', 'k.total']]);
    }
  });

  it('finds a document for as long as its newest revision has the key', async () => {
    const orders = ordersOf();
    const due = async (): Promise<readonly string[]> => {
      const order = { by: 'total', descending: false } as const;
      const pages = [{ to: 9 }, { from: 0 }, {}].map((total) =>
        store.find(orders, { where: { total }, order, limit: 10 }),
      );
      const [first = [], ...others] = (await Promise.all(pages)).map((rows) => rows.map(({ id }) => id));
      for (const other of others) expect(other).to.deep.equal(first);
      return first;
    };
    await store.write(orders, [row('a', 0, { shop: 's' }), row('b', 0, { shop: 's', total: 4 })]);
    expect(await due()).to.deep.equal(['b']);
    await store.write(orders, [row('a', 1, { shop: 's', total: 3 }), row('b', 1, { shop: 's' })]);
    expect(await due()).to.deep.equal(['a']);
    // late
    expect(await store.write(orders, [row('a', 0, { shop: 's' }), row('b', 0, { shop: 's', total: 1 })])).to.deep.equal(
      [],
    );
    expect(await due()).to.deep.equal(['a']);
    const after = { key: 3, id: 'a' };
    expect(
      await store.find(orders, { where: {}, order: { by: 'total', descending: true }, after, limit: 10 }),
    ).to.deep.equal([]);
  });

  it('of an earlier version, with all documents in it, serves as well', async () => {
    const orders = ordersOf();
    const whole = [['shop', 'total'], ['total'], ['shop', 'open', 'total']].map((index) => ({
      key: Object.fromEntries([...index.map((name) => [`k.${name}`, 1]), ['_id', 1]]),
    }));
    await client.db().collection(`${orders.name}@1`).createIndexes(whole);
    await store.write(orders, [row('a', 0, { shop: 's', total: 4 })]);
    const order = { by: 'total', descending: true } as const;
    expect(await store.find(orders, { where: { shop: ['s'] }, order, limit: 10 })).to.have.lengthOf(1);
  });
});
