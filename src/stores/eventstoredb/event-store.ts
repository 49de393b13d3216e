// The event store on EventStoreDB 23.10: everything about its client is in this folder.
import { AppError, Notice } from '../../app-error.ts';
import type { World } from '../../world.ts';
import type { Appended, Batch, EventStore, NewEvent, StoredEvent } from '../event-store.ts';
import { noMeters, type StoreMeters } from '../store-meters.ts';
import { StoreUnavailable } from '../store-unavailable.ts';
import { AppendLine } from './append-line.ts';
import { Appends } from './appends.ts';
import { checkOptions, sendsNoCredentials } from './connection-string.ts';
import { Connections } from './connections.ts';
import { lastingFault, messageOf } from './faults.ts';
import { follow } from './follower.ts';
import { LogEnd, readNewest } from './log-end.ts';
import { Reads } from './reads.ts';
import { defaultTimings, type EventStoreDbTimings } from './timings.ts';

export interface EventStoreDbOptions {
  /** A connection string: `esdb://user:password@host:2113`, with `?tls=false` where the server has no TLS. */
  readonly url: string;
  readonly world: World;
  /** Notices that no caller sees: credentials that are not sent, long absences. */
  readonly report: (fault: unknown) => void;
  readonly meters?: StoreMeters;
  readonly timings?: EventStoreDbTimings;
  /** Appends that are under way together are in the log in the order of their calls, which is slower than in any. */
  readonly inOrder?: boolean;
}

/**
 * Connects. Throws StoreUnavailable if the server cannot be reached in 10 s, AppError AccessDenied if `$all` may not be
 * read or appends are not allowed, WrongSettings if the URL is not a connection string or names something else.
 */
export async function openEventStoreDb({
  url,
  world,
  report,
  meters = noMeters,
  timings = defaultTimings,
  inOrder = false,
}: EventStoreDbOptions): Promise<EventStore> {
  checkOptions(url);
  const connections = new Connections(url, world);
  const line = new AppendLine({ url, world, meters, timings, inOrder });
  const reads = new Reads({ connections, isUnavailable: () => line.isUnavailable, world, meters, timings });
  const end = new LogEnd(reads);
  const store = new EventStoreDb({ connections, line, reads, end, world, report, meters, timings, inOrder });
  try {
    if (sendsNoCredentials(url))
      report(
        new Notice(
          'The URL of the event store has a user and a password, but tls=false: the credentials are not sent to EventStoreDB.',
        ),
      );
    await line.start();
    await end.head();
    return store;
  } catch (fault) {
    await store.close();
    throw (
      lastingFault(fault, 'read $all') ??
      new StoreUnavailable(`EventStoreDB cannot be reached: ${messageOf(fault)}`, { cause: fault })
    );
  }
}

interface Parts extends Required<Omit<EventStoreDbOptions, 'url'>> {
  readonly connections: Connections;
  readonly line: AppendLine;
  readonly reads: Reads;
  readonly end: LogEnd;
}

class EventStoreDb implements EventStore {
  readonly #parts: Parts;
  readonly #appends: Appends;
  readonly #closed = new AbortController();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#appends = new Appends(parts);
  }

  append(stream: string, after: number, events: readonly NewEvent[]): Promise<Appended> {
    return this.#appends.append(stream, after, events);
  }

  read(stream: string, after: number, most?: number): AsyncIterable<StoredEvent> {
    return this.#parts.reads.stream(stream, after, most);
  }

  follow(after: bigint, categories: readonly string[], signal: AbortSignal): AsyncIterable<Batch> {
    return follow(this.#parts, after, categories, AbortSignal.any([signal, this.#closed.signal]));
  }

  newest(before: bigint | undefined, limit: number): Promise<readonly StoredEvent[]> {
    return readNewest(this.#parts.reads, before, limit);
  }

  head(): Promise<bigint> {
    return this.#parts.end.head();
  }

  async close(): Promise<void> {
    const { line, connections, timings } = this.#parts;
    this.#closed.abort(new AppError('Closed', 'the store is closed'));
    await this.#appends.close(timings.closeMs);
    line.close();
    connections.close();
  }
}
