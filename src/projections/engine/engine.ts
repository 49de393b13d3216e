// The projection engine's front: routed read models, inline projection, the follower, rebuilds and parked streams, wired together.
import { AppError } from '../../app-error.ts';
import type { OnFolded } from '../../journal/streams.ts';
import type { Observer } from '../../observer.ts';
import type { EventStore } from '../../stores/event-store.ts';
import type { ReadModelStore, ReadModels } from '../../stores/read-models.ts';
import type { World } from '../../world.ts';
import type { AnyProjection, Projection } from '../projection.ts';
import { catchUpStream } from './apply.ts';
import { Catalog, copyOf } from './catalog.ts';
import { RebuildUnderWay, Watch } from './claim.ts';
import { Follower } from './follow.ts';
import { inlineWriter } from './inline.ts';
import { lagsOf } from './lag.ts';
import { Notes } from './notes.ts';
import { discard, type ParkedStream, parkedIn } from './parked.ts';
import { Readiness } from './readiness.ts';
import { bury, type RebuildOptions, type RebuildResult, rebuild } from './rebuild.ts';
import { routedReadModels } from './routed-read-models.ts';
import { type ProjectionStatus, statusOf } from './status.ts';
import { defaultTimings, type EngineTimings } from './timings.ts';

export type { ParkedStream } from './parked.ts';
export type { RebuildOptions, RebuildProgress, RebuildResult } from './rebuild.ts';
export type { ProjectionStatus } from './status.ts';
export { defaultTimings, type EngineTimings } from './timings.ts';

export interface ProjectionsOptions {
  readonly events: EventStore;
  /** The physical store; everything else uses `Projections.readModels`. */
  readonly readModels: ReadModelStore;
  readonly world: World;
  readonly report: (fault: unknown) => void;
  readonly projections: readonly AnyProjection[];
  readonly timings?: EngineTimings;
  /** For `projections rebuild`: builds nothing by itself, and opens even when the read models know more than the log. */
  readonly forRepair?: boolean;
  readonly observer?: Observer | undefined;
}

/** Logs up to this length are projected when the engine opens, when their read models are missing; longer ones in `run`. */
const SHORT_LOG_EVENTS = 5_000n;
const RETRY_MS = 5_000;

/** The name is no projection's, or the stream is not parked. */
export class NotParked extends AppError {
  constructor(name: string, stream: string) {
    super('NotParked', `The read model ${name} does not hold up ${stream}.`);
  }
}

/**
 * Opens the engine. Throws CheckpointBeyondLog when the read models know more than the log (see `forRepair`),
 * StoreUnavailable when a store is away. Nothing runs until `run`.
 */
export async function openProjections(options: ProjectionsOptions): Promise<Projections> {
  const projections = new Projections(options);
  await projections.open();
  return projections;
}

export class Projections {
  /** What everything else reads and writes: a collection's name stands for its live generation. */
  readonly readModels: ReadModels;
  /** For Streams: projects what this process appended, before its caller goes on. */
  readonly onFolded: <Doc extends object, K extends string>(of: Projection<Doc, K>) => OnFolded<Doc>;
  readonly #options: ProjectionsOptions;
  readonly #timings: EngineTimings;
  readonly #catalog: Catalog;
  readonly #notes = new Notes();
  readonly #follower: Follower;
  readonly #readiness: Readiness;

