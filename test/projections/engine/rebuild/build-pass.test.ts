// Read models that are built together read the log once, and the fault of one is nobody else's; streams that go on long
// after their first events are folded to their ends.
import { expect } from 'chai';
import { openProjections } from '../../../../src/projections/engine/engine.ts';
import { type BeingBuilt, BuildPass } from '../../../../src/projections/engine/rebuild/build-pass.ts';
import type { AnyProjection } from '../../../../src/projections/projection.ts';
import type { EventStore } from '../../../../src/stores/event-store.ts';
import { openMemoryEventStore } from '../../../../src/stores/memory/event-store.ts';
import { memoryReadModels } from '../../../../src/stores/memory/read-models.ts';
import { unpacked } from '../../../../src/stores/packed-rows.ts';
import type { BuiltRow } from '../../../../src/stores/read-models.ts';
import { openSqliteEventStore } from '../../../../src/stores/sqlite/event-store.ts';
import { besides } from '../../../../src/stores/sqlite/file/thread.ts';
import { calmWorld } from '../../../support/calm-world.ts';
import { append, ledgers, opened, paid, refused } from '../ledger.ts';
import { totals } from '../log/totals.ts';
import { Engines, faultOf, timings } from '../setup.ts';
import { brittleLedgers, namedLedgers } from './more-ledgers.ts';

const LEDGERS = 40;
const report = (fault: unknown): never => expect.fail(String(fault));

interface Counted {
  readonly events: EventStore;
  follows: number;
  spreads: number;
}

function counted(events: EventStore): Counted {
  const { spread } = events;
  const of: Counted = {
    follows: 0,
    spreads: 0,
    events: {
      append: (...call) => events.append(...call),
      read: (...call) => events.read(...call),
      head: () => events.head(),
      close: () => events.close(),
      follow: (...call) => {
        of.follows += 1;
        return events.follow(...call);
      },
      ...(spread !== undefined && {
        spread: (...call: Parameters<typeof spread>) => {
          of.spreads += 1;
          return spread.apply(events, call);
        },
      }),
    },
  };
  return of;
}

async function written(events: EventStore): Promise<void> {
  for (let n = 0; n < LEDGERS; n += 1) await append(events, `l${n}`, -1, opened('ann'), paid(1));
}

/** Keeps what is written, or refuses it. */
class Rows {
  readonly rows: BuiltRow[] = [];
  readonly #fault: Error | undefined;

  constructor(fault?: Error) {
    this.#fault = fault;
  }

  async get(): Promise<[]> {
    return [];
  }

