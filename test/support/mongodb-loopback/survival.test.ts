// Data and clients of the stand-in when it is frozen, killed and started again.
import { appendFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Row, rejection, type Started, startLoopback } from './started.ts';

describe('the MongoDB stand-in, killed and frozen,', () => {
  let server: Started;
  before(async () => {
    server = await startLoopback();
  });
  after(() => server.dispose());

  const restart = async (): Promise<void> => {
    await server.loopback.server.kill();
    await server.loopback.server.start();
  };

  it('keeps documents, indexes, drops and its address over a kill', async () => {
    const rows = server.rows();
    const gone = server.rows();
    await gone.insertOne({ _id: 'a' });
    await gone.drop();
    await rows.createIndex({ n: 1 }, { unique: true });
    await rows.createIndex({ m: 1 });
    await rows.dropIndex('m_1');
    await rows.insertMany(['a', 'b', 'c'].map((_id, n): Row => ({ _id, n })));
    await rows.updateOne({ _id: 'b' }, { $set: { n: 7 } });
    await rows.deleteOne({ _id: 'a' });
    const url = server.loopback.url;
    await restart();
    expect(server.loopback.url).to.equal(url);
    expect(await rows.find().toArray()).to.deep.equal([
      { _id: 'b', n: 7 },
      { _id: 'c', n: 2 },
    ]);
    expect((await rows.indexes()).map(({ name }) => name)).to.deep.equal(['_id_', 'n_1']);
    expect(await rejection(rows.insertOne({ _id: 'd', n: 7 }))).to.include({ code: 11000 });
    expect(await gone.countDocuments()).to.equal(0);
  });

  it('keeps every acknowledged write when it is killed under load', async () => {
    const rows = server.rows({ retryWrites: false });
    const acknowledged: string[] = [];
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let i = 0; ; i += 1) {
        const _id = `${writer}-${i}`;
        await rows.insertOne({ _id });
        acknowledged.push(_id);
        if (acknowledged.length === 500) void server.loopback.server.kill();
      }
    });
    await Promise.allSettled(writers);
    await server.loopback.server.start();
    const found = new Set((await rows.find().toArray()).map(({ _id }) => _id));
    expect(acknowledged.length).to.be.at.least(500);
    expect(acknowledged.filter((_id) => !found.has(_id))).to.deep.equal([]);
  });

  it('carries out a write only once when the driver repeats it after a kill', async () => {
    const rows = server.rows();
    await rows.insertOne({ _id: 'a', n: 0 });
    await server.loopback.order({ fail: 'silent_after', of: 'writes' });
    await server.loopback.counts({ reset: true });
    const written = rows.updateOne({ _id: 'a' }, { $inc: { n: 1 } });
    while ((await server.loopback.counts()).length === 0);
    await restart();
    expect(await written).to.include({ modifiedCount: 1 });
    expect(await rows.findOne()).to.deep.equal({ _id: 'a', n: 1 });
  });

  it('drops a record that was written in part, and continues after the last whole one', async () => {
    const rows = server.rows();
    await rows.insertOne({ _id: 'a' });
    await server.loopback.server.kill();
    await appendFile(join(server.directory, 'journal'), Buffer.from([200, 0, 0, 0, 1, 5, 0, 120]));
    await server.loopback.server.start();
    await rows.insertOne({ _id: 'b' });
    await restart();
    expect(await rows.distinct('_id')).to.deep.equal(['a', 'b']);
  });

  it('rewrites a journal of mostly overwritten records', async () => {
    const rows = server.rows();
    await rows.createIndex({ n: 1 }, { unique: true });
    const text = 'x'.repeat(1_000_000);
    for (let n = 0; n < 20; n += 1) await rows.replaceOne({ _id: 'a' }, { n, text }, { upsert: true });
    expect((await stat(join(server.directory, 'journal'))).size).to.be.below(10_000_000);
    await restart();
    expect((await rows.findOne({ n: 19 }))?.['text']).to.equal(text);
    expect((await rows.indexes()).length).to.equal(2);
  });

  it('forgets its cursors', async () => {
    const rows = server.rows();
    await rows.insertMany(Array.from({ length: 20 }, (_, i): Row => ({ _id: `${i}` })));
    const cursor = rows.find({}, { batchSize: 10 });
    await cursor.next();
    await restart();
    expect(await rejection(cursor.toArray())).to.include({ code: 43 });
  });

  it('answers commands from while it was frozen once it is thawed', async () => {
    const rows = server.rows();
    await rows.insertOne({ _id: 'a' });
    const impatient = server
      .client({ socketTimeoutMS: 3_000, retryReads: false })
      .db()
      .collection<Row>(rows.collectionName);
    await impatient.findOne();
    server.loopback.server.freeze();
    const asked = rows.findOne();
    expect(await rejection(impatient.findOne())).to.have.property('name', 'MongoNetworkTimeoutError');
    server.loopback.server.thaw();
    expect(await asked).to.deep.equal({ _id: 'a' });
  });
});
