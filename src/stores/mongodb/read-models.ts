// The read-model port over MongoDB: a collection for each generation, and one for each collection that has none.
// Retries: the driver's own, once (connection.ts); of reads and of long work ours (availability.ts); of writes none,
// the follower repairs.
import { newId, type World } from '../../world.ts';
import type {
  Builder,
  Collection,
  Finds,
  Place,
  PlaceQuery,
  Query,
  ReadModelStore,
  RowAt,
  Stored,
  StoredText,
} from '../read-models.ts';
import { noMeters, type StoreMeters } from '../store-meters.ts';
import { Availability } from './availability.ts';
import { mongoDbBuilder } from './builder.ts';
import { connect, defaultTimings, type MongoConnection, type MongoDbTimings, probeOf } from './connection.ts';
import { findQuery } from './find-query.ts';
import { Generations } from './generations.ts';
import { PhysicalCollection, type PhysicalParts } from './physical-collection.ts';
import { physicalName, rowToStore, typed } from './stored-row.ts';

export interface MongoDbReadModelsOptions {
  /**
   * `mongodb://…` or `mongodb+srv://…`; without a database in it: `counterfoil`. Its read preference, concerns,
   * retries and timeouts does not count.
   */
  readonly url: string;
  readonly world: World;
  /** Faults that no caller can act on, and notices that the store became unavailable or came back. */
  readonly report: (fault: unknown) => void;
  readonly meters?: StoreMeters;
  readonly timings?: MongoDbTimings;
}

/**
 * Opens the store. Any number of processes may have it open. Throws AppError 'WrongSettings' when the URL, the user or
 * the kind of server is wrong, StoreUnavailable when it does not answer.
 *
 * Reads go to the primary and show what the majority has: every write that was acknowledged, and nothing that a
 * failover can take back. A primary that was cut off and does not know it yet (some 10 s), or was elected a moment ago,
 * may answer older documents; never for a collection whose `freshness` is linearizable.
 */
export async function openMongoDbReadModels(options: MongoDbReadModelsOptions): Promise<ReadModelStore> {
  const { url, timings = defaultTimings } = options;
  return new MongoDbReadModels(options, timings, await connect(url, timings));
}

class MongoDbReadModels implements ReadModelStore {
  readonly #connection: MongoConnection;
  readonly #parts: PhysicalParts;
  readonly #report: (fault: unknown) => void;
  readonly #generations: Generations;
  readonly #opened = new Map<string, PhysicalCollection>();

  constructor(
    { world, report, meters = noMeters }: MongoDbReadModelsOptions,
    timings: MongoDbTimings,
    connection: MongoConnection,
  ) {
    const { where } = connection;
    connection.onPoolCleared(() => meters.dropped());
    const ask = probeOf(connection, timings);
    const probe = (signal: AbortSignal): Promise<unknown> => connection.watched(() => ask(signal));
    const availability = new Availability({ where, probe, timings, world, report, meters });
    this.#connection = connection;
    this.#parts = { connection, availability, timings, world, meters };
    this.#report = report;
    this.#generations = new Generations({ connection, world, availability });
  }

  async get<Doc extends object, K extends string>(
    of: Collection<Doc, K>,
    ids: readonly string[],
  ): Promise<readonly Stored<Doc>[]> {
    const opened = this.#alreadyOpen(of) ?? (await this.#open(of));
    if (ids.length === 0) return [];
    const rows = await (of.freshness === 'linearizable' ? opened.getNewest(ids) : opened.get(ids));
    return rows.map((row) => typed(of, row));
  }

  find<Doc extends object, K extends string>(of: Collection<Doc, K>, query: Query<K>): Promise<readonly Stored<Doc>[]> {
    return this.#find(of, query, undefined);
  }

  place<Doc extends object, K extends string>(
    of: Collection<Doc, K>,
    query: PlaceQuery<K>,
    nth: number,
  ): Promise<Place | undefined> {
    return this.#place(of, query, nth, undefined);
  }

  ofOneRequest(): Finds {
    const until = this.#parts.world.monotonic() + this.#parts.timings.readMs;
    return {
      find: (of, query) => this.#find(of, query, until),
      place: (of, query, nth) => this.#place(of, query, nth, until),
    };
  }