  async write(packed: ArrayBuffer): Promise<void> {
    if (this.#fault !== undefined) throw this.#fault;
    this.rows.push(...unpacked(packed));
  }
}

const readingBy = (of: AnyProjection, builder = new Rows(), more: Partial<BeingBuilt> = {}): BeingBuilt => ({
  of,
  builder,
  head: BigInt(2 * LEDGERS - 1),
  discards: new Set<string>(),
  onProgress: () => undefined,
  signal: new AbortController().signal,
  ...more,
});

describe('a pass over the log', () => {
  it('is one for all that are built together, and ends nobody for the fault of another', async () => {
    const store = counted(openMemoryEventStore());
    await written(store.events);
    const pass = new BuildPass({ events: store.events }, ['ledgers', 'named', 'brittle', 'totals', 'late']);
    const fault = new Error('the disk is full');
    const over = AbortSignal.abort(new Error('given up'));
    const failed = faultOf(pass.fill(readingBy(totals, new Rows(fault))));
    const ended = faultOf(pass.fill(readingBy(namedLedgers, new Rows(), { signal: over })));
    const unkept = faultOf(pass.fill(readingBy(brittleLedgers)));
    const whole = new Rows();
    const filled = pass.fill(readingBy(ledgers, whole));
    pass.leave('late');
    expect(await failed).to.equal(fault);
    expect(await ended).to.equal(over.reason);
    expect(String(await unkept)).to.match(/the key of ann/);
    const { position, digest, faults } = await filled;
    expect([position, digest.documents, faults]).to.deep.equal([79n, LEDGERS, []]);
    expect(whole.rows).to.have.length(LEDGERS);
    expect(store.follows).to.equal(1);
  });

  it('ends when all of them are over', async () => {
    const { events } = counted(openMemoryEventStore()); // empty: the head that is wanted never comes
    const pass = new BuildPass({ events }, ['ledgers', 'totals']);
    const stopping = new AbortController();
    const { signal } = stopping;
    const faults = [ledgers, totals].map((of) => faultOf(pass.fill(readingBy(of, new Rows(), { signal }))));
    stopping.abort(new Error('enough'));
    expect(await Promise.all(faults)).to.deep.equal([signal.reason, signal.reason]);
  });

  it('runs threads once for all, of which one that throws ends alone', async () => {
    const engines = await Engines.make();
    const file = `${engines.directory}/events.db`;
    const store = counted(
      await openSqliteEventStore({ file, world: calmWorld, report, spread: { from: 0, threads: 2 } }),
    );
    try {
      await written(store.events);
      const foldModule = { url: besides('./ledger-fold-handler', import.meta.url) };
      const names = ['ledgers', 'named', 'brittle', 'totals'];
      const pass = new BuildPass({ events: store.events, foldModule }, names);
      const [first, second, third] = [new Rows(), new Rows(), new Rows()];
      const broken = faultOf(pass.fill(readingBy(brittleLedgers)));
      const filled = await Promise.all([
        pass.fill(readingBy(ledgers, first)),
        pass.fill(readingBy(namedLedgers, second)),
        pass.fill(readingBy(totals, third)),
      ]);
      expect(String(await broken)).to.match(/the key of ann/);
      expect(filled.map(({ digest }) => digest.documents)).to.deep.equal([LEDGERS, LEDGERS, 2]);
      expect(second.rows.every(({ keys }) => keys[0] === 'named ann')).to.equal(true);
      expect(third.rows.map(({ id, revision }) => [id, revision])).to.have.deep.members([
        ['all', 79],
        ['of ann', 79],
      ]);
      expect([store.spreads, store.follows]).to.deep.equal([1, 0]);
    } finally {
      await store.events.close();
      await engines.dispose();
    }
  });
});

describe('an opening', () => {
  it('reads a short log once for all read models that are missing, which are as if each had been built alone', async () => {
    const store = counted(openMemoryEventStore());
    await written(store.events);
    const projections = [ledgers, namedLedgers, totals];
    const readModels = memoryReadModels();
    const engine = await openProjections({
      events: store.events,
      readModels,
      world: calmWorld,
      report,
      timings,
      projections,
    });
    expect(store.follows).to.equal(1);
    for (const { name } of projections)
      expect(await engine.rebuild(name, { dryRun: true })).to.include({ equal: true, events: 80, parked: 0 });
  });
});

/** More than a fold keeps places of. */
const MANY = 12_000;

describe('folding a long log', () => {
  const events = openMemoryEventStore();
  const open = () =>
    openProjections({
      events,
      readModels: memoryReadModels(),
      world: calmWorld,
      report,
      projections: [ledgers, totals],
      timings: { ...timings, joinMs: 0 },
      forRepair: true,
    });
  before(async () => {
    for (let n = 0; n < MANY; n += 1) await append(events, `l${n}`, -1, opened(`owner-${n % 7}`));
    // Long after their first events: the places of the first ones have been given up by now, those of the last not.
    for (const n of [0, 1, 2, MANY - 1]) await append(events, `l${n}`, 0, paid(5), paid(13));
  });
  afterEach(() => refused.amounts.clear());

  it('reads streams that go on again, and ends with every document', async () => {
    const projections = await open();
    const first = await projections.rebuild('ledgers');
    expect(first).to.include({ documents: MANY, events: MANY + 8, parked: 0 });
    const found = await projections.readModels.get(ledgers, ['l0', 'l1', 'l3', `l${MANY - 1}`]);
    expect(found.map(({ revision, doc }) => [revision, doc.balance])).to.deep.equal([
      [2, 18],
      [2, 18],
      [0, 0],
      [2, 18],
    ]);
    const again = await projections.rebuild('ledgers');
    expect(again).to.include({ equal: true, different: 0, documents: MANY });
    expect(again.digestAfter, 'read back, and added up while folding').to.equal(first.digestAfter);
    await projections.rebuild('totals');
    const [all] = await projections.readModels.get(totals, ['all']);
    expect(all?.doc).to.deep.include({ count: 8, amount: 72 });
  });

  it('parks streams that cannot go on, wherever their places are', async () => {
    refused.amounts.add(13);
    const projections = await open();
    const result = await projections.rebuild('ledgers');
    expect(result).to.include({ documents: MANY, parked: 4 });
    const found = await projections.readModels.get(ledgers, ['l0', `l${MANY - 1}`]);
    expect(found.map(({ revision, doc }) => [revision, doc.balance])).to.deep.equal([
      [1, 5],
      [1, 5],
    ]);
    expect((await projections.parked()).map(({ stream, revision }) => `${stream}@${revision}`)).to.include(
      `ledger-l0@2`,
    );
  });
});
