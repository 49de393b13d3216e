// The projection engine's front, and the folder that answers each question.

/**
 * - inline.ts: how the process that appends writes a document before it answers
 * - follow/: how one process of many brings every read model up to the log, and keeps checkpoints
 * - streams/, log/: how events become documents of streams, and documents over many streams
 * - parked/: what happens to an event that cannot be projected; release-parked.ts: how its stream goes on
 * - generations/: which copies of a read model there are, and which one a name stands for
 * - rebuild/: how a copy is built next to the live one; rebuild/proof/: how both are shown to be equal
 * - health/: whether the node is ready, and how far each read model lags
 */
import { AppError } from '../../app-error.ts';
import type { Released } from '../../domain/act.ts';
import type { BrokenStreams } from '../../journal/stream-folds.ts';
import type { OnFolded } from '../../journal/streams.ts';
import type { EventStore } from '../../stores/event-store.ts';
import type { ReadModelStore, ReadModels } from '../../stores/read-models.ts';
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import type { Observer } from '../../telemetry/observer.ts';
import type { Alarm, World } from '../../world.ts';
import type { AnyProjection, StreamProjection } from '../projection.ts';
import { Follower } from './follow/follower.ts';
import { Lease } from './follow/lease.ts';
import { Catalog } from './generations/catalog.ts';
import { unfinishedIn } from './generations/catalog-entry.ts';
import { areOfAnotherLog } from './generations/checkpoints.ts';
import { giveUpLost } from './generations/lost.ts';
import { lagsOf } from './health/lag.ts';
import type { NotMoving } from './health/not-moving.ts';
import { Readiness, type Ready } from './health/readiness.ts';
import { type ProjectionStatus, statusOf } from './health/status.ts';
import { UsedReadModels } from './health/used-read-models.ts';
import { InlineProjection } from './inline.ts';
import type { Hole } from './log/documents-at.ts';
import { discard } from './parked/discards.ts';
import { LIMITS, LOG, markReleased, type ParkedStream, releasedOf } from './parked/parked-records.ts';
import { ParkedStreams } from './parked/parked-streams.ts';
import { type BuildMissingParts, buildMissingOfShortLog } from './rebuild/build-missing.ts';
import type { FoldModule } from './rebuild/build-pass.ts';
import { rebuild } from './rebuild/rebuild.ts';
import type { RebuildOptions, RebuildResult } from './rebuild/result.ts';
import { releaseParked } from './release-parked.ts';
import { routedReadModels } from './routed-read-models.ts';
import { Heads } from './streams/heads.ts';
import { defaultTimings, type EngineTimings } from './timings.ts';
import { type UpkeepParts, upkeep } from './upkeep.ts';

export interface ProjectionsOptions {
  readonly events: EventStore;
  /** The physical store; everything else uses `Projections.readModels`. */
  readonly readModels: ReadModelStore;
  readonly world: World;
  readonly report: (fault: unknown) => void;
  readonly projections: readonly AnyProjection[];
  readonly timings?: EngineTimings;
  /** By which threads of a rebuild know these projections; without it, this process folds alone. */
  readonly foldModule?: FoldModule;
  /**
   * For `projections rebuild`: builds nothing automatically, and opens even if the read models know more than the log.
   */
  readonly forRepair?: boolean;
  readonly observer?: Observer | undefined;
  /**
   * How long documents of a read model stay after they are over (StreamProjection.overSince), ms; undefined: for ever.
   * A rebuild leaves older ones out.
   */
  readonly keptMs?: ((name: string) => number | undefined) | undefined;
  /** Ends an opening that builds read models. */
  readonly signal?: AbortSignal | undefined;
}

/** Thrown if the name belongs to no projection, or the stream is not parked. */
export class NotParked extends AppError {
  constructor(name: string, stream: string) {
    super('NotParked', `The read model ${name} has not parked ${stream}.`);
  }
}

/**
 * Opens the engine. Throws CheckpointBeyondLog if the read models know more than the log (see `forRepair`),
 * StoreUnavailable when a store is unavailable, and the signal's reason. Nothing runs until `run`.
 */
export async function openProjections(options: ProjectionsOptions): Promise<Projections> {
  const projections = new Projections(options);
  await projections.open(options.signal ?? new AbortController().signal);
  return projections;
}

