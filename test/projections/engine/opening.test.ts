// Opening the engine: a short log is projected at once, a long one later, and positions are never taken for numbers of
// events.
import { expect } from 'chai';
import { openProjections, type Projections } from '../../../src/projections/engine/engine.ts';
import type { EventStore, StoredEvent } from '../../../src/stores/event-store.ts';
import { openMemoryEventStore } from '../../../src/stores/memory/event-store.ts';
import { memoryReadModels } from '../../../src/stores/memory/read-models.ts';
import type { Inspection, ReadModelStore } from '../../../src/stores/read-models.ts';
import { newUuid, type World } from '../../../src/world.ts';
import { Gate } from '../../crash/hooked-stores.ts';
import { calmWorld } from '../../support/calm-world.ts';
import { until } from '../../support/until.ts';
import { append, ledgers, ledgersOf, opened } from './ledger.ts';
import { delegate, timings } from './setup.ts';

/** Positions as EventStoreDB has them: they grow by the written bytes. */
const BYTES = 700n;
const wide = (position: bigint): bigint => (position < 0n ? position : position * BYTES + 123n);
const narrow = (position: bigint): bigint => (position < 0n ? position : (position - 123n) / BYTES);
const placed = (stored: StoredEvent): StoredEvent => ({ ...stored, position: wide(stored.position) });

const spacedOut = (events: EventStore): EventStore => ({
  append: (stream, after, list) => events.append(stream, after, list),
  async *read(stream, after) {
    for await (const stored of events.read(stream, after)) yield placed(stored);
  },
  async *follow(after, categories, signal) {
    for await (const batch of events.follow(narrow(after), categories, signal))
      yield { ...batch, events: batch.events.map(placed), position: wide(batch.position) };
  },
  head: async () => wide(await events.head()),
  close: () => events.close(),
});

describe('opening the engine on a log whose positions have gaps', () => {
  const open = (events: EventStore): Promise<Projections> =>
    openProjections({
      events,
      readModels: memoryReadModels(),
      world: calmWorld,
      report: (fault) => expect.fail(String(fault)),
      projections: [ledgers],
      timings,
    });
  const logOf = async (count: number): Promise<EventStore> => {
    const events = openMemoryEventStore();
    for (let n = 0; n < count; n += 1) await append(events, `l${n}`, -1, opened('ann'));
    return spacedOut(events);
  };

  it('has a short one projected when it is open, and counts the waiting events', async () => {
    const events = await logOf(100);
    expect(Number(await events.head())).to.be.above(50_000);
    const projections = await open(events);
    expect(projections.readiness()).to.deep.equal({ ready: true, reasons: [], degraded: [] });
    await append(events, 'more', -1, opened('bob'));
    await append(events, 'and-more', -1, opened('bob'));
    const [status] = await projections.status();
    expect(status).to.include({ documents: 100, lagEvents: 2, checkpoint: String(wide(99n)) });
  });

  it('leaves a long one to the running process', async () => {
    const projections = await open(await logOf(5_001));
    expect(projections.readiness()).to.deep.equal({ ready: false, reasons: ['ledgers is being built'], degraded: [] });
    const stopping = new AbortController();
    const running = projections.run(stopping.signal);
    await until(() => projections.readiness().ready);
    expect(await projections.readModels.count(ledgers)).to.equal(5_001);
    stopping.abort();
    await running;
  });

  it('is open in spite of unreadable events: their streams are parked, and the others are there', async () => {
    const events = openMemoryEventStore();
    const unreadable = ['torn', '', 'null', '{}', '"text"', '[]', '0', '{"recordedAt":1}'];
    for (const [n, metadata] of unreadable.entries())
      await events.append(`ledger-bad${n}`, -1, [
        { id: newUuid(calmWorld), type: 'Opened', data: '{"owner":"eve"}', metadata },
      ]);
    await append(events, 'good', -1, opened('ann'));
    const projections = await open(spacedOut(events));
    expect((await projections.parked()).map(({ stream }) => stream)).to.deep.equal(
      unreadable.map((_, n) => `ledger-bad${n}`),
    );
    expect((await projections.readModels.get(ledgers, ['good'])).map(({ doc }) => doc.owner)).to.deep.equal(['ann']);
    await events.append('ledger-late', -1, [
      { id: newUuid(calmWorld), type: 'Opened', data: '{"owner":"eve"}', metadata: 'torn' },
    ]);
    await append(events, 'later', -1, opened('bob'));
    const [status] = await projections.status();
    expect(status).to.include({ lagEvents: 2, parked: unreadable.length });
  });
});