  async #find<Doc extends object, K extends string>(
    of: Collection<Doc, K>,
    query: Query<K>,
    until: number | undefined,
  ): Promise<readonly Stored<Doc>[]> {
    const opened = this.#alreadyOpen(of) ?? (await this.#open(of));
    const wanted = findQuery(of, query);
    if (wanted === undefined) return [];
    return (await opened.find(wanted, query.limit, { until, isDueWork: query.isDueWork })).map((row) => typed(of, row));
  }

  async #place<Doc extends object, K extends string>(
    of: Collection<Doc, K>,
    query: PlaceQuery<K>,
    nth: number,
    until: number | undefined,
  ): Promise<Place | undefined> {
    const opened = this.#alreadyOpen(of) ?? (await this.#open(of));
    const wanted = findQuery(of, query);
    return wanted === undefined ? undefined : opened.place(wanted, query.order.by, nth, { until });
  }

  async write<Doc extends object, K extends string>(
    of: Collection<Doc, K>,
    rows: readonly Stored<Doc>[],
  ): Promise<readonly string[]> {
    const opened = this.#alreadyOpen(of) ?? (await this.#open(of));
    return opened.write(rows.map((row) => rowToStore(of, row)));
  }

  async remove<Doc extends object, K extends string>(of: Collection<Doc, K>, rows: readonly RowAt[]): Promise<number> {
    return (this.#alreadyOpen(of) ?? (await this.#open(of))).remove(rows);
  }

  async count<Doc extends object, K extends string>(of: Collection<Doc, K>): Promise<number> {
    return (this.#alreadyOpen(of) ?? (await this.#open(of))).count();
  }

  async texts<Doc extends object, K extends string>(
    of: Collection<Doc, K>,
    after: string,
    limit: number,
  ): Promise<readonly StoredText[]> {
    return (this.#alreadyOpen(of) ?? (await this.#open(of))).textsAfter(after, limit);
  }

  async build<Doc extends object, K extends string>(of: Collection<Doc, K>): Promise<Builder> {
    const { name, generation } = of;
    if (generation === undefined) throw new TypeError(`${name} has no generations`);
    const build = newId(this.#parts.world, 'build');
    await this.#generations.begin(name, generation, build);
    const physical = this.#physical(of);
    return mongoDbBuilder({
      keys: Object.keys(of.keys),
      write: (rows) => physical.fill(rows),
      read: (ids) => physical.filled(ids),
      finish: async () => {
        await physical.buildIndexes(of.indexes);
        await this.#generations.finish(name, generation, build);
      },
      // the next build removes the rest
      abort: () => this.#generations.abort(name, generation, build).catch(this.#report),
    });
  }

  generations(name: string): Promise<readonly number[]> {
    return this.#generations.of(name);
  }

  drop(name: string, generation: number): Promise<void> {
    return this.#generations.drop(name, generation);
  }

  /** Every write was acknowledged by the majority, from its journals, and no read shows a write that was not. */
  async sync(): Promise<undefined> {}

  async close(): Promise<void> {
    this.#parts.availability.close();
    await Promise.all([...this.#opened.values()].map((opened) => opened.settled()));
    await this.#connection.close();
  }

  /** Without a promise: nearly every call finds its collection open, and its generation finished. */
  #alreadyOpen<Doc extends object, K extends string>(of: Collection<Doc, K>): PhysicalCollection | undefined {
    const name = physicalName(of);
    const opened = this.#opened.get(name);
    const isUsable = of.generation === undefined ? opened?.isIndexed === true : this.#generations.isFinished(name);
    return isUsable ? opened : undefined;
  }

  async #open<Doc extends object, K extends string>(of: Collection<Doc, K>): Promise<PhysicalCollection> {
    const { name, generation, indexes } = of;
    const opened = this.#physical(of);
    if (generation !== undefined) await this.#generations.mustBeFinished(name, generation);
    else if (!opened.isIndexed) await opened.makeIndexes(indexes);
    return opened;
  }

  #physical<Doc extends object, K extends string>(of: Collection<Doc, K>): PhysicalCollection {
    const name = physicalName(of);
    const known = this.#opened.get(name);
    if (known !== undefined) return known;
    const opened = new PhysicalCollection(name, this.#parts);
    this.#opened.set(name, opened);
    return opened;
  }
}
