// Collections and indexes of the stand-in, by the real driver.
import { expect } from 'chai';
import { type Row, rejection, type Started, startLoopback } from './started.ts';

describe('the MongoDB stand-in, administered,', () => {
  let server: Started;
  before(async () => {
    server = await startLoopback();
  });
  after(() => server.dispose());

  it('creates, lists and drops indexes', async () => {
    const rows = server.rows();
    expect(await rows.createIndex({ b: 1, a: -1 })).to.equal('b_1_a_-1');
    expect(await rows.createIndex({ b: 1, a: -1 })).to.equal('b_1_a_-1');
    await rows.createIndexes([{ key: { c: 1 }, unique: true, name: 'one' }]);
    expect((await rows.indexes()).map(({ name, key, unique }) => ({ name, key, unique }))).to.deep.equal([
      { name: '_id_', key: { _id: 1 }, unique: undefined },
      { name: 'b_1_a_-1', key: { b: 1, a: -1 }, unique: undefined },
      { name: 'one', key: { c: 1 }, unique: true },
    ]);
    await rows.dropIndex('one');
    expect(await rejection(rows.dropIndex('one'))).to.include({ code: 27 });
    expect((await rows.indexes()).length).to.equal(2);
  });

  it('refuses another index under the same name, and the same index under another name', async () => {
    const rows = server.rows();
    await rows.createIndex({ a: 1 }, { name: 'one' });
    expect(await rejection(rows.createIndex({ b: 1 }, { name: 'one' }))).to.include({ code: 86 });
    expect(await rejection(rows.createIndex({ a: 1 }, { name: 'two' }))).to.include({ code: 85 });
  });

  it('keeps the keys of a unique index unique', async () => {
    const rows = server.rows();
    await rows.createIndex({ email: 1 }, { unique: true, sparse: true });
    await rows.insertMany([{ _id: 'a', email: 'x' }, { _id: 'b' }, { _id: 'c' }]);
    const error = await rejection(rows.insertOne({ _id: 'd', email: 'x' }));
    expect(error).to.deep.include({ code: 11000, keyPattern: { email: 1 }, keyValue: { email: 'x' } });
    expect(error.message).to.contain('index: email_1 dup key: { email: "x" }');
    expect(await rejection(rows.updateOne({ _id: 'b' }, { $set: { email: 'x' } }))).to.include({ code: 11000 });
    await rows.updateOne({ _id: 'a' }, { $set: { email: 'y' } });
    await rows.updateOne({ _id: 'b' }, { $set: { email: 'x' } });
    await rows.deleteOne({ _id: 'b' });
    await rows.insertOne({ _id: 'd', email: 'x' });
  });

  it('refuses a unique index over documents that share a key', async () => {
    const rows = server.rows();
    await rows.insertMany([
      { _id: 'a', n: 1 },
      { _id: 'b', n: 1 },
    ]);
    expect(await rejection(rows.createIndex({ n: 1 }, { unique: true }))).to.include({ code: 11000 });
    expect((await rows.indexes()).length).to.equal(1);
  });

  it('applies a partial index to its own documents only', async () => {
    const rows = server.rows();
    await rows.createIndex({ n: 1 }, { unique: true, partialFilterExpression: { live: true } });
    await rows.insertMany([
      { _id: 'a', n: 1, live: true },
      { _id: 'b', n: 1, live: false },
    ]);
    expect((await rows.find({ n: 1 }).toArray()).length).to.equal(2);
    expect(await rejection(rows.updateOne({ _id: 'b' }, { $set: { live: true } }))).to.include({ code: 11000 });
  });

  it('lists and drops collections, and reports a missing one', async () => {
    const client = server.client();
    const database = client.db('another');
    await database.createCollection('one');
    await database.collection<Row>('two').insertOne({ _id: 'a' });
    expect(await rejection(database.command({ create: 'one' }))).to.include({ code: 48 });
    expect((await database.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name)).to.deep.equal([
      'one',
      'two',
    ]);
    expect(await database.collection('one').drop()).to.equal(true);
    expect(await rejection(database.command({ drop: 'one' }))).to.include({ code: 26, codeName: 'NamespaceNotFound' });
    expect(await rejection(database.collection('one').indexes())).to.include({ code: 26 });
    expect((await client.db().admin().listDatabases()).databases.map(({ name }) => name)).to.include('another');
    await database.dropDatabase();
    expect(await database.listCollections().toArray()).to.deep.equal([]);
  });

  it('counts commands by name, collection and concerns', async () => {
    const rows = server.rows();
    await rows.insertOne({ _id: 'a' });
    await server.loopback.counts({ reset: true });
    const keys = rows.db.collection<Row>('keys', { readConcern: { level: 'linearizable' } });
    await keys.findOne({ _id: 'a' });
    await keys.findOne({ _id: 'b' });
    const update = { updateOne: { filter: { _id: 'a' }, update: { $set: { n: 1 } } } };
    await rows.bulkWrite([update, update], { ordered: false, writeConcern: { w: 'majority' } });
    await rows.db.command({ ping: 1 });
    expect(await server.loopback.counts({ reset: true })).to.deep.equal([
      { command: 'find', collection: 'keys', readConcern: 'linearizable', times: 2, statements: 0 },
      { command: 'ping', collection: '1', times: 1, statements: 0 },
      { command: 'update', collection: rows.collectionName, writeConcern: 'majority', times: 1, statements: 2 },
    ]);
    expect(await server.loopback.counts()).to.deep.equal([]);
  });
});
