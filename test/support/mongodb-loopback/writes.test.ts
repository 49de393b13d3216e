// Inserts, updates and deletes by the real driver.
import { expect } from 'chai';
import { Long, MongoBulkWriteError } from 'mongodb';
import { type Row, rejection, type Started, startLoopback } from './started.ts';

describe('the MongoDB stand-in, written to,', () => {
  let server: Started;
  before(async () => {
    server = await startLoopback();
  });
  after(() => server.dispose());

  const guarded = (_id: string, revision: number, text = `${_id} at ${revision}`) => ({
    updateOne: { filter: { _id, revision: { $lt: revision } }, update: { $set: { revision, text } }, upsert: true },
  });

  it('words a duplicate id as the real server does', async () => {
    const rows = server.rows();
    await rows.insertOne({ _id: 'a' });
    const error = await rejection(rows.insertOne({ _id: 'a' }));
    const wording = `E11000 duplicate key error collection: counterfoil.${rows.collectionName} index: _id_ dup key: { _id: "a" }`;
    expect(error).to.include({ message: wording, code: 11000 });
    expect(error).to.deep.include({ keyPattern: { _id: 1 }, keyValue: { _id: 'a' } });
  });

  it('carries out many guarded upserts at once, of new and of newer documents', async () => {
    const rows = server.rows();
    const first = await rows.bulkWrite([guarded('a', 1), guarded('b', 1)], { ordered: false });
    expect(first).to.include({ upsertedCount: 2, matchedCount: 0, modifiedCount: 0 });
    expect(first.upsertedIds).to.deep.equal({ 0: 'a', 1: 'b' });
    const second = await rows.bulkWrite([guarded('b', 2), guarded('c', 1)], { ordered: false });
    expect(second).to.include({ upsertedCount: 1, matchedCount: 1, modifiedCount: 1 });
    expect(await rows.find().sort({ _id: 1 }).toArray()).to.deep.equal([
      { _id: 'a', revision: 1, text: 'a at 1' },
      { _id: 'b', revision: 2, text: 'b at 2' },
      { _id: 'c', revision: 1, text: 'c at 1' },
    ]);
  });

  it('answers E11000 to a guarded upsert over a newer document, and continues an unordered command', async () => {
    const rows = server.rows();
    await rows.bulkWrite([guarded('a', 5), guarded('b', 5)]);
    const error = await rejection(
      rows.bulkWrite([guarded('a', 3), guarded('b', 6), guarded('b', 6)], { ordered: false }),
    );
    if (!(error instanceof MongoBulkWriteError)) throw error;
    expect([error.writeErrors].flat().map(({ index, code }) => ({ index, code }))).to.deep.equal([
      { index: 0, code: 11000 },
      { index: 2, code: 11000 },
    ]);
    expect(error.result.modifiedCount).to.equal(1);
    expect(await rows.findOne({ _id: 'b' })).to.deep.equal({ _id: 'b', revision: 6, text: 'b at 6' });
  });

  it('stops an ordered bulk write at the first error', async () => {
    const rows = server.rows();
    await rows.insertOne({ _id: 'a' });
    await rejection(rows.insertMany([{ _id: '0' }, { _id: 'a' }, { _id: 'b' }]));
    expect(await rows.distinct('_id')).to.deep.equal(['0', 'a']);
  });

  it('matches no newer document without upsert, which means stale', async () => {
    const rows = server.rows();
    await rows.insertOne({ _id: 'a', revision: 4 });
    expect(await rows.updateOne({ _id: 'a', revision: { $lt: 4 } }, { $set: { revision: 4 } })).to.include({
      matchedCount: 0,
    });
    expect(await rows.updateOne({ _id: 'a', revision: { $lt: 5 } }, { $set: { revision: 5 } })).to.include({
      modifiedCount: 1,
    });
  });

  it('counts matched and modified documents separately', async () => {
    const rows = server.rows();
    await rows.insertOne({ _id: 'a', n: 1 });
    expect(await rows.updateOne({ _id: 'a' }, { $set: { n: 1 } })).to.include({ matchedCount: 1, modifiedCount: 0 });
  });

  it('replaces documents, and inserts the replacement with the id of the filter', async () => {
    const rows = server.rows();
    await rows.replaceOne({ _id: 'a', n: { $lt: 1 } }, { n: 1, old: true }, { upsert: true });
    await rows.replaceOne({ _id: 'a', n: { $lt: 2 } }, { n: 2 }, { upsert: true });
    expect(await rows.find().toArray()).to.deep.equal([{ _id: 'a', n: 2 }]);
  });

  it('applies $setOnInsert only on insert, and copies the filter’s equality conditions', async () => {
    const rows = server.rows();
    const update = { $set: { n: 1 }, $setOnInsert: { born: true }, $unset: { gone: '' } };
    await rows.updateOne({ _id: 'a', kind: 'x', 'deep.er': 2 }, update, { upsert: true });
    expect(await rows.findOne({ _id: 'a' })).to.deep.equal({ _id: 'a', kind: 'x', deep: { er: 2 }, n: 1, born: true });
    await rows.updateOne({ _id: 'a' }, { $set: { gone: 1, n: 2 } });
    await rows.updateOne({ _id: 'a' }, { ...update, $setOnInsert: { born: false } });
    expect(await rows.findOne({ _id: 'a' })).to.deep.equal({ _id: 'a', kind: 'x', deep: { er: 2 }, n: 1, born: true });
  });

  it('updates by operators, paths, array filters and pipelines', async () => {
    const rows = server.rows();
    await rows.insertOne({ _id: 'a', n: 1, deep: { list: [{ v: 1 }, { v: 2 }] } });
    await rows.updateOne({ _id: 'a' }, { $inc: { n: 2 }, $max: { high: 4 }, $set: { 'deep.er': true } });
    await rows.updateOne({ _id: 'a' }, { $set: { 'deep.list.$[one].v': 9 } }, { arrayFilters: [{ 'one.v': 2 }] });
    await rows.updateOne({ _id: 'a' }, [{ $set: { double: { $multiply: ['$n', 2] } } }]);
    expect(await rows.findOne({ _id: 'a' })).to.deep.equal({
      _id: 'a',
      n: 3,
      deep: { list: [{ v: 1 }, { v: 9 }], er: true },
      high: 4,
      double: 6,
    });
  });

  it('keeps the types of values that an update does not name', async () => {
    const rows = server.rows();
    const date = new Date(5);
    await rows.insertOne({ _id: 'a', long: Long.fromNumber(7), date, n: 1 });
    await rows.updateOne({ _id: 'a' }, { $inc: { n: 1 } });
    const stored = await rows.findOne({ _id: 'a' }, { promoteLongs: false, promoteValues: true });
    expect(Long.isLong(stored?.['long'])).to.equal(true);
    expect(stored?.['date']).to.deep.equal(date);
  });

  it('updates and deletes many documents', async () => {
    const rows = server.rows();
    await rows.insertMany(['a', 'b', 'c'].map((_id, n): Row => ({ _id, n })));
    expect(await rows.updateMany({ n: { $gte: 1 } }, { $set: { seen: true } })).to.include({
      matchedCount: 2,
      modifiedCount: 2,
    });
    expect(await rows.deleteOne({ seen: true })).to.include({ deletedCount: 1 });
    expect(await rows.deleteMany({})).to.include({ deletedCount: 2 });
    expect(await rows.countDocuments()).to.equal(0);
  });

  it('refuses to change an id', async () => {
    const rows = server.rows();
    await rows.insertOne({ _id: 'a' });
    expect(await rejection(rows.updateOne({ _id: 'a' }, { $set: { _id: 'b' } }))).to.include({ code: 66 });
  });

  it('creates no collection for an update that finds no document', async () => {
    const rows = server.rows();
    await rows.updateOne({ _id: 'a' }, { $set: { n: 1 } });
    await rows.deleteOne({ _id: 'a' });
    expect(await server.client().db().listCollections({ name: rows.collectionName }).toArray()).to.deep.equal([]);
  });

  it('carries out a message of megabytes', async () => {
    const rows = server.rows();
    const text = 'x'.repeat(1_000_000);
    await rows.insertMany(Array.from({ length: 20 }, (_, i): Row => ({ _id: `${i}`, text })));
    const found = await rows.find({}, { batchSize: 20 }).toArray();
    expect(found.map((row) => String(row['text']).length)).to.deep.equal(Array.from({ length: 20 }, () => 1_000_000));
  });
});
