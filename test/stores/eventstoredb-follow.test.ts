// Following EventStoreDB through what ends subscriptions all the time: dropped, stalled, restarted, and from positions
// that are not there.
import { EventStoreDBClient } from '@eventstore/db-client';
import { expect } from 'chai';
import { Notice } from '../../src/app-error.ts';
import type { EventStore, StoredEvent, StreamLimit } from '../../src/stores/event-store.ts';
import type { World } from '../../src/world.ts';
import { followUntil } from '../contract/event-store-follow.suite.ts';
import { appended, eventOf, eventsIn, eventsOf, faultOf, streamOf } from '../contract/store-under-test.ts';
import { calmWorld, pause } from '../support/calm-world.ts';
import type { DropAs } from '../support/eventstoredb-loopback/eventstoredb-loopback.ts';
import { until } from '../support/until.ts';
import { eventStoreDbUnderTest, QUICK, soon, type UnderTest } from './eventstoredb-under-test.ts';
import { PATIENT } from './patient-timings.ts';

describe('a follower of EventStoreDB', () => {
  let under: UnderTest;
  let store: EventStore;
  /** Where the log ended when the test began. */
  let begin: bigint;
  /** The position of the last batch that `collect` has handled. */
  let seenUpTo: bigint;
  before(async () => {
    under = await eventStoreDbUnderTest();
  });
  beforeEach(async () => {
    await under.server.order({ order: 'behave' });
    store = await under.open();
    begin = await store.head();
    seenUpTo = begin;
    under.counted.dropped = 0;
    under.reported.length = 0;
  });
  afterEach(() => store.close());
  after(() => under.dispose());

  /**
   * Follows all that comes from the test's begin on, until the signal aborts; `each` is waited for before the next
   * batch.
   */
  async function collect(
    signal: AbortSignal,
    each: () => Promise<void> = async () => undefined,
  ): Promise<readonly StoredEvent[]> {
    const seen: StoredEvent[] = [];
    for await (const { events, position } of store.follow(begin, [], signal)) {
      for (const event of events) {
        expect(event.position > (seen.at(-1)?.position ?? -1n), 'in order, and each once').to.equal(true);
        seen.push(event);
      }
      expect(position >= (seen.at(-1)?.position ?? -1n)).to.equal(true);
      await each();
      seenUpTo = position;
    }
    return seen;
  }

  it('hears of streams that lose events, in the order of the log, and takes none of it for an event or a position', async () => {
    const [soft, hard, limited, other] = [streamOf(), streamOf(), streamOf(), streamOf('other')];
    const client = EventStoreDBClient.connectionString(under.server.url);
    for (const stream of [soft, hard, limited, other]) await appended(store, stream, -1, eventsOf(1));
    await client.deleteStream(soft);
    await client.tombstoneStream(hard);
    await client.setStreamMetadata(limited, { maxCount: 5, maxAge: 60 });
    await client.setStreamMetadata(limited, {});
    await client.setStreamMetadata(other, { maxCount: 5 });
    await client.dispose();
    const head = await store.head();
    const told: StreamLimit[] = [];
    const enough = new AbortController();
    for await (const { events, limits = [], position } of store.follow(begin, ['payment'], enough.signal)) {
      told.push(...limits);
      expect(events.filter(({ type }) => type.startsWith('$'))).to.deep.equal([]);
      expect(position <= head).to.equal(true);
      if (told.length >= 4) enough.abort();
    }
    expect(told).to.deep.equal([
      { stream: soft, limit: 'a soft deletion' },
      { stream: hard, limit: 'a tombstone' },
      { stream: limited, limit: '$maxCount 5, $maxAge 60' },
      { stream: limited, limit: undefined },
    ]);
  });

  /** `writers` streams of `each` events. */
  async function write(writers: number, each: number): Promise<readonly string[]> {
    const streams = Array.from({ length: writers }, () => streamOf());
    const writeOne = async (stream: string): Promise<void> => {
      for (let n = 0; n < each; n += 1) expect(await store.append(stream, n - 1, [eventOf({ n })])).to.equal('written');
    };
    await Promise.all(streams.map(writeOne));
    return streams;
  }

  async function expectAllOf(streams: readonly string[], seen: readonly StoredEvent[]): Promise<void> {
    for (const stream of streams)
      expect(seen.filter((event) => event.stream === stream)).to.deep.equal(await eventsIn(store, stream));
  }

  /** At least so many, each with events on their way. */
  const DROPS = 3;

  for (const as of ['too_slow', 'reset', 'unavailable'] as const satisfies readonly DropAs[]) {
    it(`sees every event once while it is dropped every 50 ms under load (${as}), and says nothing of it`, async () => {
      const leaving = new AbortController();
      const following = collect(leaving.signal);
      await under.server.order({ order: 'drop subscriptions', as, everyMs: 50 });
      const streams = [...(await write(16, 100))];
      // A fast machine writes little for long.
      await until(async () => {
        if (under.counted.dropped <= DROPS) streams.push(...(await write(16, 10)));
        return under.counted.dropped > DROPS;
      });
      await under.server.order({ order: 'drop subscriptions', everyMs: 0 });
      const head = await store.head();
      await soon('all is followed', () => seenUpTo >= head);
      leaving.abort();
      await expectAllOf(streams, await following);
      expect(under.reported).to.deep.equal([]);
    });
  }

  it('loses nothing when the server drops it because its consumer is paused', async () => {
    const [leaving, going] = [new AbortController(), new AbortController()];
    const stopped = new Promise<void>((go) => going.signal.addEventListener('abort', () => go()));
    await write(1, 1);
    const following = collect(leaving.signal, () => stopped);
    await soon('live', async () => (await under.server.counters()).open.live === 1);
    const text = 'x'.repeat(100_000);
    const streams = Array.from({ length: 8 }, () => streamOf());
    const before = (await under.server.counters()).subscriptions.dropped;
    const dropped = async (): Promise<boolean> => (await under.server.counters()).subscriptions.dropped > before;
    let rounds = 0;
    for (; rounds < 60 && !(await dropped()); rounds += 1)
      await Promise.all(streams.map((stream) => store.append(stream, rounds - 1, [eventOf({ text })])));
    expect(await dropped(), `dropped after ${rounds} rounds`).to.equal(true);
    going.abort();
    const head = await store.head();
    await soon('all is followed', () => seenUpTo >= head);
    leaving.abort();
    await expectAllOf(streams, await following);
  });

  it('asks less and less often while an idle log drops it again and again, and at once when it has brought something', async () => {
    const pauses: number[] = [];
    const world: World = {
      ...calmWorld,
      sleep: (ms, signal) => {
        pauses.push(ms);
        return calmWorld.sleep(ms, signal);
      },
    };
    await store.close();
    store = await under.open({ world });
    begin = await store.head();
    const leaving = new AbortController();
    const following = collect(leaving.signal);
    await under.server.order({ order: 'drop subscriptions', everyMs: 1 });
    await soon('a longer pause', () => pauses.includes(200));
    expect(under.counted.dropped).to.be.lessThan(10);
    await under.server.order({ order: 'drop subscriptions', everyMs: 0 });
    await appended(store, streamOf(), -1, eventsOf(1));
    const head = await store.head();
    await soon('it is followed', () => seenUpTo >= head);
    pauses.length = 0;
    await under.server.order({ order: 'drop subscriptions' });
    await soon('live', async () => (await under.server.counters()).open.live === 1);
    expect(pauses.filter((ms) => [25, 50, 100, 200, 400].includes(ms))).to.deep.equal([]);
    leaving.abort();
    await following;
  });

  it('goes on over a restart of the server, and is live soon after it', async () => {
    const leaving = new AbortController();
    const following = collect(leaving.signal);
    const before = await write(4, 10);
    await under.server.kill();
    await pause(500);
    await under.server.start();
    await soon('appends again', async () => (await faultOf(store.append(streamOf(), -1, eventsOf(1)))) === undefined);
    const after = await write(4, 10);
    const head = await store.head();
    await soon('all is followed', () => seenUpTo >= head, 5_000);
    leaving.abort();
    await expectAllOf([...before, ...after], await following);
  });

  it('gives a notice of a long absence once, and one of its end', async () => {
    await store.close();
    store = await under.open({ timings: { ...PATIENT, absenceMs: QUICK.absenceMs } });
    const leaving = new AbortController();
    const following = collect(leaving.signal);
    await under.server.kill();
    await soon('it is said', () => under.reported.length > 0);
    await pause(500);
    expect(under.reported).to.have.length(1);
    await under.server.start();
    await soon('its end is said', () => under.reported.length === 2);
    expect(under.reported.every((said) => said instanceof Notice)).to.equal(true);
    expect(String(under.reported[0])).to.match(/has been unreachable for \d+ s.*ECONNREFUSED/);
    leaving.abort();
    await following;
  });

  it('sees each event once when it is dropped while a batch is handled and more events wait', async () => {
    const leaving = new AbortController();
    const stream = streamOf();
    await appended(store, stream, -1, eventsOf(100));
    let batches = 0;
    const following = collect(leaving.signal, async () => {
      batches += 1;
      if (batches > 1) return;
      await soon('live', async () => (await under.server.counters()).open.live === 1);
      await store.append(stream, 99, eventsOf(100)); // has come by now, and is not handled
      await under.server.order({ order: 'drop subscriptions' });
      await store.append(stream, 199, eventsOf(100)); // comes with the next subscription alone
    });
    await soon('all is followed', async () => batches > 1 && seenUpTo >= (await store.head()));
    leaving.abort();
    await expectAllOf([stream], await following);
    expect(under.counted.dropped).to.equal(1);
  });

  it('refuses a position beyond the end of the log, and one inside an event, and names the remedy', async () => {
    await appended(store, streamOf(), -1, eventsOf(3));
    const head = await store.head();
    const from = (after: bigint): Promise<unknown> => faultOf(followUntil(store, after, [], () => true));
    const beyond = await from(head + 1n);
    expect(beyond).to.include({ code: 'LogEndsBefore' });
    expect(String(beyond)).to.contain(`ends at ${head}`).and.to.contain('serve --accept-shorter-log');
    const inside = await from(head - 1n);
    expect(inside).to.include({ code: 'NoSuchPosition' });
    expect(String(inside)).to.contain('counterfoil projections rebuild --all');
  });

  it('asks a far server for the wanted streams only, and then covers the others too', async () => {
    const text = 'x'.repeat(500_000);
    const wanted = await appended(store, streamOf('few'), -1, eventsOf(2));
    for (let n = 0; n < 40; n += 1) await store.append(streamOf('many'), -1, [eventOf({ text })]);
    const late = await appended(store, streamOf('few'), -1, eventsOf(2));
    const [last] = await appended(store, streamOf('many'), -1, eventsOf(1));
    const before = (await under.server.counters()).subscriptions.all;
    const { events, batches } = await followUntil(store, begin, ['few'], ({ caughtUp }) => caughtUp);
    expect(events).to.deep.equal([...wanted, ...late]);
    expect(batches.at(-1)).to.deep.include({ position: last?.position, caughtUp: true });
    expect((await under.server.counters()).subscriptions.all - before).to.equal(2);
  });

  it('leaves no call open: those that are aborted, left, or read in part', async () => {
    const stream = streamOf();
    await appended(store, stream, -1, eventsOf(2_000));
    const { batchAppends } = (await under.server.counters()).open;
    for (let n = 0; n < 30; n += 1) {
      for await (const _ of store.follow(-1n, [], new AbortController().signal)) break;
      for await (const _ of store.read(stream, -1)) break;
      const aborted = new AbortController();
      const following = followUntil(store, -1n, [], () => true);
      const other = collect(aborted.signal);
      aborted.abort();
      await Promise.all([following, other]);
    }
    await soon('nothing is open', async () => {
      const { open } = await under.server.counters();
      return open.subscriptions === 0 && open.reads === 0 && open.batchAppends === batchAppends;
    });
  });

  it('ends at once when it is aborted while the server is paused', async () => {
    const leaving = new AbortController();
    const following = collect(leaving.signal);
    await pause(100);
    under.server.freeze();
    const other = new AbortController();
    const unable = collect(other.signal);
    await pause(100);
    const from = calmWorld.monotonic();
    leaving.abort();
    other.abort();
    await Promise.all([following, unable]);
    expect(calmWorld.monotonic() - from).to.be.lessThan(5_000); // what waits for the server waits for a minute
    under.server.thaw();
  });
});
