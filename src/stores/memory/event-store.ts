// The event store in memory: for unit tests and the simulator; the same rules as on disk, nothing survives.
import { checkAppends } from '../check-append.ts';
import type { Append, Appended, Batch, EventStore, NewEvent, StoredEvent } from '../event-store.ts';
import { StoreUnavailable } from '../store-unavailable.ts';
import { categoryOf } from '../stream-name.ts';

/** Batches are bounded as on disk, so that the rules of pages are tested here too. */
const PAGE_EVENTS = 1_000;

export interface MemoryEventStore extends EventStore {
  /** The events of one `read`, at once. */
  listed(stream: string, after: number): readonly StoredEvent[];
  appendAll: NonNullable<EventStore['appendAll']>;
}

export function openMemoryEventStore(): MemoryEventStore {
  return new EventsInMemory();
}

class EventsInMemory implements MemoryEventStore {
  readonly #log: StoredEvent[] = [];
  readonly #streams = new Map<string, StoredEvent[]>();
  readonly #closed = new AbortController();
  #waiting = new Set<() => void>();

  append(stream: string, after: number, events: readonly NewEvent[]): Promise<Appended> {
    return this.appendAll([{ stream, after, events }]);
  }

  async appendAll(appends: readonly Append[]): Promise<Appended> {
    checkAppends(appends);
    if (this.#closed.signal.aborted) throw new StoreUnavailable('the store is closed');
    if (!appends.every(({ stream, after }) => this.listed(stream, -1).length === after + 1))
      return appends.every((append) => this.#holds(append)) ? 'written' : 'conflict';
    for (const append of appends) this.#write(append);
    for (const wake of this.#waiting) wake();
    return 'written';
  }

  #holds({ stream, after, events }: Append): boolean {
    const there = this.listed(stream, after);
    return events.every(({ id }, index) => id === there[index]?.id);
  }

  #write({ stream, after, events }: Append): void {
    const stored = events.map(({ id, type, data, metadata }, index) => {
      return {
        id,
        type,
        data,
        metadata,
        stream,
        revision: after + 1 + index,
        position: BigInt(this.#log.length + index),
      };
    });
    const before = this.#streams.get(stream) ?? [];
    this.#log.push(...stored);
    this.#streams.set(stream, before);
    before.push(...stored);
  }

  async *read(stream: string, after: number, most = Number.POSITIVE_INFINITY): AsyncIterable<StoredEvent> {
    for (const stored of this.listed(stream, after).slice(0, most)) yield stored; // yield* would wait for each twice
  }

  listed(stream: string, after: number): readonly StoredEvent[] {
    return this.#streams.get(stream)?.slice(after + 1) ?? [];
  }

  async *follow(after: bigint, categories: readonly string[], signal: AbortSignal): AsyncIterable<Batch> {
    const ended = AbortSignal.any([signal, this.#closed.signal]);
    let position = after;
    let told = false;
    while (!ended.aborted) {
      const next = Number(position) + 1;
      const page = this.#log.slice(next, next + PAGE_EVENTS);
      const caughtUp = next + page.length >= this.#log.length;
      if (page.length > 0 || !told) {
        position = page.at(-1)?.position ?? position;
        const events =
          categories.length === 0 ? page : page.filter(({ stream }) => categories.includes(categoryOf(stream)));
        if (events.length > 0 || caughtUp) yield { events, position, caughtUp };
        told = caughtUp;
      } else await this.#grown(ended);
    }
  }

  async newest(before: bigint | undefined, limit: number): Promise<readonly StoredEvent[]> {
    const end = before === undefined ? this.#log.length : Number(before);
    return this.#log.slice(Math.max(0, end - limit), Math.max(0, end)).toReversed();
  }

  async head(): Promise<bigint> {
    return BigInt(this.#log.length - 1);
  }

  async close(): Promise<void> {
    this.#closed.abort();
  }

  async #grown(ended: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        ended.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      ended.addEventListener('abort', wake, { once: true });
    });
  }
}
