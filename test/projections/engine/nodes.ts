// Nodes on one pair of memory stores, for tests of what several do together; each can be paused, killed, or cut off
// from a store.
import { accept } from '../../../src/domain/decider.ts';
import { Streams } from '../../../src/journal/streams.ts';
import { transact } from '../../../src/journal/transact.ts';
import { openProjections, type Projections } from '../../../src/projections/engine/engine.ts';
import type { EngineTimings } from '../../../src/projections/engine/timings.ts';
import type { AnyProjection, StreamProjection } from '../../../src/projections/projection.ts';
import type { EventStore } from '../../../src/stores/event-store.ts';
import { openMemoryEventStore } from '../../../src/stores/memory/event-store.ts';
import { memoryReadModels } from '../../../src/stores/memory/read-models.ts';
import type { ReadModelStore, Stored } from '../../../src/stores/read-models.ts';
import { newId, newUuid, type World } from '../../../src/world.ts';
import { Gate } from '../../crash/hooked-stores.ts';
import { calmWorld } from '../../support/calm-world.ts';
import { type Ledger, type LedgerEvent, type LedgerKey, ledger, ledgers } from './ledger.ts';
import { delegate, timings as testTimings } from './setup.ts';

export type LedgerProjection = StreamProjection<Ledger, LedgerKey>;

export interface NodeOptions {
  readonly of?: LedgerProjection;
  /** Log projections beside it. */
  readonly logs?: readonly AnyProjection[];
  readonly timings?: Partial<EngineTimings>;
}

/** A test's control of a node. */
class Control {
  #sleep: Gate | undefined;
  /** Called before each write of a document: a fault that it throws comes instead. */
  beforeWrite: (collection: string, ids: readonly string[]) => Promise<void> | void = () => undefined;
  /** Called before documents are read by their ids. */
  beforeRead: (collection: string) => Promise<void> | void = () => undefined;
  /** Hears from where the log is followed. */
  beforeFollow: (after: bigint) => void = () => undefined;
  /** Called before a batch of the log comes in: it can be kept back. */
  beforeBatch: () => Promise<void> | void = () => undefined;
  /** Called before each question to the event store. */
  beforeEvents: () => Promise<void> | void = () => undefined;

  /** As SIGSTOP: nothing goes on until `wake`. A node that is never woken was killed. */
  pause(): void {
    this.#sleep = new Gate();
  }

  wake(): void {
    const sleep = this.#sleep;
    this.#sleep = undefined;
    sleep?.open();
  }

  async awake(): Promise<void> {
    while (this.#sleep !== undefined) await this.#sleep.pass();
  }
}

export class Node {
  readonly projections: Projections;
  readonly control: Control;
  readonly faults: readonly unknown[];
  readonly #of: LedgerProjection;
  readonly #streams: Streams<Ledger, LedgerEvent>;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(projections: Projections, of: LedgerProjection, control: Control, events: EventStore, faults: unknown[]) {
    this.projections = projections;
    this.control = control;
    this.faults = faults;
    this.#of = of;
    const report = (fault: unknown): void => void faults.push(fault);
    this.#streams = new Streams(ledger, { events, world: calmWorld, report }, projections.onFolded(of));
  }

  /** A ledger as this node reads it. */
  async row(id: string): Promise<Stored<Ledger> | undefined> {
    return (await this.projections.readModels.get(this.#of, [id]))[0];
  }

  /** -1 when there is none. */
  async revision(id: string): Promise<number> {
    return (await this.row(id))?.revision ?? -1;
  }

  async balance(id: string): Promise<number | undefined> {
    return (await this.row(id))?.doc.balance;
  }

  /** A command: it appends, and projects inline. Answers the revision. */
  async write(id: string, event: LedgerEvent): Promise<number> {
    const operationId = newId(calmWorld, 'op');
    const actor = { kind: 'operator', id: 'test' } as const;
    const context = { accountId: 'acc_1', actor, at: calmWorld.now(), correlationId: 'req', operationId };
    const done = await transact(this.#streams, id, context, () => accept(event));
    if (done.kind !== 'written') throw new Error(done.kind);
    return done.folded.head.revision;
  }

  run(): void {
    this.#running = this.projections.run(this.#stopping.signal);
  }

  /** Ends in order. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }
}

export class Nodes {
  readonly events: EventStore;
  readonly readModels: ReadModelStore;
  readonly #nodes: Node[] = [];

  constructor(events: EventStore = openMemoryEventStore(), readModels: ReadModelStore = memoryReadModels()) {
    this.events = events;
    this.readModels = readModels;
  }

  async open({ of = ledgers, logs = [], timings = {} }: NodeOptions = {}): Promise<Node> {
    const control = new Control();
    const faults: unknown[] = [];
    const events = controlledEvents(this.events, control);
    const projections = await openProjections({
      events,
      readModels: controlledReadModels(this.readModels, control),
      world: controlledWorld(control),
      report: (fault) => faults.push(fault),
      projections: [of, ...logs],
      timings: { ...testTimings, ...timings },
    });
    const node = new Node(projections, of, control, events, faults);
    this.#nodes.push(node);
    return node;
  }

  /** An event that no projection here reads. */
  async append(id: string, revision: number): Promise<void> {
    await this.events.append(`other-${id}`, revision - 1, [
      { id: newUuid(calmWorld), type: 'Happened', data: '{}', metadata: '{}' },
    ]);
  }

  async close(): Promise<void> {
    for (const node of this.#nodes) {
      node.control.beforeWrite = () => undefined;
      node.control.beforeRead = () => undefined;
      node.control.beforeEvents = () => undefined;
      node.control.beforeBatch = () => undefined;
      node.control.wake();
    }
    await Promise.all(this.#nodes.map((node) => node.stop()));
    await this.events.close();
  }
}

const controlledWorld = (control: Control): World => ({
  ...calmWorld,
  sleep: async (ms, signal) => {
    await calmWorld.sleep(ms, signal);
    await control.awake();
  },
});

const controlledReadModels = (store: ReadModelStore, control: Control): ReadModelStore => ({
  ...delegate(store),
  get: async (of, ids) => {
    await control.beforeRead(of.name);
    await control.awake();
    return store.get(of, ids);
  },
  find: (of, query) => control.awake().then(() => store.find(of, query)),
  write: async (of, rows) => {
    const ids = rows.map(({ id }) => id);
    await control.beforeWrite(of.name, ids);
    await control.awake();
    return store.write(of, rows);
  },
});

const controlledEvents = (events: EventStore, control: Control): EventStore => {
  const ready = async (): Promise<void> => {
    await control.beforeEvents();
    await control.awake();
  };
  return {
    append: (stream, after, list) => ready().then(() => events.append(stream, after, list)),
    async *read(stream, after) {
      await ready();
      yield* events.read(stream, after);
    },
    async *follow(after, categories, signal) {
      control.beforeFollow(after);
      for await (const batch of events.follow(after, categories, signal)) {
        await control.beforeBatch();
        await control.awake();
        yield batch;
      }
    },
    head: () => ready().then(() => events.head()),
    close: () => events.close(),
  };
};
