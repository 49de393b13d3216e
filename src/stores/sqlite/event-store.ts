// The embedded event store: one writer thread for appends, this thread's connection for reads, any number of processes
// at once.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../../app-error.ts';
import type { World } from '../../world.ts';
import { checkAppends } from '../check-append.ts';
import type { Append, Appended, Batch, EventStore, NewEvent, SpreadWork, StoredEvent } from '../event-store.ts';
import { StoreUnavailable } from '../store-unavailable.ts';
import { categoryOf } from '../stream-name.ts';
import {
  type AppendReply,
  type AppendRequest,
  CONFLICT,
  encodeAppends,
  isAppendReply,
  PROBE,
  REPEATED,
} from './append-protocol.ts';
import { EventLog } from './event-log.ts';
import { prepareEventSchema } from './event-schema.ts';
import { EventTail, type TailPosition } from './event-tail.ts';
import { whileBusy } from './file/busy.ts';
import { openDatabase } from './file/database.ts';
import { GroupCommit } from './file/group-commit.ts';
import { FileGone } from './file/opened-file.ts';
import { besides } from './file/thread.ts';
import { type SpreadOptions, spread, threadsHere } from './spread.ts';
import { PageSize } from './stream-pages.ts';

export interface SqliteEventStoreOptions {
  /** Made with its directories when it is not there. */
  readonly file: string;
  readonly world: World;
  /** Faults that no caller sees: a writer thread that died, a follower that could not read. */
  readonly report: (fault: unknown) => void;
  /** For tests: a log of so many events is read in threads, and in how many. */
  readonly spread?: { readonly from: number; readonly threads: number };
}

/** A thread takes some tenths of a second to start, in which one thread folds so many events. */
const SPREAD_FROM = 50_000;

/** Page cache of the reading connection. */
const READ_CACHE_KIB = 8 * 1024;
/** Pause of a follower that could not read, before it tries again. */
const FOLLOW_RETRY_MS = 1_000;

/**
 * Opens or makes a log. Throws StoreUnavailable if the file cannot be opened, AppError `StoreTooNew` when a newer
 * version made it, `NotAnEventStore` when it is another database.
 */
export async function openSqliteEventStore(options: SqliteEventStoreOptions): Promise<EventStore> {
  const { file, world } = options;
  return reading(world, async () => {
    const database = await openDatabase({ file, synchronous: 'full', busyTimeoutMs: 0, cacheKiB: READ_CACHE_KIB });
    try {
      prepareEventSchema(database, file);
      return new SqliteEventStore(options, new EventLog(file, database));
    } catch (fault) {
      database.close();
      throw fault;
    }
  });
}

class SqliteEventStore implements EventStore {
  readonly #options: SqliteEventStoreOptions;
  readonly #log: EventLog;
  readonly #tail: EventTail;
  readonly #writer: GroupCommit<AppendRequest, AppendReply>;
  /** False after an append that could not be written: the disk is full, or another process keeps the lock. */
  #takesWrites = true;

