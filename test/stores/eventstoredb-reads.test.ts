// Reads from EventStoreDB: streams that somebody deleted or limited there, the server's own events, servers that are
// slow or drop calls.
import { binaryEvent, EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { expect } from 'chai';
import { breakIn } from '../../src/journal/chain.ts';
import { BrokenStream } from '../../src/stores/broken-stream.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import { NodeConnection } from '../../src/stores/eventstoredb/connection.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { liveWorld } from '../../src/world.ts';
import { appended, eventsIn, eventsOf, faultOf, streamOf } from '../contract/store-under-test.ts';
import { calmWorld } from '../support/calm-world.ts';
import { eventStoreDbUnderTest, QUICK, soon, type UnderTest } from './eventstoredb-under-test.ts';
import { PATIENT } from './patient-timings.ts';

describe('reads from EventStoreDB', () => {
  let under: UnderTest;
  let store: EventStore;
  /** Somebody else's: what operators do to streams. */
  let client: EventStoreDBClient;
  before(async () => {
    under = await eventStoreDbUnderTest();
    client = EventStoreDBClient.connectionString(under.server.url);
  });
  beforeEach(async () => {
    store = await under.open();
  });
  afterEach(() => under.server.order({ order: 'behave' }));
  after(async () => {
    await client.dispose();
    await under.dispose();
  });

  it('has no head while there are only events of the server itself', async () => {
    under.needs('an empty log');
    expect(await store.head()).to.equal(-1n);
  });

  it('looks past any number of the server’s own events for the head, and remembers how far it looked', async () => {
    const [last] = await appended(store, streamOf(), -1, eventsOf(1));
    await client.appendToStream(
      '$noise',
      Array.from({ length: 3_000 }, () => jsonEvent({ type: '$noise', data: {} })),
    );
    expect(await store.head()).to.equal(last?.position);
    const { reads } = await under.server.counters();
    expect(await store.head()).to.equal(last?.position);
    expect((await under.server.counters()).reads.all - reads.all).to.equal(1);
    const [next] = await appended(store, streamOf(), -1, eventsOf(1));
    expect(await store.head()).to.equal(next?.position);
  });

  it('calls a stream broken that was deleted, softly or for good, and finds nothing in one that never was', async () => {
    const [soft, hard] = [streamOf(), streamOf()];
    for (const stream of [soft, hard]) await appended(store, stream, -1, eventsOf(2));
    await client.deleteStream(soft);
    await client.tombstoneStream(hard);
    for (const tried of [
      eventsIn(store, soft),
      eventsIn(store, soft, 1),
      eventsIn(store, hard),
      store.append(hard, 1, eventsOf(1)),
    ])
      expect(await faultOf(tried)).to.be.instanceOf(BrokenStream);
    expect(String(await faultOf(eventsIn(store, soft)))).to.contain('hides all events of the stream (a soft deletion)');
    expect(String(await faultOf(eventsIn(store, hard)))).to.contain('tombstone');
    expect(await eventsIn(store, streamOf())).to.deep.equal([]);
  });

  it('has a softly deleted stream whole again once its metadata was removed twice, as the break says', async () => {
    const stream = streamOf();
    await appended(store, stream, -1, eventsOf(2));
    await client.deleteStream(stream);
    await client.setStreamMetadata(stream, {});
    // the server has brought the stream back, for later events only
    expect(String(await faultOf(eventsIn(store, stream)))).to.match(/\(\$tb 2\); remove the metadata .* again/);
    await client.setStreamMetadata(stream, {});
    expect((await eventsIn(store, stream)).map(({ revision }) => revision)).to.deep.equal([0, 1]);
  });

  it('never passes the rest of a stream off as the whole', async () => {
    const stream = streamOf();
    await appended(store, stream, -1, eventsOf(5));
    await client.setStreamMetadata(stream, { maxCount: 2 });
    // The reader of a chain finds that it does not begin with the first event.
    expect((await eventsIn(store, stream)).map(({ revision }) => revision)).to.deep.equal([3, 4]);
    expect(await eventsIn(store, stream, 2)).to.have.length(2);
    expect(await breakIn(store, stream)).to.be.instanceOf(BrokenStream);
    await client.setStreamMetadata(stream, { truncateBefore: 5 });
    expect(String(await faultOf(eventsIn(store, stream)))).to.contain('hides all events of the stream ($tb 5)');
    expect(await eventsIn(store, stream, 4)).to.deep.equal([]);
  });

  it('reads bytes and texts of other programs as text, whatever their type', async () => {
    const stream = streamOf();
    const text = '{"not": "as we write it"}';
    await client.appendToStream(stream, binaryEvent({ type: 'T', data: Buffer.from(text) }));
    expect((await eventsIn(store, stream)).map(({ data, metadata }) => ({ data, metadata }))).to.deep.equal([
      { data: text, metadata: '' },
    ]);
  });

  it('tries a read again whose connection is cut, and says within its time that a paused server does not answer', async () => {
    const stream = streamOf();
    await appended(store, stream, -1, eventsOf(1_200));
    await under.server.order({ order: 'slow answers', ms: 100 });
    const reading = eventsIn(store, stream);
    await under.server.order({ order: 'cut connections' });
    expect(await reading).to.have.length(1_200);
    await under.server.order({ order: 'behave' });
    const impatient = await under.open({ timings: { ...PATIENT, readMs: 800 } });
    under.server.freeze();
    const from = calmWorld.monotonic();
    expect(await faultOf(eventsIn(impatient, stream))).to.be.instanceOf(StoreUnavailable);
    expect(calmWorld.monotonic() - from).to.be.within(750, 5_000);
    under.server.thaw();
    expect(await eventsIn(store, stream)).to.have.length(1_200);
  });

  it('waits less for a read while the server is known to be unavailable', async () => {
    const store = await under.open({ timings: { ...QUICK, readMs: 20_000 } });
    under.server.freeze();
    const append = store.append(streamOf(), -1, eventsOf(1));
    await soon('unavailable', () => under.counted.available.at(-1) === false);
    const from = calmWorld.monotonic();
    expect(await faultOf(store.head())).to.be.instanceOf(StoreUnavailable);
    expect(calmWorld.monotonic() - from).to.be.lessThan(10_000);
    under.server.thaw();
    expect(await append).to.equal('written');
  });

  it('takes as long as it needs for a page that comes slowly but does come', async () => {
    const stream = streamOf();
    await appended(store, stream, -1, eventsOf(3));
    await under.server.order({ order: 'slow answers', ms: QUICK.readMs - 300 });
    expect(await eventsIn(store, stream)).to.have.length(3);
  });

  it('answers any number of reads at once from an available server: waiting for others is not silence', async () => {
    const streams = Array.from({ length: 20 }, () => streamOf());
    for (const stream of streams) await appended(store, stream, -1, eventsOf(1));
    const quick = await under.open({ timings: { ...PATIENT, readMs: 1_000 } });
    await under.server.order({ order: 'slow answers', ms: 40 });
    const reads = Array.from({ length: 2_000 }, (_, n) => eventsIn(quick, streams[n % streams.length] ?? ''));
    const found = await Promise.all(reads);
    expect(found.filter(({ length }) => length === 1)).to.have.length(2_000);
    const heads = await Promise.all(Array.from({ length: 500 }, () => quick.head()));
    expect(new Set(heads)).to.have.property('size', 1);
  });

  it('refuses the reads that wait for others as soon as the server is silent, and goes on when it is not', async () => {
    const stream = streamOf();
    await appended(store, stream, -1, eventsOf(1));
    const impatient = await under.open({ timings: { ...PATIENT, readMs: 800 } });
    under.server.freeze();
    const from = calmWorld.monotonic();
    const faults = await Promise.all(Array.from({ length: 2_000 }, () => faultOf(eventsIn(impatient, stream))));
    expect(calmWorld.monotonic() - from).to.be.within(750, 5_000);
    expect(faults.filter((fault) => fault instanceof StoreUnavailable)).to.have.length(2_000);
    under.server.thaw();
    expect(await eventsIn(impatient, stream)).to.have.length(1);
  });

  it('hears messages that came while its own process was paused, before it calls the server silent', async () => {
    const stream = streamOf();
    await appended(store, stream, -1, eventsOf(1));
    const paused = await under.open({ world: liveWorld, timings: { ...PATIENT, readMs: 800 } });
    await under.server.order({ order: 'slow answers', ms: 300 });
    const { reads } = await under.server.counters();
    const reading = eventsIn(paused, stream);
    await soon('asked', async () => (await under.server.counters()).reads.stream > reads.stream);
    standStill(2_000);
    expect(await reading).to.have.length(1);
  });

  it('asks the leader alone: another node may miss a write of a moment ago', async () => {
    const connection = new NodeConnection(under.server.url);
    let asked: unknown;
    const opened = connection.open((_, metadata) => {
      asked = metadata.get('requires-leader');
      throw new Error('seen');
    });
    expect(await faultOf(opened)).to.be.instanceOf(Error);
    expect(asked).to.deep.equal(['true']);
    connection.close();
  });

  it('reads no more once it is closed', async () => {
    await store.close();
    expect(await faultOf(store.head())).to.be.instanceOf(StoreUnavailable);
    expect(await faultOf(eventsIn(store, streamOf()))).to.be.instanceOf(StoreUnavailable);
  });
});

/** As a process that is stopped and goes on: nothing runs meanwhile, and all its timers are due at once. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
