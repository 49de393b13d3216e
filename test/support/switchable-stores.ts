// The real stores with switches: a test makes them unavailable, slows them down, or races against them.
import type { EventStore, NewEvent } from '../../src/stores/event-store.ts';
import type { Stores } from './node.ts';

export interface Switches {
  /** The fault of every call to the event store; undefined: none. */
  events?: unknown;
  /** The fault of an append before it writes. */
  beforeAppend?: unknown;
  /** The fault of an append after it wrote. */
  afterAppend?: unknown;
  /** The fault of every call to the read models. */
  readModels?: unknown;
  /** The fault of a write to the read models. */
  readModelWrites?: unknown;
  /** Runs before an append is passed on. */
  rival?: ((stream: string) => Promise<void>) | undefined;
}

/** The stores, controlled by the switches. */
export const switchable =
  (switches: Switches) =>
  (stores: Stores): Stores => ({
    ...stores,
    events: guarded(appending(stores.events, switches), () => switches.events),
    readModels: guarded(
      stores.readModels,
      (name) => switches.readModels ?? (name === 'write' ? switches.readModelWrites : undefined),
    ),
  });

/** Every method throws the fault that `fault` answers for its name, if any. `close` always works. */
function guarded<Store extends object>(store: Store, fault: (name: string) => unknown): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function' || name === 'close')
        return typeof member === 'function' ? member.bind(target) : member;
      return (...args: readonly unknown[]): unknown => {
        const thrown = fault(String(name));
        if (thrown === undefined) return Reflect.apply(member, target, args);
        if (name === 'peek') return undefined;
        return name === 'read' || name === 'follow' ? throwing(thrown) : Promise.reject(thrown);
      };
    },
  });
}

// biome-ignore lint/correctness/useYield: an iteration that fails before its first item
async function* throwing(thrown: unknown): AsyncGenerator<never> {
  throw thrown;
}

const appending = (store: EventStore, switches: Switches): EventStore => ({
  async append(stream: string, after: number, events: readonly NewEvent[]) {
    if (switches.beforeAppend !== undefined) throw switches.beforeAppend;
    await switches.rival?.(stream);
    const stored = await store.append(stream, after, events);
    if (switches.afterAppend !== undefined) throw switches.afterAppend;
    return stored;
  },
  read: (stream, after, most) => store.read(stream, after, most),
  follow: (after, categories, signal) => store.follow(after, categories, signal),
  head: () => store.head(),
  close: () => store.close(),
});
