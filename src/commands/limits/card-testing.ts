// Limits against card testing (contract §2), an hour each: tokenizations a session and an address, declines a session and a card.
import type { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Notice } from '../../app-error.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import { boundedCache } from '../../journal/bounded-cache.ts';
import { addressBlock } from './address-block.ts';

const HOUR_SECONDS = 3_600;
const HOUR_MS = HOUR_SECONDS * 1_000;
/** Bounds of the counters in memory; the oldest goes first. */
const RESERVATIONS = 20_000;
const NOTICES = 10_000;
/** Retry-After while attempts under way, not declines, fill a limit. */
const UNDER_WAY_MS = 5_000;

/** The caller that is refused: a merchant's backend, or a browser in the checkout, which may be testing cards. */
export type Asker = 'backend' | 'checkout';

/** The subjects of the limits on declines: the session that pays, and the fingerprint of its card. */
export interface Attempted {
  readonly sessionId: string;
  readonly fingerprint: string;
}

/**
 * One node's counters. A payment that may be declined holds a reservation until its authorization is settled, so that simultaneous
 * attempts, and attempts with late outcomes, cannot outrun the limit.
 */
export class CardTesting {
  readonly #enabled: boolean;
  readonly #notice: (notice: Notice) => void;
  readonly #refused: (limit: string) => void;
  readonly #tokenizedInSession = limiter('tokenizations-per-session', 30);
  readonly #tokenizedFrom = limiter('tokenizations-per-address', 300);
  readonly #declinedInSession = limiter('declines-per-session', 10);
  readonly #declinedCard = limiter('declines-per-card', 10);
  /** By payment; a payment that another node settles is forgotten after the hour that a decline would have counted. */
  readonly #reservations: LRUCache<string, Attempted>;
  /** How many reservations each session and each fingerprint has; their ids cannot be mistaken for one another. */
  readonly #underWay = new Map<string, number>();
  readonly #told = boundedCache<true>(NOTICES, { ttl: HOUR_MS });

