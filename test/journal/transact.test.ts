// The one loop: conflicts are decided again, refusals stand only on the newest state, an operation happens once.
import { expect } from 'chai';
import { z } from 'zod';
import { category, event } from '../../src/domain/category.ts';
import { accept, type Decider, reject } from '../../src/domain/decider.ts';
import type { Context } from '../../src/journal/context.ts';
import { EventMetadata, hashOf } from '../../src/journal/envelope.ts';
import { Streams } from '../../src/journal/streams.ts';
import { contextAfter, transact } from '../../src/journal/transact.ts';
import type { EventStore, StoredEvent } from '../../src/stores/event-store.ts';
import { openMemoryEventStore } from '../../src/stores/memory/event-store.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { newId } from '../../src/world.ts';
import { calmWorld } from '../support/calm-world.ts';

const counterCategory = category(
  'counter',
  z.discriminatedUnion('type', [
    event('Added', z.strictObject({ amount: z.int() })),
    event('Closed', z.strictObject({})),
  ]),
);
type CounterEvent = z.infer<typeof counterCategory.event>;
interface Counter {
  readonly total: number;
  readonly closed: boolean;
}
const counter: Decider<Counter, CounterEvent> = {
  category: counterCategory,
  initial: { total: 0, closed: false },
  evolve: (state, { type, data }) =>
    type === 'Added' ? { ...state, total: state.total + data.amount } : { ...state, closed: true },
};
const add =
  (amount: number, limit = Number.MAX_SAFE_INTEGER) =>
  (state: Counter) =>
    state.closed || state.total + amount > limit
      ? reject('Conflict', 'full')
      : accept<CounterEvent>({ type: 'Added', data: { amount } });

const nodeOn = (
  events: EventStore,
  onFolded: (id: string, revision: number, state: Counter) => Promise<void> = async () => undefined,
) => {
  const reported: unknown[] = [];
  const clock = { now: calmWorld.now };
  const world = { ...calmWorld, now: () => clock.now() };
  const streams = new Streams(counter, { events, world, report: (fault) => reported.push(fault) }, onFolded);
  /** Sets the clock of this node, ms. */
  const at = (ms: number) => {
    clock.now = () => ms;
    return streams;
  };
  return { streams, reported, at };
};
const context = (operationId = newId(calmWorld, 'op')): Context => ({
  accountId: 'acc_1',
  actor: { kind: 'operator', id: 'test' },
  at: calmWorld.now(),
  correlationId: 'r-1',
  operationId,
});
async function stored(events: EventStore, stream: string): Promise<StoredEvent[]> {
  const all: StoredEvent[] = [];
  for await (const one of events.read(stream, -1)) all.push(one);
  return all;
}

