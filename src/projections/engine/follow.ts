// The follower: one subscription to the log brings every live projection up to it and keeps it there, in one process of many.

import type { Batch, StoredEvent } from '../../stores/event-store.ts';
import type { Observer } from '../../telemetry/observer.ts';
import type { AnyProjection, Projection } from '../projection.ts';
import { type ApplyParts, applyEvents, idIn } from './apply.ts';
import { type Catalog, copyOf } from './catalog.ts';
import { isOneOf } from './categories.ts';
import { CheckpointBeyondLog, checkLog, isOfAnotherLog, loadCheckpoints, saveCheckpoint } from './checkpoints.ts';
import type { InlineProjection } from './inline.ts';
import type { Reached } from './lag.ts';
import type { Lease } from './lease.ts';
import { LogWriters } from './log/log-writers.ts';
import type { Notes } from './notes.ts';
import type { ParkedStreams } from './parked-streams.ts';
import type { EngineTimings } from './timings.ts';

export interface FollowerParts extends ApplyParts {
  readonly catalog: Catalog;
  readonly notes: Notes;
  readonly inline: Pick<InlineProjection, 'settled'>;
  readonly lease: Pick<Lease, 'isElsewhere' | 'onChange'>;
  readonly parkedStreams: Pick<ParkedStreams, 'streams' | 'onLook'>;
  readonly projections: readonly AnyProjection[];
  readonly timings: EngineTimings;
  readonly report: (fault: unknown) => void;
  readonly observer?: Observer | undefined;
}

/** The position of one projection, in the generation that was live when it began. */
interface Progress {
  readonly generation: number;
  position: bigint;
  saved: bigint;
  /** A log projection stands before an event that it cannot project: its position stays until the record is closed. */
  isParked: boolean;
}

/** Pause before the log is followed again after a fault. */
const RETRY_MS = 1_000;

/**
 * Every process writes its own events inline. A follower of stream projections writes the documents that a crash or an unavailable store
 * left out. Documents of log projections are written here and nowhere else. One process follows for all: with N followers each event
 * would be read N times, and written again by the faster ones. A process follows, whether it holds the lease or not, until it has
 * reached where the log ended when it started: it is ready by its own doing, never by waiting for another. Then it rests while it knows
 * the holder to be alive, and goes on from the newer of its own position and the kept checkpoint: both say that everything before them
 * is there.
 */
