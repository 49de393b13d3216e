// Knows which generations are finished: a marker document for each, trusted for a second at most, because other nodes
// drop them.
import type { Collection } from 'mongodb';
import type { World } from '../../world.ts';
import { NoSuchGeneration } from '../read-models.ts';
import type { Availability } from './availability.ts';
import { collectionOf } from './collection-of.ts';
import type { MongoDatabase } from './connection.ts';
import { generationName } from './stored-row.ts';

interface Marker {
  /** The name of the generation's collection. */
  readonly _id: string;
  readonly name: string;
  readonly generation: number;
  readonly state: 'building' | 'finished';
  /** Whose build it is: only that one can finish it. */
  readonly build: string;
}

interface GenerationsParts {
  readonly connection: MongoDatabase;
  readonly world: World;
  readonly availability: Pick<Availability, 'read' | 'write' | 'patiently' | 'outlast'>;
}

/** The age at which read markers are no longer trusted. */
const BELIEVED_MS = 1_000;
/** From this age on the markers are read again while they are still trusted, so that no call waits. */
const RENEWED_MS = 500;

export class Generations {
  readonly #connection: MongoDatabase;
  readonly #world: World;
  readonly #availability: GenerationsParts['availability'];
  readonly #markers: () => Collection<Marker>;
  #finished: ReadonlySet<string> = new Set();
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<ReadonlySet<string>> | undefined;
  /** Counts this process's own changes: a read that began before one of them says nothing. */
  #changes = 0;

  constructor({ connection, world, availability }: GenerationsParts) {
    this.#connection = connection;
    this.#world = world;
    this.#availability = availability;
    this.#markers = collectionOf<Marker>('generations', () => connection.database);
  }

  /** True without waiting when the generation is known to be finished; else ask `mustBeFinished`. */
  isFinished(collection: string): boolean {
    const age = this.#world.monotonic() - this.#readAt;
    if (age >= BELIEVED_MS || !this.#finished.has(collection)) return false;
    // a caller that has to wait for it learns why it failed
    if (age >= RENEWED_MS) this.#refresh().catch(() => undefined);
    return true;
  }

  /** Throws NoSuchGeneration unless it is finished at this moment. */
  async mustBeFinished(name: string, generation: number): Promise<void> {
    // a read that began before this call might miss a generation finished since
    await this.#reading?.catch(() => undefined);
    const finished = await this.#refresh(); // not the field: another build's change may have emptied it by now
    if (!finished.has(generationName(name, generation))) throw new NoSuchGeneration(name, generation);
  }

  /** The finished ones of a name, ascending. */
  async of(name: string): Promise<readonly number[]> {
    const markers = await this.#availability.read(() => this.#markers().find({ name, state: 'finished' }).toArray());
    return markers.map(({ generation }) => generation).sort((a, b) => a - b);
  }

  /** Marks a build as begun, and removes unfinished builds that others left under the name. */
  async begin(name: string, generation: number, build: string): Promise<void> {
    const _id = generationName(name, generation);
    await this.#change(async () => {
      await this.#availability.write(() => this.#markers().deleteMany({ name, state: 'building' }));
      const marker = { name, generation, state: 'building', build } as const;
      await this.#availability.write(() => this.#markers().replaceOne({ _id }, marker, { upsert: true }));
    });
    await this.#dropCollection(_id);
    for (const left of await this.#withoutMarker(name)) await this.#dropCollection(left);
  }

  /** Makes the generation usable by every process. Throws NoSuchGeneration if it was dropped while it was built. */
  async finish(name: string, generation: number, build: string): Promise<void> {
    const _id = generationName(name, generation);
    const { matchedCount } = await this.#change(() =>
      this.#availability.outlast(() => this.#markers().updateOne({ _id, build }, { $set: { state: 'finished' } })),
    );
    if (matchedCount === 0) throw new NoSuchGeneration(name, generation);
  }

  /** Takes back a build; leaves the build that another process has begun in its place. */
  async abort(name: string, generation: number, build: string): Promise<void> {
    const _id = generationName(name, generation);
    await this.#change(() => this.#availability.write(() => this.#markers().deleteOne({ _id, build })));
    if ((await this.#availability.read(() => this.#markers().findOne({ _id }))) === null)
      await this.#dropCollection(_id);
  }

  /** First the marker, so that no late write is ever read. */
  async drop(name: string, generation: number): Promise<void> {
    const _id = generationName(name, generation);
    await this.#change(() => this.#availability.write(() => this.#markers().deleteOne({ _id })));
    await this.#dropCollection(_id);
  }

  /** Collections of killed builds, and those that a late write brought back. */
  async #withoutMarker(name: string): Promise<readonly string[]> {
    const marked = new Set(
      (await this.#availability.read(() => this.#markers().find({ name }).toArray())).map(({ _id }) => _id),
    );
    const collections = await this.#availability.read(() =>
      this.#connection.database.listCollections({}, { nameOnly: true }).toArray(),
    );
    const isGeneration = (one: string): boolean =>
      one.startsWith(`${name}.`) && /^\d+$/.test(one.slice(name.length + 1));
    return collections.map((one) => one.name).filter((one) => isGeneration(one) && !marked.has(one));
  }

  /** Nothing happens when it is not there. */
  async #dropCollection(name: string): Promise<void> {
    await this.#availability.patiently(() => this.#connection.longWork.dropCollection(name));
  }

  async #change<T>(work: () => Promise<T>): Promise<T> {
    this.#forget();
    return work().finally(() => this.#forget());
  }

  #forget(): void {
    this.#changes += 1;
    this.#finished = new Set();
  }

  #refresh(): Promise<ReadonlySet<string>> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<ReadonlySet<string>> {
    for (;;) {
      const changes = this.#changes;
      const startedAt = this.#world.monotonic();
      const found = await this.#availability.read(() => this.#markers().find({ state: 'finished' }).toArray());
      if (changes !== this.#changes) continue;
      const finished = new Set(found.map(({ _id }) => _id));
      this.#finished = finished;
      this.#readAt = startedAt;
      return finished;
    }
  }
}