describe('transact', () => {
  let events: EventStore;
  beforeEach(() => {
    events = openMemoryEventStore();
  });

  it('loses nothing when two nodes write to one stream at once', async () => {
    const [a, b] = [nodeOn(events), nodeOn(events)];
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        transact(index % 2 === 0 ? a.streams : b.streams, 'x', context(), add(1)),
      ),
    );
    const written = results.filter(({ kind }) => kind === 'written').length;
    const folded = await a.streams.current('x');
    expect(folded.state.total).to.equal(written);
    expect(written).to.be.greaterThan(30);
    for (const result of results) if (result.kind === 'rejected') expect(result.errorId).to.equal('Conflict');
  });

  it('loses no fact to a race, however many are recorded at once', async () => {
    const [a, b] = [nodeOn(events), nodeOn(events)];
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        transact(index % 2 === 0 ? a.streams : b.streams, 'x', context(), add(1), { isFact: true }),
      ),
    );
    expect(results.filter(({ kind }) => kind === 'written')).to.have.length(60);
    expect((await b.streams.current('x')).state.total).to.equal(60);
  });

  it('keeps a limit that two nodes race for', async () => {
    const [a, b] = [nodeOn(events), nodeOn(events)];
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        transact(index % 2 === 0 ? a.streams : b.streams, 'x', context(), add(1, 5)),
      ),
    );
    expect((await b.streams.current('x')).state.total).to.equal(5);
  });

  it('refuses only on the newest state: a cached one may be older than another process’s write', async () => {
    const [a, b] = [nodeOn(events), nodeOn(events)];
    await transact(a.streams, 'x', context(), add(5, 5));
    await transact(b.streams, 'x', context(), (state) =>
      state.total === 5 ? accept<CounterEvent>({ type: 'Added', data: { amount: -5 } }) : accept(),
    );
    const again = await transact(a.streams, 'x', context(), add(5, 5));
    expect(again.kind).to.equal('written');
  });

  it('names the request that began it all, and the event that an event follows from', async () => {
    const { streams } = nodeOn(events);
    const both = await transact(streams, 'x', context(), () =>
      accept<CounterEvent>(...[1, 2, 3].map((amount) => ({ type: 'Added' as const, data: { amount } }))),
    );
    await transact(streams, 'y', contextAfter(context(), both), add(3));
    await transact(streams, 'z', { ...context(), ...(await streams.causeAt('x', 0)) }, add(4));
    const unchanged = await transact(streams, 'x', context(), () => accept<CounterEvent>());
    await transact(streams, 'v', contextAfter(context(), unchanged), add(5));
    const causes = async (id: string) =>
      (await stored(events, streams.name(id))).map(({ metadata }) => {
        const { $correlationId, $causationId } = EventMetadata.parse(JSON.parse(metadata));
        return { $correlationId, $causationId };
      });
    const [first, second, third] = (await stored(events, streams.name('x'))).map(({ id }) => id);
    const request = { $correlationId: 'r-1', $causationId: 'r-1' };
    expect(await causes('x')).to.deep.equal([
      request,
      { ...request, $causationId: first },
      { ...request, $causationId: second },
    ]);
    expect(await causes('y')).to.deep.equal([{ ...request, $causationId: third }]);
    expect(await causes('z')).to.deep.equal([{ ...request, $causationId: first }]);
    expect(await causes('v')).to.deep.equal([request]);
  });

  it('writes nothing when there is nothing to do', async () => {
    const { streams } = nodeOn(events);
    const result = await transact(streams, 'x', context(), () => accept<CounterEvent>());
    expect(result.kind).to.equal('unchanged');
    expect(await stored(events, 'counter-x')).to.deep.equal([]);
  });

  it('gives up with 409 Conflict after five lost races', async () => {
    const { streams } = nodeOn(events);
    const rival = nodeOn(events);
    const losing: EventStore = {
      ...events,
      append: async (stream, after, appended) => {
        await rival.streams.append(
          'x',
          await rival.streams.current('x'),
          [{ type: 'Added', data: { amount: 1 } }],
          context(),
        );
        return events.append(stream, after, appended);
      },
      read: (stream, after) => events.read(stream, after),
    };
    const loser = nodeOn(losing);
    const result = await transact(loser.streams, 'x', context(), add(1));
    expect(result).to.deep.include({ kind: 'rejected', errorId: 'Conflict', retryAfterSeconds: 1 });
    expect((await streams.current('x')).state.total).to.equal(5);
  });

  it('chains every event to the text of the one before and never lets time go backwards', async () => {
    const { at } = nodeOn(events);
    await transact(at(2_000), 'x', context(), () =>
      accept<CounterEvent>({ type: 'Added', data: { amount: 1 } }, { type: 'Added', data: { amount: 2 } }),
    );
    await transact(at(1_000), 'x', context(), add(3));
    const all = await stored(events, 'counter-x');
    const metadata = all.map((one) => EventMetadata.parse(JSON.parse(one.metadata)));
    expect(metadata.map(({ recordedAt }) => recordedAt)).to.deep.equal([2_000, 2_000, 2_000]);
    const hashes = all.map((one) => hashOf(one));
    expect(metadata.map(({ previousHash }) => previousHash)).to.deep.equal(['', hashes[0], hashes[1]]);
  });

  it('records events at the time of their own append, not of the request, and takes the time again after a lost race', async () => {
    const [a, b] = [nodeOn(events), nodeOn(events)];
    await transact(a.at(1_000), 'x', { ...context(), at: 10 }, add(1));
    await transact(b.at(2_500), 'x', { ...context(), at: 20 }, add(1));
    const clock = [2_000, 3_000];
    await transact(a.streams, 'x', { ...context(), at: 30 }, (state) => {
      a.at(clock.shift() ?? 0);
      return add(1)(state);
    });
    const times = (await stored(events, 'counter-x')).map(
      (one) => EventMetadata.parse(JSON.parse(one.metadata)).recordedAt,
    );
    expect(times).to.deep.equal([1_000, 2_500, 3_000]);
  });

  it('chains to the newest event, and lets no time go backwards, even if other nodes wrote several since', async () => {
    const [a, b] = [nodeOn(events), nodeOn(events)];
    await transact(a.at(1_000), 'x', context(), add(1));
    for (const ms of [2_000, 3_000]) await transact(b.at(ms), 'x', context(), add(1));
    await transact(a.at(1_500), 'x', context(), add(1));
    const all = await stored(events, 'counter-x');
    const metadata = all.map((one) => EventMetadata.parse(JSON.parse(one.metadata)));
    expect(metadata.map(({ recordedAt }) => recordedAt)).to.deep.equal([1_000, 2_000, 3_000, 3_000]);
    expect(metadata.slice(1).map(({ previousHash }) => previousHash)).to.deep.equal(
      all.slice(0, -1).map((one) => hashOf(one)),
    );
  });

  it('answers the fold of a revision, not a newer one at hand', async () => {
    const { streams } = nodeOn(events);
    for (let made = 0; made < 3; made += 1) await transact(streams, 'x', context(), add(1));
    for (const revision of [-1, 0, 1, 2]) {
      const { state, head } = await streams.at('x', revision);
      expect([state.total, head.revision]).to.deep.equal([revision + 1, revision]);
    }
  });

  it('answers a durable write even when the read models are unavailable, and reports it', async () => {
    const { streams, reported } = nodeOn(events, () =>
      Promise.reject(new StoreUnavailable('read models are unavailable')),
    );
    const result = await transact(streams, 'x', context(), add(1));
    expect(result.kind).to.equal('written');
    expect(reported).to.have.length(1);
  });

  it('makes a new stream without reading, and still meets an existing one', async () => {
    const { streams } = nodeOn(events);
    await transact(streams, 'x', context(), add(1));
    const result = await transact(
      nodeOn(events).streams,
      'x',
      context(),
      (state) => (state.total > 0 ? accept<CounterEvent>() : add(7)(state)),
      { start: 'empty' },
    );
    expect(result.kind).to.equal('unchanged');
    expect((await streams.current('x')).state.total).to.equal(1);
  });
});

