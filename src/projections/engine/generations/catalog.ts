// Knows the live generation of each read model: a guarded document per name, polled, because other processes change it.
import { AppError } from '../../../app-error.ts';
import type { ReadModelStore } from '../../../stores/read-models.ts';
import { StoreUnavailable } from '../../../stores/store-unavailable.ts';
import type { World } from '../../../world.ts';
import { Reach, seconds } from '../reach.ts';
import type { EngineTimings } from '../timings.ts';
import { type CatalogEntry, catalogEntries, ownOf } from './catalog-entry.ts';

/** The generations of a read model that this process reads and writes. */
interface Standing {
  readonly entry: CatalogEntry | undefined;
  /** The generation that is read and written; none until one of the code's version has been built. */
  readonly own: number | undefined;
  /** Written as well: the joining generation, and the one that was live until a moment ago. */
  readonly also: readonly number[];
}

const nothing: Standing = { entry: undefined, own: undefined, also: [] };
/** Tries of a change that others' changes may overtake. */
const CHANGE_TRIES = 50;

interface CatalogOptions {
  readonly store: ReadModelStore;
  readonly world: World;
  readonly timings: EngineTimings;
  readonly report: (fault: unknown) => void;
  /** The code's own projections. */
  readonly versions: ReadonlyMap<string, number>;
}

interface Leaving {
  readonly generation: number;
  /** Of World.monotonic. */
  readonly until: number;
}

export class Catalog {
  readonly #options: CatalogOptions;
  /** Shows if the read models can be reached: nothing is read more regularly. */
  readonly #reach: Reach;
  readonly #standings = new Map<string, Standing>();
  readonly #leaving = new Map<string, Leaving>();
  readonly #listeners = new Set<() => void>();
  #readAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(options: CatalogOptions) {
    this.#options = options;
    const { world, timings, report } = options;
    this.#reach = new Reach({ store: 'the read models', world, answerMs: timings.answerMs, report });
  }

  /** Called after the generations that this process reads or writes have changed. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** True if the name is one of the code's projections; other collections have no generations. */
  knows(name: string): boolean {
    return this.#options.versions.has(name);
  }

  standing(name: string): Standing {
    return this.#standings.get(name) ?? nothing;
  }

  /**
   * True while nothing contradicts the last look; false: wait for `refreshed`. Reads again automatically when it is
   * time.
   */
  get isRecent(): boolean {
    const age = this.#options.world.monotonic() - this.#readAt;
    if (age < this.#options.timings.pollMs) return true;
    if (age >= this.#options.timings.staleMs) return false;
    this.refresh().catch(() => undefined); // the next call sees whether it helped
    return true;
  }

  /** Why it is not recent, for people; undefined if it is. */
  get reason(): string | undefined {
    if (this.isRecent) return undefined;
    const age = this.#options.world.monotonic() - this.#readAt;
    return this.#reach.reason ?? `the read models last responded ${seconds(age)} ago`;
  }

  /**
   * Resolves when the knowledge is recent; throws StoreUnavailable if the catalog cannot be read, and at once when it
   * could not be a moment ago: while a store is paused, no request waits to hear it again.
   */
  async refreshed(): Promise<void> {
    if (this.isRecent) return;
    const { world, timings } = this.#options;
    const isBeingTried = this.#reading !== undefined || world.monotonic() - this.#triedAt < timings.pollMs;
    if (this.#reach.unavailableMs !== undefined && isBeingTried)
      throw new StoreUnavailable(this.reason ?? 'The read models were unavailable');
    await this.refresh().catch((cause: unknown) => {
      if (!this.isRecent) throw new StoreUnavailable('The catalog of read models cannot be read', { cause });
    });
  }

  /** Reads the catalog now; calls that overlap share one read. */
  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Reads again so that every write before this call shows: a read in progress may have begun before it. */
  async reread(): Promise<void> {
    await this.#reading?.catch(() => undefined);
    await this.refresh();
  }

  /**
   * Changes an entry; `change` sees the newest and answers the next, or undefined to leave it, and may be called again
   * when another process was faster. Resolves to the entry as it then is.
   */
  async change(
    name: string,
    change: (entry: CatalogEntry | undefined) => CatalogEntry | undefined,
  ): Promise<CatalogEntry | undefined> {
    const { store } = this.#options;
    for (let tries = 0; tries < CHANGE_TRIES; tries += 1) {
      const [row] = await store.get(catalogEntries, [name]);
      const doc = change(row?.doc);
      if (doc === undefined) return row?.doc;
      const written = await store.write(catalogEntries, [{ id: name, revision: (row?.revision ?? -1) + 1, doc }]);
      if (written.length === 0) continue;
      await this.reread();
      return doc;
    }
    throw new AppError('CatalogBusy', `Other processes keep changing the catalog entry of ${name}.`);
  }

  async #read(): Promise<void> {
    const { store, world, versions } = this.#options;
    const startedAt = world.monotonic();
    const rows = await this.#reach
      .ask(() => store.get(catalogEntries, [...versions.keys()]))
      .finally(() => {
        this.#triedAt = world.monotonic();
      });
    const entries = new Map(rows.map(({ id, doc }) => [id, doc]));
    const isChanged = [...versions]
      .map(([name, version]) => this.#learn(name, version, entries.get(name)))
      .includes(true);
    this.#readAt = Math.max(this.#readAt, startedAt);
    if (isChanged) for (const listener of this.#listeners) listener();
  }

  #learn(name: string, version: number, entry: CatalogEntry | undefined): boolean {
    const { world, timings } = this.#options;
    const before = this.standing(name);
    const own = ownOf(entry, version);
    if (before.own !== undefined && own !== before.own) {
      this.#leaving.set(name, { generation: before.own, until: world.monotonic() + timings.joinMs });
    }
    const leaving = this.#leaving.get(name);
    if (leaving !== undefined && leaving.until <= world.monotonic()) this.#leaving.delete(name);
    const joining = entry?.generations.find(
      ({ state, version: its }) => state === 'joining' && its === version,
    )?.generation;
    const left = this.#leaving.get(name)?.generation;
    const also = [joining, left].filter((one) => one !== undefined).filter((one) => one !== own);
    this.#standings.set(name, { entry, own, also });
    return own !== before.own || also.join() !== before.also.join();
  }
}
