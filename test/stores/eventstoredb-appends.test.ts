// Appends to EventStoreDB: refused before sending, answered strangely, and outcomes that are found out.
import { EventStoreDBClient } from '@eventstore/db-client';
import { expect } from 'chai';
import type { Appended, EventStore, NewEvent } from '../../src/stores/event-store.ts';
import { type AppendAnswer, AppendCall } from '../../src/stores/eventstoredb/append-call.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { WrittenEvent } from '../../src/stores/written-event.ts';
import { eventOf, eventsIn, eventsOf, faultOf, streamOf } from '../contract/store-under-test.ts';
import { eventStoreDbUnderTest, soon, type UnderTest } from './eventstoredb-under-test.ts';
import { PATIENT } from './patient-timings.ts';

/** Long enough for an answer that is on its way, and not too long for a missing one. */
const ATTEMPT_MS = 1_500;

describe('appends to EventStoreDB', () => {
  let under: UnderTest;
  let store: EventStore;
  before(async () => {
    under = await eventStoreDbUnderTest();
    store = await under.open({ timings: { ...PATIENT, tryMs: ATTEMPT_MS } });
  });
  afterEach(() => under.server.order({ order: 'behave' }));
  after(() => under.dispose());

  const received = async (): Promise<number> => (await under.server.counters()).appends.received;
  const ids = async (stream: string): Promise<readonly string[]> => (await eventsIn(store, stream)).map(({ id }) => id);

  it('sends nothing that the server would choke on: ids, types, sizes, texts', async () => {
    const before = await received();
    const wrong: readonly (readonly NewEvent[])[] = [
      [],
      [{ ...eventOf(), id: 'not-a-uuid' }],
      [{ ...eventOf(), id: '00000000-0000-0000-0000-000000000000' }],
      [{ ...eventOf(), id: eventOf().id.toUpperCase() }],
      [{ ...eventOf(), type: '' }],
      [{ ...eventOf(), type: 'half of a \ud83d' }],
      [eventOf('x'.repeat(17 * 1024 * 1024))],
      [{ ...eventOf(), data: '{"b": 1}' }],
      [{ ...new WrittenEvent(eventOf().id, 'T', {}, {}), data: '{"b": 1}' }],
      [{ ...eventOf(), metadata: 'text' }],
    ];
    for (const events of wrong) expect(await faultOf(store.append(streamOf(), -1, events))).to.be.instanceOf(TypeError);
    expect(await faultOf(store.append(streamOf(), -2, eventsOf(1)))).to.be.instanceOf(TypeError);
    expect(await received()).to.equal(before);
  });

  it('takes an append of 1 MiB, metadata and all, and not one byte more', async () => {
    const ofBytes = (bytes: number): NewEvent => ({
      ...eventOf(),
      type: 'T',
      data: JSON.stringify('x'.repeat(bytes - 4 - 2)),
      metadata: '{}',
    });
    expect(await store.append(streamOf(), -1, [ofBytes(1024 * 1024)])).to.equal('written');
    expect(await faultOf(store.append(streamOf(), -1, [ofBytes(1024 * 1024 + 1)]))).to.be.instanceOf(TypeError);
  });

  it('takes many small events, which are more than one message, whole', async () => {
    const store = await under.open();
    const stream = streamOf();
    const events = Array.from({ length: 10_000 }, () => ({ ...eventOf(), type: 'T', data: '{}', metadata: '{}' }));
    expect(await store.append(stream, -1, events)).to.equal('written');
    expect(await ids(stream)).to.deep.equal(events.map(({ id }) => id));
    expect(await store.append(stream, -1, events)).to.equal('written');
    expect(await store.append(stream, -1, events.slice(1))).to.equal('conflict');
  });

  it('keeps any metadata, also such as clients take for none or for bytes', async () => {
    const texts = ['null', '0', 'false', '""', '[]', '{"constructor":1}', '{"toJSON":2}', '"text"'];
    const stream = streamOf();
    await store.append(
      stream,
      -1,
      texts.map((text) => ({ ...eventOf(), data: text, metadata: text })),
    );
    const found = await eventsIn(store, stream);
    expect(found.map(({ data }) => data)).to.deep.equal(texts);
    expect(found.map(({ metadata }) => metadata)).to.deep.equal(texts);
  });

  it('answers a plain conflict without reading', async () => {
    const { reads } = await under.server.counters();
    expect(await store.append(streamOf(), 7, eventsOf(1))).to.equal('conflict');
    expect((await under.server.counters()).reads).to.deep.equal(reads);
  });

  it('lives through appends that are answered twice', async () => {
    await under.server.order({ order: 'answer appends twice', appends: 20, gapMs: 20 });
    const streams = Array.from({ length: 20 }, () => streamOf());
    for (const stream of streams) expect(await store.append(stream, -1, eventsOf(1))).to.equal('written');
    const { retried } = under.counted;
    await store.append(streamOf(), -1, eventsOf(1));
    expect(under.counted.retried).to.equal(retried);
  });

  for (const when of ['before', 'after'] as const) {
    it(`finds the outcome of appends whose connection is cut ${when} the events are written`, async () => {
      const streams = Array.from({ length: 8 }, () => streamOf(`cut${when}`));
      await under.server.order({ order: 'cut appends', appends: 3, when, prefix: `cut${when}` });
      const unknown = under.counted.outcomeUnknown;
      const events = streams.map(() => eventsOf(2));
      const answers = await Promise.all(streams.map((stream, n) => store.append(stream, -1, events[n] ?? [])));
      expect(answers).to.deep.equal(streams.map(() => 'written'));
      for (const [n, stream] of streams.entries())
        expect(await ids(stream)).to.deep.equal(events[n]?.map(({ id }) => id));
      expect(under.counted.outcomeUnknown).to.be.greaterThan(unknown);
    });

    it(`sends an append again that is never answered, ${when} its events are written`, async () => {
      const stream = streamOf(`ignored${when}`);
      await under.server.order({ order: 'ignore appends', appends: 1, when, prefix: `ignored${when}` });
      const events = eventsOf(3);
      const { repeated } = (await under.server.counters()).appends;
      expect(await store.append(stream, -1, events)).to.equal('written');
      expect(await ids(stream)).to.deep.equal(events.map(({ id }) => id));
      expect((await under.server.counters()).appends.repeated - repeated).to.equal(when === 'after' ? 1 : 0);
    });
  }

  it('calls it a conflict when another took the place of an append that was lost', async () => {
    const stream = streamOf('lost');
    await under.server.order({ order: 'ignore appends', appends: 1, when: 'before', prefix: 'lost' });
    const lost = store.append(stream, -1, eventsOf(1));
    await soon('the append came in', async () => (await under.server.counters(stream)).appends.byStream[stream] === 1);
    const other = eventsOf(1);
    expect(await store.append(stream, -1, other)).to.equal('written');
    expect(await lost).to.equal('conflict');
    expect(await ids(stream)).to.deep.equal(other.map(({ id }) => id));
  });

  it('calls it a conflict when another took a place of an append that was lost, although its first event is there', async () => {
    const stream = streamOf('half');
    await under.server.order({ order: 'ignore appends', appends: 1, when: 'before', prefix: 'half' });
    const [first, second] = eventsOf(2);
    if (first === undefined || second === undefined) throw new Error('there are two events');
    const lost = store.append(stream, -1, [first, second]);
    await soon('the append came in', async () => (await under.server.counters(stream)).appends.byStream[stream] === 1);
    expect(await store.append(stream, -1, [first, ...eventsOf(1)])).to.equal('written');
    expect(await lost).to.equal('conflict');
  });

  describe('on a leader without a quorum, which holds events that it cannot commit', () => {
    /** The stream's appends have been sent so often, and none has come to an end. */
    async function held(stream: string, appending: readonly Promise<unknown>[], times: number): Promise<void> {
      await Promise.race([
        ...appending.map(async (one) => {
          throw new Error(`it was answered ${String(await one)} before anything was known`);
        }),
        soon('sent again', async () => ((await under.server.counters(stream)).appends.byStream[stream] ?? 0) >= times),
      ]);
    }

    it('calls an event written that is written after all, and never a conflict with itself', async () => {
      const [stream, events] = [streamOf('held'), eventsOf(2)];
      await under.server.order({ order: 'quorum', is: 'lost' });
      const appending = store.append(stream, -1, events);
      await held(stream, [appending], 3);
      await under.server.order({ order: 'quorum', is: 'back' });
      expect(await appending).to.equal('written');
      expect(await ids(stream)).to.deep.equal(events.map(({ id }) => id));
    });

    it('writes an event that the next leader never had', async () => {
      const [stream, events] = [streamOf('held'), eventsOf(2)];
      await under.server.order({ order: 'quorum', is: 'lost' });
      const appending = store.append(stream, -1, events);
      await held(stream, [appending], 3);
      await under.server.order({ order: 'quorum', is: 'elsewhere' });
      expect(await appending).to.equal('written');
      expect(await ids(stream)).to.deep.equal(events.map(({ id }) => id));
    });

    it('calls it a conflict once another event stands in its place, and not before', async () => {
      const [stream, other] = [streamOf('held'), eventsOf(1)];
      await under.server.order({ order: 'ignore appends', appends: 1, when: 'before', prefix: stream });
      const appending = store.append(stream, -1, eventsOf(1));
      await soon(
        'the append came in',
        async () => (await under.server.counters(stream)).appends.byStream[stream] === 1,
      );
      await under.server.order({ order: 'quorum', is: 'lost' });
      const another = (await under.open()).append(stream, -1, other);
      await held(stream, [appending, another], 6);
      await under.server.order({ order: 'quorum', is: 'back' });
      expect(await Promise.all([appending, another])).to.deep.equal(['conflict', 'written']);
      expect(await ids(stream)).to.deep.equal(other.map(({ id }) => id));
    });

    it('does not know the outcome of an append that the leader gives up waiting for, once its own patience ends', async () => {
      const patient = await under.open({ timings: { ...PATIENT, tryMs: 10_000, outcomePatienceMs: 500 } });
      await under.server.order({ order: 'quorum', is: 'lost' });
      const fault = await faultOf(patient.append(streamOf('held'), -1, eventsOf(1)));
      expect(fault).to.be.instanceOf(StoreUnavailable);
      expect(fault).to.include({ outcomeUnknown: true });
    });
  });

  it('calls an append written that was lost, although its stream has been deleted softly since', async () => {
    const stream = streamOf('deleted');
    await under.server.order({ order: 'ignore appends', appends: 1, when: 'after', prefix: 'deleted' });
    const lost = store.append(stream, -1, eventsOf(2));
    await soon('it is there', async () => (await eventsIn(store, stream)).length === 2);
    const client = EventStoreDBClient.connectionString(under.server.url);
    await client.deleteStream(stream);
    await client.dispose();
    expect(await lost).to.equal('written');
  });

  it('asks no further when an append that was lost is refused for good, and says that its outcome is unknown', async () => {
    const stream = streamOf('buried');
    await under.server.order({ order: 'ignore appends', appends: 1, when: 'before', prefix: 'buried' });
    const lost = faultOf(store.append(stream, -1, eventsOf(1)));
    await soon('the append came in', async () => (await under.server.counters(stream)).appends.byStream[stream] === 1);
    const client = EventStoreDBClient.connectionString(under.server.url);
    await client.tombstoneStream(stream);
    await client.dispose();
    const fault = await lost;
    expect(fault).to.be.instanceOf(StoreUnavailable);
    expect(fault).to.include({ outcomeUnknown: true });
    expect((await under.server.counters(stream)).appends.byStream[stream]).to.equal(2);
  });

  it('calls it written when an append that was lost is refused for good, but is there', async () => {
    const { send } = AppendCall.prototype;
    for (const why of ['denied', 'too_large', 'bad_request', 'tombstoned'] as const) {
      const [stream, events] = [streamOf(), eventsOf(2)];
      let sent = 0;
      AppendCall.prototype.send = async function sendOnce(request): Promise<AppendAnswer> {
        sent += 1;
        if (sent > 1) return { kind: 'refused', why, message: why };
        await send.call(this, request);
        return { kind: 'lost', cause: new Error('the answer was lost') };
      };
      try {
        expect(await store.append(stream, -1, events)).to.equal('written');
      } finally {
        AppendCall.prototype.send = send;
      }
      expect([sent, await ids(stream)]).to.deep.equal([2, events.map(({ id }) => id)]);
    }
  });

  describe('of a store that is opened in order', () => {
    /** The order of these streams in the log. */
    async function orderOf(streams: readonly string[]): Promise<readonly string[]> {
      const wanted = new Set(streams);
      const found: string[] = [];
      for await (const { events, caughtUp } of store.follow(-1n, [], new AbortController().signal)) {
        found.push(...events.map(({ stream }) => stream).filter((stream) => wanted.has(stream)));
        if (caughtUp) break;
      }
      return found;
    }

    it('keep the order of their calls, however many are under way', async () => {
      const inOrder = await under.open({ inOrder: true });
      const streams = Array.from({ length: 500 }, () => streamOf());
      await Promise.all(streams.map((stream, n) => inOrder.append(stream, -1, [eventOf('x'.repeat((n % 7) * 1_000))])));
      expect(await orderOf(streams)).to.deep.equal(streams);
    });

    it('keep it over a lost connection, too', async () => {
      const inOrder = await under.open({ inOrder: true });
      const streams = Array.from({ length: 64 }, () => streamOf('ordered'));
      await under.server.order({ order: 'slow answers', ms: 200 });
      const { written } = (await under.server.counters()).appends;
      const appends = streams.map((stream) => inOrder.append(stream, -1, eventsOf(1)));
      await soon('some are written', async () => (await under.server.counters()).appends.written > written);
      await under.server.order({ order: 'cut connections' });
      expect(await Promise.all(appends)).to.deep.equal(streams.map(() => 'written'));
      expect(await orderOf(streams)).to.deep.equal(streams);
    });

    it('keep it when others are called while the lost ones wait to be sent again', async () => {
      const inOrder = await under.open({ inOrder: true });
      const streams = Array.from({ length: 64 }, () => streamOf('overtaking'));
      const append = (stream: string): Promise<Appended> => inOrder.append(stream, -1, eventsOf(1));
      await under.server.order({ order: 'ignore appends', appends: 32, when: 'before', prefix: 'overtaking' });
      const { dropped } = under.counted;
      const lost = streams.slice(0, 32).map(append);
      await soon('the call is lost', async () => under.counted.dropped > dropped);
      const others = streams.slice(32).map(append);
      expect(await Promise.all([...lost, ...others])).to.deep.equal(streams.map(() => 'written'));
      expect(await orderOf(streams)).to.deep.equal(streams);
    });
  });

  it('does not tear the line for an append that renews it: the others are sent again once, and written once', async () => {
    const streams = Array.from({ length: 64 }, () => streamOf('many'));
    const { dropped } = under.counted;
    await under.server.order({ order: 'ignore appends', appends: 64, when: 'after', prefix: 'many' });
    const answers = await Promise.all(streams.map((stream) => store.append(stream, -1, eventsOf(1))));
    expect(answers).to.deep.equal(streams.map(() => 'written'));
    for (const stream of streams) expect(await eventsIn(store, stream)).to.have.length(1);
    expect(under.counted.dropped - dropped).to.equal(1);
  });

  it('does not mind a server whose clock is ahead: nothing that it measures by it is sent', async () => {
    await under.server.order({ order: 'shift clock', ms: 3_600_000 });
    expect(await store.append(streamOf(), -1, eventsOf(1))).to.equal('written');
  });

  it('says that nothing was written when the server is not ready, and goes on when it is', async () => {
    await under.server.order({ order: 'be not ready', ms: 600_000 });
    const fault = await faultOf(store.append(streamOf(), -1, eventsOf(1)));
    expect(fault).to.be.instanceOf(StoreUnavailable);
    expect(fault).to.include({ outcomeUnknown: false });
    await under.server.order({ order: 'behave' });
    await soon('ready again', async () => (await faultOf(store.append(streamOf(), -1, eventsOf(1)))) === undefined);
  });

  it('takes no more than it can hold: 10,000 appends at a time, or the texts that would fill its memory', async () => {
    await under.server.freeze();
    const large = eventOf('x'.repeat(1024 * 1024 - 100));
    const many = Array.from({ length: 40 }, () =>
      faultOf(store.append(streamOf(), -1, [{ ...large, id: eventOf().id }])),
    );
    const first = await Promise.race(many);
    expect(first).to.be.instanceOf(StoreUnavailable);
    expect(first).to.include({ outcomeUnknown: false });
    await under.server.thaw();
    const outcomes = await Promise.all(many);
    expect(outcomes.filter((fault) => fault === undefined).length).to.be.within(25, 32);
  });
});
