// The one follower of a process: one subscription to the log brings every live projection up to it and keeps it there.
import type { Observer } from '../../observer.ts';
import type { Batch, StoredEvent } from '../../stores/event-store.ts';
import type { AnyProjection, Projection } from '../projection.ts';
import { type ApplyParts, applyEvents, idIn } from './apply.ts';
import { type Catalog, copyOf } from './catalog.ts';
import { checkCheckpoint, loadCheckpoint, saveCheckpoint } from './checkpoints.ts';
import type { Notes } from './notes.ts';
import type { EngineTimings } from './timings.ts';

export interface FollowerParts extends ApplyParts {
  readonly catalog: Catalog;
  readonly notes: Notes;
  readonly projections: readonly AnyProjection[];
  readonly timings: EngineTimings;
  readonly report: (fault: unknown) => void;
  readonly observer?: Observer | undefined;
}

/** How far one projection is, in the generation that was live when it began. */
interface Progress {
  readonly generation: number;
  position: bigint;
  saved: bigint;
}

/** Pause before the log is followed again after a fault. */
const RETRY_MS = 1_000;

export class Follower {
  readonly #parts: FollowerParts;
  readonly #progress = new Map<string, Progress>();
  #fault: unknown;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
  }

  /** Why nothing is projected at this moment; undefined when all is well. */
  get fault(): unknown {
    return this.#fault;
  }

  /** The position up to which this process knows the projection to be complete; undefined before it has been followed. */
  position(name: string): bigint | undefined {
    const progress = this.#progress.get(name);
    return progress?.generation === this.#parts.catalog.standing(name).own ? progress?.position : undefined;
  }

  /** Loads the checkpoints of what can be followed. Throws CheckpointBeyondLog. */
  async load(): Promise<void> {
    const { catalog, store, events, projections, notes } = this.#parts;
    for (const { name } of projections) {
      const { own } = catalog.standing(name);
      if (own === undefined) this.#progress.delete(name);
      if (own === undefined || this.#progress.get(name)?.generation === own) continue;
      const position = await loadCheckpoint(store, name, own);
      await checkCheckpoint(events, name, position);
      notes.forget(name);
      this.#progress.set(name, { generation: own, position, saved: position });
    }
  }

  /** Follows until the signal aborts; starts over, from where it was, when the catalog changes or a store was away. */
  async run(signal: AbortSignal): Promise<void> {
    const { world, report } = this.#parts;
    const saving = this.#keepCheckpoints(signal);
    while (!signal.aborted) {
      try {
        await this.load();
        await this.#followOnce(signal);
      } catch (fault) {
        if (signal.aborted) break;
        this.#fault = fault;
        report(fault);
        await world.sleep(RETRY_MS, signal).catch(() => undefined);
      }
    }
    await saving;
  }

  async #followOnce(signal: AbortSignal): Promise<void> {
    const { catalog, events, projections } = this.#parts;
    const followed = projections.filter(({ name }) => this.#progress.has(name));
    const changed = new AbortController();
    const forget = catalog.onChange(() => changed.abort());
    const until = AbortSignal.any([signal, changed.signal]);
    try {
      if (followed.length === 0) return await aborted(until);
      const positions = followed.map(({ name }) => this.#progress.get(name)?.position ?? -1n);
      const [from = -1n] = positions.sort((a, b) => (a < b ? -1 : 1));
      const categories = [...new Set(followed.map(({ category }) => category))];
      for await (const batch of events.follow(from, categories, until)) {
        await catalog.refreshed();
        await this.#parts.notes.settled();
        if (until.aborted) return;
        await this.#project(batch, followed);
        this.#fault = undefined;
      }
    } finally {
      forget();
    }
  }

  async #project(batch: Batch, followed: readonly AnyProjection[]): Promise<void> {
    const { observer } = this.#parts;
    for (const one of followed) {
      const progress = this.#progress.get(one.name);
      if (progress === undefined || batch.position <= progress.position) continue;
      const events = batch.events.filter((stored) => stored.position > progress.position && this.#wants(one, stored));
      const { also } = this.#parts.catalog.standing(one.name);
      const apply = (): Promise<void> => one.open((of) => applyEvents(this.#parts, of, [progress.generation, ...also], events));
      if (events.length > 0) await (observer === undefined ? apply() : observer.project(one.name, events.length, apply));
      progress.position = batch.position;
    }
  }

  #wants({ name, category }: AnyProjection, { stream, revision }: StoredEvent): boolean {
    return isOf(category, stream) && !this.#parts.notes.covers(name, idIn(category, stream), revision);
  }

  async #keepCheckpoints(signal: AbortSignal): Promise<void> {
    const { world, timings, report } = this.#parts;
    while (!signal.aborted) {
      await world.sleep(timings.checkpointMs, signal).catch(() => undefined);
      await this.#saveAll().catch(report);
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
    return saveCheckpoint(this.#parts.store, copyOf(of, generation), position);
  }
}

const isOf = (category: string, stream: string): boolean => stream.startsWith(category) && stream.charAt(category.length) === '-';

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
