// Long streams: a command, or an answer given again, reads a bounded number of their events, and believes no snapshot
// that is not its own.
import { expect } from 'chai';
import { z } from 'zod';
import { category, event } from '../../src/domain/category.ts';
import { accept, type Decider } from '../../src/domain/decider.ts';
import { foldSnapshots, foldSnapshotsOf, type KeptSnapshot, SNAPSHOT_EVERY } from '../../src/journal/fold-snapshots.ts';
import { Streams } from '../../src/journal/streams.ts';
import { transact } from '../../src/journal/transact.ts';
import { StoreKey } from '../../src/secrets.ts';
import { BrokenStream } from '../../src/stores/broken-stream.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import { openMemoryEventStore } from '../../src/stores/memory/event-store.ts';
import { memoryReadModels } from '../../src/stores/memory/read-models.ts';
import type { ReadModelStore, Stored } from '../../src/stores/read-models.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { eventsIn, faultOf } from '../contract/store-under-test.ts';
import { calmWorld } from '../support/calm-world.ts';

const counterCategory = category(
  'counter',
  z.discriminatedUnion('type', [event('Added', z.strictObject({ amount: z.int() }))]),
);
type CounterEvent = z.infer<typeof counterCategory.event>;
interface Counter {
  readonly total: number;
}
const counter: Decider<Counter, CounterEvent> = {
  category: counterCategory,
  initial: { total: 0 },
  evolve: ({ total }, { data }) => ({ total: total + data.amount }),
};
const context = {
  accountId: 'a',
  actor: { kind: 'operator' as const, id: 'test' },
  at: 1,
  correlationId: 'r',
  operationId: 'o',
};
const add = (amount: number) => () => accept<CounterEvent>({ type: 'Added', data: { amount } });

const EVENTS = 1_234;
const totalAt = (revision: number): number => ((revision + 1) * (revision + 2)) / 2;

