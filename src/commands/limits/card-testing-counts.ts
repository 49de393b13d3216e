// The counts of the limits against card testing: tokenizations, declines, and attempts that may yet be declined.
import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../journal/bounded-cache.ts';
import { type Counter, countersInMemory } from './counters.ts';

const HOUR_SECONDS = 3_600;
const HOUR_MS = HOUR_SECONDS * 1_000;
/** Bounds of the counters in memory; the oldest goes first. */
const RESERVATIONS = 20_000;
const NOTICES = 10_000;
/** A caller may try again after this while attempts under way, not declines, fill a limit. */
const UNDER_WAY_MS = 5_000;

/** The limits by their names in refusals, notices and metrics. */
export const CARD_TESTING_LIMITS = [
  'tokenizations-per-session',
  'tokenizations-per-address',
  'declines-per-session',
  'declines-per-card',
] as const;
export type CardTestingLimit = (typeof CARD_TESTING_LIMITS)[number];

/** How many an hour each limit lets through. */
export const CARD_TESTING_POINTS: Readonly<Record<CardTestingLimit, number>> = {
  'tokenizations-per-session': 30,
  'tokenizations-per-address': 300,
  'declines-per-session': 10,
  'declines-per-card': 10,
};

/** The subjects of the limits on declines: the session that pays, and the fingerprint of its card. */
export interface Attempted {
  readonly sessionId: string;
  readonly fingerprint: string;
}

/** An authorization that was declined; of a card whose fingerprint is not known its session alone counts. */
interface CountedDecline {
  readonly sessionId: string;
  readonly fingerprint?: string | undefined;
}

/** A limit that is reached. */
export interface ReachedLimit {
  readonly limit: CardTestingLimit;
  /** The session, the card or the block of addresses. */
  readonly key: string;
  readonly msBeforeNext: number;
  /** The first time in an hour. */
  readonly isNew: boolean;
}

/** In this process, or in the one that counts for several. Each answers the limit that is reached, if any. */
export interface CardTestingCounts {
  /** Counts a tokenization of the session from the block of addresses. */
  tokenized(sessionId: string, addressBlock: string): Promise<ReachedLimit | undefined>;
  /** Counts nothing. */
  look(attempted: Attempted): Promise<ReachedLimit | undefined>;
  /**
   * The payment now holds a reservation, unless a limit is reached; a payment that holds one already keeps it, for one
   * call more.
   */
  reserve(paymentId: string, attempted: Attempted): Promise<ReachedLimit | undefined>;
  /** A call that has reserved needs it no longer; the reservation ends with the last of them. */
  giveBack(paymentId: string): void;
  /** Removes the reservation of the payment. `declined`: a decline counts. */
  settled(paymentId: string, declined: CountedDecline | undefined): Promise<void>;
}

interface Reservation {
  readonly attempted: Attempted;
  /**
   * The calls that hold it. A second worker may repeat a call under its idempotency key, find the payment made, and
   * give back, while the first worker's attempt may still be declined.
   */
  calls: number;
}

export class CardTestingCountsInMemory implements CardTestingCounts {
  readonly #tokenizedInSession = limited('tokenizations-per-session');
  readonly #tokenizedFrom = limited('tokenizations-per-address');
  readonly #declinedInSession = limited('declines-per-session');
  readonly #declinedCard = limited('declines-per-card');
  /** By payment; a payment that another node settles is forgotten after the hour that a decline would have counted. */
  readonly #reservations: LRUCache<string, Reservation>;
  /** How many reservations each session and each fingerprint has; their ids cannot be mistaken for one another. */
  readonly #underWay = new Map<string, number>();
  readonly #told = boundedCache<true>(NOTICES, { ttl: HOUR_MS });

