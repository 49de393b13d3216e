// The follower: one subscription to the log brings every live projection up to it and keeps it there, in one process of
// many.
import type { Batch, StoredEvent } from '../../../stores/event-store.ts';
import { categoryOf, idOf, isOneOf } from '../../../stores/stream-name.ts';
import type { Observer } from '../../../telemetry/observer.ts';
import { Alarm, aborted } from '../../../world.ts';
import type { AnyProjection, Projection } from '../../projection.ts';
import { isOfAnotherLog } from '../generations/checkpoints.ts';
import type { InlineProjection } from '../inline.ts';
import { LogWriters } from '../log/log-writers.ts';
import { heedLimits } from '../parked/limited-streams.ts';
import type { ParkedStreams } from '../parked/parked-streams.ts';
import { applyEvents } from '../streams/apply-events.ts';
import type { ApplyParts } from '../streams/catch-up-stream.ts';
import type { Lease } from './lease.ts';
import { type Following, Positions, type PositionsParts, type ProjectionPosition } from './positions.ts';

interface FollowerParts extends ApplyParts, PositionsParts {
  readonly inline: Pick<InlineProjection, 'settled' | 'complete' | 'covers' | 'forget'>;
  readonly lease: Pick<Lease, 'isElsewhere' | 'onChange'>;
  readonly parkedStreams: Pick<ParkedStreams, 'all' | 'streams' | 'onLook' | 'look'>;
  readonly observer?: Observer | undefined;
}

/** Pause before the log is followed again after a fault. */
const RETRY_MS = 1_000;
/**
 * The rest after a batch, ms: longer with each event of it, up to a bound. A document over many streams is written once
 * a batch, in a commit of its own file, however many events change it; where few come, none of them waits.
 */
const restAfter = (events: number): number => Math.min(2 * events, 50);

/**
 * Every process writes its own events inline. A follower of stream projections writes the documents that a crash or an
 * unavailable store left out. Documents of log projections are written here and nowhere else. One process follows for
 * all: with N followers each event would be read N times, and written again by the faster ones. A process follows,
 * whether it holds the lease or not, until it has reached where the log ended when it started: it is ready by its own
 * doing, never by waiting for another. Then it rests while it knows the holder to be alive, and goes on from the newer
 * of its own position and the kept checkpoint: both say that everything before them is there.
 */
