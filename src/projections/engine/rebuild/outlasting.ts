// The patience of a rebuild: a step that meets an absence of the read models is repeated until they answer, for two
// minutes.
import type { ReadModelStore } from '../../../stores/read-models.ts';
import { StoreUnavailable } from '../../../stores/store-unavailable.ts';
import type { World } from '../../../world.ts';
import type { EngineTimings } from '../timings.ts';

/**
 * A step may have taken effect although its answer never came: a repetition must then end as the first try would have.
 */
export type Outlast = <T>(step: () => Promise<T>) => Promise<T>;

interface OutlastParts {
  readonly world: World;
  readonly timings: Pick<EngineTimings, 'outlastedMs' | 'pollMs'>;
}

/**
 * The steps reject with their own faults, with StoreUnavailable after `outlastedMs` of absence, and with the signal's
 * reason.
 */
export const outlasting =
  ({ world, timings }: OutlastParts, signal: AbortSignal): Outlast =>
  async (step) => {
    let since: number | undefined;
    for (;;) {
      try {
        return await step();
      } catch (fault) {
        if (!(fault instanceof StoreUnavailable && fault.isPassing)) throw fault;
        since ??= world.monotonic();
        if (world.monotonic() - since >= timings.outlastedMs) throw fault;
      }
      await world.sleep(timings.pollMs / 2, signal);
    }
  };

/**
 * The store with each call repeated; a builder repeats its own. Writes are guarded by revisions: one that took effect
 * answers no id again.
 */
export const outlastingStore = (store: ReadModelStore, outlast: Outlast): ReadModelStore => ({
  get: (of, ids) => outlast(() => store.get(of, ids)),
  find: (of, query) => outlast(() => store.find(of, query)),
  place: (of, query, nth) => outlast(() => store.place(of, query, nth)),
  write: (of, rows) => outlast(() => store.write(of, rows)),
  remove: (of, rows) => outlast(() => store.remove(of, rows)),
  count: (of) => outlast(() => store.count(of)),
  build: (of) => outlast(() => store.build(of)),
  generations: (name) => outlast(() => store.generations(name)),
  drop: (name, generation) => outlast(() => store.drop(name, generation)),
  texts: (of, after, limit) => outlast(() => store.texts(of, after, limit)),
  sync: (of) => outlast(() => store.sync(of)),
  ...(store.inspect !== undefined && { inspect: store.inspect.bind(store) }),
  close: () => store.close(),
});