  /** `notice` hears of each session, card or address that has reached a limit, once an hour; `refused` of every refusal. */
  constructor(enabled: boolean, notice: (notice: Notice) => void, refused: (limit: string) => void = () => undefined) {
    this.#enabled = enabled;
    this.#notice = notice;
    this.#refused = refused;
    this.#reservations = boundedCache<Attempted>(RESERVATIONS, {
      ttl: HOUR_MS,
      ttlAutopurge: true,
      dispose: ({ sessionId, fingerprint }) => {
        this.#add(sessionId, -1);
        this.#add(fingerprint, -1);
      },
    });
  }

  /** Counts a tokenization; a refusal when there were too many. */
  async countTokenization(sessionId: string, address: string): Promise<Rejection | undefined> {
    if (!this.#enabled) return undefined;
    return (await this.#count(this.#tokenizedInSession, sessionId)) ?? (await this.#count(this.#tokenizedFrom, addressBlock(address)));
  }

  /** A refusal when the session or the card was declined too often, or may yet be; counts nothing. */
  async refusal(attempted: Attempted, asker: Asker): Promise<Rejection | undefined> {
    return this.#enabled ? this.#exceeded(attempted, asker, 0) : undefined;
  }

  /** The same, and without a refusal the payment now holds a reservation, until `settled` or `giveBack`. */
  async reserve(paymentId: string, attempted: Attempted, asker: Asker): Promise<Rejection | undefined> {
    if (!this.#enabled || this.#reservations.has(paymentId)) return undefined;
    // Reserved before it is looked at: simultaneous calls see one another.
    this.#reservations.set(paymentId, attempted);
    this.#add(attempted.sessionId, 1);
    this.#add(attempted.fingerprint, 1);
    const refused = await this.#exceeded(attempted, asker, 1);
    if (refused !== undefined) this.giveBack(paymentId);
    return refused;
  }

  /** The payment's authorization was never asked for, or not by this node. */
  giveBack(paymentId: string): void {
    this.#reservations.delete(paymentId);
  }

  /**
   * To be called with the events that this process has appended on an outcome, so that a decline counts once, from any
   * source. A merchant's own payments without a session are not counted.
   */
  async settled(paymentId: string, payment: Payment, events: readonly PaymentEvent[]): Promise<void> {
    const settling = events.find(settlesAuthorization);
    if (!this.#enabled || settling === undefined || !isKnown(payment) || payment.sessionId === undefined) return;
    const { sessionId, paymentMethod } = payment;
    const counted: Promise<RateLimiterRes>[] = [];
    if (settling.type === 'AuthorizationDeclined') {
      counted.push(this.#declinedInSession.penalty(sessionId));
      if (paymentMethod.fingerprint !== undefined) counted.push(this.#declinedCard.penalty(paymentMethod.fingerprint));
    }
    this.giveBack(paymentId);
    await Promise.all(counted);
  }

  #add(key: string, change: number): void {
    const count = (this.#underWay.get(key) ?? 0) + change;
    if (count > 0) this.#underWay.set(key, count);
    else this.#underWay.delete(key);
  }

  async #count(limit: RateLimiterMemory, key: string): Promise<Rejection | undefined> {
    try {
      await limit.consume(key);
      return undefined;
    } catch (refused) {
      if (refused instanceof RateLimiterRes) return this.#refuse(limit, key, 'checkout', refused.msBeforeNext);
      throw refused;
    }
  }

  /** `own`: how many of the reservations are the asker's. Declines and reservations are read in one go, before anything waits. */
  async #exceeded({ sessionId, fingerprint }: Attempted, asker: Asker, own: 0 | 1): Promise<Rejection | undefined> {
    const sides = [
      { limit: this.#declinedInSession, key: sessionId },
      { limit: this.#declinedCard, key: fingerprint },
    ].map(({ limit, key }) => ({ limit, key, underWay: (this.#underWay.get(key) ?? 0) - own, counted: limit.get(key) }));
    for (const { limit, key, underWay, counted } of sides) {
      const declines = await counted;
      const declined = declines?.consumedPoints ?? 0;
      if (declined >= limit.points) return this.#refuse(limit, key, asker, declines?.msBeforeNext ?? 0);
      if (declined + underWay >= limit.points) return this.#refuse(limit, key, asker, UNDER_WAY_MS);
    }
    return undefined;
  }

  #refuse(limit: RateLimiterMemory, key: string, asker: Asker, msBeforeNext: number): Rejection {
    this.#refused(limit.keyPrefix);
    const told = `${limit.keyPrefix} ${key}`;
    if (!this.#told.has(told)) {
      this.#told.set(told, true);
      this.#notice(noticeOf(limit, limit === this.#declinedCard ? key.slice(0, SHOWN_CHARACTERS) : key));
    }
    // A checkout must not learn of a card's history elsewhere; it knows its own session and address.
    const description = limit === this.#declinedCard && asker === 'checkout' ? 'Too many card attempts.' : descriptionOf(limit);
    return reject('TooManyRequests', description, { retryAfterSeconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)) });
  }
}

/** Facts that end the doubt about an authorization. */
const SETTLING: ReadonlySet<PaymentEvent['type']> = new Set([
  'PaymentAuthorized',
  'AuthorizationDeclined',
  'AuthorizationNotSent',
  'AuthorizationNotFound',
  'CustomerActionExpired',
]);
/** The issuer wants an authentication: another attempt settles the payment. */
const isRetried = (event: PaymentEvent): boolean => event.type === 'AuthorizationDeclined' && event.data.retriedAs !== undefined;
const settlesAuthorization = (event: PaymentEvent): boolean =>
  (SETTLING.has(event.type) && !isRetried(event)) || (event.type === 'MismatchRecorded' && event.data.operation === 'authorization');

/** The names of the limits in refusals, notices and metrics. */
export const CARD_TESTING_LIMITS = [
  'tokenizations-per-session',
  'tokenizations-per-address',
  'declines-per-session',
  'declines-per-card',
] as const;
type Limit = (typeof CARD_TESTING_LIMITS)[number];

const limiter = (keyPrefix: Limit, points: number): RateLimiterMemory =>
  new RateLimiterMemory({ keyPrefix, points, duration: HOUR_SECONDS });

/** By its name, which operators read too; its figure is not told. */
const descriptionOf = ({ keyPrefix }: RateLimiterMemory): string => `Too many card attempts: the limit ${keyPrefix} is reached.`;

/** Of a fingerprint: enough to see that two notices speak of one card. */
const SHOWN_CHARACTERS = 12;
const noticeOf = ({ keyPrefix, points }: RateLimiterMemory, whom: string): Notice =>
  new Notice(`Card testing? ${whom} has reached the limit ${keyPrefix} of ${points} an hour; calls beyond it are refused.`);
