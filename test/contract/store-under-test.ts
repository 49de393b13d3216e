// An event store that is tested, and short ways to write to it and read from it.
import type { EventStore, NewEvent, StoredEvent } from '../../src/stores/event-store.ts';
import { newUuid } from '../../src/world.ts';
import { calmWorld } from '../support/calm-world.ts';

export interface StoreUnderTest {
  readonly store: EventStore;
  /** A second store on the same log, as another process has one; absent if a log has one store only. */
  readonly another?: () => Promise<EventStore>;
  /** Appends `count` events to a stream that does not exist, one an append, in a process of its own. */
  readonly appendElsewhere?: (stream: string, count: number) => Promise<void>;
  /** Closes all opened stores and removes their data. */
  readonly dispose: () => Promise<void>;
}

/** In every name of stream and category: a log that is not of this run alone must not hold them already. */
export const RUN = `${process.pid}x${Date.now().toString(36)}`;
let made = 0;

export const eventOf = (data: unknown = { n: 1 }, type = 'SomethingHappened'): NewEvent => ({
  id: newUuid(calmWorld),
  type,
  data: JSON.stringify(data),
  metadata: '{"schemaVersion":1}',
});
export const eventsOf = (count: number): readonly NewEvent[] => Array.from({ length: count }, (_, n) => eventOf({ n }));
/** A stream that no other test has. */
export function streamOf(category = 'payment'): string {
  made += 1;
  return `${category}-${RUN}.${made}`;
}

export async function eventsIn(
  store: EventStore,
  stream: string,
  after = -1,
  most?: number,
): Promise<readonly StoredEvent[]> {
  const found: StoredEvent[] = [];
  for await (const event of store.read(stream, after, most)) found.push(event);
  return found;
}

/** Appends, and answers the stored events. */
export async function appended(
  store: EventStore,
  stream: string,
  after: number,
  events: readonly NewEvent[],
): Promise<readonly StoredEvent[]> {
  if ((await store.append(stream, after, events)) === 'conflict')
    throw new Error(`the append to ${stream} after ${after} was a conflict`);
  return (await eventsIn(store, stream, after)).slice(0, events.length);
}

export const faultOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (fault: unknown) => fault,
  );