export class Follower {
  readonly #parts: FollowerParts;
  readonly #logs: LogWriters;
  readonly #progress = new Map<string, Progress>();
  readonly #reached = new Set<string>();
  /** Generations that were found to be of another log: for good, because this one, grown since, would soon look right. */
  readonly #foreign = new Map<string, { readonly generation: number; readonly fault: unknown }>();
  #head: bigint | undefined;
  #handled = 0;
  #fault: unknown;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
    this.#logs = new LogWriters(parts);
  }

  /** Why nothing is projected at this moment; undefined when all is well. */
  get fault(): unknown {
    return this.#fault;
  }

  /** Events that this process has gone through. */
  get handled(): number {
    return this.#handled;
  }

  /**
   * The projections that do not hold all yet that the log held when this process started, and where they are (undefined:
   * not known yet). Once reached it stays so: after a flip the new generation goes on from where its builder had brought it.
   */
  lagging(): readonly { readonly of: AnyProjection; readonly position: bigint | undefined }[] {
    return this.#followed().flatMap((of) => {
      return this.#reached.has(of.name) ? [] : [{ of, position: this.#progress.get(of.name)?.position }];
    });
  }

  /** Up to where each built projection is known to hold everything: the process that follows knows it first, and keeps it for the others. */
  async positions(): Promise<readonly Reached[]> {
    const { catalog, store } = this.#parts;
    const followed = this.#followed();
    const copies = followed.map(({ name }) => ({ name, generation: catalog.standing(name).own ?? 0 }));
    const kept = await loadCheckpoints(store, copies);
    return followed.map(({ name, categories }, place) => {
      const progress = this.#progress.get(name);
      const own = progress?.generation === copies[place]?.generation ? (progress?.position ?? -1n) : -1n;
      const shared = kept[place] ?? -1n;
      return { name, categories, position: own > shared ? own : shared };
    });
  }

  /** Why the documents differ from this log; undefined while nothing speaks against them. A rebuild ends it. */
  get otherLog(): unknown {
    for (const [name, { generation, fault }] of this.#foreign) {
      if (this.#parts.catalog.standing(name).own === generation) return fault;
      this.#foreign.delete(name);
    }
    return undefined;
  }

  /** Loads the checkpoints of all projections to follow. Throws OtherLog, CheckpointBeyondLog, and faults that need a rebuild. */
  async load(): Promise<void> {
    const { catalog, store, events, notes } = this.#parts;
    const foreign = this.otherLog;
    if (foreign !== undefined) throw foreign;
    const followed = this.#followed();
    const copies = followed.map(({ name }) => ({ name, generation: catalog.standing(name).own ?? 0 }));
    const kept = await loadCheckpoints(store, copies);
    await checkLog({ store, events }, copies);
    const head = await events.head(); // read after the checkpoints, which another process may move
    this.#head ??= head;
    for (const [place, { name, generation }] of copies.entries()) {
      const position = kept[place] ?? -1n;
      if (position > head) throw new CheckpointBeyondLog(name, position, head);
      const progress = this.#progress.get(name);
      if (progress?.generation !== generation) {
        notes.forget(name);
        this.#progress.set(name, { generation, position, saved: position, isParked: false });
      } else {
        progress.isParked = false; // it is tried again, from the kept checkpoint where another process has passed the event
        if (position > progress.position) {
          progress.position = position;
          progress.saved = position;
        }
      }
      this.#look(name);
    }
  }

  /**
   * Follows, or rests, until the signal aborts; starts over, from where it was, when catalog or lease change, when a parked log
   * projection is released, or when a store was unavailable.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { world, catalog, lease, parkedStreams } = this.#parts;
    const saving = this.#keepCheckpoints(signal);
    while (!signal.aborted) {
      const changed = new AbortController();
      let isResting = this.#mayRest();
      const lookAtLease = (): void => {
        if (this.#mayRest() !== isResting) changed.abort();
      };
      const lookAtParked = (): void => {
        if (this.#isReleased()) changed.abort();
      };
      const forget = [catalog.onChange(() => changed.abort()), lease.onChange(lookAtLease), parkedStreams.onLook(lookAtParked)];
      const until = AbortSignal.any([signal, changed.signal]);
      try {
        if (!isResting) await this.load();
        isResting = this.#mayRest();
        if (isResting) await this.#rest(until);
        else await this.#followOnce(until);
      } catch (fault) {
        if (signal.aborted) break;
        if (isOfAnotherLog(fault)) this.#distrust(fault);
        this.#fail(fault);
        await world.sleep(RETRY_MS, signal).catch(() => undefined);
      } finally {
        for (const one of forget) one();
      }
    }
    await saving;
  }

  #distrust(fault: unknown): void {
    for (const { name } of this.#followed()) {
      const { own } = this.#parts.catalog.standing(name);
      if (own !== undefined) this.#foreign.set(name, { generation: own, fault });
    }
  }

  #followed(): readonly AnyProjection[] {
    return this.#parts.projections.filter(({ name }) => this.#parts.catalog.standing(name).own !== undefined);
  }

  #mayRest(): boolean {
    return this.#parts.lease.isElsewhere && this.#followed().every(({ name }) => this.#reached.has(name));
  }

  async #rest(until: AbortSignal): Promise<void> {
    this.#fault = undefined;
    await aborted(until);
  }

  /** Once for a fault that comes again and again. */
  #fail(fault: unknown): void {
    if (String(fault) !== String(this.#fault)) this.#parts.report(fault);
    this.#fault = fault;
  }

  async #followOnce(until: AbortSignal): Promise<void> {
    const { catalog, events, inline } = this.#parts;
    const followed = this.#followed();
    if (followed.length === 0) return aborted(until);
    const positions = followed.map(({ name }) => this.#progress.get(name)?.position ?? -1n);
    const [from = -1n] = positions.sort((a, b) => (a < b ? -1 : 1));
    const categories = [...new Set(followed.flatMap(({ categories: its }) => its))];
    const enough = new AbortController();
    for await (const batch of events.follow(from, categories, AbortSignal.any([until, enough.signal]))) {
      await catalog.refreshed();
      await inline.settled();
      if (until.aborted) return;
      await this.#project(batch, followed);
      this.#fault = undefined;
      if (!this.#mayRest()) continue;
      enough.abort();
      return;
    }
  }

  async #project(batch: Batch, followed: readonly AnyProjection[]): Promise<void> {
    const { observer } = this.#parts;
    for (const one of followed) {
      const progress = this.#progress.get(one.name);
      if (progress === undefined || progress.isParked || batch.position <= progress.position) continue;
      const events = batch.events.filter((stored) => stored.position > progress.position && this.#wants(one, stored));
      const apply = (): Promise<void> => one.open((of) => this.#apply(of, progress, events, batch.position));
      if (events.length === 0) progress.position = batch.position;
      else await (observer === undefined ? apply() : observer.project(one.name, events.length, apply));
      this.#look(one.name);
    }
    this.#handled += batch.events.length;
  }

  async #apply<Doc extends object, K extends string>(
    of: Projection<Doc, K>,
    progress: Progress,
    events: readonly StoredEvent[],
    upTo: bigint,
  ): Promise<void> {
    const { generation } = progress;
    switch (of.kind) {
      case 'stream':
        await applyEvents(this.#parts, of, [generation, ...this.#parts.catalog.standing(of.name).also], events);
        progress.position = upTo;
        return;
      case 'log': {
        const { reached, parked } = await this.#logs.apply(of, generation, events);
        progress.isParked = parked !== undefined;
        progress.position = parked === undefined ? upTo : (reached ?? progress.position);
        return;
      }
      default:
        of satisfies never;
    }
  }

  /** Own writes are projected inline already, into documents of streams. */
  #wants({ kind, name, categories }: AnyProjection, { stream, revision }: StoredEvent): boolean {
    if (!isOneOf(categories, stream)) return false;
    const [category = ''] = categories;
    return kind === 'log' || !this.#parts.notes.covers(name, idIn(category, stream), revision);
  }

  /** Whether a log projection that is parked here has no open record any more: an operator or a newer node has seen to it. */
  #isReleased(): boolean {
    const { streams } = this.#parts.parkedStreams;
    return this.#followed().some(({ name }) => {
      const progress = this.#progress.get(name);
      return progress?.isParked === true && streams.every(({ projection }) => projection !== name);
    });
  }

  #look(name: string): void {
    const progress = this.#progress.get(name);
    if (this.#head === undefined || progress === undefined) return;
    // A parked projection keeps no process from being ready: it is named as degraded.
    if (progress.isParked || progress.position >= this.#head) this.#reached.add(name);
  }

  async #keepCheckpoints(signal: AbortSignal): Promise<void> {
    const { world, timings, report } = this.#parts;
    let isFailing = false;
    while (!signal.aborted) {
      await world.sleep(timings.checkpointMs, signal).catch(() => undefined);
      try {
        await this.#saveAll();
        isFailing = false;
      } catch (fault) {
        if (!isFailing) report(fault);
        isFailing = true;
      }
    }
  }

  async #saveAll(): Promise<void> {
    for (const one of this.#parts.projections) {
      const progress = this.#progress.get(one.name);
      if (progress === undefined || progress.position <= progress.saved) continue;
      const { position } = progress;
      await one.open((of) => this.#save(of, progress.generation, position));
      progress.saved = position;
    }
  }

  #save<Doc extends object, K extends string>(of: Projection<Doc, K>, generation: number, position: bigint): Promise<void> {
    return saveCheckpoint(this.#parts, copyOf(of, generation), position);
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
