// The two store ports as a node sees them over a link: late, away before the effect, or gone when it had happened.
import type { EventStore } from '../../src/stores/event-store.ts';
import type { ReadModelStore } from '../../src/stores/read-models.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { forever, type Link } from './link.ts';

const away = (): never => {
  throw new StoreUnavailable('the store is away');
};
const unknown = (): never => {
  throw new StoreUnavailable('the store did not answer', { outcomeUnknown: true });
};

export function eventsOver(link: Link, store: EventStore): EventStore {
  return {
    append: (stream, after, events) => link.call(() => store.append(stream, after, events), away, unknown),
    async *read(stream, after) {
      for (const stored of await link.call(() => listed(store.read(stream, after)), away, away)) yield stored; // yield* would wait for each twice
    },
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

async function listed<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
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
