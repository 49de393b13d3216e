// Queries of the stand-in by the real driver: filters, sorts, cursors, counts.
import { expect } from 'chai';
import { type Row, rejection, type Started, startLoopback } from './started.ts';

describe('the MongoDB stand-in, queried,', () => {
  let server: Started;
  before(async () => {
    server = await startLoopback();
  });
  after(() => server.dispose());

  const ids = (rows: readonly { readonly _id: string }[]): string[] => rows.map(({ _id }) => _id);

  it('orders strings by their UTF-8 bytes in sorts and ranges', async () => {
    const rows = server.rows();
    const sorted = ['Z', 'a', 'é', '\u{e000}', '\u{fffd}', '\u{1f600}'];
    await rows.insertMany([...sorted].reverse().map((_id): Row => ({ _id })));
    expect(ids(await rows.find().sort({ _id: 1 }).toArray())).to.deep.equal(sorted);
    const behind = await rows.find({ _id: { $gt: '\u{fffd}' } }).toArray();
    expect(ids(behind)).to.deep.equal(['\u{1f600}']);
  });

  it('orders values of different types by type, and keeps a range within one type', async () => {
    const rows = server.rows();
    await rows.insertMany([
      { _id: 'true', v: true },
      { _id: 'date', v: new Date(0) },
      { _id: 'text', v: 'text' },
      { _id: 'object', v: { a: 1 } },
      { _id: 'missing' },
      { _id: 'number', v: 3 },
    ]);
    expect(ids(await rows.find().sort({ v: 1 }).toArray())).to.deep.equal([
      'missing',
      'number',
      'text',
      'object',
      'true',
      'date',
    ]);
    expect(ids(await rows.find({ v: { $gte: 1 } }).toArray())).to.deep.equal(['number']);
    expect(
      ids(
        await rows
          .find({ v: { $ne: null } })
          .sort({ v: -1 })
          .limit(2)
          .toArray(),
      ),
    ).to.deep.equal(['date', 'true']);
  });

  it('pages along a declared index by key and id', async () => {
    const rows = server.rows();
    await rows.createIndex({ 'k.status': 1, 'k.at': 1, _id: 1 });
    await rows.insertMany(
      Array.from(
        { length: 60 },
        (_, i): Row => ({
          _id: `r${String(i).padStart(2, '0')}`,
          k: { status: ['open', 'done', 'gone'][i % 3], at: i >> 2 },
        }),
      ),
    );
    const where = { 'k.status': { $in: ['open', 'done'] } };
    const all = ids(await rows.find(where).sort({ 'k.at': -1, _id: -1 }).toArray());
    const paged: string[] = [];
    let after: { readonly at: number; readonly id: string } | undefined;
    for (;;) {
      const behind =
        after === undefined
          ? {}
          : { $or: [{ 'k.at': { $lt: after.at } }, { 'k.at': after.at, _id: { $lt: after.id } }] };
      const page = await rows
        .find({ ...where, ...behind })
        .sort({ 'k.at': -1, _id: -1 })
        .limit(7)
        .toArray();
      paged.push(...ids(page));
      const last = page.at(-1);
      if (last === undefined) break;
      after = { at: Number(Object(last['k']).at), id: last._id };
    }
    expect(all.length).to.equal(40);
    expect(paged).to.deep.equal(all);
  });

  it('gives documents beyond the first batch by getMore', async () => {
    const rows = server.rows();
    await rows.insertMany(Array.from({ length: 250 }, (_, i): Row => ({ _id: `${i}` })));
    await server.loopback.counts({ reset: true });
    expect((await rows.find().toArray()).length).to.equal(250);
    expect((await server.loopback.counts()).map(({ command, times }) => [command, times])).to.deep.equal([
      ['find', 1],
      ['getMore', 1],
    ]);
  });

  it('counts open cursors, and reports an unknown one as CursorNotFound', async () => {
    const rows = server.rows();
    await rows.insertMany(Array.from({ length: 20 }, (_, i): Row => ({ _id: `${i}` })));
    const before = await server.loopback.openCursors();
    const cursor = rows.find({}, { batchSize: 5 });
    await cursor.next();
    expect(await server.loopback.openCursors()).to.equal(before + 1);
    await cursor.close();
    expect(await server.loopback.openCursors()).to.equal(before);
    const gone = rows.db.command({ getMore: 12345n, collection: rows.collectionName });
    expect(await rejection(gone)).to.include({ code: 43, codeName: 'CursorNotFound' });
  });

  it('projects, skips and limits', async () => {
    const rows = server.rows();
    await rows.insertMany(['a', 'b', 'c', 'd'].map((_id, n): Row => ({ _id, n, deep: { n, other: 1 } })));
    expect(
      await rows
        .find({}, { projection: { n: 1 } })
        .sort({ _id: 1 })
        .skip(1)
        .limit(2)
        .toArray(),
    ).to.deep.equal([
      { _id: 'b', n: 1 },
      { _id: 'c', n: 2 },
    ]);
    expect(await rows.findOne({ _id: 'a' }, { projection: { _id: 0, deep: 0 } })).to.deep.equal({ n: 0 });
    expect(await rows.findOne({ _id: 'b' }, { projection: { 'deep.n': 1 } })).to.deep.equal({
      _id: 'b',
      deep: { n: 1 },
    });
  });

  it('matches elements of arrays, and all that mingo supports', async () => {
    const rows = server.rows();
    await rows.createIndex({ list: 1 });
    await rows.insertMany([
      { _id: 'a', list: ['x', 'y'] },
      { _id: 'b', list: 'x' },
      { _id: 'c', list: [] },
    ]);
    expect(ids(await rows.find({ list: 'x' }).toArray())).to.deep.equal(['a', 'b']);
    expect(ids(await rows.find({ list: { $in: ['y', 'z'] } }).toArray())).to.deep.equal(['a']);
    expect(ids(await rows.find({ list: { $size: 0 } }).toArray())).to.deep.equal(['c']);
    expect(ids(await rows.find({ _id: /^[ab]$/, list: { $elemMatch: { $eq: 'y' } } }).toArray())).to.deep.equal(['a']);
  });

  it('counts documents', async () => {
    const rows = server.rows();
    await rows.insertMany(['a', 'b', 'c'].map((_id, n): Row => ({ _id, n })));
    expect(await rows.countDocuments()).to.equal(3);
    expect(await rows.countDocuments({ n: { $gt: 0 } })).to.equal(2);
    expect(await rows.countDocuments({ n: 7 })).to.equal(0);
    expect(await rows.estimatedDocumentCount()).to.equal(3);
  });

  it('aggregates as mingo does', async () => {
    const rows = server.rows();
    await rows.insertMany(['a', 'b', 'c'].map((_id, n): Row => ({ _id, n, odd: n % 2 === 1 })));
    const totals = await rows
      .aggregate([
        { $match: { n: { $lt: 5 } } },
        { $group: { _id: '$odd', sum: { $sum: '$n' } } },
        { $sort: { _id: 1 } },
      ])
      .toArray();
    expect(totals).to.deep.equal([
      { _id: false, sum: 2 },
      { _id: true, sum: 1 },
    ]);
  });

  it('refuses unsupported queries rather than answer wrongly', async () => {
    const rows = server.rows();
    await rows.insertOne({ _id: 'a' });
    expect(await rejection(rows.find({}, { collation: { locale: 'de' } }).toArray())).to.include({ code: 2 });
    expect(await rejection(rows.find({ $nonsense: 1 }).toArray())).to.include({ code: 2 });
    expect(await rejection(rows.find({}, { hint: { n: 1 } }).toArray())).to.include({ code: 2 });
    expect(await rejection(rows.aggregate([{ $changeStream: {} }]).toArray())).to.include({ code: 2 });
    const session = rows.db.client.startSession();
    const inTransaction = session.withTransaction(() => rows.insertOne({ _id: 'b' }, { session }));
    expect(await rejection(inTransaction)).to.include({ code: 2 });
    await session.endSession();
    expect(await rejection(rows.db.command({ mapReduce: 'x' }))).to.include({ code: 59, codeName: 'CommandNotFound' });
  });
});