describe('opening the engine on read models that are not built', () => {
  it('goes on with read models that another process built while this one was paused in its build, and says so', async () => {
    const events = openMemoryEventStore();
    await append(events, 'a', -1, opened('ann'));
    const readModels = memoryReadModels();
    const reported: unknown[] = [];
    const parts = {
      events,
      readModels,
      world: calmWorld,
      report: (fault: unknown) => reported.push(fault),
      projections: [ledgers],
      timings,
    };
    const sleep = new Gate();
    const sleeping: ReadModelStore = {
      ...delegate(readModels),
      async build(of) {
        const builder = await readModels.build(of);
        await openProjections(parts);
        sleep.open();
        return builder;
      },
    };
    const world: World = { ...calmWorld, sleep: (ms, signal) => sleep.pass().then(() => calmWorld.sleep(ms, signal)) };
    const projections = await openProjections({ ...parts, readModels: sleeping, world });
    expect((await projections.status())[0]).to.include({ generation: 2, documents: 1, state: 'live' });
    expect(projections.readiness()).to.include({ ready: true });
    expect(reported.map(String)).to.deep.equal([
      'The rebuild of ledgers was silent for so long that another process abandoned it.',
    ]);
  });
});

describe('opening the engine of another version', () => {
  it('reports a read model that has fewer documents than before', async () => {
    const readModels = memoryReadModels();
    const reported: string[] = [];
    const open = async (of: typeof ledgers, streams: readonly string[]): Promise<void> => {
      const events = openMemoryEventStore();
      for (const stream of streams) await append(events, stream, -1, opened('ann'));
      const report = (fault: unknown) => void reported.push(String(fault));
      await openProjections({ events, readModels, world: calmWorld, report, projections: [of], timings });
    };
    await open(ledgers, ['a', 'b']);
    await open(ledgersOf(2), ['a', 'b']);
    expect(reported).to.deep.equal([]);
    await open(ledgersOf(3), ['a']);
    expect(reported).to.have.length(1);
    expect(reported[0]).to.include('has 1 documents; the earlier one had 2');
  });
});

describe('opening the engine again on read models that say how much of them is on the disk', () => {
  const WRITTEN = 7;
  const LOSSES: readonly (readonly [Inspection, string])[] = [
    [{ kind: 'whole', mark: WRITTEN - 1 }, 'has lost documents that it had on the disk'],
    [{ kind: 'gone' }, 'is gone'],
    [{ kind: 'damaged', why: 'no page can be read' }, 'is damaged (no page can be read)'],
  ];
  for (const [loss, words] of LOSSES)
    it(`builds one again that ${words}, and no other`, async () => {
      const events = openMemoryEventStore();
      for (const stream of ['a', 'b']) await append(events, stream, -1, opened('ann'));
      let inspection: Inspection = { kind: 'whole', mark: WRITTEN };
      const readModels: ReadModelStore = {
        ...delegate(memoryReadModels()),
        sync: async () => WRITTEN,
        inspect: async () => inspection,
      };
      const reported: string[] = [];
      const open = (): Promise<Projections> => {
        const report = (fault: unknown) => void reported.push(String(fault));
        return openProjections({ events, readModels, world: calmWorld, report, projections: [ledgers], timings });
      };
      await open();
      await open();
      expect(reported).to.deep.equal([]);
      inspection = loss;
      const projections = await open();
      expect(reported).to.have.length(1);
      expect(reported[0]).to.include(`The read model ledgers ${words}`);
      expect(await projections.readModels.count(ledgers)).to.equal(2);
    });
});
