// The projection engine's front: routed read models, inline projection, the follower, rebuilds and parked streams, wired together.
import { AppError } from '../../app-error.ts';
import type { BrokenStreams } from '../../journal/broken-stream.ts';
import { breakIn } from '../../journal/chain.ts';
import type { OnFolded } from '../../journal/streams.ts';
import type { EventStore } from '../../stores/event-store.ts';
import type { ReadModelStore, ReadModels } from '../../stores/read-models.ts';
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import type { Observer } from '../../telemetry/observer.ts';
import { type World, within } from '../../world.ts';
import type { AnyProjection, StreamProjection } from '../projection.ts';
import { catchUpStream } from './apply.ts';
import { Catalog, copyOf } from './catalog.ts';
import { isOneOf } from './categories.ts';
import { countLag } from './count-lag.ts';
import { Follower } from './follow.ts';
import { Heads } from './heads.ts';
import { InlineProjection } from './inline.ts';
import { lagsOf } from './lag.ts';
import { Lease } from './lease.ts';
import { retryLog } from './log/catch-up-log.ts';
import { giveUpLost } from './lost.ts';
import { Notes } from './notes.ts';
import { discard, LOG, type ParkedStream, unpark } from './parked.ts';
import { ParkedStreams } from './parked-streams.ts';
import { Readiness, type Ready } from './readiness.ts';
import { type RebuildOptions, type RebuildResult, rebuild } from './rebuild/rebuild.ts';
import { routedReadModels } from './routed-read-models.ts';
import { type ProjectionStatus, statusOf } from './status.ts';
import { defaultTimings, type EngineTimings } from './timings.ts';
import { build, upkeep } from './upkeep.ts';

export type { ParkedStream } from './parked.ts';
export type { RebuildOptions, RebuildProgress, RebuildResult } from './rebuild/rebuild.ts';
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
const SHORT_LOG_EVENTS = 5_000;

/** The name is no projection's, or the stream is not parked. */
export class NotParked extends AppError {
  constructor(name: string, stream: string) {
    super('NotParked', `The read model ${name} has not parked ${stream}.`);
  }
}

/**
 * Opens the engine. Throws CheckpointBeyondLog when the read models know more than the log (see `forRepair`),
 * StoreUnavailable when a store is unavailable. Nothing runs until `run`.
 */
export async function openProjections(options: ProjectionsOptions): Promise<Projections> {
  const projections = new Projections(options);
  await projections.open();
  return projections;
}

export class Projections {
  /** The read models of the whole service: a collection's name stands for its live generation. */
  readonly readModels: ReadModels;
  /** For Streams: projects the appends of this process, before its caller goes on. */
  readonly onFolded: <Doc extends object, K extends string>(of: StreamProjection<Doc, K>) => OnFolded<Doc>;
  /** For Streams: which of them are broken. */
  readonly broken: BrokenStreams;
  readonly #options: ProjectionsOptions;
  readonly #timings: EngineTimings;
  readonly #heads: Heads;
  readonly #catalog: Catalog;
  readonly #lease: Lease;
  readonly #inline: InlineProjection;
  readonly #follower: Follower;
  readonly #parkedStreams: ParkedStreams;
  readonly #readiness: Readiness;

