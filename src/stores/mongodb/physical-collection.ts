// One MongoDB collection as this process reads and writes it.
import type { Collection, FindOptions } from 'mongodb';
import type { World } from '../../world.ts';
import type { Place, RowAt, StoredText } from '../read-models.ts';
import type { StoreMeters } from '../store-meters.ts';
import { StoreBusy } from '../store-unavailable.ts';
import type { Availability } from './availability.ts';
import { Bulkhead } from './bulkhead.ts';
import { collectionOf } from './collection-of.ts';
import { type MongoDatabase, type MongoDbTimings, serverMs } from './connection.ts';
import { isOtherIndex } from './faults.ts';
import type { FindQuery } from './find-query.ts';
import { checkRowSizes, writeGuarded } from './guarded-bulk.ts';
import { GatheredReads, NewestReads, SharedReads } from './newest-reads.ts';
import {
  indexOf,
  keyPath,
  type ParsedRow,
  parsedRow,
  type ReadRow,
  ROW_PROJECTION,
  type StoredRow,
  textOf,
} from './stored-row.ts';
import { WriteQueue } from './write-queue.ts';

/** `until`: of World.monotonic, the end of what one request may take. */
interface FindTime {
  readonly until?: number | undefined;
  readonly isDueWork?: true | undefined;
}

export interface PhysicalParts {
  readonly connection: MongoDatabase;
  readonly availability: Availability;
  readonly timings: MongoDbTimings;
  readonly world: World;
  readonly meters: StoreMeters;
}

/** Lists of one read model in progress at once, of the 50 connections in all, and those that wait for their turn. */
const LISTS = { atOnce: 10, waiting: 100 } as const;
/** The limits for due work, which callers' lists must not delay. */
const DUE_WORK = { atOnce: 4, waiting: 100 } as const;

/** All methods reject with StoreUnavailable, and writes with DocumentTooLarge. */
export class PhysicalCollection {
  /** True if its indexes are known to be there; a generation's are made by its builder. */
  isIndexed = false;
  readonly #collection: () => Collection<StoredRow>;
  readonly #longWork: () => Collection<StoredRow>;
  readonly #availability: Availability;
  readonly #meters: StoreMeters;
  readonly #writeMs: number;
  readonly #maxTimeMS: number;
  readonly #gathered: GatheredReads;
  readonly #newest: NewestReads;
  readonly #queue: WriteQueue;
  readonly #lists: Bulkhead;
  readonly #dueWork: Bulkhead;
  readonly #world: World;
  readonly #readMs: number;
  #indexing: Promise<void> | undefined;

  constructor(name: string, { connection, availability, timings, world, meters }: PhysicalParts) {
    this.#collection = collectionOf<StoredRow>(name, () => connection.database);
    this.#longWork = collectionOf<StoredRow>(name, () => connection.longWork);
    this.#availability = availability;
    this.#meters = meters;
    this.#writeMs = timings.writeMs;
    this.#maxTimeMS = serverMs(timings.readMs);
    this.#gathered = new GatheredReads(async (ids) => (await this.#read(ids)).map(parsedRow));
    this.#newest = new NewestReads({ newest: new SharedReads((id) => this.#readNewest(id)), gathered: this.#gathered });
    this.#lists = new Bulkhead({ ...LISTS, waitMs: timings.readMs / 2 });
    this.#dueWork = new Bulkhead({ ...DUE_WORK, waitMs: timings.readMs / 2 });
    this.#world = world;
    this.#readMs = timings.readMs;
    this.#queue = new WriteQueue({ world, writeMs: timings.writeMs, write: (rows, ms) => this.#write(rows, ms) });
  }

  /** The existing ones of the rows; shares its query with others that arrive at the same time. */
  get(ids: readonly string[]): Promise<readonly ParsedRow[]> {
    return this.#gathered.get(ids);
  }