  constructor(options: ProjectionsOptions) {
    const { readModels: store, world, projections, timings = defaultTimings } = options;
    this.#options = options;
    this.#timings = timings;
    this.#catalog = new Catalog({ store, world, timings, versions: new Map(projections.map(({ name, version }) => [name, version])) });
    this.readModels = routedReadModels(store, this.#catalog);
    this.onFolded = inlineWriter(store, this.#catalog, this.#notes);
    this.#follower = new Follower({ ...options, store, catalog: this.#catalog, notes: this.#notes, timings });
    this.#readiness = new Readiness({ ...options, store, catalog: this.#catalog, follower: this.#follower });
  }

  /** Reads the catalog and the checkpoints, not the log; builds what is missing when that is quick. */
  async open(): Promise<void> {
    const { events, projections, forRepair } = this.#options;
    await this.#catalog.refresh();
    const missing = forRepair === true ? [] : projections.filter(({ name }) => this.#catalog.standing(name).own === undefined);
    if (missing.length > 0 && (await events.head()) < SHORT_LOG_EVENTS) {
      await Promise.all(missing.map((one) => this.#build(one, new AbortController().signal)));
    }
    if (forRepair !== true) await this.#follower.load();
    await this.#readiness.look();
  }

  /** Follows the log, rebuilds what needs it, and watches the catalog, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#follower.run(signal), this.#watch(signal), this.#buildMissing(signal), this.#retryUnknown(signal)]);
  }

  /** Whether the read model can be read: false while it is built for the first time, or for a new version. */
  isBuilt(name: string): boolean {
    return this.#catalog.standing(name).own !== undefined;
  }

  /** Ready only when every projection has reached what the log held at start, none is held up, and no store is away. */
  readiness(): { readonly ready: boolean; readonly reasons: readonly string[] } {
    return this.#readiness.now();
  }

  /**
   * Undefined when writes can be projected; else why not. Asked before an append, this is what makes 503 with nothing
   * written possible: after it, a write is answered from the fold and the follower repairs.
   */
  async refusesWrites(): Promise<unknown> {
    return this.#catalog.refreshed().then(
      () => undefined,
      (fault: unknown) => fault,
    );
  }

  /** Seconds that the oldest event which this process has not projected has been waiting, of what it follows; one short look at the log. */
  lags(signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    const reached = this.#options.projections.flatMap(({ name, category }) => {
      const position = this.#follower.position(name);
      return position === undefined ? [] : [{ name, category, position }];
    });
    return lagsOf(this.#options, reached, signal);
  }

  /** How many streams each projection holds up, as of the last look at them. */
  parkedCounts(): ReadonlyMap<string, number> {
    return this.#readiness.parked;
  }

  status(signal: AbortSignal = new AbortController().signal): Promise<readonly ProjectionStatus[]> {
    return statusOf({ ...this.#options, store: this.#options.readModels, catalog: this.#catalog }, signal);
  }

  /** See rebuild.ts. Works from any process, beside running ones. */
  async rebuild(name: string, options: RebuildOptions = {}): Promise<RebuildResult> {
    return this.#projection(name).open((of) => rebuild(this.#parts(), of, options));
  }

  /** The streams that events which could not be projected hold up, of one projection or all. */
  async parked(name?: string): Promise<readonly ParkedStream[]> {
    await this.#catalog.refresh();
    const named = name === undefined ? this.#options.projections : [this.#projection(name)];
    const found = named.map(async (one) => {
      const { own } = this.#catalog.standing(one.name);
      return own === undefined ? [] : parkedIn(this.#options.readModels, one.name, own);
    });
    return (await Promise.all(found)).flat();
  }

  /** Tries a parked stream again. True when it now goes on; throws NotParked. */
  async retry(name: string, stream: string): Promise<boolean> {
    await this.#parkedStream(name, stream);
    return this.#catchUp(name, stream);
  }

  /** Passes over the event that holds a stream up, in this generation and every later one. True when the stream now goes on. */
  async discard(name: string, stream: string): Promise<boolean> {
    const { revision } = await this.#parkedStream(name, stream);
    await discard(this.#options.readModels, name, stream, revision, this.#options.world.now());
    return this.#catchUp(name, stream);
  }

  async #parkedStream(name: string, stream: string): Promise<ParkedStream> {
    const found = (await this.parked(name)).find((one) => one.stream === stream);
    if (found === undefined) throw new NotParked(name, stream);
    return found;
  }

  async #catchUp(name: string, stream: string): Promise<boolean> {
    const { own, also } = this.#catalog.standing(name);
    if (own === undefined) return false;
    const once = (): Promise<boolean> =>
      this.#projection(name).open((of) =>
        catchUpStream(
          this.#parts(),
          of,
          [own, ...also].map((generation) => copyOf(of, generation)),
          stream,
        ),
      );
    // A follower passes over a parked stream's events: those that came while it was still parked are caught by the second look.
    const goesOn = (await once()) && (await once());
    await this.#readiness.look();
    return goesOn;
  }

  #projection(name: string): AnyProjection {
    const found = this.#options.projections.find((one) => one.name === name);
    if (found === undefined)
      throw new AppError('NoSuchProjection', `There is no read model ${name}; there are ${[...this.#names()].join(', ')}.`);
    return found;
  }

  #names(): readonly string[] {
    return this.#options.projections.map(({ name }) => name);
  }

  #parts(): Parameters<typeof rebuild>[0] {
    return { ...this.#options, store: this.#options.readModels, catalog: this.#catalog, timings: this.#timings };
  }

  /** Reads the catalog, removes what dead builders left, and looks for parked streams. */
  async #watch(signal: AbortSignal): Promise<void> {
    const { world, report, readModels } = this.#options;
    const watch = new Watch(world, this.#timings);
    while (!signal.aborted) {
      try {
        await this.#catalog.refresh();
        for (const name of this.#names()) {
          const dead = watch.dead(name, this.#catalog.standing(name).entry);
          if (dead !== undefined) await bury(this.#catalog, readModels, name, dead);
        }
        await this.#readiness.look();
      } catch (fault) {
        report(fault);
      }
      await world.sleep(this.#timings.pollMs, signal).catch(() => undefined);
    }
  }

  /** A projection without a generation of its version is built; so a changed version is rebuilt by itself. */
  async #buildMissing(signal: AbortSignal): Promise<void> {
    const { world, projections, report } = this.#options;
    for (const one of projections) {
      while (!signal.aborted && this.#catalog.standing(one.name).own === undefined) {
        try {
          await this.#build(one, signal);
        } catch (fault) {
          if (signal.aborted) return;
          report(fault);
          await world.sleep(RETRY_MS, signal).catch(() => undefined);
        }
      }
    }
  }

  /** Builds, or waits for the process that does. */
  async #build(one: AnyProjection, signal: AbortSignal): Promise<void> {
    try {
      await one.open((of) => rebuild(this.#parts(), of, { signal }));
    } catch (fault) {
      if (!(fault instanceof RebuildUnderWay)) throw fault;
      await this.#options.world.sleep(this.#timings.pollMs, signal);
      await this.#catalog.refresh();
    }
  }

  /** Events of a newer node may be known to this one by now. */
  async #retryUnknown(signal: AbortSignal): Promise<void> {
    try {
      for (const { projection, stream, reason } of await this.parked()) {
        if (signal.aborted) return;
        if (reason === 'unknown') await this.#catchUp(projection, stream);
      }
    } catch (fault) {
      this.#options.report(fault);
    }
  }
}
