// The read-model port over MongoDB: a collection for each generation, and one for each collection that has none.
import type { Collection as MongoCollection } from 'mongodb';
import { newId, type World } from '../../world.ts';
import type { Builder, Collection, Query, ReadModelStore, Stored, StoredText } from '../read-models.ts';
import { noMeters, type StoreMeters } from '../store-meters.ts';
import { Availability } from './availability.ts';
import { mongoDbBuilder } from './builder.ts';
import { type Connection, connect, defaultTimings, type MongoDbTimings, serverMs } from './connection.ts';
import { findQuery } from './find-query.ts';
import { GatheredReads } from './gathered-reads.ts';
import { Generations } from './generations.ts';
import { writeGuarded } from './guarded-bulk.ts';
import { SharedReads } from './shared-reads.ts';
import {
  indexKeys,
  parsedRow,
  physicalName,
  type ReadRow,
  ROW_PROJECTION,
  type Row,
  rowToStore,
  type StoredRow,
  textOf,
  typed,
} from './stored-row.ts';
import { WriteQueue } from './write-queue.ts';

export interface MongoDbReadModelsOptions {
  /** `mongodb://…` or `mongodb+srv://…`; without a database in it: `counterfoil`. What it says of concerns, retries and preferences does not count. */
  readonly url: string;
  readonly world: World;
  /** Faults that no caller can act on, and notices that the store went away or came back. */
  readonly report: (fault: unknown) => void;
  readonly meters?: StoreMeters;
  readonly timings?: MongoDbTimings;
}

/**
 * Opens the store. Any number of processes may have it open. Throws AppError 'WrongSettings' when the URL, the user or the kind of
 * server is wrong, StoreUnavailable when it does not answer.
 *
 * Reads go to the primary and see what the majority has acknowledged, so every acknowledged write, and nothing that a
 * failover takes back. A primary that was cut off and does not know it yet (some 10 s) may answer with older documents; it
 * cannot acknowledge a write, and it cannot answer for a collection that wants linearizable reads.
 */
export async function openMongoDbReadModels(options: MongoDbReadModelsOptions): Promise<ReadModelStore> {
  const timings = options.timings ?? defaultTimings;
  return new MongoDbReadModels(options, timings, await connect(options.url, timings));
}

/** One MongoDB collection as this process uses it. */
interface Opened {
  readonly collection: MongoCollection<StoredRow>;
  readonly gathered: GatheredReads;
  readonly shared: SharedReads;
  readonly queue: WriteQueue;
  /** Its indexes are there; a generation's were made by its builder. */
  isIndexed: boolean;
}

class MongoDbReadModels implements ReadModelStore {
  readonly #world: World;
  readonly #report: (fault: unknown) => void;
  readonly #meters: StoreMeters;
  readonly #timings: MongoDbTimings;
  readonly #connection: Connection;
  readonly #availability: Availability;
  readonly #generations: Generations;
  readonly #opened = new Map<string, Opened>();