export class Projections {
  /** The read models of the whole service: a collection's name stands for its live generation. */
  readonly readModels: ReadModels;
  /** For Streams: projects the appends of this process, before its caller goes on. */
  readonly onFolded: <Doc extends object, K extends string>(of: StreamProjection<Doc, K>) => OnFolded<Doc>;
  /** For Streams: which of them are broken. */
  readonly broken: BrokenStreams;
  readonly #parts: BuildMissingParts;
  readonly #forRepair: boolean;
  readonly #catalog: Catalog;
  readonly #lease: Lease;
  readonly #inline: InlineProjection;
  readonly #follower: Follower;
  readonly #parkedStreams: ParkedStreams;
  readonly #readiness: Readiness;
  readonly #used: UsedReadModels;

  constructor({ readModels: store, timings = defaultTimings, forRepair = false, ...options }: ProjectionsOptions) {
    const versions = new Map(options.projections.map(({ name, version }) => [name, version]));
    const catalog = new Catalog({ ...options, store, timings, versions });
    const inline = new InlineProjection({ ...options, store, timings, catalog });
    const parts = { ...options, store, timings, catalog, inline, heads: new Heads(options.events) };
    this.#parts = parts;
    this.#forRepair = forRepair;
    this.#catalog = catalog;
    this.#lease = new Lease(
      parts,
      `work for ${[...versions].map(([name, version]) => `${name}@${version}`).join(' ')}`,
    );
    this.#inline = inline;
    this.onFolded = (of) => this.#inline.writer(of);
    this.#parkedStreams = new ParkedStreams(parts);
    this.broken = this.#parkedStreams;
    this.#used = new UsedReadModels(routedReadModels(store, catalog, this.#parkedStreams), parts);
    this.readModels = this.#used.readModels;
    this.#follower = new Follower({
      ...parts,
      lease: this.#lease,
      parkedStreams: this.#parkedStreams,
    });
    this.#readiness = new Readiness({
      ...parts,
      used: this.#used,
      follower: this.#follower,
      parkedStreams: this.#parkedStreams,
    });
  }

  /** Reads the catalog and the checkpoints, not the log; builds missing read models when that is quick. */
  async open(signal: AbortSignal): Promise<void> {
    await this.#catalog.refresh();
    if (!this.#forRepair) {
      await giveUpLost(this.#parts, this.#parts.projections);
      await buildMissingOfShortLog(this.#parts, signal);
      await this.#follower.load();
    }
    await this.#parkedStreams.look();
  }

  /** Follows the log, rebuilds, watches stores and catalog, until the signal aborts. */
  async run(until: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([until]); // its own: Node warns of more than ten that wait for one
    const release: UpkeepParts['release'] = (...of) => this.#release(...of);
    // An adapter that follows through every absence throws none: only a question to the event store alone learns of its
    // loss.
    const isFit = (): boolean => this.#follower.fault === undefined && this.#readiness.isEventStoreThere;
    this.#used.watch(signal);
    await Promise.all([
      this.#follower.run(signal),
      this.#inline.run(signal),
      this.#lease.run(isFit, signal),
      this.#readiness.run(signal),
      upkeep({ ...this.#parts, parkedStreams: this.#parkedStreams, release }, signal),
    ]);
  }

  /** Rung after each batch of events that this process has followed. */
  get moved(): Alarm {
    return this.#follower.moved;
  }

  /**
   * Up to where this process knows a read model to hold everything; less than the others know while another process
   * follows. -1: nothing.
   */
  followedTo(name: string): bigint {
    return this.#follower.positionOf(name);
  }

  /** True if the read model can be read: false while it is built for the first time, or for a new version. */
  isBuilt(name: string): boolean {
    return this.#catalog.standing(name).own !== undefined;
  }

  /** True if a process builds a generation of the read model at this moment, as the catalog knows it. */
  async isBeingBuilt(name: string): Promise<boolean> {
    await this.#catalog.refresh();
    return unfinishedIn(this.#catalog.standing(name).entry) !== undefined;
  }

  /** True if this process does the work of one of many. */
  isLeading(): boolean {
    return this.#lease.isMine;
  }

  /** True if another process, known to be alive, does the work of one of many: following the log, and due work. */
  isWorkElsewhere(): boolean {
    return this.#lease.isElsewhere;
  }

  /** Ready only when the stores are there and every projection has reached what the log held at start. */
  readiness(): Ready {
    return this.#readiness.now();
  }

  /** False if requests have met a read model that can be neither read nor written. */
  areReadModelsUsable(): boolean {
    return this.#used.unusable.length === 0;
  }

  /** The read models, and the parked streams, that do not move, as of a look of a moment ago. */
  notMoving(): readonly NotMoving[] {
    return this.#readiness.notMoving;
  }

  /**
   * Asked before an append that a caller waits for: undefined, at once as a rule, when it can be projected; otherwise
   * resolves when it can, and rejects with StoreUnavailable if it cannot. It makes 503 with nothing written possible:
   * after it, a write is answered from the fold and the follower repairs.
   */
  mayWrite(): Promise<void> | undefined {
    const { otherLog } = this.#follower;
    if (otherLog !== undefined)
      return Promise.reject(new StoreUnavailable('The read models belong to another log', { cause: otherLog }));
    if (this.#inline.isRefused)
      return Promise.reject(new StoreUnavailable('The read models accept no writes: nothing was written'));
    return this.#catalog.isRecent ? undefined : this.#catalog.refreshed();
  }

  /**
   * Seconds that the oldest event which a projection has not got has been waiting, of existing read models; one short
   * look at the log.
   */
  async lags(signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    return lagsOf(this.#parts, await this.#follower.positions(), signal);
  }

  /**
   * Up to where each read model that is built is known to hold everything; documents may have more. Read before they
   * are.
   */
  async positions(): Promise<ReadonlyMap<string, bigint>> {
    return new Map((await this.#follower.positions()).map(({ name, position }) => [name, position]));
  }

  /** The number of parked streams of each projection, as of the last look at them; broken streams are the log's. */
  parkedCounts(): ReadonlyMap<string, number> {
    const count = (name: string): number =>
      this.#parkedStreams.streams.filter(({ projection }) => projection === name).length;
    return new Map([...this.names, LOG.name, LIMITS.name].map((name) => [name, count(name)]));
  }

  /**
   * The positions of the events at which streams of a read model are parked, by stream, as of the last look at them;
   * released ones too, which are not taken in either.
   */
  parkedIn(name: string): ReadonlyMap<string, number> {
    const its = this.#parkedStreams.all.filter(({ projection }) => projection === name);
    return new Map(its.map(({ stream, position }) => [stream, Number(position)]));
  }

  /**
   * The streams that these read models go on without, each from the earliest revision on, as of the last look at them.
   */
  holesIn(names: readonly string[]): readonly Hole[] {
    const holes = new Map<string, Hole>();
    for (const { projection, stream, revision } of this.#parkedStreams.streams) {
      if (!names.includes(projection)) continue;
      holes.set(stream, { stream, revision: Math.min(revision, holes.get(stream)?.revision ?? revision) });
    }
    return [...holes.values()];
  }

  /**
   * Removes earlier texts of documents of these read models: the generations that are kept for going back, and what the
   * files still hold. Answers how many files were rewritten, undefined for a store that does not show its files.
   */
  async removeOldTexts(names: readonly string[]): Promise<number | undefined> {
    const { catalog, store } = this.#parts;
    for (const name of names) {
      let dropped: readonly number[] = [];
      await catalog.change(name, (entry) => {
        const kept = entry?.generations.filter(({ state }) => state === 'kept') ?? [];
        dropped = kept.map(({ generation }) => generation);
        return entry === undefined || kept.length === 0
          ? undefined
          : { ...entry, generations: entry.generations.filter(({ state }) => state !== 'kept') };
      });
      for (const generation of dropped) await store.drop(name, generation);
    }
    return store.removeOldTexts?.(names);
  }

  /** True if the read models say that the log is another one, or has lost events. */
  async areOfAnotherLog(): Promise<boolean> {
    await this.#catalog.refresh();
    const copies = this.names.flatMap((name) => {
      const { own } = this.#catalog.standing(name);
      return own === undefined ? [] : [{ name, generation: own }];
    });
    return areOfAnotherLog(this.#parts, copies);
  }

  status(signal: AbortSignal = new AbortController().signal): Promise<readonly ProjectionStatus[]> {
    return statusOf(this.#parts, signal);
  }

  /** See `rebuild`. Works from any process, while others run. */
  async rebuild(name: string, options: RebuildOptions = {}): Promise<RebuildResult> {
    return this.#projection(name).open((of) => rebuild(this.#parts, of, options));
  }

  /**
   * The parked streams of one projection, of the log (`log`: the broken ones), or all; the released ones too where they
   * are wanted.
   */
  async parked(name?: string, { withReleased = false } = {}): Promise<readonly ParkedStream[]> {
    if (name !== undefined && name !== LOG.name && name !== LIMITS.name) this.#projection(name);
    await this.#catalog.refresh();
    await this.#parkedStreams.look();
    const { all, streams } = this.#parkedStreams;
    return (withReleased ? all : streams).filter(({ projection }) => name === undefined || projection === name);
  }

  /**
   * Tries a parked stream again, or a log projection before its event. True if it now goes on; throws NotParked, and
   * the signal's reason.
   */
  async retry(name: string, stream: string, signal?: AbortSignal): Promise<boolean> {
    await this.#parkedStream(name, stream);
    return this.#release(name, stream, signal);
  }

  /**
   * Passes over the event that parks a stream, or a log projection, in this generation and every later one. True when
   * it now goes on. Throws NotParked, and AppError `BrokenLog` for a break under `log` and under `limits`: a missing
   * event cannot be passed over. A log projection can pass over a break, because its documents are not the stream's.
   * Throws the signal's reason; the event is discarded then, too.
   */
  async discard(name: string, stream: string, signal?: AbortSignal): Promise<boolean> {
    if (name === LOG.name)
      throw new AppError('BrokenLog', `A break cannot be skipped. Restore the log of ${stream}, then retry.`);
    if (name === LIMITS.name)
      throw new AppError(
        'BrokenLog',
        `A limit cannot be skipped. Remove it from the metadata of ${stream} in the event store.`,
      );
    const { revision } = await this.#parkedStream(name, stream);
    await discard(this.#parts.store, name, stream, revision, this.#parts.world.now());
    return this.#release(name, stream, signal);
  }

  /** The revisions at which the log says that a stream is released, oldest release first; none where it is not. */
  releasedOf(stream: string): Promise<readonly Released[]> {
    return releasedOf(this.#parts.events, stream);
  }

  /**
   * Lets everything go on without a stream, as the log says already: its records count as parked no longer, and running
   * processes see so at their next look. True if it was parked. A repetition does no harm.
   */
  async release(stream: string): Promise<boolean> {
    const { catalog, store } = this.#parts;
    const released = await this.releasedOf(stream);
    if (released.length === 0) return false;
    await catalog.reread(); // a rebuild may have parked it in a generation of a moment ago
    const copies = this.names.flatMap((name) =>
      (catalog.standing(name).entry?.generations ?? []).map(({ generation }) => ({ name, generation })),
    );
    const wasParked = await markReleased(store, [...copies, LOG], stream, released);
    await this.#parkedStreams.look();
    return wasParked;
  }

  /** The code's read models. */
  get names(): readonly string[] {
    return this.#parts.projections.map(({ name }) => name);
  }

  async #parkedStream(name: string, stream: string): Promise<ParkedStream> {
    const found = (await this.parked(name, { withReleased: true })).find((one) => one.stream === stream);
    if (found === undefined) throw new NotParked(name, stream);
    return found;
  }

  async #release(name: string, stream: string, signal: AbortSignal = new AbortController().signal): Promise<boolean> {
    const goesOn = await releaseParked(this.#parts, name, stream, signal);
    await this.#parkedStreams.look();
    return goesOn;
  }

  #projection(name: string): AnyProjection {
    const { projections } = this.#parts;
    const found = projections.find((one) => one.name === name);
    if (found !== undefined) return found;
    throw new AppError(
      'NoSuchProjection',
      `There is no read model ${name}. The read models are ${projections.map((one) => one.name).join(', ')}.`,
    );
  }
}
