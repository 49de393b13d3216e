// Builds a read model again beside the live one, proves it, and flips to it; safe to kill at any moment, beside any number of writers.
import { AppError, Notice } from '../../../app-error.ts';
import { breakIn } from '../../../journal/chain.ts';
import { NoSuchGeneration } from '../../../stores/read-models.ts';
import type { Projection } from '../../projection.ts';
import { type ApplyParts, idIn } from '../apply.ts';
import { type Catalog, type CatalogEntry, type CatalogGeneration, type Copy, copyOf, ownOf } from '../catalog.ts';
import { categoryOf, isOneOf } from '../categories.ts';
import { loadCheckpoints, nameOf, saveCheckpoint } from '../checkpoints.ts';
import { lossOf } from '../lost.ts';
import { LOG, type ParkedStream, parkedIn, unpark } from '../parked.ts';
import type { EngineTimings } from '../timings.ts';
import type { BuildProgress } from './build.ts';
import { beat, changeOwn, claim, newBuilder, RebuildLost, RebuildUnderWay, removeUnfinished, unfinishedIn, Watch } from './claim.ts';
import { alone, type Comparison } from './compare.ts';
import type { Digest } from './digest.ts';
import { logSteps } from './log-steps.ts';
import type { Reached, Steps } from './steps.ts';
import { streamSteps } from './stream-steps.ts';

export interface RebuildParts extends ApplyParts {
  readonly catalog: Catalog;
  readonly timings: EngineTimings;
  readonly report: (fault: unknown) => void;
}

export interface RebuildProgress extends BuildProgress {
  readonly step: 'building' | 'indexing' | 'joining' | 'comparing';
}

export interface RebuildOptions {
  /** Stops before the swap, and removes the new generation. */
  readonly dryRun?: boolean;
  readonly onProgress?: (progress: RebuildProgress) => void;
  readonly signal?: AbortSignal;
}

/** `documents` and `digestAfter` are the new generation's, `…Before` the one's that was live (0 and a digest of nothing without one). */
export interface RebuildResult extends Comparison {
  readonly name: string;
  readonly version: number;
  /** Of the generation that was live; undefined when there was none. */
  readonly versionBefore: number | undefined;
  readonly versionChanged: boolean;
  readonly generation: number;
  readonly generationBefore: number | undefined;
  /** Same documents at the same revisions with the same content, and no stream is broken. */
  readonly equal: boolean;
  readonly swapped: boolean;
  /** Events read while building. */
  readonly events: number;
  /** Streams that are parked in the new generation, each by an event that cannot be projected. */
  readonly parked: number;
  /** Streams that are broken, whose documents stand before the break: each is a difference. */
  readonly broken: readonly string[];
  readonly tookMs: number;
}

/** Newer nodes have brought documents further than this version of the service can: it must not discard their work. */
export class NewerEvents extends AppError {
  constructor(name: string) {
    super('NewerEvents', `The log holds events of a newer version of the service: let that one rebuild ${name}. Nothing was changed.`);
  }
}

/** A log projection would stand before an event that the live one has passed. */
export class LiveIsFurther extends AppError {
  constructor(name: string, [held]: readonly ParkedStream[]) {
    const where = held === undefined ? '' : ` at ${held.stream}@${held.revision}: ${held.fault}`;
    super('LiveIsFurther', `The read model ${name} is further than it can be rebuilt${where}. Nothing was changed.`);
  }
}

/** Generations besides the live one that are kept for going back. */
const KEPT = 2;

/**
 * Rebuilds one projection from the log. Throws RebuildUnderWay when another process does, RebuildLost, NewerEvents, LiveIsFurther, the signal's reason
 * when it aborts, StoreUnavailable when a store is unavailable: then the live generation is as it was.
 */
export async function rebuild<Doc extends object, K extends string>(
  parts: RebuildParts,
  of: Projection<Doc, K>,
  options: RebuildOptions = {},
): Promise<RebuildResult> {
  const { catalog, world, report } = parts;
  const startedAt = world.monotonic();
  const over = new AbortController();
  const signal = options.signal === undefined ? over.signal : AbortSignal.any([options.signal, over.signal]);
  await clearTheWay(parts, of.name, signal);
  const builder = newBuilder(world);
  const generation = await claim(catalog, of.name, of.version, builder);
  const lost = (): void => over.abort(new RebuildLost(of.name));
  const beating = beat(parts, of.name, builder, lost, over.signal);
  try {
    const built = await new Rebuild(parts, of, copyOf(of, generation), builder, options, signal).run();
    return { ...built, tookMs: Math.round(world.monotonic() - startedAt) };
  } catch (fault) {
    await bury(catalog, parts.store, of.name, { generation, version: of.version, state: 'building', builder }).catch(report);
    if (signal.aborted) throw signal.reason;
    // A builder that slept may find its generation dropped before the next sign of life tells it that it was given up.
    throw fault instanceof NoSuchGeneration && fault.generation === generation ? new RebuildLost(of.name, fault) : fault;
  } finally {
    over.abort();
    await beating;
  }
}