  constructor(options: ProjectionsOptions) {
    const { readModels: store, projections, timings = defaultTimings } = options;
    this.#options = options;
    this.#timings = timings;
    const versions = new Map(projections.map(({ name, version }) => [name, version]));
    const catalog = new Catalog({ ...options, store, timings, versions });
    const notes = new Notes();
    this.#heads = new Heads(options.events);
    const parts = { ...options, store, timings, catalog, notes, heads: this.#heads };
    this.#catalog = catalog;
    this.#lease = new Lease(parts, `work for ${[...versions].map(([name, version]) => `${name}@${version}`).join(' ')}`);
    this.#inline = new InlineProjection(parts);
    this.onFolded = (of) => this.#inline.writer(of);
    this.#parkedStreams = new ParkedStreams(parts);
    this.broken = this.#parkedStreams;
    this.readModels = routedReadModels(store, catalog, this.#parkedStreams);
    this.#follower = new Follower({ ...parts, inline: this.#inline, lease: this.#lease, parkedStreams: this.#parkedStreams });
    this.#readiness = new Readiness({ ...parts, inline: this.#inline, follower: this.#follower, parkedStreams: this.#parkedStreams });
  }

  /** Reads the catalog and the checkpoints, not the log; builds missing read models when that is quick. */
  async open(): Promise<void> {
    const { projections, forRepair } = this.#options;
    await this.#catalog.refresh();
    if (forRepair !== true) await giveUpLost(this.#parts(), projections);
    const missing = forRepair === true ? [] : projections.filter(({ name }) => this.#catalog.standing(name).own === undefined);
    if (missing.length > 0 && (await this.#isShort(missing))) {
      await Promise.all(missing.map((one) => build(this.#parts(), one, new AbortController().signal)));
    }
    if (forRepair !== true) await this.#follower.load();
    await this.#parkedStreams.look();
  }

  /** Follows the log, rebuilds, watches stores and catalog, until the signal aborts. */
  async run(until: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([until]); // its own: Node warns of more than ten that wait for one
    const release = (name: string, stream: string): Promise<boolean> => this.#release(name, stream);
    // An adapter that follows through every absence throws none: only a question to the event store alone learns of its loss.
    const isFit = (): boolean => this.#follower.fault === undefined && this.#readiness.isEventStoreThere;
    await Promise.all([
      this.#follower.run(signal),
      this.#inline.run(signal),
      this.#lease.run(isFit, signal),
      this.#readiness.run(signal),
      upkeep({ ...this.#options, ...this.#parts(), parkedStreams: this.#parkedStreams, release }, signal),
    ]);
  }

  /** Whether the read model can be read: false while it is built for the first time, or for a new version. */
  isBuilt(name: string): boolean {
    return this.#catalog.standing(name).own !== undefined;
  }

  /** Whether another process, known to be alive, does the work of one of many: following the log, and due work. */
  isWorkElsewhere(): boolean {
    return this.#lease.isElsewhere;
  }

  /** Ready only when the stores are there and every projection has reached what the log held at start. */
  readiness(): Ready {
    return this.#readiness.now();
  }

  /**
   * Undefined, at once as a rule, when writes can be projected; else why not. The check before an append makes
   * 503 with nothing written possible: after it, a write is answered from the fold and the follower repairs.
   */
  refusesWrites(): Promise<unknown> | undefined {
    const otherLog = this.#follower.otherLog;
    if (otherLog !== undefined) return Promise.resolve(new StoreUnavailable('The read models are of another log', { cause: otherLog }));
    if (this.#catalog.isRecent) return undefined;
    return this.#catalog.refreshed().then(
      () => undefined,
      (fault: unknown) => fault,
    );
  }

  /** Seconds that the oldest event which a projection has not got has been waiting, of existing read models; one short look at the log. */
  async lags(signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    return lagsOf(this.#options, await this.#follower.positions(), signal);
  }

  /** Up to where each read model that is built is known to hold everything; documents may have more. Read before they are. */
  async positions(): Promise<ReadonlyMap<string, bigint>> {
    return new Map((await this.#follower.positions()).map(({ name, position }) => [name, position]));
  }

  /** The number of parked streams of each projection, as of the last look at them; broken streams are the log's. */
  parkedCounts(): ReadonlyMap<string, number> {
    const count = (name: string): number => this.#parkedStreams.streams.filter(({ projection }) => projection === name).length;
    return new Map([...this.names, LOG.name].map((name) => [name, count(name)]));
  }

  status(signal: AbortSignal = new AbortController().signal): Promise<readonly ProjectionStatus[]> {
    return statusOf({ ...this.#options, store: this.#options.readModels, catalog: this.#catalog }, signal);
  }

  /** See rebuild.ts. Works from any process, beside running ones. */
  async rebuild(name: string, options: RebuildOptions = {}): Promise<RebuildResult> {
    return this.#projection(name).open((of) => rebuild(this.#parts(), of, options));
  }

  /** The parked streams of one projection, of the log (`log`: the broken ones), or all. */
  async parked(name?: string): Promise<readonly ParkedStream[]> {
    if (name !== undefined && name !== LOG.name) this.#projection(name);
    await this.#catalog.refresh();
    await this.#parkedStreams.look();
    return this.#parkedStreams.streams.filter(({ projection }) => name === undefined || projection === name);
  }

  /** Tries a parked stream again, or a log projection before its event. True when it now goes on; throws NotParked. */
  async retry(name: string, stream: string): Promise<boolean> {
    await this.#parkedStream(name, stream);
    return this.#release(name, stream);
  }

  /**
   * Passes over the event that parks a stream, or a log projection, in this generation and every later one. True when it now goes
   * on. Throws NotParked, and AppError `BrokenLog` for a break under `log`: a missing event cannot be passed over. A log projection can
   * pass over a break, because its documents are not the stream's.
   */
  async discard(name: string, stream: string): Promise<boolean> {
    if (name === LOG.name)
      throw new AppError('BrokenLog', `A break cannot be passed over: put the log of ${stream} back as it was, then retry.`);
    const { revision } = await this.#parkedStream(name, stream);
    await discard(this.#options.readModels, name, stream, revision, this.#options.world.now());
    return this.#release(name, stream);
  }

  /** The code's read models. */
  get names(): readonly string[] {
    return this.#options.projections.map(({ name }) => name);
  }

  async #parkedStream(name: string, stream: string): Promise<ParkedStream> {
    const found = (await this.parked(name)).find((one) => one.stream === stream);
    if (found === undefined) throw new NotParked(name, stream);
    return found;
  }

  async #release(name: string, stream: string): Promise<boolean> {
    const goesOn = name === LOG.name ? await this.#recheck(stream) : await this.#catchUp(name, stream);
    await this.#parkedStreams.look();
    return goesOn;
  }

  /** Whether the stream is whole now, as after the log was mended: then it goes on, and its documents have the events after the break. */
  async #recheck(stream: string): Promise<boolean> {
    const { events, readModels, projections } = this.#options;
    if ((await breakIn(events, stream)) !== undefined) return false;
    for (const { name, categories } of projections) if (isOneOf(categories, stream)) await this.#catchUp(name, stream);
    await unpark(readModels, LOG, stream);
    return true;
  }

  async #catchUp(name: string, stream: string): Promise<boolean> {
    const { own, also } = this.#catalog.standing(name);
    if (own === undefined) return false;
    const parts = this.#parts();
    return this.#projection(name).open(async (of) => {
      switch (of.kind) {
        case 'stream': {
          const copies = [own, ...also].map((generation) => copyOf(of, generation));
          // A follower passes over a parked stream's events: those that came while it was still parked are caught by the second look.
          return (await catchUpStream(parts, of, copies, stream)) && (await catchUpStream(parts, of, copies, stream));
        }
        case 'log':
          return retryLog(parts, of, copyOf(of, own));
        default:
          return of satisfies never;
      }
    });
  }

  #projection(name: string): AnyProjection {
    const { projections } = this.#options;
    const found = projections.find((one) => one.name === name);
    if (found !== undefined) return found;
    throw new AppError('NoSuchProjection', `There is no read model ${name}; there are ${projections.map((one) => one.name).join(', ')}.`);
  }

  #parts(): Parameters<typeof rebuild>[0] {
    return { ...this.#options, store: this.#options.readModels, catalog: this.#catalog, timings: this.#timings, heads: this.#heads };
  }

  /** Positions only bound the number of events: where they have gaps, a few are read, and what takes long is not short. */
  async #isShort(missing: readonly AnyProjection[]): Promise<boolean> {
    const { events, world } = this.#options;
    if ((await events.head()) < SHORT_LOG_EVENTS) return true;
    const categories = missing.flatMap(({ categories: its }) => its);
    const waiting = await within(world, this.#timings.answerMs, (signal) => countLag(events, categories, -1n, SHORT_LOG_EVENTS, signal));
    return waiting !== 'timeout' && waiting.count < SHORT_LOG_EVENTS;
  }
}
