// The read models as requests use them. What a request could not read or write is tried again, and while the tries fail
// the node is not ready.
import { setMaxListeners } from 'node:events';
import { Notice } from '../../../app-error.ts';
import type { Collection, Finds, ReadModels } from '../../../stores/read-models.ts';
import { StoreBusy, StoreUnavailable } from '../../../stores/store-unavailable.ts';
import type { World } from '../../../world.ts';
import type { EngineTimings } from '../timings.ts';

interface UsedParts {
  readonly world: World;
  readonly timings: Pick<EngineTimings, 'staleMs' | 'tryAgainMs'>;
  readonly report: (fault: unknown) => void;
}

/** A read model that a request met, since when (World.monotonic). */
interface Met {
  readonly since: number;
  /** True once a try of our own has failed as well: the request was not the only one. */
  isConfirmed: boolean;
}

export class UsedReadModels {
  /** The given ones; their faults are noted. */
  readonly readModels: ReadModels;
  readonly #given: ReadModels;
  readonly #parts: UsedParts;
  readonly #met = new Map<string, Met>();
  /** While the engine runs. */
  #running: AbortSignal | undefined;

  constructor(given: ReadModels, parts: UsedParts) {
    this.#given = given;
    this.#parts = parts;
    this.readModels = this.#noted();
  }

  /** Those that could not be used for `staleMs`: a short absence is not a reason to send callers elsewhere. */
  get unusable(): readonly string[] {
    const before = this.#parts.world.monotonic() - this.#parts.timings.staleMs;
    return [...this.#met].filter(([, { since, isConfirmed }]) => isConfirmed && since <= before).map(([name]) => name);
  }

  /** What requests meet from now on is tried again, until the signal aborts. */
  watch(signal: AbortSignal): void {
    this.#running = AbortSignal.any([signal]);
    setMaxListeners(0, this.#running); // each read model that is tried again waits for it
  }

  #noted(): ReadModels {
    const given = this.#given;
    const noting = <Doc extends object, K extends string, T>(of: Collection<Doc, K>, work: Promise<T>): Promise<T> => {
      work.catch((fault: unknown) => this.#note(of.name, fault, () => useOf(given, of)));
      return work;
    };
    const findsOf = (finds: Finds): Finds => ({
      find: (of, query) => noting(of, finds.find(of, query)),
      place: (of, query, nth) => noting(of, finds.place(of, query, nth)),
    });
    return {
      ...given,
      get: (of, ids) => noting(of, given.get(of, ids)),
      ...findsOf(given),
      ...(given.ofOneRequest !== undefined && { ofOneRequest: () => findsOf(given.ofOneRequest?.() ?? given) }),
      write: (of, rows) => noting(of, given.write(of, rows)),
      remove: (of, rows) => noting(of, given.remove(of, rows)),
    };
  }

  #note(name: string, fault: unknown, use: () => Promise<unknown>): void {
    if (!isUnavailable(fault) || this.#running?.aborted !== false || this.#met.has(name)) return;
    const met: Met = { since: this.#parts.world.monotonic(), isConfirmed: false };
    this.#met.set(name, met);
    void this.#tryAgain(name, met, use, this.#running);
  }

  async #tryAgain(name: string, met: Met, use: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
    const { world, timings, report } = this.#parts;
    while (!signal.aborted) {
      const fault = await use().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (signal.aborted) return;
      if (!isUnavailable(fault)) break;
      if (!met.isConfirmed) report(fault);
      met.isConfirmed = true;
      await world.sleep(timings.tryAgainMs, signal).catch(() => undefined);
    }
    if (signal.aborted) return;
    this.#met.delete(name);
    if (met.isConfirmed) report(new Notice(`The read model ${name} can be used again.`));
  }
}

/** Reads, and writes: a removal of nothing is a write that changes nothing. */
export const useOf = <Doc extends object, K extends string>(
  models: Pick<ReadModels, 'find' | 'remove'>,
  of: Collection<Doc, K>,
): Promise<unknown> =>
  Promise.all([models.find(of, { where: {}, limit: 1 }), models.remove(of, [{ id: '', revision: -1 }])]);

/** Not of a store that only has too much to do. */
export const isUnavailable = (fault: unknown): boolean =>
  fault instanceof StoreUnavailable && !(fault instanceof StoreBusy);
