// Reads that end: each page is one call, tried again when the call was dropped, given up when it brings nothing for too long.
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import { AppError } from '../../app-error.ts';
import type { World } from '../../world.ts';
import type { StoredEvent } from '../event-store.ts';
import type { StoreMeters } from '../store-meters.ts';
import { StoreUnavailable } from '../store-unavailable.ts';
import type { Connections } from './connections.ts';
import { lastingFault, messageOf } from './faults.ts';
import { ReadCall } from './read-call.ts';
import { positionOf, type ReadResponse, type RecordedEvent, storedEvent } from './recorded-event.ts';
import { readStreamRequest } from './requests.ts';
import { SendWindow } from './send-window.ts';
import type { EventStoreDbTimings } from './timings.ts';

export interface ReadsOptions {
  readonly connections: Connections;
  readonly isUnavailable: () => boolean;
  readonly world: World;
  readonly meters: StoreMeters;
  readonly timings: EventStoreDbTimings;
}

export interface Page {
  readonly events: readonly StoredEvent[];
  /** The stream may go on after them. */
  readonly more: boolean;
}

const PAGE_EVENTS = 500;
/** A page ends early when its texts are this long, in UTF-16 units. */
const PAGE_UNITS = 4 * 1024 * 1024;
/** Pauses before a dropped read is tried again. */
const AGAIN_MS = [10, 100, 400] as const;
/** Under way to the server at a time: it takes 100 calls of a connection, and what waits inside the client looks like silence. */
const MAX_READS = 64;

export class Reads {
  readonly #options: ReadsOptions;
  readonly #window = new SendWindow(MAX_READS);
  /** When anything was last heard, and when the server was last found to be silent, of World.monotonic. */
  #heardAt = Number.NEGATIVE_INFINITY;
  #silentAt = Number.NEGATIVE_INFINITY;

  constructor(options: ReadsOptions) {
    this.#options = options;
  }

  /** Throws StoreUnavailable, AppError AccessDenied, StreamTombstoned, StreamTruncated. */
  async *stream(stream: string, after: number, most = Number.POSITIVE_INFINITY): AsyncIterable<StoredEvent> {
    const end = after + most;
    for (let last = after; last < end; ) {
      const { events, more } = await this.page(stream, last, Math.min(PAGE_EVENTS, end - last));
      yield* events;
      last += events.length;
      if (!more) return;
    }
  }

  /** At most `count` events of a stream with revision > after. */
  async page(stream: string, after: number, count: number): Promise<Page> {
    let events: StoredEvent[] = [];
    let units = 0;
    const start = (): void => {
      events = [];
      units = 0;
    };
    await this.collect(readStreamRequest(stream, after, count), `read ${stream}`, start, (recorded) => {
      const event = storedEvent(recorded, stream, positionOf(recorded));
      if (event.revision !== after + 1 + events.length) throw new StreamTruncated(stream, after + 1 + events.length, event.revision);
      events.push(event);
      units += event.data.length + event.metadata.length;
      return units >= PAGE_UNITS;
    });
    return { events, more: events.length === count || units >= PAGE_UNITS };
  }

  /** Calls `take` with each event until it answers that it is enough; `start` before each try. `what`: to follow "may not". */
  async collect(request: ReadReq, what: string, start: () => void, take: (recorded: RecordedEvent) => boolean): Promise<void> {
    const { connections, world, meters } = this.#options;
    for (let tries = 0; ; tries += 1) {
      if (connections.closed) throw new StoreUnavailable('the store is closed');
      start();
      const fault = await this.#inTurn(() => this.#try(request, take));
      if (fault === undefined) return;
      const lasting = lastingFault(fault, what);
      if (lasting !== undefined) throw lasting;
      const pause = AGAIN_MS[tries];
      if (pause === undefined || fault instanceof TookTooLong)
        throw new StoreUnavailable(`EventStoreDB can not be read (${messageOf(fault)})`, { cause: fault });
      meters.retried();
      await world.sleep(pause, new AbortController().signal);
    }
  }

  /** Waits for its turn, however long others take; those who wait while the server falls silent share its fault. */
  async #inTurn(send: () => Promise<unknown>): Promise<unknown> {
    const { world } = this.#options;
    const since = world.monotonic();
    await this.#window.enter(1);
    try {
      if (this.#silentAt >= since) return new TookTooLong();
      const sentAt = world.monotonic();
      const fault = await send();
      if (fault instanceof TookTooLong && this.#heardAt < sentAt) this.#silentAt = world.monotonic();
      return fault;
    } finally {
      this.#window.leave(1);
    }
  }

  /** Resolves to why it failed, or to undefined. Its time counts from now, and from each message on. */
  async #try(request: ReadReq, take: (recorded: RecordedEvent) => boolean): Promise<unknown> {
    const { connections, world, isUnavailable, timings } = this.#options;
    const connection = connections.current();
    const patienceMs = isUnavailable() ? timings.unavailableReadMs : timings.readMs;
    const done = new AbortController();
    let heardAt = world.monotonic();
    let call: ReadCall | undefined;
    const reading = new Promise<unknown>((settle) => {
      const message = ({ event }: ReadResponse): boolean => {
        heardAt = world.monotonic();
        this.#heardAt = heardAt;
        if (event === undefined || !take(event)) return false;
        settle(undefined);
        return true;
      };
      ReadCall.open(connection, request, { take: message, onEnd: settle }).then((opened) => {
        call = opened;
        if (done.signal.aborted) opened.cancel();
      }, settle);
    });
    const watching = (async () => {
      for (;;) {
        const left = heardAt + patienceMs - world.monotonic();
        if (left <= 0) return new TookTooLong();
        await world.sleep(left, done.signal);
      }
    })().catch(() => reading);
    const fault = await Promise.race([reading, watching]);
    done.abort();
    call?.cancel();
    if (fault !== undefined && !(fault instanceof AppError)) connections.suspect(connection);
    return fault;
  }
}

class TookTooLong extends Error {
  constructor() {
    super('nothing came in time');
  }
}

/** Events are missing in front of others: the stream's metadata ($maxCount, $maxAge, $tb) has made the server drop them. */
export class StreamTruncated extends AppError {
  constructor(stream: string, expected: number, found: number) {
    super(
      'StreamTruncated',
      `The stream ${stream} goes on at revision ${found} where ${expected} was expected: the stream is limited in EventStoreDB ` +
        '($maxCount, $maxAge or $tb in its metadata). The missing event cannot be known from the rest.',
    );
  }
}
