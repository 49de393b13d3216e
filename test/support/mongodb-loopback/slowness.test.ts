// Late and missing answers of the stand-in, as the real driver meets them.
import { expect } from 'chai';
import { MongoNetworkTimeoutError } from 'mongodb';
import { rejection, type Started, startLoopback } from './started.ts';

describe('the MongoDB stand-in, ordered to be slow,', () => {
  let server: Started;
  before(async () => {
    server = await startLoopback();
  });
  afterEach(() => server.loopback.order({ behave: true }));
  after(() => server.dispose());

  it('never answers over silent connections, and serves new ones', async () => {
    // long enough for a stand-in that is kept from running to answer what it is to answer
    const rows = server.rows({ socketTimeoutMS: 2_000, retryReads: false, maxPoolSize: 1 });
    await rows.insertOne({ _id: 'a' });
    await server.loopback.order({ silence: true });
    expect(await rejection(rows.findOne())).to.be.instanceOf(MongoNetworkTimeoutError);
    expect(await rows.findOne()).to.deep.equal({ _id: 'a' });
  });

  it('tells a writer with a wtimeout that the majority lags, and makes one without it wait', async () => {
    const impatient = server.rows({ writeConcern: { w: 'majority', wtimeoutMS: 50 } });
    const patient = server
      .client({ writeConcern: { w: 'majority' } })
      .db()
      .collection<{ _id: string }>(impatient.collectionName);
    await impatient.insertOne({ _id: 'a' });
    await patient.insertOne({ _id: 'b' });
    await server.loopback.order({ lagMs: 200 });
    expect(await rejection(impatient.insertOne({ _id: 'c' }))).to.include({ code: 64 });
    const before = performance.now();
    await patient.insertOne({ _id: 'd' });
    expect(performance.now() - before).to.be.at.least(199);
    expect(await patient.countDocuments()).to.equal(4);
  });

  it('ends a read after its maxTimeMS', async () => {
    const rows = server.rows();
    await rows.insertOne({ _id: 'a' });
    await server.loopback.order({ slowReads: { collection: rows.collectionName, ms: 300 } });
    expect(await rejection(rows.findOne({}, { maxTimeMS: 50 }))).to.include({ code: 50, codeName: 'MaxTimeMSExpired' });
    expect(await rows.findOne({}, { maxTimeMS: 5_000 })).to.deep.equal({ _id: 'a' });
  });
});