  constructor({ world, report, meters = noMeters }: MongoDbReadModelsOptions, timings: MongoDbTimings, connection: Connection) {
    this.#world = world;
    this.#report = report;
    this.#meters = meters;
    this.#timings = timings;
    this.#connection = connection;
    const { client, database, where } = connection;
    client.on('connectionPoolCleared', () => meters.dropped());
    // Matches nothing and writes nothing, and is answered when a majority has what was written before.
    const probe = (): Promise<unknown> => database.collection<StoredRow>('generations').updateOne({ _id: '' }, { $set: { r: 0 } });
    this.#availability = new Availability({ where, probe, world, report, meters });
    this.#generations = new Generations({
      database,
      world,
      read: (work) => this.#reading(work),
      write: (work) => this.#writing(work),
      dropCollection: (name) => this.#patiently(() => database.dropCollection(name)).then(() => undefined),
    });
  }

  async get<Doc extends object, K extends string>(of: Collection<Doc, K>, ids: readonly string[]): Promise<readonly Stored<Doc>[]> {
    const { gathered, shared } = this.#alreadyOpen(of) ?? (await this.#open(of));
    if (ids.length === 0) return [];
    const rows = of.freshness === 'linearizable' ? await eachOf(shared, ids) : await gathered.get(ids);
    return rows.map((row) => typed(of, row));
  }

  async find<Doc extends object, K extends string>(of: Collection<Doc, K>, query: Query<K>): Promise<readonly Stored<Doc>[]> {
    const { collection } = this.#alreadyOpen(of) ?? (await this.#open(of));
    const wanted = findQuery(of, query);
    if (wanted === undefined) return [];
    const { filter, sort, hint } = wanted;
    const rows = await this.#reading(() =>
      collection.find<ReadRow>(filter, { ...this.#page(query.limit), sort, ...(hint !== undefined && { hint }) }).toArray(),
    );
    return rows.map((row) => typed(of, parsedRow(row)));
  }

  async write<Doc extends object, K extends string>(of: Collection<Doc, K>, rows: readonly Stored<Doc>[]): Promise<readonly string[]> {
    const { queue } = this.#alreadyOpen(of) ?? (await this.#open(of));
    return queue.write(rows.map((row) => rowToStore(of, row)));
  }

  async count<Doc extends object, K extends string>(of: Collection<Doc, K>): Promise<number> {
    const { collection } = this.#alreadyOpen(of) ?? (await this.#open(of));
    return this.#patiently(() => collection.countDocuments({}, { hint: { _id: 1 } })); // along the ids, without the documents
  }

  async texts<Doc extends object, K extends string>(of: Collection<Doc, K>, after: string, limit: number): Promise<readonly StoredText[]> {
    const { collection } = this.#alreadyOpen(of) ?? (await this.#open(of));
    const options = { ...this.#page(limit), sort: { _id: 1 }, hint: { _id: 1 } } as const;
    return (await this.#reading(() => collection.find<ReadRow>({ _id: { $gt: after } }, options).toArray())).map(textOf);
  }

  async build<Doc extends object, K extends string>(of: Collection<Doc, K>): Promise<Builder> {
    const { name, generation } = of;
    if (generation === undefined) throw new TypeError(`${name} has no generations`);
    const build = newId(this.#world, 'build');
    await this.#generations.begin(name, generation, build);
    const { collection } = this.#opening(of);
    return mongoDbBuilder({
      keys: Object.keys(of.keys),
      write: (rows) => this.#writing(() => writeGuarded(collection, rows, this.#meters)),
      read: async (ids) => (await this.#read(collection, ids)).map(textOf),
      finish: async () => {
        await this.#patiently(() => makeIndexes(collection, of));
        await this.#generations.finish(name, generation, build);
      },
      abort: () => this.#generations.abort(name, generation, build).catch(this.#report), // the next build removes what is left
    });
  }

  generations(name: string): Promise<readonly number[]> {
    return this.#generations.of(name);
  }

  drop(name: string, generation: number): Promise<void> {
    return this.#generations.drop(name, generation);
  }

  /** Every write was acknowledged by the majority, from its journals, and no read shows what was not. */
  async sync(): Promise<void> {}

  async close(): Promise<void> {
    this.#availability.close();
    await Promise.all([...this.#opened.values()].map(({ queue }) => queue.settled()));
    await this.#connection.client.close();
  }

  /** Without a promise: nearly every call finds its collection open, and its generation finished. */
  #alreadyOpen<Doc extends object, K extends string>(of: Collection<Doc, K>): Opened | undefined {
    const name = physicalName(of);
    const opened = this.#opened.get(name);
    const isUsable = of.generation === undefined ? opened?.isIndexed === true : this.#generations.isFinished(name);
    return isUsable ? opened : undefined;
  }

  async #open<Doc extends object, K extends string>(of: Collection<Doc, K>): Promise<Opened> {
    const { name, generation } = of;
    const opened = this.#opening(of);
    if (generation !== undefined) await this.#generations.mustBeFinished(name, generation);
    else if (!opened.isIndexed) await this.#writing(() => makeIndexes(opened.collection, of));
    opened.isIndexed = true;
    return opened;
  }

  #opening<Doc extends object, K extends string>(of: Collection<Doc, K>): Opened {
    const name = physicalName(of);
    const known = this.#opened.get(name);
    if (known !== undefined) return known;
    const { writeMs } = this.#timings;
    const collection = this.#connection.database.collection<StoredRow>(name);
    const opened: Opened = {
      collection,
      gathered: new GatheredReads(async (ids) => (await this.#read(collection, ids)).map(parsedRow)),
      shared: new SharedReads((id) => this.#readNewest(collection, id)),
      queue: new WriteQueue({
        world: this.#world,
        writeMs,
        write: (rows, ms) => this.#availability.run(ms, () => writeGuarded(collection, rows, this.#meters)),
      }),
      isIndexed: false,
    };
    this.#opened.set(name, opened);
    return opened;
  }

  #read(collection: MongoCollection<StoredRow>, ids: readonly string[]): Promise<readonly ReadRow[]> {
    return this.#reading(() => collection.find<ReadRow>({ _id: { $in: [...ids] } }, this.#page(ids.length)).toArray());
  }

  /** The majority confirms that this is still the primary before it answers. */
  async #readNewest(collection: MongoCollection<StoredRow>, id: string): Promise<Row | undefined> {
    const options = { ...this.#page(1), readConcern: { level: 'linearizable' } } as const;
    const [found] = await this.#reading(() => collection.find<ReadRow>({ _id: id }, options).toArray());
    return found === undefined ? undefined : parsedRow(found);
  }

  #page(limit: number): { readonly projection: typeof ROW_PROJECTION; readonly limit: number; readonly maxTimeMS: number } {
    return { projection: ROW_PROJECTION, limit, maxTimeMS: serverMs(this.#timings.readMs) };
  }

  #reading<T>(work: () => Promise<T>): Promise<T> {
    return this.#availability.run(this.#timings.readMs, work);
  }

  #writing<T>(work: () => Promise<T>): Promise<T> {
    return this.#availability.run(this.#timings.writeMs, work);
  }

  /** For what takes as long as the collection is large; a server that has gone silent ends it. */
  #patiently<T>(work: () => Promise<T>): Promise<T> {
    return this.#availability.run(0, work);
  }
}

async function eachOf(reads: SharedReads, ids: readonly string[]): Promise<readonly Row[]> {
  const rows = await Promise.all([...new Set(ids)].map((id) => reads.get(id)));
  return rows.flatMap((row) => row ?? []);
}

/** Does nothing where they are there already. */
async function makeIndexes<Doc extends object, K extends string>(
  collection: MongoCollection<StoredRow>,
  { indexes }: Collection<Doc, K>,
): Promise<void> {
  if (indexes.length > 0) await collection.createIndexes(indexes.map((index) => ({ key: indexKeys(index) })));
}
