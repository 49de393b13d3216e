// Admission to expensive work, such as hashing a password: a few at once, a bounded queue, people who are known before
// strangers, and among strangers the network first that was served least: of late, or since the others wait.
import { AppError } from '../../app-error.ts';
import { boundedCache } from '../../journal/bounded-cache.ts';

/** No work of this kind can be taken now, or its caller is gone. Nothing was done. */
export class NotAdmitted extends AppError {
  constructor(message: string) {
    super('NotAdmitted', message);
  }
}

export interface TurnAsker {
  /** known: signed in, or with a one-time link. */
  readonly lane: 'known' | 'stranger';
  /** Whose turn it is among the others: the caller's network. */
  readonly network: string;
  /** Aborts when the caller no longer waits for the work. */
  readonly signal?: AbortSignal | undefined;
  /** A part of a work whose first part was admitted: it waits for its turn, and a full queue refuses others. */
  readonly goesOn?: true;
}

/** Somebody who is signed in or has a one-time link, or the service itself. */
export const knownAsker = (signal?: AbortSignal): TurnAsker => ({ lane: 'known', network: '', signal });

export interface TurnLimits {
  /** Works at once. */
  readonly atOnce: number;
  /** Of them, works of strangers: the others are free for people who are known. */
  readonly strangersAtOnce: number;
  /** The part of them for networks that were served lately: a network that is new does not wait for them. */
  readonly repeatedAtOnce: number;
  /** That may wait in each lane. */
  readonly waiting: number;
  /** A new caller starts with no backlog: others do not wait because of what they were served before. */
  readonly fromNow?: true;
}

interface WaitingTurn extends TurnAsker {
  readonly start: () => void;
  readonly refuse: (why: string) => void;
}

/** Networks whose works are counted, for so long after the last one, ms. */
const NETWORKS = 10_000;
const REMEMBERED_MS = 15 * 60_000;

export class Turns {
  readonly #limits: TurnLimits;
  readonly #running = { known: 0, stranger: 0 };
  readonly #waiting: { readonly [L in TurnAsker['lane']]: WaitingTurn[] } = { known: [], stranger: [] };
  /**
   * Works of strangers by network, so that one that comes with its first work is before those that come again and
   * again.
   */
  readonly #served = boundedCache<number>(NETWORKS, { ttl: REMEMBERED_MS });
  /** With `fromNow`: what the network of the last work had been served before it. Who has less counts from here. */
  #present = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** Works that wait now. */
  get waiting(): number {
    return this.#waiting.known.length + this.#waiting.stranger.length;
  }

  /** Does the work when its turn comes. Throws NotAdmitted if the queue is full, or the caller is gone before. */
  async run<Done>(asker: TurnAsker, work: () => Promise<Done>): Promise<Done> {
    if (asker.signal?.aborted === true) throw new NotAdmitted(GONE);
    await this.#turn(asker);
    try {
      return await work();
    } finally {
      this.#running[asker.lane] -= 1;
      this.#startNext();
    }
  }

  /** The network's next work is as its first one: its caller has turned out to be no stranger. */
  forgive(network: string): void {
    this.#served.delete(network);
  }

  #turn(asker: TurnAsker): Promise<void> {
    return new Promise((resolve, reject) => {
      const { signal, lane } = asker;
      const queue = this.#waiting[lane];
      const leave = (): void => {
        const place = queue.indexOf(waiting);
        if (place !== -1) queue.splice(place, 1);
        signal?.removeEventListener('abort', onAbort);
      };
      const onAbort = (): void => waiting.refuse(GONE);
      const waiting: WaitingTurn = {
        ...asker,
        start: () => {
          leave();
          this.#running[lane] += 1;
          if (lane === 'stranger') this.#count(asker.network);
          resolve();
        },
        refuse: (why) => {
          leave();
          reject(new NotAdmitted(why));
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      queue.push(waiting);
      this.#startNext();
      const refusable = queue.filter(({ goesOn }) => goesOn !== true);
      if (refusable.length > this.#limits.waiting) this.#last(refusable)?.refuse(FULL);
    });
  }

  #startNext(): void {
    const { known, stranger } = this.#running;
    if (known + stranger >= this.#limits.atOnce) return;
    const next = this.#waiting.known[0] ?? this.#nextStranger(stranger);
    if (next === undefined) return;
    next.start();
    this.#startNext();
  }

  #nextStranger(running: number): WaitingTurn | undefined {
    const { strangersAtOnce, repeatedAtOnce } = this.#limits;
    const first = running < strangersAtOnce ? this.#first(this.#waiting.stranger) : undefined;
    return first === undefined || running < repeatedAtOnce || this.#servedTo(first.network) === 0 ? first : undefined;
  }

  #count(network: string): void {
    const served = Math.max(this.#servedTo(network), this.#present);
    if (this.#limits.fromNow === true) this.#present = served;
    this.#served.set(network, served + 1);
  }

  /** The first come of the network that was served least. */
  #first(queue: readonly WaitingTurn[]): WaitingTurn | undefined {
    let first: WaitingTurn | undefined;
    for (const one of queue)
      if (first === undefined || this.#servedTo(one.network) < this.#servedTo(first.network)) first = one;
    return first;
  }

  /**
   * The last come of the network that was served most, those that wait counted; with `fromNow` what was weighs as one
   * of them, at most.
   */
  #last(queue: readonly WaitingTurn[]): WaitingTurn | undefined {
    const costs = new Map<string, number>();
    for (const { network } of queue)
      costs.set(network, (costs.get(network) ?? Math.max(this.#servedTo(network), this.#present)) + 1);
    let last: WaitingTurn | undefined;
    for (const one of queue)
      if (last === undefined || (costs.get(one.network) ?? 0) >= (costs.get(last.network) ?? 0)) last = one;
    return last;
  }

  readonly #servedTo = (network: string): number => this.#served.get(network) ?? 0;
}

const GONE = 'The caller has disconnected.';
const FULL = 'Too many requests of this kind are waiting.';
