// The guard of every write in MongoDB: what E11000 means, who is told "written", and what two writers of one document
// end with.
import { expect } from 'chai';
import { type AnyBulkWriteOperation, MongoClient, type Collection as MongoCollection } from 'mongodb';
import { writeGuarded } from '../../src/stores/mongodb/guarded-bulk.ts';
import type { StoredRow } from '../../src/stores/mongodb/stored-row.ts';
import type { ReadModelStore } from '../../src/stores/read-models.ts';
import { noMeters } from '../../src/stores/store-meters.ts';
import { ordersOf, row } from '../contract/read-models.suite.ts';
import { type ServerUnderTest, startServer } from './mongodb-server.ts';

describe('The guard of writes in MongoDB', () => {
  let server: ServerUnderTest;
  let client: MongoClient;
  let one: ReadModelStore;
  let other: ReadModelStore;
  before(async () => {
    server = await startServer();
    client = await MongoClient.connect(server.loopback.url);
    one = await server.open();
    other = await server.open();
  });
  after(async () => {
    await client.close();
    await server.dispose();
  });

  const updatesOf = async (name: string): Promise<{ readonly commands: number; readonly statements: number }> => {
    const counts = (await server.loopback.counts()).filter(
      ({ command, collection }) => command === 'update' && collection === name,
    );
    return {
      commands: counts.reduce((sum, { times }) => sum + times, 0),
      statements: counts.reduce((sum, { statements }) => sum + statements, 0),
    };
  };

  it('tells exactly one of two first writers that it wrote a revision', async () => {
    const orders = ordersOf();
    const ids = Array.from({ length: 300 }, (_, n) => `id-${n}`);
    const write = (store: ReadModelStore): Promise<readonly string[]> =>
      Promise.all(ids.map((id) => store.write(orders, [row(id, 0)]))).then((written) => written.flat());
    const [first, second] = await Promise.all([write(one), write(other)]);
    expect([...first, ...second].sort()).to.deep.equal([...ids].sort());
  });

  it('ends two first writes with the higher revision, and tells its writer', async () => {
    const orders = ordersOf();
    const ids = Array.from({ length: 300 }, (_, n) => `id-${n}`);
    const write = (store: ReadModelStore, isHigher: (n: number) => boolean): Promise<readonly string[]> =>
      Promise.all(ids.map((id, n) => store.write(orders, [row(id, isHigher(n) ? 7 : 2)]))).then((written) =>
        written.flat(),
      );
    const [first, second] = await Promise.all([write(one, (n) => n % 2 === 0), write(other, (n) => n % 2 === 1)]);
    expect(first).to.include.members(ids.filter((_, n) => n % 2 === 0));
    expect(second).to.include.members(ids.filter((_, n) => n % 2 === 1));
    for (const { revision } of await one.get(orders, ids)) expect(revision).to.equal(7);
  });

  it('needs no second write to find the stale rows', async () => {
    const orders = ordersOf();
    const name = `${orders.name}@1`;
    const rows = Array.from({ length: 50 }, (_, n) => row(`id-${n}`, 5));
    await one.write(orders, rows);
    const before = await updatesOf(name);
    expect(await other.write(orders, [...rows.map(({ id }) => row(id, 5)), row('new', 0)])).to.deep.equal(['new']);
    expect(await updatesOf(name)).to.deep.equal({ commands: before.commands + 1, statements: before.statements + 51 });
  });

  describe('when a server looks for a document that is inserted a moment later', () => {
    const fresh = (): MongoCollection<StoredRow> =>
      client.db().collection<StoredRow>(`raced-${Math.trunc(performance.now() * 1_000)}`);
    const stored = (id: string, revision: number): StoredRow => ({
      _id: id,
      r: revision,
      t: `{"n":${revision}}`,
      k: { shop: 's' },
    });

    it('tries again without upsert, so that the higher revision is not taken for stale', async () => {
      const collection = fresh();
      await collection.insertMany([stored('a', 3), stored('b', 9), stored('c', 5)]);
      const retried: true[] = [];
      const meters = { ...noMeters, retried: () => void retried.push(true) };
      const stale = await writeGuarded(
        raced(collection),
        [stored('a', 5), stored('b', 5), stored('c', 5), stored('d', 5)],
        meters,
      );
      expect([...stale].sort()).to.deep.equal(['b', 'c']);
      expect(retried).to.have.lengthOf(1);
      const rows = await collection.find().sort({ _id: 1 }).toArray();
      expect(rows).to.deep.equal([stored('a', 5), stored('b', 9), stored('c', 5), stored('d', 5)]);
    });

    it('takes no match for stale, when a third writer came in between', async () => {
      const collection = fresh();
      await collection.insertMany([stored('a', 3)]);
      const overtaken = raced(collection);
      overtaken.updateOne = async (...args) => {
        await collection.replaceOne({ _id: 'a' }, { r: 8, t: '{}', k: {} });
        return collection.updateOne(...args);
      };
      expect([...(await writeGuarded(overtaken, [stored('a', 5)], noMeters))]).to.deep.equal(['a']);
      expect((await collection.findOne({ _id: 'a' }))?.r).to.equal(8);
    });
  });
});

/**
 * A real server matches, finds nothing, and inserts: a write in between makes it E11000. Here every write came in
 * between.
 */
function raced(collection: MongoCollection<StoredRow>): MongoCollection<StoredRow> {
  const between: MongoCollection<StoredRow> = Object.create(collection);
  between.bulkWrite = async (operations, options) => collection.bulkWrite(operations.map(insertOf), options);
  between.updateOne = (...args) => collection.updateOne(...args);
  between.find = (filter: object = {}, options: object = {}) => collection.find(filter, options);
  return between;
}

function insertOf(operation: AnyBulkWriteOperation<StoredRow>): AnyBulkWriteOperation<StoredRow> {
  if (!('updateOne' in operation) || Array.isArray(operation.updateOne.update)) throw new Error('it is an upsert');
  const { r = 0, t = '', k = {} } = operation.updateOne.update.$set ?? {};
  return {
    insertOne: {
      document: { _id: String(operation.updateOne.filter._id), r: Number(r), t: String(t), k: { ...Object(k) } },
    },
  };
}
