// What this process knows of streams that are held up: looked at now and then, because other processes park and release them too.
import { UnknownEvent } from '../../journal/envelope.ts';
import type { ReadModels, Stored } from '../../stores/read-models.ts';
import type { AnyProjection } from '../projection.ts';
import { idIn } from './apply.ts';
import type { Catalog } from './catalog.ts';
import { type ParkedStream, parkedIn } from './parked.ts';

export interface HeldUpParts {
  readonly store: ReadModels;
  readonly catalog: Catalog;
  readonly projections: readonly AnyProjection[];
}

export class HeldUp {
  readonly #parts: HeldUpParts;
  #streams: readonly ParkedStream[] = [];
  /** By projection and stream: events that only a newer node knows. */
  #unknown: ReadonlyMap<string, ParkedStream> = new Map();

  constructor(parts: HeldUpParts) {
    this.#parts = parts;
  }

  /** All that were held up when this process looked last, in the generations that it reads. */
  get streams(): readonly ParkedStream[] {
    return this.#streams;
  }

  async look(): Promise<void> {
    const { store, catalog, projections } = this.#parts;
    const copies = projections.flatMap(({ name }) => {
      const { own } = catalog.standing(name);
      return own === undefined ? [] : [{ name, generation: own }];
    });
    this.#streams = await parkedIn(store, copies);
    const categories = new Map(projections.map(({ name, category }) => [name, category]));
    const unknown = this.#streams.filter(({ reason }) => reason === 'unknown');
    this.#unknown = new Map(unknown.map((held) => [key(held.projection, idIn(categories.get(held.projection) ?? '', held.stream)), held]));
  }

  /** Whether `check` could refuse anything. */
  get any(): boolean {
    return this.#unknown.size > 0;
  }

  /**
   * The rows, or throws UnknownEvent for a document that stands before an event which only a newer node knows: showing it
   * as it was would ignore the event. One that a newer node has brought past the event is shown.
   */
  check<Doc>(name: string, ids: readonly string[], rows: readonly Stored<Doc>[]): readonly Stored<Doc>[] {
    for (const id of ids) {
      const held = this.#unknown.get(key(name, id));
      const revision = rows.find((row) => row.id === id)?.revision ?? -1;
      if (held !== undefined && revision < held.revision) throw new UnknownEvent(held, `unknown ${held.type}`);
    }
    return rows;
  }
}

const key = (name: string, id: string): string => `${name}/${id}`;