describe('a stream of many events', () => {
  const storeKey = new StoreKey(Buffer.alloc(32, 3));
  let events: EventStore;
  let readModels: ReadModelStore;
  let read = 0;

  /** A node that has folded nothing yet. */
  const cold = ({ version = 1, log = events, kept = readModels } = {}): Streams<Counter, CounterEvent> => {
    const report = (fault: unknown): void => expect.fail(String(fault));
    const counted: EventStore = {
      append: (stream, after, list) => log.append(stream, after, list),
      async *read(stream, after) {
        for await (const stored of log.read(stream, after)) {
          read += 1;
          yield stored;
        }
      },
      follow: (after, categories, signal) => log.follow(after, categories, signal),
      head: () => log.head(),
      close: () => log.close(),
    };
    read = 0;
    const snapshots = foldSnapshotsOf({ readModels: kept, storeKey, report }, version);
    return new Streams(counter, { events: counted, world: calmWorld, report, snapshots }, async () => undefined);
  };
  const settled = async (): Promise<void> => calmWorld.sleep(1, new AbortController().signal);

  beforeEach(async () => {
    events = openMemoryEventStore();
    readModels = memoryReadModels();
    const writer = cold();
    for (let n = 0; n < EVENTS; n += 1) await transact(writer, 'x', context, add(n + 1));
    await settled();
  });

  it('costs a command on a cold node two short stretches of it', async () => {
    const node = cold();
    const done = await transact(node, 'x', context, add(1));
    expect(done.kind === 'written' && done.folded.state.total).to.equal(totalAt(EVENTS - 1) + 1);
    expect(read).to.be.lessThan(2 * SNAPSHOT_EVERY + 3);
  });

  it('costs the fold of any revision one short stretch of it', async () => {
    for (const revision of [0, 98, 99, 100, 555, 1_099, 1_100, EVENTS - 1]) {
      const node = cold();
      expect((await node.at('x', revision)).state.total).to.equal(totalAt(revision));
      expect(read).to.be.lessThan(SNAPSHOT_EVERY + 3);
    }
  });

  it('has no snapshot while it is short, and asks for none', async () => {
    let asked = 0;
    const kept: ReadModelStore = Object.assign(memoryReadModels(), {
      find: () => {
        asked += 1;
        return Promise.resolve([]);
      },
    });
    for (let n = 0; n < SNAPSHOT_EVERY - 1; n += 1) await transact(cold({ kept }), 'short', context, add(1));
    expect([asked, await kept.count(foldSnapshots)]).to.deep.equal([0, 0]);
  });

  const rowsOf = async (stream: string): Promise<readonly Stored<KeptSnapshot>[]> =>
    readModels.find(foldSnapshots, { where: { stream: [stream] }, limit: 100 });

  /** Loads a stream whose snapshots are all invalid, and again after they were created again. */
  async function rebuilt(id: string): Promise<void> {
    expect((await cold().load(id)).state.total).to.equal(totalAt(EVENTS - 1));
    expect(read).to.be.greaterThan(EVENTS - 1);
    await settled();
    expect((await cold().load(id)).state.total).to.equal(totalAt(EVENTS - 1));
    expect(read).to.be.lessThan(EVENTS / 2);
  }

  const alterations: readonly (readonly [what: string, alter: (doc: KeptSnapshot) => KeptSnapshot])[] = [
    ['text', (doc) => ({ ...doc, text: '{"total":1}' })],
    ['hash', (doc) => ({ ...doc, head: { ...doc.head, hash: '0'.repeat(64) } })],
    ['revision', (doc) => ({ ...doc, head: { ...doc.head, revision: doc.head.revision - 1 } })],
    ['time', (doc) => ({ ...doc, head: { ...doc.head, recordedAt: doc.head.recordedAt + 1 } })],
    ['MAC', (doc) => ({ ...doc, mac: '0'.repeat(64) })],
  ];
  for (const [what, alter] of alterations) {
    it(`is folded from its events where the ${what} of its snapshots was altered, and they are created again`, async () => {
      const rows = await rowsOf('counter-x');
      expect(rows).to.have.length(Math.floor(EVENTS / SNAPSHOT_EVERY));
      const altered = rows.map(({ id, revision, doc }) => ({ id, revision: revision + 1, doc: alter(doc) }));
      await readModels.write<KeptSnapshot, 'stream' | 'revision'>(foldSnapshots, altered);
      await rebuilt('x');
    });
  }

  it('is folded from its events where its snapshots are another stream’s, put under its name', async () => {
    const writer = new Streams(counter, { events, world: calmWorld, report: () => undefined }, async () => undefined);
    for (let n = 0; n < EVENTS; n += 1) await transact(writer, 'y', context, add(n + 1));
    const moved = (await rowsOf('counter-x')).map(({ id, revision, doc }) => ({
      id: id.replace('-x', '-y'),
      revision,
      doc: { ...doc, stream: 'counter-y' },
    }));
    await readModels.write<KeptSnapshot, 'stream' | 'revision'>(foldSnapshots, moved);
    await rebuilt('y');
  });

  it('is folded from its events where another version of the fold made the snapshots', async () => {
    const newer = cold({ version: 2 });
    expect((await newer.load('x')).state.total).to.equal(totalAt(EVENTS - 1));
    expect(read).to.be.greaterThan(EVENTS - 1);
    await settled();
    await cold({ version: 2 }).load('x');
    expect(read).to.be.lessThan(EVENTS / 2);
  });

  it('is folded from its events while the read models are unavailable', async () => {
    const kept: ReadModelStore = Object.assign(memoryReadModels(), {
      find: () => Promise.reject(new StoreUnavailable('unplugged')),
    });
    expect((await cold({ kept }).load('x')).state.total).to.equal(totalAt(EVENTS - 1));
  });

  it('stops where the event of a snapshot is no longer the folded one', async () => {
    const texts = (await eventsIn(events, 'counter-x')).map(({ id, type, data, metadata }) => ({
      id,
      type,
      data,
      metadata,
    }));
    const log = openMemoryEventStore();
    await log.append(
      'counter-x',
      -1,
      texts.slice(0, 1_200).map((one, n) => (n === 1_199 ? { ...one, data: '{"amount":1}' } : one)),
    );
    expect(await faultOf(Promise.resolve(cold({ log }).load('x')))).to.be.instanceOf(BrokenStream);
  });

  it('goes on where it ends with the event of a snapshot', async () => {
    const writer = cold();
    for (let n = 0; n < 2 * SNAPSHOT_EVERY; n += 1) await transact(writer, 'even', context, add(n + 1));
    await settled();
    const node = cold();
    expect((await node.load('even')).state.total).to.equal(totalAt(2 * SNAPSHOT_EVERY - 1));
    const done = await transact(node, 'even', context, add(1));
    expect(done.kind === 'written' && done.folded.state.total).to.equal(totalAt(2 * SNAPSHOT_EVERY - 1) + 1);
  });

  it('is folded as far as it goes where it ends before a snapshot', async () => {
    const texts = (await eventsIn(events, 'counter-x')).map(({ id, type, data, metadata }) => ({
      id,
      type,
      data,
      metadata,
    }));
    const log = openMemoryEventStore();
    await log.append('counter-x', -1, texts.slice(0, 150));
    expect((await cold({ log }).load('x')).state.total).to.equal(totalAt(149));
  });
});
