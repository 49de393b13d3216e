// The part of the event store contract about the log as a whole: its head, and readers that follow it.
import { expect } from 'chai';
import type { Batch, EventStore, StoredEvent } from '../../src/stores/event-store.ts';
import { appended, eventOf, eventsIn, eventsOf, RUN, type StoreUnderTest, streamOf } from './store-under-test.ts';

/** Follows until `done` says so about a batch; ends by aborting, as a service does. */
export async function followUntil(
  store: EventStore,
  after: bigint,
  categories: readonly string[],
  done: (batch: Batch, events: readonly StoredEvent[]) => boolean,
): Promise<{ readonly events: readonly StoredEvent[]; readonly batches: readonly Batch[] }> {
  const aborting = new AbortController();
  const events: StoredEvent[] = [];
  const batches: Batch[] = [];
  for await (const batch of store.follow(after, categories, aborting.signal)) {
    batches.push(batch);
    events.push(...batch.events);
    if (done(batch, events)) aborting.abort();
  }
  return { events, batches };
}

const caughtUp = (batch: Batch): boolean => batch.caughtUp;

/**
 * A reader that sees each event once, in the order of the log, and none up to a position that a batch said it covers.
 */
function expectInOrder(batches: readonly Batch[], after: bigint): void {
  let covered = after;
  for (const { events, position } of batches) {
    let last = covered;
    for (const event of events) {
      expect(event.position > last, `position ${event.position} after ${last}`).to.equal(true);
      last = event.position;
    }
    expect(position >= last).to.equal(true);
    covered = position;
  }
}

export function followContract(opened: () => StoreUnderTest): void {
  const store = (): EventStore => opened().store;

  describe('head', () => {
    it('is the position of the last event of the log', async () => {
      const [stored] = await appended(store(), streamOf(), -1, eventsOf(1));
      expect(await store().head()).to.equal(stored?.position);
    });
  });

  describe('follow', () => {
    it('brings the log after a position, says that it caught up, then brings new events, without a gap between', async () => {
      const [earlier] = await appended(store(), streamOf(), -1, eventsOf(1));
      const after = earlier?.position ?? -1n;
      const past = await appended(store(), streamOf(), -1, eventsOf(3));
      let appending: Promise<readonly StoredEvent[]> | undefined;
      const { events, batches } = await followUntil(store(), after, [], (batch, all) => {
        if (batch.caughtUp && all.length >= 3) appending ??= appended(store(), streamOf(), -1, eventsOf(2));
        return all.length >= 5;
      });
      expect(events).to.deep.equal([...past, ...((await appending) ?? [])]);
      expectInOrder(batches, after);
    });

    it('brings every event once from any position, by pages, with no order but that of the log', async () => {
      const shuffled = `shuffled${RUN}`;
      const streams = Array.from({ length: 7 }, () => streamOf(shuffled));
      for (const round of [-1, 299, 599])
        await Promise.all(streams.map((stream) => appended(store(), stream, round, eventsOf(300))));
      const all = await followUntil(store(), -1n, [shuffled], caughtUp);
      expectInOrder(all.batches, -1n);
      expect(all.events).to.have.length(6_300);
      for (const at of [0, 1, 999, 1_000, 3_333, 6_298, 6_299]) {
        const from = all.events[at]?.position ?? raise('no such event');
        const rest = await followUntil(store(), from, [shuffled], caughtUp);
        expect(rest.events).to.deep.equal(all.events.slice(at + 1));
      }
    });

    it('brings only the categories that were asked for, and covers the others with its position', async () => {
      const [wanted, other] = [`wanted${RUN}`, `other${RUN}`];
      const first = await appended(store(), streamOf(wanted), -1, eventsOf(2));
      await appended(store(), streamOf(other), -1, eventsOf(2));
      await appended(store(), streamOf(`${wanted}Too`), -1, eventsOf(2));
      const second = await appended(store(), streamOf(wanted), -1, eventsOf(1));
      const [last] = await appended(store(), streamOf(other), -1, eventsOf(1));
      const { events, batches } = await followUntil(store(), -1n, [wanted, 'nothingHasThis'], caughtUp);
      expect(events).to.deep.equal([...first, ...second]);
      expect(batches.at(-1)?.position).to.equal(last?.position);
    });

    it('says that it caught up even when nothing matches, on an empty rest and on one of other categories', async () => {
      const head = await store().head();
      const empty = await followUntil(store(), head, [], caughtUp);
      expect(empty.batches).to.deep.equal([{ events: [], position: head, caughtUp: true }]);
      const none = await followUntil(store(), -1n, ['nothingHasThis'], caughtUp);
      expect(none.events).to.deep.equal([]);
      expect(none.batches.at(-1)).to.include({ position: head, caughtUp: true });
    });

    it('moves the position of a live follower over events of other categories', async () => {
      const before = await store().head();
      let appending: Promise<readonly StoredEvent[]> | undefined;
      const { batches } = await followUntil(store(), before, ['nothingHasThis'], ({ position }) => {
        appending ??= appended(store(), streamOf(), -1, [eventOf()]);
        return position > before;
      });
      expect(batches.at(-1)?.position).to.equal((await appending)?.[0]?.position);
    });

    it('ends when the signal aborts: while it waits, while it reads, and before it starts', async () => {
      const waiting = new AbortController();
      for await (const batch of store().follow(await store().head(), [], waiting.signal))
        if (batch.caughtUp) queueMicrotask(() => waiting.abort());
      const started = new AbortController();
      started.abort();
      for await (const batch of store().follow(-1n, [], started.signal))
        throw new Error(`a batch of ${batch.events.length} after the abort`);
    });

    it('lets a follower stop by leaving its loop', async () => {
      for await (const batch of store().follow(-1n, [], new AbortController().signal)) {
        expect(batch.events.length).to.be.greaterThan(0);
        break;
      }
    });

    it('shows every event once, in order and without a gap filled later, to those who follow while eight processes append', async () => {
      const { appendElsewhere, another } = opened();
      const [category, each] = [`crowd${RUN}`, 150];
      const streams = Array.from({ length: 8 }, () => streamOf(category));
      const after = await store().head();
      const enough = (_: Batch, all: readonly StoredEvent[]): boolean => all.length >= streams.length * each;
      const second = (await another?.()) ?? store();
      const readers = [followUntil(store(), after, [category], enough), followUntil(second, after, [], enough)];
      const inThisProcess = async (stream: string, count: number): Promise<void> => {
        for (let n = 0; n < count; n += 1) await appended(store(), stream, n - 1, eventsOf(1));
      };
      await Promise.all(streams.map((stream) => (appendElsewhere ?? inThisProcess)(stream, each)));
      const [one, two] = await Promise.all(readers);
      expectInOrder(one?.batches ?? [], after);
      expect(one?.events).to.deep.equal(two?.events);
      for (const stream of streams) {
        const seen = one?.events.filter((event) => event.stream === stream) ?? [];
        expect(seen).to.deep.equal(await eventsIn(store(), stream));
        expect(seen.map(({ revision }) => revision)).to.deep.equal(Array.from({ length: each }, (_, n) => n));
      }
      const again = await followUntil(store(), after, [category], caughtUp);
      expect(again.events).to.deep.equal(one?.events);
    });
  });
}

function raise(message: string): never {
  throw new Error(message);
}
