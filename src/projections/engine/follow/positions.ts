// A follower's position in each projection: loaded from the checkpoints, moved as events are applied, and kept as
// checkpoints again.
import type { EventStore } from '../../../stores/event-store.ts';
import { NoSuchGeneration, type ReadModelStore } from '../../../stores/read-models.ts';
import type { World } from '../../../world.ts';
import type { AnyProjection } from '../../projection.ts';
import type { Catalog } from '../generations/catalog.ts';
import { loadCheckpoints, placesInLog, reachedIn, saveCheckpoints } from '../generations/checkpoints.ts';
import { type CopyName, copyOf } from '../generations/copy.ts';
import type { InlineProjection } from '../inline.ts';
import type { ParkedStream } from '../parked/parked-records.ts';
import type { EngineTimings } from '../timings.ts';

/** Up to where a projection has everything. */
export interface ProjectionPosition {
  readonly name: string;
  readonly categories: readonly string[];
  readonly position: bigint;
}

/** The position of one projection, in the generation that was live when it began. */
export interface Following {
  readonly generation: number;
  position: bigint;
  /** The position of the checkpoint. */
  saved: bigint;
  /**
   * A log projection waits before an event for a newer node: its position stays until the record is closed, or the wait
   * is over.
   */
  isParked: boolean;
}

export interface PositionsParts {
  readonly events: EventStore;
  readonly store: ReadModelStore;
  readonly world: World;
  readonly catalog: Catalog;
  readonly inline: Pick<InlineProjection, 'complete' | 'forget'>;
  readonly projections: readonly AnyProjection[];
  readonly timings: Pick<EngineTimings, 'checkpointMs' | 'newerNodeMs'>;
  readonly report: (fault: unknown) => void;
}

export class Positions {
  readonly #parts: PositionsParts;
  readonly #following = new Map<string, Following>();
  readonly #reached = new Set<string>();
  /**
   * Generations that were found to be of another log: for good, because this one, grown since, would soon look right.
   */
  readonly #foreign = new Map<string, { readonly generation: number; readonly fault: unknown }>();
  /** Where the log ended when this process started. */
  #head: bigint | undefined;

  constructor(parts: PositionsParts) {
    this.#parts = parts;
  }

  /** The projections that have a generation to follow. */
  followed(): readonly AnyProjection[] {
    return this.#parts.projections.filter(({ name }) => this.#parts.catalog.standing(name).own !== undefined);
  }

  /** Undefined before the first `load` of the projection. */
  of(name: string): Following | undefined {
    return this.#following.get(name);
  }

  /**
   * The projections that do not hold all yet that the log held when this process started, and where they are
   * (undefined: not known yet). Once reached it stays so: after a flip the new generation goes on from where its
   * builder had brought it.
   */
  lagging(): readonly { readonly of: AnyProjection; readonly position: bigint | undefined }[] {
    const lagging = this.followed().filter(({ name }) => !this.#reached.has(name));
    return lagging.map((of) => ({ of, position: this.of(of.name)?.position }));
  }

  /**
   * Up to where each built projection is known to hold everything: the process that follows knows it first, and keeps
   * it for the others.
   */
  async known(): Promise<readonly ProjectionPosition[]> {
    const reached = await this.reached();
    await this.#parts.inline.complete();
    return reached;
  }

  /**
   * The positions reached, even while documents may still rest: for readers who check progress and must not cause
   * writes.
   */
  async reached(): Promise<readonly ProjectionPosition[]> {
    const followed = this.followed();
    const copies = followed.map((one) => this.#copy(one));
    const kept = await loadCheckpoints(this.#parts.store, copies);
    return followed.map(({ name, categories }, place) => {
      const following = this.of(name);
      const own = following?.generation === copies[place]?.generation ? (following?.position ?? -1n) : -1n;
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

  /** The log is not the log of these documents: the generations that are followed now are not followed again. */
  distrust(fault: unknown): void {
    for (const { name, generation } of this.followed().map((one) => this.#copy(one)))
      this.#foreign.set(name, { generation, fault });
  }

  /**
   * Loads the checkpoints of all projections to follow. Throws OtherLog, CheckpointBeyondLog, and faults that need a
   * rebuild.
   */
  async load(): Promise<void> {
    const { store, events } = this.#parts;
    const foreign = this.otherLog;
    if (foreign !== undefined) throw foreign;
    const copies = this.followed().map((one) => this.#copy(one));
    const { positions, head } = await placesInLog({ store, events }, copies);
    this.#head ??= head;
    for (const [place, copy] of copies.entries()) {
      this.#follow(copy, positions[place] ?? -1n);
      this.look(copy.name);
    }
  }

  /** Notes that a projection has reached where the log ended at start; called after its position was moved. */
  look(name: string): void {
    const following = this.of(name);
    if (this.#head === undefined || following === undefined) return;
    // A projection that waits keeps no process from being ready: its stream is named as degraded.
    if (following.isParked || following.position >= this.#head) this.#reached.add(name);
  }

  /**
   * Whether a log projection that waits here need not: a newer node or an operator has seen to its event, or none came
   * in time.
   */
  isReleased(parked: readonly ParkedStream[]): boolean {
    const { world, timings } = this.#parts;
    const waits = ({ held, at }: ParkedStream): boolean => held === undefined && world.now() - at < timings.newerNodeMs;
    return this.followed().some(
      ({ name }) => this.of(name)?.isParked === true && !parked.some((one) => one.projection === name && waits(one)),
    );
  }

  /** Keeps a checkpoint of every position that moved, every `checkpointMs`, until the signal aborts. Never rejects. */
  async keep(signal: AbortSignal): Promise<void> {
    const { world, timings, report } = this.#parts;
    let isFailing = false;
    while (!signal.aborted) {
      await world.sleep(timings.checkpointMs, signal).catch(() => undefined);
      try {
        await this.#saveAll();
        isFailing = false;
      } catch (fault) {
        // a generation that was replaced needs no checkpoint; that one is lost, `giveUpLost` reports
        if (fault instanceof NoSuchGeneration) continue;
        if (!isFailing) report(fault);
        isFailing = true;
      }
    }
  }

  #copy({ name }: AnyProjection): CopyName {
    return { name, generation: this.#parts.catalog.standing(name).own ?? 0 };
  }

  #follow({ name, generation }: CopyName, position: bigint): void {
    const following = this.of(name);
    if (following?.generation !== generation) {
      this.#parts.inline.forget(name);
      this.#following.set(name, { generation, position, saved: position, isParked: false });
      return;
    }
    // it is tried again, from the kept checkpoint where another process has passed the event
    following.isParked = false;
    if (position <= following.position) return;
    following.position = position;
    following.saved = position;
  }

  async #saveAll(): Promise<void> {
    const moved = this.#parts.projections.flatMap((of) => {
      const following = this.of(of.name);
      return following === undefined || following.position <= following.saved
        ? []
        : [{ of, following, position: following.position }];
    });
    if (moved.length === 0) return;
    await this.#parts.inline.complete(); // a document that is noted up to here may still rest
    await saveCheckpoints(
      this.#parts,
      moved.map(({ of: { open }, following: { generation }, position }) =>
        open((of) => reachedIn(copyOf(of, generation), position)),
      ),
    );
    for (const { following, position } of moved) following.saved = position;
  }
}
