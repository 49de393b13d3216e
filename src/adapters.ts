// The ports as one type, importable by all but domain/.
import type { Processor } from './processors/processor.ts';
import type { EventStore } from './stores/event-store.ts';
import type { KeyStore } from './stores/key-store.ts';
import type { ReadModelStore } from './stores/read-models.ts';
import type { Observer } from './telemetry/observer.ts';
import type { World } from './world.ts';

export interface Adapters {
  readonly events: EventStore;
  /** Left out: personal data is recorded plain, and can never be erased. */
  readonly keys?: KeyStore | undefined;
  readonly readModels: ReadModelStore;
  /** By their names; new cards are tokenized at the first. */
  readonly processors: ReadonlyMap<string, Processor>;
  /** The processors that connections may name, each opened when the first connection to it is seen. */
  readonly openable?: ReadonlyMap<string, () => Promise<Processor>>;
  readonly world: World;
  /** Faults that no caller can act on, and Notices: log, count, readiness. Never throws. */
  readonly report: (fault: unknown) => void;
  /** Undefined: nothing is observed, and nothing is spent on it. */
  readonly observer?: Observer | undefined;
}
