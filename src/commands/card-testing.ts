// Limits against card testing (contract §2), an hour each: tokenizations a session and an address, declines a session and a card.
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { type Rejection, reject } from '../domain/decider.ts';

const HOUR_SECONDS = 3_600;

/** One node's counters; `onRefused` hears the name of the limit, for operators. */
export class CardTesting {
  readonly #enabled: boolean;
  readonly #onRefused: (limit: string, key: string) => void;
  readonly #tokenizedInSession = limiter('tokenizations-per-session', 30);
  readonly #tokenizedFrom = limiter('tokenizations-per-address', 300);
  readonly #declinedInSession = limiter('declines-per-session', 10);
  readonly #declinedCard = limiter('declines-per-card', 10);

  constructor(enabled: boolean, onRefused: (limit: string, key: string) => void) {
    this.#enabled = enabled;
    this.#onRefused = onRefused;
  }

  /** Counts a tokenization; a refusal when there were too many. */
  async tokenization(sessionId: string, address: string): Promise<Rejection | undefined> {
    if (!this.#enabled) return undefined;
    return (await this.#count(this.#tokenizedInSession, sessionId)) ?? (await this.#count(this.#tokenizedFrom, address));
  }

  /** A refusal when the session or the card was declined too often; counts nothing. */
  async attempt(sessionId: string, fingerprint: string): Promise<Rejection | undefined> {
    if (!this.#enabled) return undefined;
    return (await this.#exceeded(this.#declinedInSession, sessionId)) ?? (await this.#exceeded(this.#declinedCard, fingerprint));
  }

  async declined(sessionId: string, fingerprint: string): Promise<void> {
    if (!this.#enabled) return;
    await Promise.all([this.#declinedInSession.penalty(sessionId), this.#declinedCard.penalty(fingerprint)]);
  }

  async #count(limit: RateLimiterMemory, key: string): Promise<Rejection | undefined> {
    try {
      await limit.consume(key);
      return undefined;
    } catch (refused) {
      if (refused instanceof RateLimiterRes) return this.#refuse(limit, key, refused.msBeforeNext);
      throw refused;
    }
  }

  async #exceeded(limit: RateLimiterMemory, key: string): Promise<Rejection | undefined> {
    const counted = await limit.get(key);
    return counted !== null && counted.consumedPoints >= limit.points ? this.#refuse(limit, key, counted.msBeforeNext) : undefined;
  }

  #refuse(limit: RateLimiterMemory, key: string, msBeforeNext: number): Rejection {
    this.#onRefused(limit.keyPrefix, key);
    return reject('TooManyRequests', 'Too many card attempts.', { retryAfterSeconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)) });
  }
}

const limiter = (keyPrefix: string, points: number): RateLimiterMemory =>
  new RateLimiterMemory({ keyPrefix, points, duration: HOUR_SECONDS });
