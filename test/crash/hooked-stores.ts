// The two stores with hooks before and after each call: a test decides when a store fails, hangs or is slow.
import type { Append, Appended, EventStore, NewEvent } from '../../src/stores/event-store.ts';
import type { ReadModelStore } from '../../src/stores/read-models.ts';

/** An append as a hook sees it; one to several streams by the last of them, with all its types. */
export interface Appending {
  readonly stream: string;
  readonly types: readonly string[];
}

export interface EventHooks {
  /** Runs before an append. A fault that it throws prevents the append. */
  readonly before?: (appending: Appending) => Promise<void> | void;
  /** Runs after an append. A fault that it throws replaces the answer. */
  readonly after?: (appending: Appending) => Promise<void> | void;
  /** Runs before a read of a stream. */
  readonly reading?: (stream: string) => Promise<void> | void;
  /**
   * Whether it appends to several streams at once where the store does. Otherwise a payment takes an append for each
   * stream, as on EventStoreDB.
   */
  readonly together?: boolean;
}

export function hookedEvents(events: EventStore, { before, after, reading, together = false }: EventHooks): EventStore {
  const hooked = async (appending: Appending, append: () => Promise<Appended>): Promise<Appended> => {
    await before?.(appending);
    const appended = await append();
    await after?.(appending);
    return appended;
  };
  const typesOf = (list: readonly NewEvent[]): readonly string[] => list.map(({ type }) => type);
  const { appendAll } = events;
  return {
    append: (stream, revision, list) =>
      hooked({ stream, types: typesOf(list) }, () => events.append(stream, revision, list)),
    ...(together &&
      appendAll !== undefined && {
        appendAll: (appends: readonly Append[]) =>
          hooked(
            { stream: appends.at(-1)?.stream ?? '', types: appends.flatMap(({ events: list }) => typesOf(list)) },
            () => appendAll.call(events, appends),
          ),
      }),
    async *read(stream, position, most) {
      await reading?.(stream);
      yield* events.read(stream, position, most);
    },
    follow: (after, categories, signal) => events.follow(after, categories, signal),
    head: () => events.head(),
    close: () => events.close(),
  };
}

export type Verb = 'get' | 'find' | 'count' | 'write';

type ReadModelHook = (verb: Verb, name: string) => Promise<void> | void;

/**
 * `before` runs before each method; a fault that it throws replaces the call. `written` runs after each write.
 * Generations have no hooks.
 */
export function hookedReadModels(
  store: ReadModelStore,
  before: ReadModelHook,
  written?: ReadModelHook,
): ReadModelStore {
  return {
    get: async (of, ids) => {
      await before('get', of.name);
      return store.get(of, ids);
    },
    find: async (of, query) => {
      await before('find', of.name);
      return store.find(of, query);
    },
    place: async (of, query, nth) => {
      await before('find', of.name);
      return store.place(of, query, nth);
    },
    count: async (of) => {
      await before('count', of.name);
      return store.count(of);
    },
    write: async (of, rows) => {
      await before('write', of.name);
      const ids = await store.write(of, rows);
      await written?.('write', of.name);
      return ids;
    },
    remove: (of, rows) => store.remove(of, rows),
    build: (of) => store.build(of),
    generations: (name) => store.generations(name),
    drop: (name, generation) => store.drop(name, generation),
    texts: (of, after, limit) => store.texts(of, after, limit),
    sync: (of) => store.sync(of),
    close: () => store.close(),
  };
}

/** A door that a test opens once: `reached` resolves when a caller waits at it, `open` lets all callers through. */
export class Gate {
  readonly #opened: Promise<void>;
  readonly reached: Promise<void>;
  #open: () => void = () => undefined;
  #reach: () => void = () => undefined;

  constructor() {
    this.#opened = new Promise((resolve) => {
      this.#open = resolve;
    });
    this.reached = new Promise((resolve) => {
      this.#reach = resolve;
    });
  }

  pass(): Promise<void> {
    this.#reach();
    return this.#opened;
  }

  open(): void {
    this.#open();
  }
}
