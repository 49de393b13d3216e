// This process's knowledge of parked streams: looked at now and then, because other processes park and release them
// too.
import { UnknownEvent } from '../../../journal/envelope.ts';
import type { BrokenStreams } from '../../../journal/stream-folds.ts';
import { BrokenStream } from '../../../stores/broken-stream.ts';
import type { EventStore } from '../../../stores/event-store.ts';
import type { ReadModels, Stored } from '../../../stores/read-models.ts';
import { StoreUnavailable } from '../../../stores/store-unavailable.ts';
import { categoryOf, idOf, streamOf } from '../../../stores/stream-name.ts';
import type { World } from '../../../world.ts';
import type { AnyProjection } from '../../projection.ts';
import type { Catalog } from '../generations/catalog.ts';
import { copyOf } from '../generations/copy.ts';
import { LIMITS, LOG, type ParkedStream, park, parkedIn } from './parked-records.ts';
import { faultAt } from './projection-fault.ts';

interface ParkedStreamsParts {
  readonly events: Pick<EventStore, 'read'>;
  readonly store: ReadModels;
  readonly catalog: Catalog;
  readonly projections: readonly AnyProjection[];
  readonly world: Pick<World, 'now'>;
  readonly report: (fault: unknown) => void;
}

export class ParkedStreams implements BrokenStreams {
  readonly #parts: ParkedStreamsParts;
  /** The categories of stream projections: the documents of the others are not streams. */
  readonly #categories: ReadonlyMap<string, string>;
  readonly #listeners = new Set<() => void>();
  #all: readonly ParkedStream[] = [];
  #streams: readonly ParkedStream[] = [];
  /** By projection and stream: events that only a newer node knows. */
  #unknown: ReadonlyMap<string, ParkedStream> = new Map();
  /** By stream. */
  #broken: ReadonlyMap<string, BrokenStream> = new Map();

  constructor(parts: ParkedStreamsParts) {
    this.#parts = parts;
    this.#categories = new Map(
      parts.projections.flatMap(({ kind, name, categories: [only = ''] }) => (kind === 'stream' ? [[name, only]] : [])),
    );
  }

  /**
   * All streams that were parked at the last look of this process, in the generations that it reads, but the released
   * ones.
   */
  get streams(): readonly ParkedStream[] {
    return this.#streams;
  }

  /** All parked streams with the released ones, which stay left out and are retried. */
  get all(): readonly ParkedStream[] {
    return this.#all;
  }

  /** Called after each look. */
  onLook(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async look(): Promise<void> {
    const { store, catalog, projections } = this.#parts;
    const copies = projections.flatMap(({ name }) => {
      const { own } = catalog.standing(name);
      return own === undefined ? [] : [{ name, generation: own }];
    });
    this.#all = await parkedIn(store, [...copies, LOG, LIMITS]);
    this.#streams = this.#all.filter(({ isReleased }) => isReleased !== true);
    const unknown = this.#all.filter(({ reason }) => reason === 'unknown');
    this.#unknown = new Map(unknown.map((held) => [`${held.projection}/${held.stream}`, held]));
    const broken = this.#all.filter(({ reason }) => reason === 'broken');
    this.#broken = new Map(broken.map((held) => [held.stream, new BrokenStream(held, 'it was found so before')]));
    for (const listener of this.#listeners) listener();
  }

  check(stream: string): void {
    const broken = this.#broken.get(stream);
    if (broken !== undefined) throw broken;
  }

  found(broken: BrokenStream): void {
    if (this.#broken.has(broken.stream)) return;
    const { world, report } = this.#parts;
    report(broken);
    this.#broken = new Map([...this.#broken, [broken.stream, broken]]);
    park(this.#parts, LOG, faultAt(broken, broken), world.now())
      .then(() => this.look())
      .catch(report); // the store is unavailable: the next reader finds the break again
  }

  async documented(stream: string): Promise<number | undefined> {
    const { store, catalog, projections } = this.#parts;
    try {
      for (const { name, open } of projections) {
        const { own } = catalog.standing(name);
        if (own === undefined || this.#categories.get(name) !== categoryOf(stream)) continue;
        const revision = await open(async (of) => (await store.get(copyOf(of, own), [idOf(stream)]))[0]?.revision);
        if (revision !== undefined) return revision;
      }
    } catch (fault) {
      if (!(fault instanceof StoreUnavailable)) throw fault;
    }
    return undefined;
  }

  /** True if `checkRows` could refuse anything. */
  get any(): boolean {
    return this.#unknown.size > 0 || this.#broken.size > 0;
  }

  /** True if `checkRows` could refuse this document. */
  holds(name: string, id: string): boolean {
    if (!this.any) return false;
    const stream = this.#streamOf(name, id);
    return stream !== undefined && (this.#broken.has(stream) || this.#unknown.has(`${name}/${stream}`));
  }

  /**
   * Returns the rows, or throws UnknownEvent for a document before an event that only a newer node knows: showing the
   * document would ignore the event. A document that a newer node has brought past the event is shown. Throws
   * BrokenStream for a document whose stream is broken, wherever the document is.
   */
  checkRows<Doc>(name: string, ids: readonly string[], rows: readonly Stored<Doc>[]): readonly Stored<Doc>[] {
    for (const id of ids) {
      const stream = this.#streamOf(name, id);
      if (stream === undefined) continue;
      this.check(stream);
      const held = this.#unknown.get(`${name}/${stream}`);
      const revision = rows.find((row) => row.id === id)?.revision ?? -1;
      if (held !== undefined && revision < held.revision) throw new UnknownEvent(held, `unknown ${held.type}`);
    }
    return rows;
  }

  #streamOf(name: string, id: string): string | undefined {
    const category = this.#categories.get(name);
    return category === undefined ? undefined : streamOf(category, id);
  }
}
