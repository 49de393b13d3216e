// Read models that are built together read the log once, and the fault of one is nobody else's.
import { expect } from 'chai';
import { unsealEvent } from '../../../../src/journal/envelope.ts';
import { openProjections } from '../../../../src/projections/engine/engine.ts';
import type { BeingBuilt, Filling } from '../../../../src/projections/engine/rebuild/being-built.ts';
import { LogPass } from '../../../../src/projections/engine/rebuild/log-pass.ts';
import type { AnyProjection } from '../../../../src/projections/projection.ts';
import type { EventStore, StoredEvent } from '../../../../src/stores/event-store.ts';
import { openMemoryEventStore } from '../../../../src/stores/memory/event-store.ts';
import { memoryReadModels } from '../../../../src/stores/memory/read-models.ts';
import type { BuiltRow } from '../../../../src/stores/read-models.ts';
import { openSqliteEventStore } from '../../../../src/stores/sqlite/event-store.ts';
import { besides } from '../../../../src/stores/sqlite/file/thread.ts';
import { calmWorld } from '../../../support/calm-world.ts';
import { append, ledger, ledgers, opened, paid } from '../ledger.ts';
import { totals } from '../log/totals.ts';
import { Engines, faultOf, timings } from '../setup.ts';
import { brittleLedgers, namedLedgers } from './more-ledgers.ts';

const LEDGERS = 40;

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

/** Takes all, or ends with `fault` at its second event. */
class Taken implements Filling {
  readonly events: StoredEvent[] = [];
  readonly #fault: Error | undefined;
  isFinished = false;

  constructor(fault?: Error) {
    this.#fault = fault;
  }

  async take(events: readonly StoredEvent[]): Promise<void> {
    this.events.push(...events);
    if (this.#fault !== undefined) throw this.#fault;
  }

  async finish(): Promise<void> {
    this.isFinished = true;
  }
}

class Rows {
  readonly rows: BuiltRow[] = [];

  async get(): Promise<[]> {
    return [];
  }

  async write(rows: readonly BuiltRow[]): Promise<void> {
    this.rows.push(...rows);
  }

  async finish(): Promise<void> {}

  async abort(): Promise<void> {}
}

const readingBy = (of: AnyProjection, filling: Filling, more: Partial<BeingBuilt> = {}): BeingBuilt => ({
  of,
  builder: new Rows(),
  filling,
  head: BigInt(2 * LEDGERS - 1),
  onProgress: () => undefined,
  signal: new AbortController().signal,
  ...more,
});

describe('a pass over the log', () => {
  it('is one for all that are built together, which share what is parsed', async () => {
    const store = counted(openMemoryEventStore());
    await written(store.events);
    const pass = new LogPass(store, ['ledgers', 'totals']);
    const [one, other] = [new Taken(), new Taken()];
    const first = pass.read(readingBy(ledgers, one));
    await Promise.resolve();
    expect(store.follows).to.equal(0);
    const filled = await Promise.all([first, pass.read(readingBy(totals, other))]);
    expect(filled.map(({ position }) => position)).to.deep.equal([79n, 79n]);
    expect([one, other].map(({ events, isFinished }) => [events.length, isFinished])).to.deep.equal([
      [80, true],
      [80, true],
    ]);
    expect(store.follows).to.equal(1);
    const [stored] = one.events;
    if (stored === undefined) throw new Error('no event');
    expect(other.events[0]).to.equal(stored);
    expect(unsealEvent(ledger.category, stored).event).to.equal(unsealEvent(ledger.category, stored).event);
  });

  it('goes on without those that fail, that are over, and that never come', async () => {
    const store = counted(openMemoryEventStore());
    await written(store.events);
    const pass = new LogPass(store, ['ledgers', 'totals', 'named', 'late']);
    const fault = new Error('its builder is gone');
    const over = AbortSignal.abort(new Error('given up'));
    const whole = new Taken();
    const failed = faultOf(pass.read(readingBy(totals, new Taken(fault))));
    const ended = faultOf(pass.read(readingBy(namedLedgers, new Taken(), { signal: over })));
    const filled = pass.read(readingBy(ledgers, whole));
    pass.leave('late');
    expect(await failed).to.equal(fault);
    expect(await ended).to.equal(over.reason);
    expect(await filled).to.deep.equal({ position: 79n });
    expect(whole.events).to.have.length(80);
  });

  it('ends when all of them are over', async () => {
    const { events } = counted(openMemoryEventStore()); // empty: the head that is wanted never comes
    const pass = new LogPass({ events }, ['ledgers', 'totals']);
    const stopping = new AbortController();
    const { signal } = stopping;
    const faults = [ledgers, totals].map((of) => faultOf(pass.read(readingBy(of, new Taken(), { signal }))));
    stopping.abort(new Error('enough'));
    expect(await Promise.all(faults)).to.deep.equal([signal.reason, signal.reason]);
  });

  it('runs threads once for all projections of streams, of which one that throws ends alone', async () => {
    const engines = await Engines.make();
    const report = (fault: unknown): never => expect.fail(String(fault));
    const file = `${engines.directory}/events.db`;
    const store = counted(
      await openSqliteEventStore({ file, world: calmWorld, report, spread: { from: 0, threads: 2 } }),
    );
    try {
      await written(store.events);
      const foldModule = besides('./ledger-fold-handler', import.meta.url);
      const pass = new LogPass({ events: store.events, foldModule }, ['ledgers', 'named', 'brittle', 'totals']);
      const builders = [new Rows(), new Rows()];
      const [first, second] = builders;
      if (first === undefined || second === undefined) throw new Error('no builder');
      const unused = new Taken();
      const inLog = new Taken();
      const broken = faultOf(pass.read(readingBy(brittleLedgers, unused)));
      const filled = await Promise.all([
        pass.read(readingBy(ledgers, unused, { builder: first })),
        pass.read(readingBy(namedLedgers, unused, { builder: second })),
        pass.read(readingBy(totals, inLog)),
      ]);
      expect(String(await broken)).to.match(/the key of ann/);
      expect(filled.map(({ folded }) => folded?.digest.documents)).to.deep.equal([LEDGERS, LEDGERS, undefined]);
      expect(builders.map(({ rows }) => rows.length)).to.deep.equal([LEDGERS, LEDGERS]);
      expect(second.rows.every(({ keys }) => keys[0] === 'named ann')).to.equal(true);
      expect(unused.events).to.deep.equal([]);
      expect(inLog.events).to.have.length(80);
      expect([store.spreads, store.follows]).to.deep.equal([1, 1]);
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
    const report = (fault: unknown): never => expect.fail(String(fault));
    const projections = [ledgers, namedLedgers, totals];
    const parts = {
      events: store.events,
      readModels: memoryReadModels(),
      world: calmWorld,
      report,
      timings,
      projections,
    };
    const engine = await openProjections(parts);
    expect(store.follows).to.equal(1);
    for (const { name } of projections)
      expect(await engine.rebuild(name, { dryRun: true })).to.include({ equal: true, events: 80, parked: 0 });
  });
});
