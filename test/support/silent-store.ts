// Read models that fall silent at a call of one process, before or after its effect; or the process dies there.
import type { ReadModelStore } from '../../src/stores/read-models.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';

/** `dies`: no call of the process ever ends from then on. */
export type Falls = 'before' | 'after' | 'dies';

export interface Fall {
  readonly at: number;
  readonly falls: Falls;
  readonly begun: () => boolean;
  readonly fell: () => void;
}

/** The absence of one store, which processes share. */
export class Silence {
  isSilent = false;

  /** The store as a process has it that no order concerns. */
  store(inner: ReadModelStore): ReadModelStore {
    return each(inner, async (call) => {
      this.#check();
      return call();
    });
  }

  /** The store of the process at whose `at`-th call (from 1, once it has `begun`) it happens; `fell` is called then. */
  falling(inner: ReadModelStore, { at, falls, begun, fell }: Fall): ReadModelStore {
    let calls = 0;
    return each(inner, async (call) => {
      if (begun()) calls += 1;
      if (falls === 'dies' && calls > at) return forever();
      this.#check();
      if (calls !== at) return call();
      if (falls !== 'before') await call();
      fell();
      if (falls === 'dies') return forever();
      this.isSilent = true;
      throw unavailable();
    });
  }

  #check(): void {
    if (this.isSilent) throw unavailable();
  }
}

const unavailable = (): StoreUnavailable => new StoreUnavailable('The store is silent', { isPassing: true });
const forever = (): Promise<never> => new Promise(() => undefined);

/** A builder repeats its own calls in the adapter that needs it: none of them falls. */
function each(store: ReadModelStore, around: <T>(call: () => Promise<T>) => Promise<T>): ReadModelStore {
  return {
    get: (of, ids) => around(() => store.get(of, ids)),
    find: (of, query) => around(() => store.find(of, query)),
    place: (of, query, nth) => around(() => store.place(of, query, nth)),
    count: (of) => around(() => store.count(of)),
    write: (of, rows) => around(() => store.write(of, rows)),
    remove: (of, rows) => around(() => store.remove(of, rows)),
    build: (of) => around(() => store.build(of)),
    generations: (name) => around(() => store.generations(name)),
    drop: (name, generation) => around(() => store.drop(name, generation)),
    texts: (of, after, limit) => around(() => store.texts(of, after, limit)),
    sync: (of) => around(() => store.sync(of)),
    close: () => store.close(),
  };
}