describe('transact with onceAfter', () => {
  it('has one effect for one operation that two nodes carry out twenty times at once', async () => {
    const events = openMemoryEventStore();
    const [a, b] = [nodeOn(events), nodeOn(events)];
    const operation = context();
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        transact(index % 2 === 0 ? a.streams : b.streams, 'x', operation, add(1), { onceAfter: -1 }),
      ),
    );
    expect((await a.streams.current('x')).state.total).to.equal(1);
    expect(results.filter(({ kind }) => kind === 'written')).to.have.length(1);
    expect(results.filter(({ kind }) => kind === 'repeated')).to.have.length(19);
  });

  it('finds its event among later events of others', async () => {
    const events = openMemoryEventStore();
    const { streams } = nodeOn(events);
    const operation = context();
    await transact(streams, 'x', operation, add(1), { onceAfter: -1 });
    for (let other = 0; other < 5; other += 1) await transact(streams, 'x', context(), add(1));
    const again = await transact(nodeOn(events).streams, 'x', operation, add(1), { onceAfter: -1 });
    expect(again).to.include({ kind: 'repeated', revision: 0 });
  });

  it('reads nothing where the fold at hand ends where the claim found the stream, and asks the append', async () => {
    const { events, reads } = counted(openMemoryEventStore());
    const { streams } = nodeOn(events);
    expect((await transact(streams, 'x', context(), add(1), { onceAfter: -1 })).kind).to.equal('written');
    expect((await transact(streams, 'x', context(), add(1), { onceAfter: 0 })).kind).to.equal('written');
    expect(reads).to.deep.equal([]);
  });

  it('finds the event that another node appended just before the last decision it may take', async () => {
    const events = openMemoryEventStore();
    const rival = nodeOn(events);
    const operation = context();
    let races = 0;
    const losing: EventStore = {
      ...events,
      append: async (stream, after, appended) => {
        races += 1;
        await transact(rival.streams, 'x', races === 5 ? operation : context(), add(1), { onceAfter: -1 });
        return events.append(stream, after, appended);
      },
      read: (stream, after) => events.read(stream, after),
    };
    const found = await transact(nodeOn(losing).streams, 'x', operation, add(1), { onceAfter: -1 });
    expect(found).to.include({ kind: 'repeated', revision: 4 });
    expect((await rival.streams.current('x')).state.total).to.equal(5);
  });

  it('finds its event in the fold at hand, by reading from the claim on', async () => {
    const { events, reads } = counted(openMemoryEventStore());
    const { streams } = nodeOn(events);
    const operation = context();
    await transact(streams, 'x', context(), add(1));
    await transact(nodeOn(events).streams, 'x', operation, add(1));
    await transact(streams, 'x', context(), add(1));
    reads.length = 0;
    expect(await transact(streams, 'x', operation, add(1), { onceAfter: 0 })).to.include({
      kind: 'repeated',
      revision: 1,
    });
    expect(reads).to.deep.equal([0]);
    expect((await streams.current('x')).state.total).to.equal(3);
  });

  it('finds its event after a refusal, or nothing to do, on the fold at hand', async () => {
    for (const decide of [
      add(5, 5),
      (state: Counter) => (state.total === 5 ? accept<CounterEvent>() : add(5)(state)),
    ]) {
      const events = openMemoryEventStore();
      const [a, b] = [nodeOn(events), nodeOn(events)];
      const operation = context();
      await transact(a.streams, 'x', context(), add(5));
      await transact(b.streams, 'x', context(), add(-5));
      await transact(b.streams, 'x', operation, add(5, 5), { onceAfter: 0 });
      expect(await transact(a.streams, 'x', operation, decide, { onceAfter: 0 })).to.include({
        kind: 'repeated',
        revision: 2,
      });
    }
  });

  it('leaves nothing out of a fold that ends before the claim, when the stream goes on after it', async () => {
    const events = openMemoryEventStore();
    const [a, b] = [nodeOn(events), nodeOn(events)];
    await transact(a.streams, 'x', context(), add(1));
    for (let other = 0; other < 4; other += 1) await transact(b.streams, 'x', context(), add(1));
    expect(await transact(a.streams, 'x', context(), add(1, 5), { onceAfter: 3 })).to.include({
      kind: 'rejected',
      errorId: 'Conflict',
    });
    const done = await transact(a.streams, 'x', context(), add(1, 6), { onceAfter: 3 });
    expect(done.kind === 'written' && done.folded.state.total).to.equal(6);
  });

  it('meets newer events in the append: its own event by another node, which is not done again', async () => {
    const events = openMemoryEventStore();
    const [a, b] = [nodeOn(events), nodeOn(events)];
    const operation = context();
    await transact(a.streams, 'x', context(), add(1));
    await b.streams.current('x');
    await transact(b.streams, 'x', operation, add(1), { onceAfter: 0 });
    await transact(b.streams, 'x', context(), add(1));
    expect(await transact(a.streams, 'x', operation, add(1), { onceAfter: 0 })).to.include({
      kind: 'repeated',
      revision: 1,
    });
    expect((await a.streams.current('x')).state.total).to.equal(3);
  });
});

describe('transact from a guess', () => {
  it('makes a stream without reading it, and decides again on the existing events', async () => {
    const { events, reads } = counted(openMemoryEventStore());
    expect((await transact(nodeOn(events).streams, 'x', context(), add(1, 1), { start: 'guess' })).kind).to.equal(
      'written',
    );
    expect(reads).to.deep.equal([]);
    expect((await transact(nodeOn(events).streams, 'x', context(), add(1, 1), { start: 'guess' })).kind).to.equal(
      'rejected',
    );
  });
});

/** From where the streams of a store were read. */
function counted(events: EventStore): { readonly events: EventStore; readonly reads: number[] } {
  const reads: number[] = [];
  const read: EventStore['read'] = (stream, after) => {
    reads.push(after);
    return events.read(stream, after);
  };
  const append: EventStore['append'] = (stream, after, list) => events.append(stream, after, list);
  return { events: { ...events, append, read }, reads };
}
