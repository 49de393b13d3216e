// Reads that end: each page is one call, tried again when the call was dropped, given up when it brings nothing for too
// long.
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import { AppError } from '../../app-error.ts';
import type { World } from '../../world.ts';
import type { StoredEvent } from '../event-store.ts';
import type { StoreMeters } from '../store-meters.ts';
import { StoreUnavailable } from '../store-unavailable.ts';
import type { Connections } from './connections.ts';
import { AccessDenied, lastingFault, messageOf, StreamTombstoned } from './faults.ts';
import { hidden, isSoftDeletion, limitOf, tombstoned } from './lost-events.ts';
import { ReadCall } from './read-call.ts';
import { METADATA_OF, positionOf, type ReadResponse, type RecordedEvent, storedEvent } from './recorded-event.ts';
import { readLastRequest, readStreamRequest } from './requests.ts';
import { SendWindow } from './send-window.ts';
import type { EventStoreDbTimings } from './timings.ts';

interface ReadsOptions {
  readonly connections: Connections;
  readonly isUnavailable: () => boolean;
  readonly world: World;
  readonly meters: StoreMeters;
  readonly timings: EventStoreDbTimings;
}

interface Page {
  readonly events: readonly StoredEvent[];
  /** The stream may go on after them. */
  readonly more: boolean;
}

const PAGE_EVENTS = 500;
/** A page ends early when its texts are this long, in UTF-16 units. */
const PAGE_UNITS = 4 * 1024 * 1024;
/** Pauses before a dropped read is tried again. */
const AGAIN_MS = [10, 100, 400] as const;
/**
 * Under way to the server at a time: it takes 100 calls of a connection, and what waits inside the client looks like
 * silence.
 */
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

  /** Throws StoreUnavailable, BrokenStream where all is lost, AppError AccessDenied. */
  async *stream(stream: string, after: number, most = Number.POSITIVE_INFINITY): AsyncIterable<StoredEvent> {
    let last = after;
    for (let left = most; left > 0; ) {
      const { events, more } = await this.page(stream, last, Math.min(PAGE_EVENTS, left));
      yield* events;
      last = events.at(-1)?.revision ?? last;
      left -= events.length;
      if (!more) return;
    }
  }

  /** At most `count` events of a stream with revision > after, as they are: some may be missing in front of others. */
  async page(stream: string, after: number, count: number): Promise<Page> {
    let events: StoredEvent[] = [];
    let units = 0;
    let exists = true;
    const start = (): void => {
      events = [];
      units = 0;
      exists = true;
    };
    const missing = (): void => {
      exists = false;
    };
    const take = (recorded: RecordedEvent): boolean => {
      const event = storedEvent(recorded, stream, positionOf(recorded));
      events.push(event);
      units += event.data.length + event.metadata.length;
      return units >= PAGE_UNITS;
    };
    try {
      await this.collect(readStreamRequest(stream, after, count), `read ${stream}`, start, take, missing);
    } catch (fault) {
      throw fault instanceof StreamTombstoned ? tombstoned(stream) : fault;
    }
    // An existing stream has a first event; the server has no other way to show that it was deleted, or hides all of
    // it.
    if (events.length === 0 && (!exists || after < 0)) await this.#refuseLost(stream, exists);
    return { events, more: events.length === count || units >= PAGE_UNITS };
  }

  /** Throws BrokenStream for a stream without any visible event, unless it never had one. */
  async #refuseLost(stream: string, exists: boolean): Promise<void> {
    const metadata = await this.#metadataOf(stream);
    if (exists || isSoftDeletion(metadata)) throw hidden(stream, limitOf(metadata));
  }

  /** The newest metadata of a stream, as JSON; empty if it has none, or this user may not see it. */
  async #metadataOf(stream: string): Promise<string> {
    let metadata = '';
    const start = (): void => {
      metadata = '';
    };
    try {
      await this.collect(readLastRequest(METADATA_OF + stream), `read the metadata of ${stream}`, start, ({ data }) => {
        metadata = data();
        return true;
      });
    } catch (fault) {
      if (!(fault instanceof AccessDenied)) throw fault;
    }
    return metadata;
  }

  /**
   * Calls `take` with each event until it answers that it is enough; `start` before each try; `missing` where the
   * server finds no stream. `what`: to follow "may not".
   */
  async collect(
    request: ReadReq,
    what: string,
    start: () => void,
    take: (recorded: RecordedEvent) => boolean,
    missing: () => void = () => undefined,
  ): Promise<void> {
    const { connections, world, meters } = this.#options;
    for (let tries = 0; ; tries += 1) {
      if (connections.closed) throw new StoreUnavailable('the store is closed');
      start();
      const fault = await this.#inTurn(() => this.#try(request, take, missing));
      if (fault === undefined) return;
      const lasting = lastingFault(fault, what);
      if (lasting !== undefined) throw lasting;
      const pause = AGAIN_MS[tries];
      if (pause === undefined || fault instanceof TookTooLong)
        throw new StoreUnavailable(`EventStoreDB cannot be read (${messageOf(fault)})`, { cause: fault });
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
  async #try(request: ReadReq, take: (recorded: RecordedEvent) => boolean, missing: () => void): Promise<unknown> {
    const { connections, world, isUnavailable, timings } = this.#options;
    const connection = connections.current();
    const patienceMs = isUnavailable() ? timings.unavailableReadMs : timings.readMs;
    const done = new AbortController();
    let heardAt = world.monotonic();
    let call: ReadCall | undefined;
    const reading = new Promise<unknown>((settle) => {
      const message = ({ event, notFound }: ReadResponse): boolean => {
        heardAt = world.monotonic();
        this.#heardAt = heardAt;
        if (notFound) missing();
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
