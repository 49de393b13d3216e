// Builds a read model again next to the live one, proves it, and swaps; safe to kill at any moment, with any number of
// writers.
import { AppError } from '../../../app-error.ts';
import { readLog } from '../../../journal/read-log.ts';
import type { Digest } from '../../../stores/document-digest.ts';
import { NoSuchGeneration } from '../../../stores/read-models.ts';
import type { Projection } from '../../projection.ts';
import type { Catalog } from '../generations/catalog.ts';
import { ownOf, unfinishedIn } from '../generations/catalog-entry.ts';
import { loadCheckpoints, nameOf, saveCheckpoint } from '../generations/checkpoints.ts';
import { type Copy, copyOf } from '../generations/copy.ts';
import { catchUpLog } from '../log/catch-up-log.ts';
import { discardIds } from '../parked/discards.ts';
import { LOG, type ParkedStream, parkedIn, parkLog, unpark } from '../parked/parked-records.ts';
import type { ProjectionFault } from '../parked/projection-fault.ts';
import { removeOver } from '../remove-over.ts';
import { applyEvents } from '../streams/apply-events.ts';
import { type ApplyParts, catchUpStream } from '../streams/catch-up-stream.ts';
import type { EngineTimings } from '../timings.ts';
import { BuildPass, type BuildPassParts, type BuildProgress } from './build-pass.ts';
import { beat, bury, claim, newBuilder, RebuildLost, RebuildUnderWay, Watch } from './claim.ts';
import { liveBefore, NewGeneration } from './new-generation.ts';
import { type Outlast, outlasting, outlastingStore } from './outlasting.ts';
import { compareLog } from './proof/compare-log.ts';
import { compareStreams } from './proof/compare-streams.ts';
import { type Broken, breaksOf, type ProofResult, prove } from './proof/proof.ts';
import type { RebuildOptions, RebuildProgress, RebuildResult } from './result.ts';

export interface RebuildParts extends ApplyParts, Pick<BuildPassParts, 'foldModule'> {
  readonly catalog: Catalog;
  readonly timings: EngineTimings;
  readonly report: (fault: unknown) => void;
  /** See ProjectionsOptions. */
  readonly keptMs?: ((name: string) => number | undefined) | undefined;
}

/** `store`: with each call repeated while it is unavailable, as the steps that `outlast` takes. */
interface PatientParts extends RebuildParts {
  readonly outlast: Outlast;
  readonly pass: BuildPass;
}

/** Newer nodes have brought documents further than this version of the service can: it must not discard their work. */
export class NewerEvents extends AppError {
  constructor(name: string) {
    super(
      'NewerEvents',
      `The log holds events of a newer version of the service: let that version rebuild ${name}. Nothing was changed.`,
    );
  }
}

/** A log projection would be without events that the live one has. */
export class LiveIsFurther extends AppError {
  constructor(name: string, [held]: readonly ParkedStream[]) {
    const where = held === undefined ? '' : ` at ${held.stream}@${held.revision}: ${held.fault}`;
    super(
      'LiveIsFurther',
      `The read model ${name} is ahead of the point to which it can be rebuilt${where}. Nothing was changed.`,
    );
  }
}

/**
 * Rebuilds one projection from the log. Throws RebuildUnderWay if another process does, RebuildLost, NewerEvents,
 * LiveIsFurther, the signal's reason when it aborts, StoreUnavailable when a store is unavailable: then the live
 * generation is as it was.
 */
export async function rebuild<Doc extends object, K extends string>(
  parts: RebuildParts,
  of: Projection<Doc, K>,
  options: RebuildOptions = {},
): Promise<RebuildResult> {
  const { catalog, world, store, report } = parts;
  const startedAt = world.monotonic();
  const over = new AbortController();
  const signal = options.signal === undefined ? over.signal : AbortSignal.any([options.signal, over.signal]);
  const outlast = outlasting(parts, signal);
  const pass = options.pass ?? new BuildPass(parts, [of.name]);
  const patient: PatientParts = { ...parts, outlast, store: outlastingStore(store, outlast), pass };
  await clearTheWay(patient, of.name, signal);
  const builder = newBuilder(world);
  const generation = await outlast(() => claim(catalog, of, builder, options.onlyMissing));
  const lost = (): void => over.abort(new RebuildLost(of.name));
  const beating = beat(parts, of.name, { generation, builder }, lost, over.signal);
  try {
    const built = await new Rebuild(patient, of, { copy: copyOf(of, generation), builder }, options, signal).run();
    return { ...built, tookMs: Math.round(world.monotonic() - startedAt) };
  } catch (fault) {
    // A builder that slept may find its generation dropped before its next sign of life reports the loss of its claim.
    const isDropped = fault instanceof NoSuchGeneration && fault.generation === generation;
    const why: unknown = signal.aborted ? signal.reason : isDropped ? new RebuildLost(of.name, fault) : fault;
    over.abort();
    await beating; // a sign of life after the burial would take it for a loss
    await bury(catalog, store, of.name, { generation, builder }).catch(report);
    throw why;
  } finally {
    over.abort();
    await beating;
  }
}

