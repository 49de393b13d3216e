// Whether a process may be sent requests: its stores answer, its read models have the log as of its start; and its
// parked streams.
import { AppError } from '../../../app-error.ts';
import type { EventStore } from '../../../stores/event-store.ts';
import { StoreUnavailable } from '../../../stores/store-unavailable.ts';
import { type World, within } from '../../../world.ts';
import type { AnyProjection } from '../../projection.ts';
import type { Follower } from '../follow/follower.ts';
import type { Catalog } from '../generations/catalog.ts';
import type { InlineProjection } from '../inline.ts';
import type { ParkedStreams } from '../parked/parked-streams.ts';
import { Reach } from '../reach.ts';
import type { EngineTimings } from '../timings.ts';
import { countLag, MOST_COUNTED } from './lag.ts';
import { type NotMoving, Standstill } from './not-moving.ts';
import type { UsedReadModels } from './used-read-models.ts';

const COUNT_EVERY_MS = 10_000;

/** `reasons` stop the node. Parked streams do not: `degraded` are their names. */
export interface Ready {
  readonly ready: boolean;
  readonly reasons: readonly string[];
  readonly degraded: readonly string[];
  /** The stalled read models in words; absent: everything moves. It does not stop the node. */
  readonly notMoving?: readonly string[];
}

interface ReadinessParts {
  readonly events: EventStore;
  readonly world: World;
  readonly timings: EngineTimings;
  readonly report: (fault: unknown) => void;
  readonly catalog: Catalog;
  readonly inline: Pick<InlineProjection, 'reason'>;
  readonly used: Pick<UsedReadModels, 'unusable'>;
  readonly follower: Follower;
  readonly parkedStreams: Pick<ParkedStreams, 'streams'>;
  readonly projections: readonly AnyProjection[];
}

export class Readiness {
  readonly #parts: ReadinessParts;
  readonly #events: Reach;
  readonly #standstill: Standstill;
  /** Events that were still to come when they were counted, and the follower's progress at that time. */
  #toCome: { readonly count: number; readonly handled: number; readonly at: number } | undefined;

  constructor(parts: ReadinessParts) {
    const { world, timings, report } = parts;
    this.#parts = parts;
    const { follower, parkedStreams } = parts;
    this.#standstill = new Standstill({
      ...parts,
      positions: () => follower.reached(),
      parked: () => parkedStreams.streams,
    });
    this.#events = new Reach({ store: 'the event store', world, answerMs: timings.answerMs, report });
  }

  /**
   * False if it has been unavailable for `staleMs`: a short absence is not a reason to send callers, or work,
   * elsewhere.
   */
  get isEventStoreThere(): boolean {
    return (this.#events.unavailableMs ?? 0) < this.#parts.timings.staleMs;
  }

  /** For people, in the order in which they should be seen to; nothing in it comes from a store's own words. */
  now(): Ready {
    const { catalog, inline } = this.#parts;
    const events = this.isEventStoreThere ? undefined : this.#events.reason;
    const stores = [events, catalog.reason ?? inline.reason].filter((reason) => reason !== undefined);
    const unusable = catalog.reason === undefined ? this.#unusable() : [];
    const reasons = [
      ...stores,
      ...unusable,
      ...this.#unbuilt(),
      ...this.#lagging(),
      ...this.#stopped(stores.length > 0),
    ];
    return { ready: reasons.length === 0, reasons, degraded: this.#degraded() };
  }

  /** As of a look of a moment ago; it stops no node. */
  get notMoving(): readonly NotMoving[] {
    return this.#standstill.found;
  }

  /** Asks the event store whether it answers, and counts the events still to come, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { events, world, timings, report } = this.#parts;
    while (!signal.aborted) {
      try {
        await this.#events.ask(() => events.head());
        await this.#count(signal);
        await within(world, timings.answerMs, (late) => this.#standstill.look(AbortSignal.any([signal, late]))).catch(
          toldElsewhere,
        );
      } catch (fault) {
        if (signal.aborted) return;
        if (this.#events.unavailableMs === undefined) report(fault); // the reason of its absence is told once
      }
      await world.sleep(timings.pollMs, signal).catch(() => undefined);
    }
  }

  #unbuilt(): readonly string[] {
    const { catalog, projections } = this.#parts;
    return projections.flatMap(({ name }) =>
      catalog.standing(name).own === undefined ? [`${name} is being built`] : [],
    );
  }

  /** What requests could not use, apart from what is not built yet. */
  #unusable(): readonly string[] {
    const { catalog, used } = this.#parts;
    const names = used.unusable.filter((name) => !catalog.knows(name) || catalog.standing(name).own !== undefined);
    return names.map((name) => `${name} can be neither read nor written: the log says why`);
  }

  #degraded(): readonly string[] {
    return [...new Set(this.#parts.parkedStreams.streams.map(({ stream }) => stream))].sort();
  }

  #lagging(): readonly string[] {
    const names = this.#parts.follower.lagging().map(({ of }) => of.name);
    if (names.length === 0) return [];
    return [`${names.join(', ')} ${names.length === 1 ? 'has' : 'have'} not caught up with the log yet${this.#toGo()}`];
  }

  #toGo(): string {
    if (this.#toCome === undefined) return '';
    const { count, handled } = this.#toCome;
    const left = count - (this.#parts.follower.handled - handled);
    if (left < 1) return '';
    return `: ${count < MOST_COUNTED ? '' : 'more than '}${left} ${left === 1 ? 'event' : 'events'} to go`;
  }

  #stopped(isStoreUnavailable: boolean): readonly string[] {
    const { fault } = this.#parts.follower;
    if (fault === undefined) return [];
    if (fault instanceof StoreUnavailable)
      return isStoreUnavailable ? [] : ['nothing is projected: a store was unavailable a moment ago'];
    return [`nothing is projected: ${fault instanceof AppError ? fault.message : 'the log says why'}`];
  }

  /**
   * Once, and again when that much has been gone through, but seldom: counting reads what the follower has to read as
   * well.
   */
  async #count(signal: AbortSignal): Promise<void> {
    const { events, world, timings, follower } = this.#parts;
    const lagging = follower.lagging();
    if (lagging.length === 0) this.#toCome = undefined;
    const [from] = lagging.flatMap(({ position }) => position ?? []).sort((a, b) => (a < b ? -1 : 1));
    const { handled } = follower;
    if (from === undefined || !this.#isTimeToCount(handled)) return;
    const categories = [...new Set(lagging.flatMap(({ of }) => of.categories))];
    const counted = await within(world, timings.answerMs, (late) =>
      countLag(events, categories, from, MOST_COUNTED, AbortSignal.any([signal, late])),
    );
    if (counted !== 'timeout') this.#toCome = { count: counted.count, handled, at: world.monotonic() };
  }

  #isTimeToCount(handled: number): boolean {
    if (this.#toCome === undefined) return true;
    const { count, handled: before, at } = this.#toCome;
    return handled >= before + count && this.#parts.world.monotonic() - at >= COUNT_EVERY_MS;
  }
}

/** True if the user of the store reports its absence, once. */
function toldElsewhere(fault: unknown): void {
  if (!(fault instanceof StoreUnavailable)) throw fault;
}
