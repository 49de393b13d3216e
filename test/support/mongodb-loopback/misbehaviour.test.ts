// Each misbehaviour of the stand-in, as the real driver meets it.
import { expect } from 'chai';
import { type Collection, MongoClient, MongoNetworkError, MongoServerSelectionError } from 'mongodb';
import type { Order } from './orders.ts';
import { type Row, rejection, type Started, startLoopback } from './started.ts';

const ONCE = { retryWrites: false, retryReads: false } as const;

describe('the MongoDB stand-in, ordered to misbehave,', () => {
  let server: Started;
  before(async () => {
    server = await startLoopback();
  });
  afterEach(() => server.loopback.order({ behave: true }));
  after(() => server.dispose());

  const fail = (how: Extract<Order, { readonly fail: unknown }>['fail'], times = 1): Promise<void> =>
    server.loopback.order({ fail: how, of: 'writes', times });
  const add = (rows: Collection<Row>): Promise<unknown> =>
    rows.updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { upsert: true });
  const stored = async (rows: Collection<Row>): Promise<unknown> => (await rows.findOne({ _id: 'a' }))?.['n'];

  it('resets the connection before the effect', async () => {
    const rows = server.rows(ONCE);
    await fail('reset_before');
    expect(await rejection(add(rows))).to.be.instanceOf(MongoNetworkError);
    expect(await stored(rows)).to.equal(undefined);
  });

  it('resets the connection after the effect', async () => {
    const rows = server.rows(ONCE);
    await fail('reset_after');
    expect(await rejection(add(rows))).to.be.instanceOf(MongoNetworkError);
    expect(await stored(rows)).to.equal(1);
  });

  for (const how of ['reset_before', 'reset_after'] as const) {
    it(`carries out a write only once when the driver sends it twice (${how})`, async () => {
      const rows = server.rows();
      await fail(how);
      await add(rows);
      expect(await stored(rows)).to.equal(1);
      await fail(how);
      const bulk = await rows.bulkWrite(
        ['a', 'b'].map((_id) => ({ updateOne: { filter: { _id }, update: { $inc: { n: 1 } }, upsert: true } })),
        { ordered: false },
      );
      expect(bulk).to.include({ upsertedCount: 1, matchedCount: 1, modifiedCount: 1 });
      expect(await rows.find().toArray()).to.deep.equal([
        { _id: 'a', n: 2 },
        { _id: 'b', n: 1 },
      ]);
      await fail(how);
      expect(await rows.deleteOne({ _id: 'b' })).to.include({ deletedCount: 1 });
      await fail(how);
      await rows.insertOne({ _id: 'c' });
    });
  }

  for (const [how, effect] of [
    ['silent_before', undefined],
    ['silent_after', 1],
  ] as const) {
    it(`never answers (${how})`, async () => {
      const rows = server.rows({ ...ONCE, socketTimeoutMS: 2_000 });
      await rows.findOne();
      await fail(how);
      expect(await rejection(add(rows))).to.have.property('name', 'MongoNetworkTimeoutError');
      expect(await stored(rows)).to.equal(effect);
    });
  }

  it('refuses a write as not primary, without effect', async () => {
    const rows = server.rows(ONCE);
    await fail('not_primary');
    expect(await rejection(add(rows))).to.include({ code: 10107, codeName: 'NotWritablePrimary' });
    await add(rows);
    expect(await stored(rows)).to.equal(1);
  });

  it('is found again by a driver that retries after a refusal as not primary', async () => {
    const rows = server.rows();
    await fail('not_primary');
    await add(rows);
    expect(await stored(rows)).to.equal(1);
  });

  it('is a secondary until it is primary again, and says so at once', async () => {
    const rows = server.rows();
    await add(rows);
    const listener = server.client({ heartbeatFrequencyMS: 60_000, minHeartbeatFrequencyMS: 100 });
    const listens = new Promise<void>((resolve) => {
      listener.on('serverHeartbeatStarted', ({ awaited }) => awaited && resolve());
    });
    await listener.connect();
    await listens;
    await server.loopback.order({ primary: false });
    const impatient = server.rows({ serverSelectionTimeoutMS: 200 });
    expect(await rejection(add(impatient))).to.be.instanceOf(MongoServerSelectionError);
    const secondary = listener.db().collection<Row>(rows.collectionName, { readPreference: 'secondary' });
    expect(await stored(secondary)).to.equal(1);
    const waiting = listener
      .db()
      .collection<Row>(rows.collectionName)
      .updateOne({ _id: 'a' }, { $inc: { n: 1 } });
    await server.loopback.order({ primary: true });
    expect(await waiting).to.include({ modifiedCount: 1 });
  });

  it('refuses every user: it has none', async () => {
    const url = server.loopback.url.replace('mongodb://', 'mongodb://user:secret@');
    const client = new MongoClient(url);
    expect(await rejection(client.connect())).to.include({ code: 18, codeName: 'AuthenticationFailed' });
    await client.close();
  });

  it('refuses a command as unauthorized', async () => {
    const rows = server.rows(ONCE);
    await fail('unauthorized');
    expect(await rejection(add(rows))).to.include({ code: 13 });
    expect(await stored(rows)).to.equal(undefined);
  });

  it('answers as a standalone server', async () => {
    await server.loopback.order({ standalone: true });
    const [host] = server.loopback.url.split('?');
    const client = new MongoClient(`${host}?directConnection=true`);
    const hello = await client.db().admin().command({ hello: 1 });
    await client.close();
    expect(hello).to.include({ isWritablePrimary: true }).and.not.to.have.property('setName');
  });

  it('carries out a write and says that it may not last', async () => {
    const rows = server.rows(ONCE);
    await fail('write_concern');
    expect(await rejection(add(rows))).to.include({ code: 64 });
    expect(await stored(rows)).to.equal(1);
  });

  it('cannot satisfy a write concern of two members', async () => {
    const rows = server.rows({ ...ONCE, w: 2 });
    expect(await rejection(add(rows))).to.include({ code: 100 });
  });

  it('lets another writer overtake an upsert', async () => {
    const rows = server.rows();
    await server.loopback.order({ overtake: { collection: rows.collectionName, doc: { _id: 'a', n: 5 } } });
    const upsert = (): Promise<unknown> =>
      rows.updateOne({ _id: 'a', n: { $lt: 7 } }, { $set: { n: 7 } }, { upsert: true });
    expect(await rejection(upsert())).to.include({ code: 11000 });
    expect(await stored(rows)).to.equal(5);
    await upsert();
    expect(await stored(rows)).to.equal(7);
  });

  it('is unavailable until it is ordered back', async () => {
    const rows = server.rows();
    await add(rows);
    await server.loopback.order({ unavailable: true });
    const stranger = server.client({ serverSelectionTimeoutMS: 100 });
    expect(await rejection(stranger.connect())).to.be.instanceOf(MongoServerSelectionError);
    const waiting = add(rows);
    await server.loopback.order({ unavailable: false });
    await waiting;
    expect(await stored(rows)).to.equal(2);
  });

  it('delays every answer', async () => {
    const rows = server.rows();
    await rows.findOne();
    await server.loopback.order({ slowMs: 120 });
    const before = performance.now();
    await rows.findOne();
    expect(performance.now() - before).to.be.at.least(119);
    await server.loopback.order({ slowMs: 0 });
  });

  it('fails only the commands that an order names', async () => {
    const rows = server.rows(ONCE);
    const others = server.rows(ONCE);
    await server.loopback.order({
      fail: 'reset_before',
      of: 'reads',
      collection: rows.collectionName,
      command: 'find',
    });
    await add(rows);
    await others.findOne();
    expect(await rejection(rows.findOne())).to.be.instanceOf(MongoNetworkError);
    await rows.findOne();
  });

  it('fails the writes of several orders in the order of these', async () => {
    const rows = server.rows(ONCE);
    await fail('not_primary', 2);
    await fail('write_concern');
    const codes: unknown[] = [];
    for (let i = 0; i < 3; i += 1) codes.push(Object(await rejection(add(rows))).code);
    await add(rows);
    expect(codes).to.deep.equal([10107, 10107, 64]);
    expect(await stored(rows)).to.equal(2);
  });
});
