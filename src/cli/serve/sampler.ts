// Looks every few seconds at figures that only the stores know, so that a scrape need not: availability, lag, unknown
// outcomes.
import type { Projections } from '../../projections/engine/engine.ts';
import { catalogEntries } from '../../projections/engine/generations/catalog-entry.ts';
import { labelOf, type NotMoving } from '../../projections/engine/health/not-moving.ts';
import { type NotificationKey, notifications } from '../../projections/models/notifications.ts';
import { type PaymentKey, payments } from '../../projections/models/payments.ts';
import { unknownOutcomes } from '../../queries/unknown-outcomes.ts';
import type { EventStore } from '../../stores/event-store.ts';
import type { Query, ReadModels } from '../../stores/read-models.ts';
import type { State, StoreName } from '../../telemetry/meters.ts';
import { type World, within } from '../../world.ts';

interface Sources {
  readonly readiness: () => { readonly ready: boolean };
  readonly projections: Pick<Projections, 'parkedCounts' | 'notMoving' | 'lags' | 'isBuilt' | 'areReadModelsUsable'>;
  readonly events: Pick<EventStore, 'head'>;
  readonly readModels: Pick<ReadModels, 'get' | 'find'>;
  /** Called when the count of payments whose money is not conserved has grown. */
  readonly onNotConserved?: (count: number) => void;
}

export interface SamplerTimings {
  readonly everyMs: number;
  /** A store that has not answered by then counts as unavailable. */
  readonly patienceMs: number;
}
const defaultTimings: SamplerTimings = { everyMs: 5_000, patienceMs: 3_000 };

/** A look that takes longer will never be answered. */
const LOST_MS = 60_000;
/** Payments with an unknown outcome, those that are not conserved, and parked notifications are counted up to here. */
const COUNTED = 1_000;
/** Payments that wait for a look-up are looked at up to here: each node looks every few seconds. */
const LOOKED_AT = 10_000;

interface Lags {
  /** Of World.monotonic. */
  readonly at: number;
  readonly seconds: ReadonlyMap<string, number>;
}

/** The events that wait: of read models that stand, and apart from them, over all streams that each goes on without. */
function eventsByWords(all: readonly NotMoving[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const one of all) {
    for (const name of one.projections) {
      const label = labelOf(name, one);
      counts.set(label, (counts.get(label) ?? 0) + one.events);
    }
  }
  return counts;
}

export class Sampler {
  readonly #sources: Sources;
  readonly #world: World;
  readonly #timings: SamplerTimings;
  readonly #answering = new Map<StoreName, boolean>();
  /**
   * Looks that were given up and still wait for a store, and since when (World.monotonic): the question is not repeated
   * meanwhile.
   */
  readonly #waiting = new Map<string, number>();
  #lags: Lags | undefined;
  #paymentsUnknown: number | undefined;
  #notificationsParked: number | undefined;
  #paymentsNotConserved: number | undefined;

  constructor(sources: Sources, world: World, timings: SamplerTimings = defaultTimings) {
    this.#sources = sources;
    this.#world = world;
    this.#timings = timings;
  }

  /** From memory. */
  state(): State {
    const { readiness, projections } = this.#sources;
    return {
      ready: readiness().ready,
      answering: this.#answering,
      parked: projections.parkedCounts(),
      notMoving: eventsByWords(projections.notMoving()),
      lagSeconds: this.#lagSeconds(),
      paymentsUnknown: this.#paymentsUnknown,
      notificationsParked: this.#notificationsParked,
      paymentsNotConserved: this.#paymentsNotConserved,
    };
  }

  /** Until the signal aborts; a look that is under way then is given up. */
  async run(until: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([until]); // a signal of its own: Node warns of more than ten listeners
    while (!signal.aborted) {
      await this.sample(signal);
      await this.#world.sleep(this.#timings.everyMs, signal).catch(() => undefined);
    }
  }

  /** One look at everything; never rejects, and takes no longer than its patience, or than the signal lets it. */
  async sample(until: AbortSignal = new AbortController().signal): Promise<void> {
    const { events, readModels, projections } = this.#sources;
    await Promise.all([
      this.#look('events', until, () => events.head()).then(
        (head) => void this.#answering.set('events', head !== undefined),
      ),
      this.#look('read_models', until, () => readModels.get(catalogEntries, [payments.name])).then(
        (rows) => void this.#answering.set('read_models', rows !== undefined && projections.areReadModelsUsable()),
      ),
      this.#look('lags', until, (signal) => projections.lags(signal)).then((seconds) => {
        if (seconds !== undefined) this.#lags = { at: this.#world.monotonic(), seconds };
      }),
      this.#look('unknown', until, () => this.#countUnknown()).then((count) => {
        this.#paymentsUnknown = count ?? this.#paymentsUnknown;
      }),
      this.#look('parked', until, () => this.#countParked()).then((count) => {
        this.#notificationsParked = count ?? this.#notificationsParked;
      }),
      this.#look('not conserved', until, () => this.#countNotConserved()).then((count) => {
        if (count === undefined) return;
        if (count > (this.#paymentsNotConserved ?? 0)) this.#sources.onNotConserved?.(count);
        this.#paymentsNotConserved = count;
      }),
    ]);
  }

  /** Undefined: no answer in time, or a fault that was reported elsewhere. */
  async #look<T>(name: string, until: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const now = this.#world.monotonic();
    if (now - (this.#waiting.get(name) ?? Number.NEGATIVE_INFINITY) < LOST_MS) return undefined;
    this.#waiting.set(name, now);
    const looked = await within(this.#world, this.#timings.patienceMs, (signal) => {
      const answer = work(signal)
        .catch(() => undefined)
        .finally(() => this.#waiting.delete(name));
      const leaving = new Promise<undefined>((leave) => {
        until.addEventListener('abort', () => leave(undefined), { once: true, signal });
      });
      return Promise.race([answer, leaving]);
    });
    return looked === 'timeout' ? undefined : looked;
  }

  /** The last values; while a store cannot be seen, a projection may lag by all that time. */
  #lagSeconds(): ReadonlyMap<string, number> {
    if (this.#lags === undefined) return new Map();
    const { at, seconds } = this.#lags;
    const ageMs = this.#world.monotonic() - at;
    const { everyMs, patienceMs } = this.#timings;
    if (ageMs <= everyMs + patienceMs) return seconds;
    return new Map([...seconds].map(([name, lag]) => [name, lag + ageMs / 1_000]));
  }

  async #countUnknown(): Promise<number | undefined> {
    const { projections, readModels } = this.#sources;
    if (!projections.isBuilt(payments.name)) return undefined;
    return (await unknownOutcomes(readModels, this.#world.now(), { limit: COUNTED, lookedAt: LOOKED_AT })).rows.length;
  }

  async #countParked(): Promise<number | undefined> {
    const { projections, readModels } = this.#sources;
    if (!projections.isBuilt(notifications.name)) return undefined;
    const parked: Query<NotificationKey> = {
      where: { parkedAt: { from: 0 } },
      order: { by: 'parkedAt', descending: false },
      limit: COUNTED,
    };
    return (await readModels.find(notifications, parked)).length;
  }

  async #countNotConserved(): Promise<number | undefined> {
    const { projections, readModels } = this.#sources;
    if (!projections.isBuilt(payments.name)) return undefined;
    const these: Query<PaymentKey> = {
      where: { notConservedAt: { from: 0 } },
      order: { by: 'notConservedAt', descending: false },
      limit: COUNTED,
    };
    return (await readModels.find(payments, these)).length;
  }
}