/** Removes the rest of a dead builder; a living one keeps its right. */
async function clearTheWay({ catalog, store, world, timings }: RebuildParts, name: string, signal: AbortSignal): Promise<void> {
  const watch = new Watch(world, timings);
  await catalog.refresh();
  const first = unfinishedIn(catalog.standing(name).entry);
  for (let unfinished = first; unfinished !== undefined; unfinished = unfinishedIn(catalog.standing(name).entry)) {
    if (unfinished.builder !== first?.builder || unfinished.beat !== first?.beat) throw new RebuildUnderWay(name);
    const dead = watch.dead(name, catalog.standing(name).entry);
    if (dead !== undefined) await bury(catalog, store, name, dead);
    else await world.sleep(timings.pollMs / 2, signal);
    await catalog.refresh();
  }
}

/** Removes the unfinished generation of a dead builder; a generation that is live after all stays. */
export async function bury(catalog: Catalog, store: ApplyParts['store'], name: string, dead: CatalogGeneration): Promise<void> {
  if (await removeUnfinished(catalog, name, dead)) await store.drop(name, dead.generation);
}

class Rebuild<Doc extends object, K extends string> {
  readonly #parts: RebuildParts;
  readonly #of: Projection<Doc, K>;
  readonly #copy: Copy<Doc, K>;
  readonly #builder: string;
  readonly #options: RebuildOptions;
  readonly #signal: AbortSignal;
  readonly #steps: Steps;
  /** Of the new generation, while it holds exactly the documents that the fold handed over. */
  #digest: Digest | undefined;
  #progress: BuildProgress = { events: 0, position: -1n, head: -1n };

  constructor(
    parts: RebuildParts,
    of: Projection<Doc, K>,
    copy: Copy<Doc, K>,
    builder: string,
    options: RebuildOptions,
    signal: AbortSignal,
  ) {
    this.#parts = parts;
    this.#of = of;
    this.#copy = copy;
    this.#builder = builder;
    this.#options = options;
    this.#signal = signal;
    this.#steps = stepsOf(parts, of, copy, signal);
  }

