// Every reader of a stream follows its chain: what somebody took out of a log, or altered in it, is never folded over.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { category, event } from '../../src/domain/category.ts';
import { accept, type Decider } from '../../src/domain/decider.ts';
import { breakIn } from '../../src/journal/chain.ts';
import type { BrokenStreams } from '../../src/journal/stream-folds.ts';
import { Streams } from '../../src/journal/streams.ts';
import { transact } from '../../src/journal/transact.ts';
import { BrokenStream } from '../../src/stores/broken-stream.ts';
import type { EventStore, NewEvent } from '../../src/stores/event-store.ts';
import { openMemoryEventStore } from '../../src/stores/memory/event-store.ts';
import { openSqliteEventStore } from '../../src/stores/sqlite/event-store.ts';
import { eventsIn, faultOf } from '../contract/store-under-test.ts';
import { eventStoreDbUnderTest } from '../stores/eventstoredb-under-test.ts';
import { PATIENT } from '../stores/patient-timings.ts';
import { type Alteration, alterLog } from '../support/altered-log.ts';
import { calmWorld } from '../support/calm-world.ts';

const counterCategory = category(
  'counter',
  z.discriminatedUnion('type', [event('Added', z.strictObject({ amount: z.int() }))]),
);
type CounterEvent = z.infer<typeof counterCategory.event>;
const counter: Decider<{ readonly total: number }, CounterEvent> = {
  category: counterCategory,
  initial: { total: 0 },
  evolve: ({ total }, { data }) => ({ total: total + data.amount }),
};
const context = (operationId = 'op') => ({
  accountId: 'a',
  actor: { kind: 'operator' as const, id: 'test' },
  at: 1,
  correlationId: 'r',
  operationId,
});
const add = (amount: number) => () => accept<CounterEvent>({ type: 'Added', data: { amount } });
const nodeOn = (events: EventStore, broken?: BrokenStreams): Streams<{ readonly total: number }, CounterEvent> =>
  new Streams(
    counter,
    { events, world: calmWorld, report: (fault) => expect.fail(String(fault)), ...(broken && { broken }) },
    async () => undefined,
  );

/** Six events, as one node appends them. */
async function write(events: EventStore, id: string): Promise<void> {
  for (let n = 0; n < 6; n += 1) await transact(nodeOn(events), id, context(), add(n));
}

async function drained(history: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of history);
}

/** The revisions at which each way to read the stream stops; 'read' where it does not. */
async function stops(events: EventStore, id: string): Promise<{ readonly [reader: string]: number | 'read' }> {
  const readers: { readonly [reader: string]: (node: ReturnType<typeof nodeOn>) => Promise<unknown> } = {
    load: async (node) => node.load(id),
    at: (node) => node.at(id, 5),
    history: (node) => drained(node.history(id, -1)),
    command: (node) => transact(node, id, context(), add(1)),
    once: (node) => transact(node, id, context(), add(1), { onceAfter: 0 }),
  };
  const found = await Promise.all(
    Object.entries(readers).map(async ([name, read]) => {
      const fault = await faultOf(read(nodeOn(events)));
      if (fault !== undefined && !(fault instanceof BrokenStream)) throw fault;
      return [name, fault?.revision ?? 'read'] as const;
    }),
  );
  return Object.fromEntries(found);
}
const everywhere = (revision: number) => ({
  load: revision,
  at: revision,
  history: revision,
  command: revision,
  once: revision,
});

