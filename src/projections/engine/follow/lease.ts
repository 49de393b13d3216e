// Chooses one process of many for a piece of work: a guarded document with its holder, whose revision is the sign of
// life.
import type { Collection, ReadModels, Stored } from '../../../stores/read-models.ts';
import { StoreUnavailable } from '../../../stores/store-unavailable.ts';
import { newId, type World, within } from '../../../world.ts';
import type { EngineTimings } from '../timings.ts';

interface LeaseDoc {
  /** Empty: given back. */
  readonly holder: string;
}

const leases: Collection<LeaseDoc, never> = { name: 'leases', version: 1, keys: {}, indexes: [] };

interface LeaseParts {
  readonly store: ReadModels;
  readonly world: World;
  readonly report: (fault: unknown) => void;
  readonly timings: Pick<EngineTimings, 'leaseBeatMs' | 'leaseDeadMs' | 'answerMs'>;
}

/** The document as it was when it last changed under this process's eyes. */
interface Seen {
  readonly revision: number;
  /** Of this process's World.monotonic: clocks of different nodes are never compared. */
  readonly since: number;
  /** False for the holder of the first look: a killed process may have left the lease. */
  readonly isLive: boolean;
}

/**
 * A lease merely saves work: everything done under it is guarded, so two that do it, or a holder that wakes up after a
 * pause, are harmless. That is why a process works unless it knows that another one lives: a start never waits for a
 * dead holder.
 */
export class Lease {
  readonly #parts: LeaseParts;
  readonly #id: string;
  readonly #holder: string;
  readonly #listeners = new Set<() => void>();
  #seen: Seen | undefined;
  #standing: 'mine' | 'elsewhere' | 'open' = 'open';

  constructor(parts: LeaseParts, id: string) {
    this.#parts = parts;
    this.#id = id;
    this.#holder = newId(parts.world, 'node');
  }

  /** Another process holds it and is known to be alive: it does the work. */
  get isElsewhere(): boolean {
    return this.#standing === 'elsewhere';
  }

  get isMine(): boolean {
    return this.#standing === 'mine';
  }

  /** Called after `isElsewhere` or `isMine` has changed. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Takes the lease when it is free, keeps it while this process `isFit`, and gives it back when the signal aborts.
   * Never rejects.
   */
  async run(isFit: () => boolean, signal: AbortSignal): Promise<void> {
    const { world, timings, report } = this.#parts;
    while (!signal.aborted) {
      try {
        await this.#look(isFit());
      } catch (fault) {
        if (!(fault instanceof StoreUnavailable)) report(fault);
        // The store is unavailable for the holder too, and other code reports that: an unseen sign of life does not
        // prove silence.
        this.#seen = this.#seen && { ...this.#seen, since: world.monotonic() };
      }
      await world.sleep(timings.leaseBeatMs, signal).catch(() => undefined);
    }
    // waiting processes will see the silence
    if (this.#standing === 'mine') await this.#write('').catch(() => undefined);
    this.#become('open');
  }

  async #look(isFit: boolean): Promise<void> {
    const { store, world, timings } = this.#parts;
    const [row] = await this.#answered(() => store.get(leases, [this.#id]));
    const revision = row?.revision ?? -1;
    if (this.#seen?.revision !== revision)
      this.#seen = { revision, since: world.monotonic(), isLive: this.#seen !== undefined };
    if (!isFit && row?.doc.holder === this.#holder) {
      await this.#write('');
      return this.#become('open');
    }
    if (isFit && this.#isFree(row)) {
      if (await this.#write(this.#holder)) return this.#become('mine');
      return; // another one was faster: the next look sees who
    }
    const isOthers = row !== undefined && row.doc.holder !== '' && row.doc.holder !== this.#holder;
    const silentMs = world.monotonic() - (this.#seen?.since ?? 0);
    this.#become(isOthers && this.#seen?.isLive === true && silentMs < timings.leaseDeadMs ? 'elsewhere' : 'open');
  }

  #isFree(row: Stored<LeaseDoc> | undefined): boolean {
    const { world, timings } = this.#parts;
    if (row === undefined || row.doc.holder === '' || row.doc.holder === this.#holder) return true;
    return world.monotonic() - (this.#seen?.since ?? Number.POSITIVE_INFINITY) >= timings.leaseDeadMs;
  }

  async #write(holder: string): Promise<boolean> {
    const { store, world } = this.#parts;
    const revision = (this.#seen?.revision ?? -1) + 1;
    const written = await this.#answered(() => store.write(leases, [{ id: this.#id, revision, doc: { holder } }]));
    if (written.length === 0) return false;
    this.#seen = { revision, since: world.monotonic(), isLive: true };
    return true;
  }

  async #answered<T>(call: () => Promise<readonly T[]>): Promise<readonly T[]> {
    const answer = await within(this.#parts.world, this.#parts.timings.answerMs, call);
    if (answer === 'timeout') throw new StoreUnavailable('The lease could not be read in time');
    return answer;
  }

  #become(standing: 'mine' | 'elsewhere' | 'open'): void {
    if (standing === this.#standing) return;
    this.#standing = standing;
    for (const listener of this.#listeners) listener();
  }
}