  /** The existing rows, never older than the writes that were acknowledged before this call. */
  async getNewest(ids: readonly string[]): Promise<readonly ParsedRow[]> {
    const rows = await Promise.all([...new Set(ids)].map((id) => this.#newest.get(id)));
    return rows.flatMap((row) => row ?? []);
  }

  /** Throws StoreBusy if too many are asked for at once. */
  async find({ filter, sort, hint }: FindQuery, limit: number, when: FindTime = {}): Promise<readonly ParsedRow[]> {
    const rows = await this.#inTurn(when, (maxTimeMS, signal) => {
      const options = { ...this.#page(limit), maxTimeMS, sort, ...(hint !== undefined && { hint }) };
      return this.#collection()
        .find<ReadRow>(filter, { ...options, signal })
        .toArray();
    });
    return rows.map(parsedRow);
  }

  /** The place of row number `nth` in the order of `key`; the index has all of the answer. Throws StoreBusy, too. */
  async place(
    { filter, sort, hint }: FindQuery,
    key: string,
    nth: number,
    when: FindTime = {},
  ): Promise<Place | undefined> {
    const projection = { [keyPath(key)]: 1 };
    const [row] = await this.#inTurn(when, (maxTimeMS, signal) => {
      const options = { projection, skip: nth - 1, limit: 1, maxTimeMS, sort, ...(hint !== undefined && { hint }) };
      return this.#collection()
        .find<Pick<StoredRow, '_id' | 'k'>>(filter, { ...options, signal })
        .toArray();
    });
    const at = row?.k[key];
    return row === undefined || at === undefined ? undefined : { key: at, id: row._id };
  }

  #inTurn<T>({ until, isDueWork }: FindTime, ask: (maxTimeMS: number, signal: AbortSignal) => Promise<T>): Promise<T> {
    const left = (): number => Math.min(this.#readMs, (until ?? Number.POSITIVE_INFINITY) - this.#world.monotonic());
    const run = (): Promise<T> => {
      const ms = left();
      if (ms <= 0) throw new StoreBusy('The lists of one request took longer than a request may take');
      return this.#availability.read((signal) => ask(serverMs(ms), signal), ms);
    };
    return (isDueWork === true ? this.#dueWork : this.#lists).run(async () => run(), Math.max(left(), 0));
  }

  /**
   * Gathers with other writes; answers the ids that were written. Rejects with DocumentTooLarge, and writes none of the
   * rows then.
   */
  async write(rows: readonly StoredRow[]): Promise<readonly string[]> {
    checkRowSizes(rows);
    return this.#queue.write(rows);
  }

  /** Answers how many of the rows were there, at these revisions. */
  async remove(rows: readonly RowAt[]): Promise<number> {
    if (rows.length === 0) return 0;
    const removals = rows.map(({ id, revision }) => ({ deleteOne: { filter: { _id: id, r: revision } } }));
    return this.#availability.write(
      async () => (await this.#collection().bulkWrite(removals, { ordered: false })).deletedCount,
      this.#writeMs,
    );
  }

  /** For a builder: rows of different ids, without regard to who waits for what. */
  async fill(rows: readonly StoredRow[]): Promise<void> {
    checkRowSizes(rows);
    await this.#availability.outlast(() => writeGuarded(this.#longWork(), rows, this.#meters));
  }

  /** For a builder: the stored state of these rows. */
  async filled(ids: readonly string[]): Promise<readonly StoredText[]> {
    const filter = { _id: { $in: [...ids] } };
    const options = { projection: ROW_PROJECTION, batchSize: ids.length };
    return (await this.#availability.outlast(() => this.#longWork().find<ReadRow>(filter, options).toArray())).map(
      textOf,
    );
  }

  count(): Promise<number> {
    const alongIds = { hint: { _id: 1 } } as const; // without the documents
    return this.#availability.patiently(() => this.#longWork().countDocuments({}, alongIds));
  }

  /** The rows that a rebuild compares, page by page. */
  async textsAfter(after: string, limit: number): Promise<readonly StoredText[]> {
    const options = { ...this.#page(limit), sort: { _id: 1 }, hint: { _id: 1 } } as const;
    return (
      await this.#availability.outlast(() =>
        this.#longWork()
          .find<ReadRow>({ _id: { $gt: after } }, options)
          .toArray(),
      )
    ).map(textOf);
  }

  /** For a builder: takes any time. Does nothing where they are there already. */
  async buildIndexes(indexes: readonly (readonly string[])[]): Promise<void> {
    const wanted = indexes.map(indexOf);
    if (wanted.length > 0) await this.#availability.outlast(() => this.#longWork().createIndexes(wanted));
    this.isIndexed = true;
  }

  /** For collections without generations, which are small; calls that overlap share one. */
  makeIndexes(indexes: readonly (readonly string[])[]): Promise<void> {
    this.#indexing ??= this.#makeIndexes(indexes).finally(() => {
      this.#indexing = undefined;
    });
    return this.#indexing;
  }

  /** Resolves when all that waits was written or refused. */
  settled(): Promise<void> {
    return this.#queue.settled();
  }

  async #makeIndexes(indexes: readonly (readonly string[])[]): Promise<void> {
    for (const index of indexes) {
      await this.#availability.patiently(
        () => madeOrThere(this.#collection().createIndexes([indexOf(index)])),
        this.#writeMs,
      );
    }
    this.isIndexed = true;
  }

  #write(rows: readonly StoredRow[], ms: number): Promise<ReadonlySet<string>> {
    return this.#availability.write(() => writeGuarded(this.#collection(), rows, this.#meters), ms);
  }

  #read(ids: readonly string[]): Promise<readonly ReadRow[]> {
    const filter = { _id: { $in: [...ids] } };
    const page = this.#page(ids.length);
    return this.#availability.read((signal) =>
      this.#collection()
        .find<ReadRow>(filter, { ...page, signal })
        .toArray(),
    );
  }

  /** The majority confirms that this is still the primary before it answers. */
  async #readNewest(id: string): Promise<ParsedRow | undefined> {
    const options = { ...this.#page(1), readConcern: { level: 'linearizable' } } as const;
    const find = (signal: AbortSignal): Promise<readonly ReadRow[]> =>
      this.#collection()
        .find<ReadRow>({ _id: id }, { ...options, signal })
        .toArray();
    const [found] = await this.#availability.read(find);
    return found === undefined ? undefined : parsedRow(found);
  }

  /** All in one answer, as far as 16 MiB go. */
  #page(limit: number): Page {
    return { projection: ROW_PROJECTION, limit, batchSize: limit, maxTimeMS: this.#maxTimeMS };
  }
}

type Page = Readonly<Required<Pick<FindOptions, 'limit' | 'batchSize' | 'maxTimeMS'>>> & {
  readonly projection: typeof ROW_PROJECTION;
};

/** An index of an earlier version, with the same keys and all documents in it, serves as well. */
const madeOrThere = (making: Promise<unknown>): Promise<unknown> =>
  making.catch((fault: unknown) => {
    if (!isOtherIndex(fault)) throw fault;
  });