  constructor(options: SqliteEventStoreOptions, log: EventLog) {
    const { file, world, report } = options;
    this.#options = options;
    this.#log = log;
    this.#tail = new EventTail({ world, report, changed: () => log.changed() });
    this.#writer = new GroupCommit({
      file,
      handler: besides('./append-handler', import.meta.url),
      isReply: isAppendReply,
      world,
      report,
    });
  }

  append(stream: string, after: number, events: readonly NewEvent[]): Promise<Appended> {
    return this.appendAll([{ stream, after, events }]);
  }

  async appendAll(appends: readonly Append[]): Promise<Appended> {
    const units = checkAppends(appends);
    const reply = await this.#submit(encodeAppends(appends), units);
    if (reply === CONFLICT) return 'conflict';
    if (reply === REPEATED) return 'written';
    let position = BigInt(reply);
    const stored: StoredEvent[] = [];
    for (const { stream, after, events } of appends)
      for (const [index, { id, type, data, metadata }] of events.entries()) {
        stored.push({ id, type, data, metadata, stream, revision: after + 1 + index, position });
        position += 1n;
      }
    this.#tail.add(stored);
    return 'written';
  }

  async *read(stream: string, after: number, most = Number.POSITIVE_INFINITY): AsyncIterable<StoredEvent> {
    const size = new PageSize();
    const end = after + most;
    for (let revision = after; revision < end; ) {
      const limit = Math.min(size.limit, end - revision);
      const page = await this.#read(() => this.#log.ofStream(stream, revision, limit));
      for (const stored of page) yield stored; // yield* would wait for each twice
      revision = page.at(-1)?.revision ?? revision;
      if (page.length < limit || revision >= end) return;
      size.learn(page);
      await nextTurn(); // requests go first: a long stream must not hold up the process
    }
  }

  follow(after: bigint, categories: readonly string[], signal: AbortSignal): AsyncIterable<Batch> {
    const place = { position: after };
    return this.#tail.serving(place, this.#follow(place, categories, AbortSignal.any([signal, this.#tail.closed])));
  }

  newest(before: bigint | undefined, limit: number): Promise<readonly StoredEvent[]> {
    return this.#read(() => this.#log.newest(before, limit));
  }

  spread(work: SpreadWork, signal: AbortSignal): Promise<void> | undefined {
    const { file, spread: { from, threads } = { from: SPREAD_FROM, threads: threadsHere() } } = this.#options;
    return work.to < from ? undefined : this.#spread({ file, threads }, work, signal);
  }

  /** While appends fail it fails as well: a check whether the store is available asks for its head. */
  async head(): Promise<bigint> {
    if (!this.#takesWrites) await this.#submit(PROBE);
    return BigInt(
      await this.#read(() => {
        this.#log.check();
        return this.#log.head();
      }),
    );
  }

  async #submit(request: AppendRequest, units = 0): Promise<AppendReply> {
    try {
      const reply = await this.#writer.submit(request, units);
      this.#takesWrites = true;
      return reply;
    } catch (fault) {
      if (fault instanceof StoreUnavailable) this.#takesWrites = false;
      throw fault;
    }
  }

  /** The file is the same one at both ends, so each thread has read that one. */
  async #spread(of: Omit<SpreadOptions, 'streams'>, work: SpreadWork, signal: AbortSignal): Promise<void> {
    const { closed } = this.#tail;
    const check = (): Promise<void> => this.#read(() => this.#log.check());
    const streams = await this.#read(() => this.#log.streams());
    await check();
    await spread({ ...of, streams }, work, AbortSignal.any([signal, closed])).catch((fault: unknown) => {
      throw closed.aborted ? new StoreUnavailable('the store is closed', { cause: fault }) : fault;
    });
    await check();
  }

  async close(): Promise<void> {
    if (this.#tail.closed.aborted) return;
    this.#tail.close();
    await this.#writer.close();
    this.#log.close();
  }

  async *#follow(place: TailPosition, categories: readonly string[], signal: AbortSignal): AsyncIterable<Batch> {
    const size = new PageSize();
    let told = false;
    let isLive = false;
    while (!signal.aborted) {
      const { growths } = this.#tail;
      const batch = await this.#nextBatch(place, isLive, categories, size, signal);
      if (batch === undefined) continue;
      const moved = batch.position > place.position;
      place.position = batch.position;
      if (batch.events.length > 0 || (batch.caughtUp && (moved || !told))) yield batch;
      told = batch.caughtUp;
      isLive ||= batch.caughtUp;
      if (batch.caughtUp) await this.#tail.grown(growths, signal);
      else await nextTurn(); // between two pages of a long scan, requests go first
    }
  }

  /**
   * Undefined if the log could not be read: reported, and after a pause worth another try. Only a follower that has
   * once reached the end gets events from memory: a rebuild is to find what was altered in the log.
   */
  async #nextBatch(
    place: TailPosition,
    isLive: boolean,
    categories: readonly string[],
    size: PageSize,
    signal: AbortSignal,
  ): Promise<Batch | undefined> {
    try {
      const own = isLive ? this.#tail.after(place) : undefined;
      if (own !== undefined) return this.#liveBatch(own, categories);
      const batch = await this.#read(() => this.#log.page(place.position, categories, size.limit));
      size.learn(batch.events);
      return batch;
    } catch (fault) {
      if (signal.aborted) return undefined;
      this.#options.report(fault);
      await this.#options.world.sleep(FOLLOW_RETRY_MS, signal).catch(() => undefined);
      return undefined;
    }
  }

  /** Appends of this process itself need no reading, only the head: another process may have appended after them. */
  #liveBatch(own: readonly StoredEvent[], categories: readonly string[]): Batch {
    const position = own.at(-1)?.position ?? -1n;
    const events = categories.length === 0 ? own : own.filter(({ stream }) => categories.includes(categoryOf(stream)));
    return { events, position, caughtUp: position === BigInt(this.#log.head()) };
  }

  #read<T>(work: () => T): Promise<T> {
    return reading(this.#options.world, work);
  }
}

/** Waits for locks without blocking; any other fault of SQLite means that the store is unavailable. */
async function reading<T>(world: World, work: () => T | Promise<T>): Promise<T> {
  try {
    return await whileBusy(world, work);
  } catch (fault) {
    if (fault instanceof AppError) throw fault;
    const message = fault instanceof FileGone ? fault.message : 'the event log cannot be read';
    throw new StoreUnavailable(message, { cause: fault });
  }
}
