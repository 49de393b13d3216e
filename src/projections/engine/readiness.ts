// Whether this process may be sent requests: every projection reached what the log held at start, none is held up, no store is away.
import type { EventStore } from '../../stores/event-store.ts';
import type { ReadModelStore } from '../../stores/read-models.ts';
import type { AnyProjection } from '../projection.ts';
import type { Catalog } from './catalog.ts';
import type { Follower } from './follow.ts';
import { parkedIn } from './parked.ts';

export interface ReadinessParts {
  readonly events: EventStore;
  readonly store: ReadModelStore;
  readonly catalog: Catalog;
  readonly follower: Follower;
  readonly projections: readonly AnyProjection[];
}

export class Readiness {
  readonly #parts: ReadinessParts;
  readonly #parked = new Map<string, number>();
  readonly #reached = new Set<string>();
  #head: bigint | undefined;

  constructor(parts: ReadinessParts) {
    this.#parts = parts;
  }

  /** Streams that each projection holds up, as of the last look. */
  get parked(): ReadonlyMap<string, number> {
    return this.#parked;
  }

  /** Looks what is parked; the first time, also where the log ends, which every projection has to reach. */
  async look(): Promise<void> {
    const { events, store, catalog, projections } = this.#parts;
    this.#head ??= await events.head();
    for (const { name } of projections) {
      const { own } = catalog.standing(name);
      this.#parked.set(name, own === undefined ? 0 : (await parkedIn(store, name, own)).length);
    }
  }

  now(): { readonly ready: boolean; readonly reasons: readonly string[] } {
    const { catalog, follower, projections } = this.#parts;
    const reasons = projections.flatMap(({ name }) => this.#reasonsOf(name));
    if (follower.fault !== undefined) reasons.push(`nothing is projected: ${String(follower.fault)}`);
    if (!catalog.isRecent) reasons.push('the catalog of read models cannot be read');
    return { ready: reasons.length === 0, reasons };
  }

  #reasonsOf(name: string): readonly string[] {
    if (this.#parts.catalog.standing(name).own === undefined) return [`${name} is being built`];
    const parked = this.#parked.get(name) ?? 0;
    if (parked > 0) return [`${name} holds up ${parked} ${parked === 1 ? 'stream' : 'streams'}`];
    // Once reached it stays so: after a flip the new generation is followed from where its builder had brought it.
    if (this.#reached.has(name)) return [];
    const position = this.#parts.follower.position(name);
    if (this.#head === undefined || position === undefined || position < this.#head) return [`${name} has not caught up with the log yet`];
    this.#reached.add(name);
    return [];
  }
}