/** Removes the rest of a dead builder; a living one keeps its right. */
async function clearTheWay(
  { catalog, store, world, timings, outlast }: PatientParts,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const watch = new Watch(world, timings);
  await outlast(() => catalog.refresh());
  const first = unfinishedIn(catalog.standing(name).entry);
  for (let unfinished = first; unfinished !== undefined; unfinished = unfinishedIn(catalog.standing(name).entry)) {
    if (unfinished.builder !== first?.builder || unfinished.beat !== first?.beat) throw new RebuildUnderWay(name);
    const dead = watch.dead(name, catalog.standing(name).entry);
    if (dead !== undefined) await outlast(() => bury(catalog, store, name, dead));
    else await world.sleep(timings.pollMs / 2, signal);
    await outlast(() => catalog.refresh());
  }
}

class Rebuild<Doc extends object, K extends string> {
  readonly #parts: PatientParts;
  readonly #of: Projection<Doc, K>;
  readonly #copy: Copy<Doc, K>;
  readonly #builder: string;
  readonly #made: NewGeneration;
  readonly #options: RebuildOptions;
  readonly #signal: AbortSignal;
  /** The digest of the new generation, while it holds exactly the documents that the fold produced. */
  #digest: Digest | undefined;
  #progress: BuildProgress = { events: 0, position: -1n, head: -1n };

  constructor(
    parts: PatientParts,
    of: Projection<Doc, K>,
    { copy, builder }: { readonly copy: Copy<Doc, K>; readonly builder: string },
    options: RebuildOptions,
    signal: AbortSignal,
  ) {
    this.#parts = parts;
    this.#of = of;
    this.#copy = copy;
    this.#builder = builder;
    this.#made = new NewGeneration(parts, of.name, { generation: copy.generation, version: of.version, builder });
    this.#options = options;
    this.#signal = signal;
  }

