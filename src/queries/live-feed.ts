// Sends changes in the log to the dashboard's open streams: one follower of the log for all of them, while there are
// any.
import { readLog } from '../journal/read-log.ts';
import type { EventStore } from '../stores/event-store.ts';
import { StoreUnavailable } from '../stores/store-unavailable.ts';
import type { World } from '../world.ts';
import {
  condensed,
  endsSessions,
  LIVE_CATEGORIES,
  type LiveMessage,
  LiveStream,
  liveMessageOf,
} from './live-stream.ts';

export interface LiveFeedParts {
  readonly events: Pick<EventStore, 'follow' | 'head'>;
  readonly world: World;
  readonly report: (fault: unknown) => void;
  /** Up to where each read model has everything: a page that is notified too early would read the previous state. */
  readonly positions: () => Promise<ReadonlyMap<string, bigint>>;
  /** The most seconds that a read model lags. */
  readonly lagSeconds: (signal: AbortSignal) => Promise<number>;
  /**
   * Changes outside the log, such as a rebuild: read while an operator's stream is open. Ends when the signal aborts.
   */
  readonly operation: (signal: AbortSignal) => AsyncIterable<OperationMessage>;
}

/** A message that no browser resumes after: a page that comes back asks again. */
interface OperationMessage {
  readonly topic: string;
}

export interface LiveSubscriber {
  /** The sign-in session: its streams are bounded. */
  readonly sessionId: string;
  readonly accountId: string;
  /** The position of the last message that the browser has; undefined for a page that has just been loaded. */
  readonly after: bigint | undefined;
  /** True if the session is still valid; asked at every event of a user, and at every tick. */
  readonly isSignedIn: () => Promise<boolean>;
  /** True if the user may see what runs the service. */
  readonly mayOperate: boolean;
}

/** Streams of one session: all tabs of a browser share one, and a lost connection is noticed late. */
export const STREAMS_OF_SESSION = 10;
/** The interval of the heartbeat, too: proxies and browsers treat a silent connection as dead. */
const TICK_MS = 15_000;
/** Read models follow within milliseconds as a rule; one that is parked holds no message back for longer. */
const READ_MODELS_WITHIN_MS = 2_000;
const LOOK_EVERY_MS = 50;
const RETRY_MS = 1_000;
/** A browser that missed more events than these has to ask for everything again. */
const RESUMED_EVENTS = 5_000;

export class LiveFeed {
  readonly #parts: LiveFeedParts;
  readonly #streams = new Map<LiveStream, LiveSubscriber>();
  #following: AbortController | undefined;
  #operating: AbortController | undefined;
  #beginning: Promise<void> | undefined;
  #position = -1n;
  #isOver = false;

  constructor(parts: LiveFeedParts) {
    this.#parts = parts;
  }

