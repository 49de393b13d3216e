// The two stores as a node sees them over a link: late, unavailable before the effect, or unavailable after it.
import type { EventStore, StoredEvent } from '../../src/stores/event-store.ts';
import type { MemoryEventStore } from '../../src/stores/memory/event-store.ts';
import type { ReadModelStore } from '../../src/stores/read-models.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { forever, type Link } from './link.ts';

const unavailable = (): never => {
  throw new StoreUnavailable('the store is unavailable');
};
const unknown = (): never => {
  throw new StoreUnavailable('the store did not answer', { outcomeUnknown: true });
};

/** `together`: it appends to several streams at once, as the embedded log does, and EventStoreDB does not. */
export function eventsOver(link: Link, store: MemoryEventStore, together: boolean): EventStore {
  return {
    ...(together && { appendAll: (appends) => link.call(() => store.appendAll(appends), unavailable, unknown) }),
    append: (stream, after, events) => link.call(() => store.append(stream, after, events), unavailable, unknown),
    read: (stream, after) => later(() => link.call(() => store.listed(stream, after), unavailable, unavailable)),
    /** Survives lost connections, as the port promises: a batch only comes later. */
    async *follow(after, categories, signal) {
      for await (const batch of store.follow(after, categories, signal)) {
        yield await link.call(
          () => batch,
          () => batch,
          () => batch,
        );
      }
    },
    head: () => link.call(() => store.head(), unavailable, unavailable),
    close: forever,
  };
}

/**
 * Iterates a list that is fetched at the first `next`. A generator would make twice as many promises, and no code runs
 * more often.
 */
function later(fetch: () => Promise<readonly StoredEvent[]>): AsyncIterable<StoredEvent> {
  return {
    [Symbol.asyncIterator]() {
      let rest: Iterator<StoredEvent> | undefined;
      return {
        next() {
          if (rest !== undefined) return Promise.resolve(rest.next());
          return fetch().then((list) => {
            rest = list.values();
            return rest.next();
          });
        },
      };
    },
  };
}

/** Has no `peek`: no read over a link is synchronous. */
export function readModelsOver(link: Link, store: ReadModelStore): ReadModelStore {
  const asked = <T>(work: () => Promise<T>): Promise<T> => link.call(work, unavailable, unavailable);
  return {
    get: (of, ids) => asked(() => store.get(of, ids)),
    find: (of, query) => asked(() => store.find(of, query)),
    place: (of, query, nth) => asked(() => store.place(of, query, nth)),
    write: (of, rows) => link.call(() => store.write(of, rows), unavailable, unknown),
    remove: (of, rows) => link.call(() => store.remove(of, rows), unavailable, unknown),
    count: (of) => asked(() => store.count(of)),
    build: (of) => asked(() => store.build(of)),
    generations: (name) => asked(() => store.generations(name)),
    drop: (name, generation) => asked(() => store.drop(name, generation)),
    texts: (of, after, limit) => asked(() => store.texts(of, after, limit)),
    sync: (of) => asked(() => store.sync(of)),
    close: forever,
  };
}
