// One subscription to the log until it is dropped: events wait here, bounded, and are taken as a batch.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Batch, StoredEvent, StreamLimit } from '../event-store.ts';
import type { NodeConnection } from './connection.ts';
import { limitIn } from './lost-events.ts';
import { ReadCall } from './read-call.ts';
import { isServersOwn, positionOf, type ReadResponse, type RecordedEvent, storedEvent } from './recorded-event.ts';
import { type Prefixes, subscribeRequest } from './requests.ts';

/** Waiting events, and so a batch, are at most so many events, or so many UTF-16 units of text and one event. */
const MAX_EVENTS = 10_000;
const MAX_UNITS = 12 * 1024 * 1024;
/**
 * How long a reader that has fallen back waits for more: a few large batches cost it much less than many small ones.
 */
const GATHER_MS = 500;
/**
 * How long a reader that is live waits after each batch, for the same reason: the first event after a silence comes at
 * once.
 */
const LIVE_GATHER_MS = 10;

interface SubscriptionOptions {
  readonly after: bigint;
  /** How the names of the wanted streams begin; empty: all. */
  readonly wanted: Prefixes;
  /** The server is asked for these only. */
  readonly narrow: boolean;
  /**
   * Up to here the log is known to reach: once caught up, everything to here has been seen, except what was not asked
   * for.
   */
  readonly head: bigint;
}

export class Subscription {
  readonly #options: SubscriptionOptions;
  #call: ReadCall | undefined;
  #events: StoredEvent[] = [];
  #limits: StreamLimit[] = [];
  #units = 0;
  /** Everything up to here is in `#events`, or was taken, or is not wanted. */
  #position: bigint;
  #live = false;
  #news = false;
  /** A batch was taken before. */
  #taken = false;
  #held = false;
  #ended: { readonly fault: unknown } | undefined;
  #wake: () => void = () => undefined;
  #enough: () => void = () => undefined;
  #confirm: () => void = () => undefined;

  constructor(options: SubscriptionOptions) {
    this.#options = options;
    this.#position = options.after;
  }

  /** Resolves when the server has confirmed it, rejects when it refuses. */
  async open(connection: NodeConnection): Promise<void> {
    const { after, wanted, narrow } = this.#options;
    const confirmed = new Promise<void>((confirm) => {
      this.#confirm = confirm;
    });
    this.#call = await ReadCall.open(connection, subscribeRequest(after, narrow ? wanted : []), {
      take: (message) => this.#take(message),
      onEnd: (fault) => this.#end(fault ?? new Error('the server ended the subscription')),
    });
    if (this.#ended !== undefined) this.#call.cancel(); // it was cancelled while it was being opened
    await confirmed;
    if (this.#ended !== undefined) throw this.#ended.fault;
  }

  /**
   * All events since the last call: waits for one. Throws why the subscription was dropped, once all events are taken.
   */
  async next(): Promise<Batch> {
    if (this.#taken && this.#live && !this.#held) await this.#gathered(LIVE_GATHER_MS);
    this.#taken = true;
    if (!this.#news && this.#ended === undefined) {
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
      await nextTurn(); // events of the same turn go into the same batch
    }
    if (this.#isGathering) await this.#gathered(GATHER_MS);
    if (!this.#news && this.#ended !== undefined) throw this.#ended.fault;
    const limits = this.#limits;
    const batch = {
      events: this.#events,
      position: this.#position,
      caughtUp: this.#live,
      ...(limits.length > 0 && { limits }),
    };
    this.#events = [];
    this.#limits = [];
    this.#units = 0;
    this.#news = false;
    if (this.#held) {
      this.#held = false;
      this.#call?.resume();
    }
    return batch;
  }

  get #isGathering(): boolean {
    return !this.#live && !this.#held && this.#ended === undefined;
  }

  async #gathered(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((enough) => {
      this.#enough = enough;
      timer = setTimeout(enough, ms);
    });
    clearTimeout(timer);
  }

  /** `next` throws the fault from now on. */
  cancel(fault: unknown): void {
    this.#news = false;
    this.#end(fault);
    this.#call?.cancel();
  }

  #end(fault: unknown): void {
    this.#ended ??= { fault };
    this.#live = false;
    this.#confirm();
    this.#wake();
    this.#enough();
  }

  /** True: enough for now. */
  #take({ event, caughtUp, fellBehind }: ReadResponse): boolean {
    this.#confirm();
    if (event !== undefined) return this.#event(event);
    if (fellBehind) this.#live = false;
    if (caughtUp) {
      this.#live = true;
      if (this.#options.head > this.#position) this.#position = this.#options.head;
      this.#tell();
      this.#enough();
    }
    return false;
  }

  #event(recorded: RecordedEvent): boolean {
    if (isServersOwn(recorded)) return this.#limit(recorded);
    const position = positionOf(recorded);
    if (position <= this.#position) return false;
    this.#position = position;
    this.#tell();
    const { stream } = recorded;
    if (!this.#wants(stream)) return false;
    const event = storedEvent(recorded, stream, position);
    this.#events.push(event);
    this.#units += event.data.length + event.metadata.length;
    return this.#hold(this.#events.length >= MAX_EVENTS || this.#units >= MAX_UNITS);
  }

  /**
   * It is at no position: a head of the log never is either, so it comes again after a drop where no other event
   * followed it.
   */
  #limit(recorded: RecordedEvent): boolean {
    const limit = limitIn(recorded);
    if (limit === undefined || !this.#wants(limit.stream)) return false;
    this.#limits.push(limit);
    this.#tell();
    return this.#hold(this.#held || this.#limits.length >= MAX_EVENTS);
  }

  #wants(stream: string): boolean {
    const { wanted } = this.#options;
    return wanted.length === 0 || wanted.some((prefix) => stream.startsWith(prefix));
  }

  #hold(isHeld: boolean): boolean {
    this.#held = isHeld;
    if (isHeld) this.#enough();
    return isHeld;
  }

  #tell(): void {
    this.#news = true;
    this.#wake();
  }
}