  constructor() {
    this.#reservations = boundedCache<Reservation>(RESERVATIONS, {
      ttl: HOUR_MS,
      ttlAutopurge: true,
      dispose: ({ attempted: { sessionId, fingerprint } }) => {
        this.#add(sessionId, -1);
        this.#add(fingerprint, -1);
      },
    });
  }

  async tokenized(sessionId: string, addressBlock: string): Promise<ReachedLimit | undefined> {
    return (
      (await this.#count(this.#tokenizedInSession, sessionId)) ?? (await this.#count(this.#tokenizedFrom, addressBlock))
    );
  }

  async look(attempted: Attempted): Promise<ReachedLimit | undefined> {
    return this.#exceeded(attempted, 0);
  }

  async reserve(paymentId: string, attempted: Attempted): Promise<ReachedLimit | undefined> {
    const reserved = this.#reservations.peek(paymentId);
    if (reserved !== undefined) {
      reserved.calls += 1;
      return undefined;
    }
    // Reserved before it is looked at: simultaneous calls see one another.
    this.#reservations.set(paymentId, { attempted, calls: 1 });
    this.#add(attempted.sessionId, 1);
    this.#add(attempted.fingerprint, 1);
    const reached = await this.#exceeded(attempted, 1);
    if (reached !== undefined) this.giveBack(paymentId);
    return reached;
  }

  giveBack(paymentId: string): void {
    const reserved = this.#reservations.peek(paymentId);
    if (reserved === undefined) return;
    reserved.calls -= 1;
    if (reserved.calls === 0) this.#reservations.delete(paymentId);
  }

  async settled(paymentId: string, declined: CountedDecline | undefined): Promise<void> {
    const counted: Promise<unknown>[] = [];
    if (declined !== undefined) counted.push(this.#declinedInSession.counter.penalty(declined.sessionId));
    if (declined?.fingerprint !== undefined) counted.push(this.#declinedCard.counter.penalty(declined.fingerprint));
    this.#reservations.delete(paymentId);
    await Promise.all(counted);
  }

  #add(key: string, change: number): void {
    const count = (this.#underWay.get(key) ?? 0) + change;
    if (count > 0) this.#underWay.set(key, count);
    else this.#underWay.delete(key);
  }

  async #count({ limit, counter }: Limited, key: string): Promise<ReachedLimit | undefined> {
    const { consumedPoints, msBeforeNext } = await counter.penalty(key);
    return consumedPoints > CARD_TESTING_POINTS[limit] ? this.#reached(limit, key, msBeforeNext) : undefined;
  }

  /**
   * `own`: how many of the reservations are the asker's. Declines and reservations are read in one go, before anything
   * waits.
   */
  async #exceeded({ sessionId, fingerprint }: Attempted, own: 0 | 1): Promise<ReachedLimit | undefined> {
    const sides = [
      { of: this.#declinedInSession, key: sessionId },
      { of: this.#declinedCard, key: fingerprint },
    ].map(({ of, key }) => ({
      limit: of.limit,
      key,
      underWay: (this.#underWay.get(key) ?? 0) - own,
      counted: of.counter.get(key),
    }));
    for (const { limit, key, underWay, counted } of sides) {
      const declines = await counted;
      const declined = declines?.consumedPoints ?? 0;
      if (declined >= CARD_TESTING_POINTS[limit]) return this.#reached(limit, key, declines?.msBeforeNext ?? 0);
      if (declined + underWay >= CARD_TESTING_POINTS[limit]) return this.#reached(limit, key, UNDER_WAY_MS);
    }
    return undefined;
  }

  #reached(limit: CardTestingLimit, key: string, msBeforeNext: number): ReachedLimit {
    const told = `${limit} ${key}`;
    const isNew = !this.#told.has(told);
    if (isNew) this.#told.set(told, true);
    return { limit, key, msBeforeNext, isNew };
  }
}

interface Limited {
  readonly limit: CardTestingLimit;
  readonly counter: Counter;
}
const limited = (limit: CardTestingLimit): Limited => ({
  limit,
  counter: countersInMemory({ name: limit, seconds: HOUR_SECONDS }),
});
