// The two store ports as a node sees them over a link: late, away before the effect, or gone when it had happened.
import type { EventStore, StoredEvent } from '../../src/stores/event-store.ts';
import type { MemoryEventStore } from '../../src/stores/memory/event-store.ts';
import type { ReadModelStore } from '../../src/stores/read-models.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { forever, type Link } from './link.ts';

const away = (): never => {
  throw new StoreUnavailable('the store is away');
};
const unknown = (): never => {
  throw new StoreUnavailable('the store did not answer', { outcomeUnknown: true });
};

export function eventsOver(link: Link, store: MemoryEventStore): EventStore {
  return {
    append: (stream, after, events) => link.call(() => store.append(stream, after, events), away, unknown),
    read: (stream, after) => later(() => link.call(() => store.listed(stream, after), away, away)),
    /** Survives lost connections, as the port promises: batches only come later. */
    async *follow(after, categories, signal) {
      for await (const batch of store.follow(after, categories, signal)) {
        yield await link.call(
          () => batch,
          () => batch,
          () => batch,
        );
      }
    },
    head: () => link.call(() => store.head(), away, away),
    close: forever,
  };
}

/** Brings a list that is fetched when the first of it is wanted. A generator would make twice the promises, and nothing is done more often. */
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

/** Without `peek`: over a link nothing is known at once. */
export function readModelsOver(link: Link, store: ReadModelStore): ReadModelStore {
  const asked = <T>(work: () => Promise<T>): Promise<T> => link.call(work, away, away);
  return {
    get: (of, ids) => asked(() => store.get(of, ids)),
    find: (of, query) => asked(() => store.find(of, query)),
    write: (of, rows) => link.call(() => store.write(of, rows), away, unknown),
    count: (of) => asked(() => store.count(of)),
    build: (of) => asked(() => store.build(of)),
    generations: (name) => asked(() => store.generations(name)),
    drop: (name, generation) => asked(() => store.drop(name, generation)),
    texts: (of, after, limit) => asked(() => store.texts(of, after, limit)),
    sync: (of) => asked(() => store.sync(of)),
    close: forever,
  };
}