  /**
   * A stream of server-sent events from now on, or from after `after`, without a hole. Rejects with StoreUnavailable.
   */
  async open(subscriber: LiveSubscriber): Promise<LiveStream> {
    const stream = new LiveStream(() => this.#forget(stream));
    // Meanwhile the process may stop, and the last other stream may end, and with it the follower.
    while (!this.#isOver && this.#following === undefined) await this.#begun();
    if (this.#isOver) {
      stream.end();
      return stream;
    }
    const from = this.#position;
    this.#streams.set(stream, subscriber); // the follower hands it every later event; the earlier ones are read below
    this.#endOldest(subscriber.sessionId);
    const { accountId, after, mayOperate } = subscriber;
    if (mayOperate) this.#operate();
    try {
      const missed = after === undefined || after >= from ? [] : await this.#missed(accountId, after, from);
      stream.begin(from, missed);
      return stream;
    } catch (fault) {
      stream.end(); // its browser gets a refusal, so nobody reads it
      throw fault;
    }
  }

  /** The number of open streams. */
  get size(): number {
    return this.#streams.size;
  }

  /** Ends every stream, and each that is opened later: the process stops. Browsers come back to another one. */
  end(): void {
    this.#isOver = true;
    for (const stream of [...this.#streams.keys()]) stream.end();
  }

  /** Of more streams of a session than it may have, the oldest. */
  #endOldest(sessionId: string): void {
    const own = [...this.#streams]
      .filter(([, subscriber]) => subscriber.sessionId === sessionId)
      .map(([stream]) => stream);
    for (const oldest of own.slice(0, Math.max(0, own.length - STREAMS_OF_SESSION))) oldest.end();
  }

  #forget(stream: LiveStream): void {
    this.#streams.delete(stream);
    if (![...this.#streams.values()].some(({ mayOperate }) => mayOperate)) {
      this.#operating?.abort();
      this.#operating = undefined;
    }
    if (this.#streams.size > 0) return;
    this.#following?.abort();
    this.#following = undefined;
  }

  /** Resolves when the follower's place in the log is known. */
  #begun(): Promise<void> {
    this.#beginning ??= this.#begin().finally(() => {
      this.#beginning = undefined;
    });
    return this.#beginning;
  }

  async #begin(): Promise<void> {
    this.#position = await this.#parts.events.head();
    if (this.#isOver) return;
    const following = new AbortController();
    this.#following = following;
    void this.#follow(following.signal);
    void this.#tick(following.signal);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { events, world, report } = this.#parts;
    while (!signal.aborted) {
      try {
        for await (const batch of events.follow(this.#position, LIVE_CATEGORIES, signal)) {
          const messages = batch.events.flatMap((stored) => liveMessageOf(stored) ?? []);
          await this.#endSignedOut(messages);
          const last = messages.at(-1);
          if (last !== undefined) await this.#untilReadModelsHave(last.position, signal);
          if (signal.aborted) return; // another follower may have begun since
          this.#position = batch.position;
          this.#tell(messages);
        }
      } catch (fault) {
        if (!signal.aborted && !(fault instanceof StoreUnavailable)) report(fault);
      }
      if (!signal.aborted) await world.sleep(RETRY_MS, signal).catch(() => undefined);
    }
  }

  #tell(messages: readonly LiveMessage[]): void {
    if (messages.length === 0) return;
    for (const [stream, { accountId }] of [...this.#streams]) {
      stream.tell(condensed(messages.filter((message) => message.accountId === accountId)));
    }
  }

  #operate(): void {
    if (this.#operating !== undefined) return;
    this.#operating = new AbortController();
    void this.#tellOperation(this.#operating.signal);
  }

  async #tellOperation(signal: AbortSignal): Promise<void> {
    const { operation, report } = this.#parts;
    try {
      for await (const message of operation(signal)) {
        if (signal.aborted) return;
        for (const [stream, { mayOperate }] of [...this.#streams]) if (mayOperate) stream.tellNow(message);
      }
    } catch (fault) {
      report(fault);
    }
  }

  async #untilReadModelsHave(position: bigint, signal: AbortSignal): Promise<void> {
    const { world, positions } = this.#parts;
    const deadline = world.monotonic() + READ_MODELS_WITHIN_MS;
    while (!signal.aborted && world.monotonic() < deadline) {
      const reached = await positions().catch(() => new Map<string, bigint>());
      if ([...reached.values()].every((one) => one >= position)) return;
      await world.sleep(LOOK_EVERY_MS, signal).catch(() => undefined);
    }
  }

  async #tick(signal: AbortSignal): Promise<void> {
    const { world, lagSeconds } = this.#parts;
    while (!signal.aborted) {
      await world.sleep(TICK_MS, signal).catch(() => undefined);
      if (signal.aborted) return;
      await this.#endOthers(() => true);
      const seconds = await lagSeconds(signal).catch(() => undefined);
      for (const stream of [...this.#streams.keys()]) stream.tick(this.#position, seconds);
    }
  }

  /** A user who has signed out, was disabled, or has another role now: the browser has to sign in again. */
  async #endSignedOut(messages: readonly LiveMessage[]): Promise<void> {
    const accounts = new Set(messages.filter(endsSessions).map(({ accountId }) => accountId));
    if (accounts.size > 0) await this.#endOthers(({ accountId }) => accounts.has(accountId));
  }

  async #endOthers(isAsked: (subscriber: LiveSubscriber) => boolean): Promise<void> {
    const asked = [...this.#streams].filter(([, subscriber]) => isAsked(subscriber));
    const judged = asked.map(async ([stream, { isSignedIn }]) => {
      if (!(await isSignedIn().catch(() => false))) stream.endSignedOut();
    });
    await Promise.all(judged);
  }

  /** The account's messages after one position and up to another; undefined if there are too many. */
  async #missed(accountId: string, after: bigint, to: bigint): Promise<readonly LiveMessage[] | undefined> {
    const messages: LiveMessage[] = [];
    let read = 0;
    for await (const { events } of readLog(
      this.#parts.events,
      { after, to, categories: LIVE_CATEGORIES },
      new AbortController().signal,
    )) {
      read += events.length;
      if (read > RESUMED_EVENTS) return undefined;
      messages.push(
        ...events.filter(({ position }) => position <= to).flatMap((stored) => liveMessageOf(stored) ?? []),
      );
    }
    return condensed(messages.filter((message) => message.accountId === accountId));
  }
}
