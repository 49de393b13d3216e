// Engines for tests: real stores in a directory of their own, short times, and everything closed at the end.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openProjections, type Projections, type ProjectionsOptions } from '../../../src/projections/engine/engine.ts';
import type { FoldModule } from '../../../src/projections/engine/rebuild/build-pass.ts';
import type { EngineTimings } from '../../../src/projections/engine/timings.ts';
import type { AnyProjection } from '../../../src/projections/projection.ts';
import type { EventStore } from '../../../src/stores/event-store.ts';
import type { ReadModelStore } from '../../../src/stores/read-models.ts';
import { openSqliteEventStore, type SqliteEventStoreOptions } from '../../../src/stores/sqlite/event-store.ts';
import { openSqliteReadModels } from '../../../src/stores/sqlite/read-models.ts';
import { liveWorld, type World } from '../../../src/world.ts';
import { calmWorld } from '../../support/calm-world.ts';
import { ledgers } from './ledger.ts';

/**
 * A hundredth of a second is long for stores on the same machine; machines that test other things at the same time are
 * slow.
 */
export const timings: EngineTimings = {
  pollMs: 20,
  staleMs: 100,
  joinMs: 100,
  abandonedMs: 900,
  outlastedMs: 60_000,
  checkpointMs: 20,
  answerMs: 400,
  leaseBeatMs: 20,
  newerNodeMs: 100,
  stillMs: 100,
  tryAgainMs: 20,
  leaseDeadMs: 200,
};

/**
 * For engines that share a directory with other processes: on the real clock, because they agree by it about what may
 * still be written where, and patient with stores, because any of them may be paused with a lock.
 */
export const sharedDirectory: Pick<EngineOptions, 'world' | 'timings'> = {
  world: liveWorld,
  timings: { ...timings, answerMs: 60_000 },
};

export interface Engine {
  readonly events: EventStore;
  readonly store: ReadModelStore;
  readonly projections: Projections;
  readonly faults: unknown[];
  /** Starts following; its result ends it again. */
  readonly run: () => () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface EngineOptions {
  readonly projections?: readonly AnyProjection[];
  readonly wrapEvents?: (events: EventStore) => EventStore;
  readonly wrapStore?: (store: ReadModelStore) => ReadModelStore;
  readonly timings?: EngineTimings;
  /** The calm one when it is left out. */
  readonly world?: World;
  readonly forRepair?: boolean;
  /** In threads: from how many events on, in how many, and the module by which they know the projections. */
  readonly spread?: SqliteEventStoreOptions['spread'];
  readonly foldModule?: FoldModule;
}

const unchanged = <T>(same: T): T => same;

/** Another process's view of the same directory, or the first one. */
export async function openEngine(directory: string, options: EngineOptions = {}): Promise<Engine> {
  const { wrapEvents = unchanged, wrapStore = unchanged, world = calmWorld } = options;
  const faults: unknown[] = [];
  const report = (fault: unknown): void => void faults.push(fault);
  const events = wrapEvents(
    await openSqliteEventStore({
      file: join(directory, 'events.db'),
      world,
      report,
      ...(options.spread !== undefined && { spread: options.spread }),
    }),
  );
  const store = wrapStore(
    await openSqliteReadModels({
      file: join(directory, 'read-models.db'),
      world,
      report,
    }),
  );
  const parts: ProjectionsOptions = {
    events,
    readModels: store,
    world,
    report,
    projections: options.projections ?? [ledgers],
    timings: options.timings ?? timings,
    ...(options.foldModule !== undefined && { foldModule: options.foldModule }),
    ...(options.forRepair !== undefined && { forRepair: options.forRepair }),
  };
  const closeStores = async (): Promise<void> => {
    await store.close();
    await events.close();
  };
  const stops = new Set<() => Promise<void>>();
  try {
    const projections = await openProjections(parts);
    const run = (): (() => Promise<void>) => {
      const stopping = new AbortController();
      const running = projections.run(stopping.signal);
      const stop = async (): Promise<void> => {
        stopping.abort();
        stops.delete(stop);
        await running;
      };
      stops.add(stop);
      return stop;
    };
    const close = async (): Promise<void> => {
      for (const stop of stops) await stop();
      await closeStores();
    };
    return { events, store, projections, faults, run, close };
  } catch (fault) {
    await closeStores();
    throw fault;
  }
}

/** A directory for one test, and the engines opened in it. */
export class Engines {
  readonly directory: string;
  readonly #opened: Engine[] = [];

  private constructor(directory: string) {
    this.directory = directory;
  }

  static async make(): Promise<Engines> {
    return new Engines(await mkdtemp(join(tmpdir(), 'counterfoil-engine-')));
  }

  async open(options: EngineOptions = {}): Promise<Engine> {
    const engine = await openEngine(this.directory, options);
    this.#opened.push(engine);
    return engine;
  }

  async close(engine: Engine): Promise<void> {
    this.#opened.splice(this.#opened.indexOf(engine), 1);
    await engine.close();
  }

  async dispose(): Promise<void> {
    for (const engine of this.#opened) await engine.close();
    await rm(this.directory, { recursive: true });
  }
}

export const faultOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (fault: unknown) => fault,
  );

/** Why an append could not be projected now; undefined if it could. */
export const refusalOf = (projections: Pick<Projections, 'mayWrite'>): Promise<unknown> =>
  faultOf(projections.mayWrite() ?? Promise.resolve());

/** A store's verbs as properties, so that a test can replace one of them. */
export function delegate(store: ReadModelStore): ReadModelStore {
  return {
    get: (of, ids) => store.get(of, ids),
    find: (of, query) => store.find(of, query),
    place: (of, query, nth) => store.place(of, query, nth),
    write: (of, rows) => store.write(of, rows),
    remove: (of, rows) => store.remove(of, rows),
    count: (of) => store.count(of),
    build: (of) => store.build(of),
    generations: (name) => store.generations(name),
    drop: (name, generation) => store.drop(name, generation),
    texts: (of, after, limit) => store.texts(of, after, limit),
    sync: (of) => store.sync(of),
    close: () => store.close(),
  };
}