  async run(): Promise<Omit<RebuildResult, 'tookMs'>> {
    const { catalog, events, store, outlast } = this.#parts;
    const { name, version } = this.#of;
    await this.#made.sweep();
    let position = await this.#build();
    position = await this.#catchUp(position, await events.head());
    const { entry } = catalog.standing(name);
    const isDryRun = this.#options.dryRun === true;
    // Before the first generation of this version is live, no caller has been told "written" about one: there is
    // nothing to join.
    if (!isDryRun && ownOf(entry, version) !== undefined) position = await this.#join(position);
    await this.#leaveOutOver();
    const before = liveBefore(entry, version);
    const versionChanged = before !== undefined && before.version !== version;
    this.#tell('comparing');
    const breaks = await breaksOf(this.#parts, this.#of);
    const { broken, mended } = breaks;
    const comparison = await prove(this.#parts, {
      made: this.#copy,
      digest: this.#digest,
      before,
      breaks,
      compare: (live, ids) => this.#compare(live, position, versionChanged, ids),
    });
    this.#signal.throwIfAborted();
    const parked = await parkedIn(store, [this.#copy]);
    const parkedBefore = before === undefined ? [] : await parkedIn(store, [{ name, generation: before.generation }]);
    if (!isDryRun && before !== undefined && !versionChanged)
      await this.#checkAgainst(before.generation, parked, parkedBefore);
    const own = { generation: this.#copy.generation, builder: this.#builder };
    if (isDryRun) await outlast(() => bury(catalog, store, name, own));
    else await this.#swap(position);
    if (!isDryRun) for (const stream of mended) await unpark(store, LOG, stream);
    return {
      ...comparison,
      name,
      version,
      versionBefore: before?.version,
      versionChanged,
      generation: this.#copy.generation,
      generationBefore: before?.generation,
      equal: before !== undefined && broken.length === 0 && comparison.digestBefore === comparison.digestAfter,
      swapped: !isDryRun,
      events: this.#progress.events,
      parked: parked.filter(({ isReleased }) => isReleased !== true).length,
      holesChanged: this.#of.kind === 'log' && before !== undefined && placesOf(parked) !== placesOf(parkedBefore),
      broken,
    };
  }

  async #build(): Promise<bigint> {
    const { events, store } = this.#parts;
    const builder = await store.build(this.#copy);
    const onProgress = (progress: BuildProgress): void => {
      this.#progress = progress;
      this.#tell('building');
    };
    try {
      const discards = await discardIds(store);
      const reading = { of: this.#of, builder, discards, head: await events.head(), onProgress, signal: this.#signal };
      const filled = await this.#parts.pass.fill(reading);
      this.#tell('indexing');
      await builder.finish();
      this.#digest = filled.digest;
      for (const fault of filled.faults) await this.#settle(fault);
      return filled.position;
    } catch (fault) {
      await builder.abort();
      throw fault;
    }
  }

  /** Applies the log's newer events, up to a position that it has reached. */
  async #catchUp(position: bigint, to: bigint): Promise<bigint> {
    if (position >= to) return position;
    this.#digest = undefined;
    const of = this.#of;
    if (of.kind === 'log') return catchUpLog(this.#parts, of, this.#copy, { from: position, to }, this.#signal);
    let reached = position;
    const part = { after: position, to, categories: of.categories };
    for await (const batch of readLog(this.#parts.events, part, this.#signal)) {
      await applyEvents(this.#parts, of, [this.#copy.generation], batch.events);
      reached = batch.position;
    }
    return reached;
  }

  /** Puts a stream on record that ends here; catching up meets the fault again, unless it was the thread's alone. */
  async #settle(fault: ProjectionFault): Promise<void> {
    const of = this.#of;
    if (of.kind === 'log') {
      await parkLog(this.#parts, this.#copy, fault, this.#parts.world.now(), 'passed');
      return;
    }
    this.#digest = undefined;
    await catchUpStream(this.#parts, of, [copyOf(of, this.#copy.generation)], fault.stored.stream);
  }

  /** `position`: up to where the new generation has everything. */
  async #compare(
    live: Copy<object, never>,
    position: bigint,
    versionChanged: boolean,
    broken: Broken,
  ): Promise<ProofResult> {
    const of = this.#of;
    if (of.kind === 'stream') return compareStreams(this.#parts, of, live, this.#copy, { broken, versionChanged });
    const [checkpoint = -1n] = await loadCheckpoints(this.#parts.store, [live]);
    const [before, after] = [
      { copy: live, position: checkpoint },
      { copy: this.#copy, position },
    ];
    return compareLog(this.#parts, of, before, after, versionChanged, this.#signal);
  }

  /**
   * From here on every process writes this generation too, once it has read the catalog; a process that could not read
   * it acknowledges nothing. So every acknowledged write is either before the target, or written here by its own
   * process. Of a log projection nothing is acknowledged: the builder catches up, and followers go on from its
   * checkpoint after the swap.
   */
  async #join(position: bigint): Promise<bigint> {
    const { world, timings, events } = this.#parts;
    this.#tell('joining');
    await this.#made.join();
    if (this.#of.kind === 'stream') await world.sleep(timings.joinMs, this.#signal);
    return this.#catchUp(position, await events.head());
  }

  /**
   * Removes what has been over for its days, before the comparison: that one folds a document from the log where only
   * one of the generations has it.
   */
  async #leaveOutOver(): Promise<void> {
    const { keptMs, store, world } = this.#parts;
    const kept = keptMs?.(this.#of.name);
    if (kept === undefined || this.#of.kind !== 'stream' || this.#of.overSince === undefined) return;
    const rest = (): Promise<void> => world.sleep(0, this.#signal);
    const removed = await removeOver(store, this.#copy, this.#of.overSince, world.now() - kept, rest);
    if (removed > 0) this.#digest = undefined;
  }

  /**
   * Checks against the live generation of the same version: its documents must not go back, unless an operator released
   * the stream.
   */
  async #checkAgainst(
    live: number,
    parked: readonly ParkedStream[],
    parkedBefore: readonly ParkedStream[],
  ): Promise<void> {
    const { name, kind } = this.#of;
    const [checkpoint = -1n] = await loadCheckpoints(this.#parts.store, [{ name, generation: live }]);
    const lost = parked.filter(
      ({ stream, revision, position, isReleased }) =>
        isReleased !== true &&
        BigInt(position) <= checkpoint &&
        !parkedBefore.some((one) => one.stream === stream && one.revision <= revision),
    );
    if (lost.some(({ reason }) => reason === 'unknown')) throw new NewerEvents(name);
    if (kind === 'log' && lost.length > 0) throw new LiveIsFurther(name, lost);
  }

  async #swap(reached: bigint): Promise<void> {
    const { events } = this.#parts;
    await nameOf(events);
    // Comparing took its time: documents that a log projection showed before the swap show at most a moment after it.
    const position = this.#of.kind === 'stream' ? reached : await this.#catchUp(reached, await events.head());
    await saveCheckpoint(this.#parts, this.#copy, position);
    await this.#made.goLive();
  }

  #tell(step: RebuildProgress['step']): void {
    this.#options.onProgress?.({ step, ...this.#progress });
  }
}

const placesOf = (parked: readonly ParkedStream[]): string =>
  parked.map(({ stream, revision }) => `${stream}@${revision}`).join(' ');
