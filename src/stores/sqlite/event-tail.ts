// Tells followers that the log grew: within 10 ms for events of this process, within 50 ms for those of others.
import type { World } from '../../world.ts';
import type { StoredEvent } from '../event-store.ts';

/** How often the file is asked whether another process wrote. */
const POLL_MS = 50;
/**
 * From an append to the call of the followers: what they do for a batch of events costs hardly more than for one, and
 * the request that appended is answered first.
 */
const REST_MS = 10;
/** Events of this process that are kept for live followers at most: a follower further back reads the log. */
const KEPT_EVENTS = 2_048;
const KEPT_UNITS = 2 * 1024 * 1024;

/** A follower's place: everything up to here was handed to it. */
export interface TailPosition {
  position: bigint;
}

interface TailOptions {
  readonly world: World;
  readonly report: (fault: unknown) => void;
  /** True if another connection committed since the last call; cheap. */
  readonly changed: () => boolean;
}

export class EventTail {
  readonly #options: TailOptions;
  readonly #closed = new AbortController();
  readonly #followers = new Set<TailPosition>();
  #polling = false;
  #waiting: (() => void)[] = [];
  #waking = false;
  #growths = 0;
  /** The newest events of this process, without a gap between them. */
  #kept: StoredEvent[] = [];
  #keptUnits = 0;

  constructor(options: TailOptions) {
    this.#options = options;
  }

  /** Aborts when the store is closed. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Counts up whenever something may be new; read it before the log, give it to `grown`. */
  get growths(): number {
    return this.#growths;
  }

  /** Events that this process appended, in the order of their positions. */
  add(events: readonly StoredEvent[]): void {
    if (this.#followers.size === 0) return;
    this.#keep(events);
    this.#growths += 1;
    if (this.#waiting.length === 0 || this.#waking) return;
    this.#waking = true;
    void this.#options.world
      .sleep(REST_MS, this.closed)
      .catch(() => undefined)
      .then(() => this.#wake());
  }

  /** The events right after a follower's place, when all of them are known here; undefined if they must be read. */
  after(place: TailPosition): readonly StoredEvent[] | undefined {
    this.#forgetHandled();
    const first = this.#kept[0]?.position;
    if (first === undefined || place.position + 1n < first) return undefined;
    const unseen = this.#kept.slice(Number(place.position + 1n - first));
    return unseen.length === 0 ? undefined : unseen;
  }

  /** Runs a follower's loop, which moves its place; polls the file as long as there is one. */
  async *serving<T>(place: TailPosition, loop: AsyncIterable<T>): AsyncIterable<T> {
    this.#followers.add(place);
    void this.#poll();
    try {
      yield* loop;
    } finally {
      this.#followers.delete(place);
      if (this.#followers.size === 0) this.#drop();
    }
  }

  /** Resolves when something may be new since `growths` was read, or when the signal aborts. */
  async grown(growths: number, signal: AbortSignal): Promise<void> {
    if (growths !== this.#growths || signal.aborted || this.closed.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        signal.removeEventListener('abort', stop);
        resolve();
      };
      const stop = (): void => {
        this.#waiting = this.#waiting.filter((waiting) => waiting !== wake);
        resolve();
      };
      signal.addEventListener('abort', stop, { once: true });
      this.#waiting.push(wake);
    });
  }

  close(): void {
    this.#closed.abort();
    this.#wake();
  }

  #wake(): void {
    this.#waking = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  #keep(events: readonly StoredEvent[]): void {
    const expected = (this.#kept.at(-1)?.position ?? -2n) + 1n;
    if (events[0]?.position !== expected || this.#kept.length > KEPT_EVENTS || this.#keptUnits > KEPT_UNITS)
      this.#drop();
    for (const event of events) {
      this.#kept.push(event);
      this.#keptUnits += event.data.length + event.metadata.length;
    }
  }

  /**
   * Events that no follower needs go while they are young: the garbage collector copies text that is kept for longer.
   */
  #forgetHandled(): void {
    const first = this.#kept[0]?.position;
    if (first === undefined) return;
    let unseen = this.#kept.length;
    for (const { position } of this.#followers) unseen = Math.min(unseen, Math.max(0, Number(position + 1n - first)));
    for (const { data, metadata } of this.#kept.splice(0, unseen)) this.#keptUnits -= data.length + metadata.length;
  }

  #drop(): void {
    this.#kept = [];
    this.#keptUnits = 0;
  }

  async #poll(): Promise<void> {
    if (this.#polling) return;
    this.#polling = true;
    while (this.#followers.size > 0 && !this.closed.aborted) {
      try {
        if (this.#options.changed()) {
          this.#growths += 1;
          this.#wake();
        }
      } catch (fault) {
        this.#options.report(fault);
      }
      await this.#options.world.sleep(POLL_MS, this.closed).catch(() => undefined);
    }
    this.#polling = false;
  }
}