export class Follower {
  /** Rung after each batch in which the documents over many streams have news. */
  readonly moved = new Alarm();
  readonly #parts: FollowerParts;
  readonly #positions: Positions;
  readonly #logs: LogWriters;
  #handled = 0;
  #fault: unknown;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
    this.#positions = new Positions(parts);
    this.#logs = new LogWriters(parts);
  }

  /** Why nothing is projected at this moment; undefined if all is well. */
  get fault(): unknown {
    return this.#fault;
  }

  /** Events that this process has gone through. */
  get handled(): number {
    return this.#handled;
  }

  /** See Positions. */
  lagging(): ReturnType<Positions['lagging']> {
    return this.#positions.lagging();
  }

  /** Up to where this process knows a projection to hold everything; -1 before it has looked. */
  positionOf(name: string): bigint {
    return this.#positions.of(name)?.position ?? -1n;
  }

  /** See Positions. */
  positions(): Promise<readonly ProjectionPosition[]> {
    return this.#positions.known();
  }

  /** The positions reached, even while documents may still rest. */
  reached(): Promise<readonly ProjectionPosition[]> {
    return this.#positions.reached();
  }

  /** See Positions. */
  get otherLog(): unknown {
    return this.#positions.otherLog;
  }

  /** Before `run`. Throws OtherLog, CheckpointBeyondLog, and faults that need a rebuild. */
  load(): Promise<void> {
    return this.#positions.load();
  }

  /**
   * Follows, or rests, until the signal aborts; starts over, from where it was, when catalog or lease change, when a
   * parked log projection is released, or when a store was unavailable.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { world, catalog, lease, parkedStreams } = this.#parts;
    const keeping = this.#positions.keep(signal);
    while (!signal.aborted) {
      const changed = new AbortController();
      let isResting = this.#mayRest();
      const lookAtLease = (): void => {
        if (this.#mayRest() !== isResting) changed.abort();
      };
      const lookAtParked = (): void => {
        if (this.#positions.isReleased(parkedStreams.streams)) changed.abort();
      };
      const forget = [
        catalog.onChange(() => changed.abort()),
        lease.onChange(lookAtLease),
        parkedStreams.onLook(lookAtParked),
      ];
      const until = AbortSignal.any([signal, changed.signal]);
      try {
        if (!isResting) await this.load();
        isResting = this.#mayRest();
        if (isResting) await this.#rest(until);
        else await this.#followOnce(until);
      } catch (fault) {
        if (signal.aborted) break;
        if (isOfAnotherLog(fault)) this.#positions.distrust(fault);
        this.#fail(fault);
        await world.sleep(RETRY_MS, signal).catch(() => undefined);
      } finally {
        for (const one of forget) one();
      }
    }
    await keeping;
  }

  #mayRest(): boolean {
    return this.#parts.lease.isElsewhere && this.lagging().length === 0;
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
    const { catalog, events, inline, world } = this.#parts;
    this.#logs.look();
    const followed = this.#positions.followed();
    if (followed.length === 0) return aborted(until);
    const positions = followed.map(({ name }) => this.#positions.of(name)?.position ?? -1n);
    const [from = -1n] = positions.sort((a, b) => (a < b ? -1 : 1));
    const categories = [...new Set(followed.flatMap(({ categories: its }) => its))];
    const enough = new AbortController();
    for await (const batch of events.follow(from, categories, AbortSignal.any([until, enough.signal]))) {
      await catalog.refreshed();
      await inline.settled();
      if (until.aborted) return;
      if (batch.limits !== undefined) await heedLimits(this.#parts, batch.limits);
      await this.#project(batch, followed);
      this.#fault = undefined;
      if (this.#mayRest()) {
        enough.abort();
        return;
      }
      if (batch.caughtUp && batch.events.length > 0)
        await world.sleep(restAfter(batch.events.length), until).catch(() => undefined);
    }
  }

  async #project(batch: Batch, followed: readonly AnyProjection[]): Promise<void> {
    const { observer } = this.#parts;
    let hasNews = false;
    const byCategory = inCategories(batch.events);
    for (const one of followed) {
      const following = this.#positions.of(one.name);
      if (following === undefined || following.isParked || batch.position <= following.position) continue;
      const events = this.#wantedBy(one, following.position, batch, byCategory);
      const apply = (): Promise<void> => one.open((of) => this.#apply(of, following, events, batch.position));
      if (events.length === 0) following.position = batch.position;
      else await (observer === undefined ? apply() : observer.project(one.name, events.length, apply));
      this.#positions.look(one.name);
      hasNews ||= one.kind === 'log' && events.length > 0;
    }
    this.#handled += batch.events.length;
    if (hasNews) this.moved.ring();
  }

  async #apply<Doc extends object, K extends string>(
    of: Projection<Doc, K>,
    following: Following,
    events: readonly StoredEvent[],
    upTo: bigint,
  ): Promise<void> {
    const { generation } = following;
    switch (of.kind) {
      case 'stream':
        await applyEvents(this.#parts, of, [generation, ...this.#parts.catalog.standing(of.name).also], events);
        following.position = upTo;
        return;
      case 'log': {
        const { reached, parked } = await this.#logs.apply(of, generation, events);
        following.isParked = parked !== undefined;
        following.position = parked === undefined ? upTo : (reached ?? following.position);
        return;
      }
      default:
        of satisfies never;
    }
  }

  /** The events of its categories after a position. Own writes are in the documents of their streams already. */
  #wantedBy(
    { kind, name, categories }: AnyProjection,
    after: bigint,
    { events }: Batch,
    byCategory: ReadonlyMap<string, readonly StoredEvent[]>,
  ): readonly StoredEvent[] {
    const [first = ''] = categories;
    const its =
      categories.length === 1 ? byCategory.get(first) : events.filter(({ stream }) => isOneOf(categories, stream));
    const { inline } = this.#parts;
    return (its ?? []).filter(
      ({ position, stream, revision }) =>
        position > after && (kind === 'log' || !inline.covers(name, idOf(stream), revision)),
    );
  }
}

function inCategories(events: readonly StoredEvent[]): ReadonlyMap<string, readonly StoredEvent[]> {
  const found = new Map<string, StoredEvent[]>();
  for (const stored of events) {
    const category = categoryOf(stored.stream);
    const its = found.get(category);
    if (its === undefined) found.set(category, [stored]);
    else its.push(stored);
  }
  return found;
}