describe('a stream in a SQLite file that was altered from outside', () => {
  let directory: string;
  let events: EventStore;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'counterfoil-chain-'));
    events = await openSqliteEventStore({
      file: join(directory, 'events.db'),
      world: calmWorld,
      report: (fault) => expect.fail(String(fault)),
    });
  });
  after(async () => {
    await events.close();
    await rm(directory, { recursive: true });
  });

  const cases: readonly (readonly [title: string, alteration: Alteration, stopsAt: number])[] = [
    ['an event deleted in the middle', { kind: 'deleted', n: 2 }, 3],
    ['an event’s data altered', { kind: 'dataAltered', n: 2 }, 3],
    ['an event’s metadata altered', { kind: 'metadataAltered', n: 2 }, 3],
    ['two events swapped', { kind: 'swapped', n: 2, m: 3 }, 2],
    ['the first event deleted', { kind: 'deleted', n: 0 }, 1],
    ['the first event’s data altered', { kind: 'dataAltered', n: 0 }, 1],
  ];
  for (const [title, alteration, stopsAt] of cases) {
    it(`stops every reader at the break: ${title}`, async () => {
      const id = `${alteration.kind}${alteration.n}`;
      await write(events, id);
      expect((await nodeOn(events).load(id)).state.total).to.equal(15);
      await alterLog(join(directory, 'events.db'), `counter-${id}`, alteration);
      expect(await stops(events, id)).to.deep.equal(everywhere(stopsAt));
      expect(await eventsIn(events, `counter-${id}`)).to.have.length(alteration.kind === 'deleted' ? 5 : 6);
    });
  }

  it('is not whole for those who look whether it was mended, where its last event is no JSON: no later event holds its hash', async () => {
    await write(events, 'cut');
    expect(await breakIn(events, 'counter-cut')).to.equal(undefined);
    await alterLog(join(directory, 'events.db'), 'counter-cut', { kind: 'dataCut', n: 5 });
    expect(await faultOf(nodeOn(events).current('cut'))).to.be.instanceOf(BrokenStream);
    expect(await breakIn(events, 'counter-cut'))
      .to.be.instanceOf(BrokenStream)
      .with.property('revision', 5);
  });

  it('stops a node that had folded its beginning before', async () => {
    await write(events, 'warm');
    const node = nodeOn(events);
    const known = await node.load('warm');
    await transact(nodeOn(events), 'warm', context(), add(6));
    await transact(nodeOn(events), 'warm', context(), add(7));
    await alterLog(join(directory, 'events.db'), 'counter-warm', { kind: 'deleted', n: 6 });
    expect(await faultOf(node.current('warm')))
      .to.be.instanceOf(BrokenStream)
      .with.property('revision', 7);
    expect(known.state.total).to.equal(15);
  });

  it('stops a retry that reads again an event which this node folded as another one', async () => {
    await write(events, 'changed');
    const node = nodeOn(events);
    await node.load('changed');
    await transact(nodeOn(events), 'changed', context(), add(6));
    await alterLog(join(directory, 'events.db'), 'counter-changed', { kind: 'dataAltered', n: 5 });
    expect(await faultOf(transact(node, 'changed', context('x'), add(1), { onceAfter: 2 }))).to.be.instanceOf(
      BrokenStream,
    );
  });

  it('stops a reader that begins at an event which is gone', async () => {
    await write(events, 'begun');
    await alterLog(join(directory, 'events.db'), 'counter-begun', { kind: 'deleted', n: 4 });
    expect(await faultOf(drained(nodeOn(events).history('begun', 4)))).to.be.instanceOf(BrokenStream);
  });

  it('is not answered from the fold of a node that has met the break', async () => {
    await write(events, 'kept');
    const node = nodeOn(events);
    await node.load('kept');
    await alterLog(join(directory, 'events.db'), 'counter-kept', { kind: 'dataAltered', n: 2 });
    expect((await node.load('kept')).state.total).to.equal(15);
    expect(await faultOf(drained(node.history('kept', -1)))).to.be.instanceOf(BrokenStream);
    expect(await faultOf(Promise.resolve(node.load('kept')))).to.be.instanceOf(BrokenStream);
  });

  it('is recorded before anybody hears of it, and refused at once from then on, even if its fold is at hand', async () => {
    const found: BrokenStream[] = [];
    const broken: BrokenStreams = {
      documented: async () => undefined,
      check: (stream) => {
        for (const one of found) if (one.stream === stream) throw one;
      },
      found: (one) => void found.push(one),
    };
    await write(events, 'told');
    const warm = nodeOn(events, broken);
    await warm.load('told');
    await alterLog(join(directory, 'events.db'), 'counter-told', { kind: 'deleted', n: 2 });
    expect(await faultOf(transact(nodeOn(events, broken), 'told', context(), add(1)))).to.equal(found[0]);
    expect(found.map(({ stream, revision, type }) => ({ stream, revision, type }))).to.deep.equal([
      { stream: 'counter-told', revision: 3, type: 'Added' },
    ]);
    expect(await faultOf(transact(warm, 'told', context(), add(1)))).to.equal(found[0]);
  });
});

/**
 * Histories that somebody altered before they came into a store: another store would have to show the same after the
 * same attack.
 */
const ALTERED: readonly (readonly [
  title: string,
  alter: (events: readonly NewEvent[]) => readonly NewEvent[],
  stopsAt: number,
])[] = [
  ['an event left out', (all) => all.toSpliced(2, 1), 2],
  ['an event’s data altered', (all) => all.map((one, n) => (n === 2 ? { ...one, data: '{"amount":99}' } : one)), 3],
  [
    'an event’s metadata altered',
    (all) => all.map((one, n) => (n === 2 ? { ...one, metadata: one.metadata.replace('"a"', '"b"') } : one)),
    3,
  ],
  ['two events swapped', ([a, b, c, ...rest]) => [a, c, b, ...rest].filter((one) => one !== undefined), 1],
  ['the first event left out', (all) => all.slice(1), 0],
];

async function stopsAll(events: EventStore): Promise<void> {
  const whole = openMemoryEventStore();
  await write(whole, 'x');
  const texts = (await eventsIn(whole, 'counter-x')).map(({ id, type, data, metadata }) => ({
    id,
    type,
    data,
    metadata,
  }));
  for (const [place, [title, alter, stopsAt]] of ALTERED.entries()) {
    await events.append(`counter-${place}`, -1, alter(texts));
    expect(await stops(events, String(place)), title).to.deep.equal(everywhere(stopsAt));
  }
  await events.append('counter-whole', -1, texts);
  expect((await nodeOn(events).load('whole')).state.total).to.equal(15);
}

describe('an altered history', () => {
  it('stops every reader at the break, on the memory store', () => stopsAll(openMemoryEventStore()));

  it('stops every reader at the break, on EventStoreDB', async () => {
    const under = await eventStoreDbUnderTest();
    try {
      await stopsAll(await under.open({ timings: PATIENT }));
    } finally {
      await under.dispose();
    }
  });
});