  async run(): Promise<Omit<RebuildResult, 'tookMs'>> {
    const { catalog, events, store } = this.#parts;
    await this.#sweep();
    let reached = await this.#build();
    reached = await this.#catchUp(reached, await events.head());
    const { entry } = catalog.standing(this.#of.name);
    const isDryRun = this.#options.dryRun === true;
    // Nobody has been told "written" about a generation of this version before the first one is live: there is nothing to join.
    if (!isDryRun && ownOf(entry, this.#of.version) !== undefined) reached = await this.#join(reached);
    const before = liveBefore(entry, this.#of.version);
    const versionChanged = before !== undefined && before.version !== this.#of.version;
    this.#tell('comparing');
    const { broken, mended } = await this.#breaks();
    const comparison = await this.#compare(before, versionChanged, reached.position, broken);
    this.#signal.throwIfAborted();
    const parked = await parkedIn(store, [this.#copy]);
    const isUnknown = parked.some(({ reason }) => reason === 'unknown');
    if (!isDryRun && before !== undefined && !versionChanged) {
      if (isUnknown) throw new NewerEvents(this.#of.name);
      const [live = -1n] = await loadCheckpoints(store, [{ name: this.#of.name, generation: before.generation }]);
      if (reached.isParked && live > reached.position) throw new LiveIsFurther(this.#of.name, parked);
    }
    if (isDryRun) await bury(catalog, store, this.#of.name, { ...this.#own('building') });
    else await this.#flip(reached);
    if (!isDryRun) for (const stream of mended) await unpark(store, LOG, stream);
    return {
      ...comparison,
      name: this.#of.name,
      version: this.#of.version,
      versionBefore: before?.version,
      versionChanged,
      generation: this.#copy.generation,
      generationBefore: before?.generation,
      equal: before !== undefined && broken.length === 0 && comparison.digestBefore === comparison.digestAfter,
      swapped: !isDryRun,
      events: this.#progress.events,
      parked: parked.length,
      broken,
    };
  }

  /** Parked breaks that documents of streams stand before, and those that were mended since, whose streams this generation holds whole. */
  async #breaks(): Promise<{ readonly broken: readonly string[]; readonly mended: readonly string[] }> {
    const { store, events } = this.#parts;
    const broken: string[] = [];
    const mended: string[] = [];
    for (const { stream } of this.#of.kind === 'stream' ? await parkedIn(store, [LOG]) : [])
      if (isOneOf(this.#of.categories, stream)) ((await breakIn(events, stream)) === undefined ? mended : broken).push(stream);
    return { broken, mended };
  }

  /** Files that the catalog does not know are what somebody left who was killed between two steps. */
  async #sweep(): Promise<void> {
    const { catalog, store } = this.#parts;
    const known = new Set(catalog.standing(this.#of.name).entry?.generations.map(({ generation }) => generation));
    for (const generation of await store.generations(this.#of.name))
      if (!known.has(generation)) await store.drop(this.#of.name, generation);
  }

  async #build(): Promise<Reached> {
    const { events, store } = this.#parts;
    const builder = await store.build(this.#copy);
    const onProgress = (progress: BuildProgress): void => {
      this.#progress = progress;
      this.#tell('building');
    };
    try {
      const filled = await this.#steps.fill(builder, await events.head(), onProgress);
      this.#tell('indexing');
      await builder.finish();
      this.#digest = await this.#steps.settle();
      return filled;
    } catch (fault) {
      await builder.abort();
      throw fault;
    }
  }

  /** Applies the log's newer events, up to a position that it has reached; nothing where it is parked. */
  async #catchUp({ position, isParked }: Reached, to: bigint): Promise<Reached> {
    if (isParked || position >= to) return { position, isParked };
    this.#digest = undefined;
    return this.#steps.catchUp(position, to);
  }

  /**
   * From here on every process writes this generation too, once it has read the catalog; a process that could not read it
   * acknowledges nothing. So every acknowledged write is either before the target, or written here by its own process. Of a log
   * projection nothing is acknowledged: the builder catches up, and followers go on from its checkpoint after the flip.
   */
  async #join(reached: Reached): Promise<Reached> {
    const { world, timings, events } = this.#parts;
    this.#tell('joining');
    await this.#become((own) => ({ ...own, state: 'joining' }));
    if (this.#steps.isJoined) await world.sleep(timings.joinMs, this.#signal);
    return this.#catchUp(reached, await events.head());
  }

  async #compare(
    before: CatalogGeneration | undefined,
    versionChanged: boolean,
    position: bigint,
    broken: readonly string[],
  ): Promise<Comparison> {
    const ids = broken.map((stream) => idIn(categoryOf(stream), stream));
    if (before === undefined) return alone(this.#parts, this.#copy, this.#digest, ids);
    const { version, generation } = before;
    const old: Copy<object, never> = { name: this.#of.name, version, keys: {}, indexes: [], generation };
    try {
      return await this.#steps.compare({ copy: old, versionChanged }, position, ids);
    } catch (fault) {
      const why = await lossOf(this.#parts.store, old, fault);
      if (why === undefined) throw fault;
      this.#parts.report(new Notice(`The read model ${old.name} ${why}: the new one is compared with nothing.`));
      const made = await alone(this.#parts, this.#copy, this.#digest, ids);
      return { ...made, different: made.documents };
    }
  }

  async #flip(reached: Reached): Promise<void> {
    const { store, report, events } = this.#parts;
    await nameOf(events);
    // Comparing took its time: documents that a log projection showed before the flip show at most a moment after it.
    const { position } = this.#steps.isJoined ? reached : await this.#catchUp(reached, await events.head());
    await saveCheckpoint(this.#parts, this.#copy, position);
    let dropped: readonly CatalogGeneration[] = [];
    await this.#become(
      () => this.#own('live'),
      (others) => {
        const kept = others.map((one): CatalogGeneration => (one.state === 'live' ? { ...one, state: 'kept' } : one));
        const retained = retain(kept);
        dropped = kept.filter((one) => !retained.includes(one));
        return retained;
      },
    );
    for (const { generation } of dropped) await store.drop(this.#of.name, generation).catch(report);
  }

  #own(state: CatalogGeneration['state']): CatalogGeneration {
    const { generation, version } = this.#copy;
    return { generation, version, state, ...(state !== 'live' && { builder: this.#builder }) };
  }

  async #become(
    change: (own: CatalogGeneration) => CatalogGeneration,
    changeOthers: (others: readonly CatalogGeneration[]) => readonly CatalogGeneration[] = (others) => others,
  ): Promise<void> {
    const changed = await changeOwn(this.#parts.catalog, this.#of.name, this.#builder, (own, { generations }) => [
      ...changeOthers(generations.filter((one) => one !== own)),
      change(own),
    ]);
    if (changed === undefined) throw new RebuildLost(this.#of.name);
  }

  #tell(step: RebuildProgress['step']): void {
    this.#options.onProgress?.({ step, ...this.#progress });
  }
}

function stepsOf<Doc extends object, K extends string>(
  parts: ApplyParts,
  of: Projection<Doc, K>,
  copy: Copy<Doc, K>,
  signal: AbortSignal,
): Steps {
  switch (of.kind) {
    case 'stream':
      return streamSteps(parts, of, copy, signal);
    case 'log':
      return logSteps(parts, of, copy, signal);
    default:
      return of satisfies never;
  }
}

/** The generation that the new one is compared with: the newest of its own version that is in use, else the live one. */
function liveBefore(entry: CatalogEntry | undefined, version: number): CatalogGeneration | undefined {
  const own = ownOf(entry, version);
  return entry?.generations.find(({ generation, state }) => (own === undefined ? state === 'live' : generation === own));
}

/** Of the generations kept for going back, the newest of each version, the newest two in all. */
function retain(kept: readonly CatalogGeneration[]): readonly CatalogGeneration[] {
  const newest = kept.toSorted((a, b) => b.generation - a.generation);
  return newest.filter((one, place) => newest.findIndex(({ version }) => version === one.version) === place).slice(0, KEPT);
}
