// Limits against card testing (contract §3), an hour each: tokenizations a session and an address, declines a session
// and a card.
import { Notice } from '../../app-error.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import { addressBlock } from './address-block.ts';
import {
  type Attempted,
  CARD_TESTING_POINTS,
  type CardTestingCounts,
  CardTestingCountsInMemory,
  type CardTestingLimit,
  type ReachedLimit,
} from './card-testing-counts.ts';

/** The caller that is refused: a merchant's backend, or a browser in the checkout, which may be testing cards. */
export type Asker = 'backend' | 'checkout';

/**
 * A payment that may be declined holds a reservation until its authorization is settled, so that simultaneous attempts,
 * and attempts with late outcomes, cannot outrun the limit.
 */
export class CardTesting {
  readonly #enabled: boolean;
  readonly #notice: (notice: Notice) => void;
  readonly #refused: (limit: string) => void;
  readonly #counts: CardTestingCounts;

  /**
   * `notice` hears of each session, card or address that has reached a limit, once an hour; `refused` of every refusal.
   */
  constructor(
    enabled: boolean,
    notice: (notice: Notice) => void,
    refused: (limit: string) => void = () => undefined,
    counts: CardTestingCounts = new CardTestingCountsInMemory(),
  ) {
    this.#enabled = enabled;
    this.#notice = notice;
    this.#refused = refused;
    this.#counts = counts;
  }

  /** Counts a tokenization; a refusal when there were too many. */
  async countTokenization(sessionId: string, address: string): Promise<Rejection | undefined> {
    if (!this.#enabled) return undefined;
    return this.#refusalOf(await this.#counts.tokenized(sessionId, addressBlock(address)), 'checkout');
  }

  /** A refusal when the session or the card was declined too often, or may yet be; counts nothing. */
  async refusal(attempted: Attempted, asker: Asker): Promise<Rejection | undefined> {
    return this.#enabled ? this.#refusalOf(await this.#counts.look(attempted), asker) : undefined;
  }

  /** The refusal that `reserve` would give now. Nothing is reserved, and no refusal is counted. */
  async wouldRefuse(attempted: Attempted, asker: Asker): Promise<Rejection | undefined> {
    const reached = this.#enabled ? await this.#counts.look(attempted) : undefined;
    return reached && this.#rejectionOf(reached, asker);
  }

  /** Checks the limits; without a refusal the payment then holds a reservation, until `settled` or `giveBack`. */
  async reserve(paymentId: string, attempted: Attempted, asker: Asker): Promise<Rejection | undefined> {
    return this.#enabled ? this.#refusalOf(await this.#counts.reserve(paymentId, attempted), asker) : undefined;
  }

  /** The payment's authorization was never asked for, or not by this node. */
  giveBack(paymentId: string): void {
    if (this.#enabled) this.#counts.giveBack(paymentId);
  }

  /**
   * To be called with the events that this process has appended on an outcome, so that a decline counts once, from any
   * source. A merchant's own payments without a session are not counted.
   */
  async settled(paymentId: string, payment: Payment, events: readonly PaymentEvent[]): Promise<void> {
    const settling = events.find(settlesAuthorization);
    if (!this.#enabled || settling === undefined || !isKnown(payment) || payment.sessionId === undefined) return;
    const { sessionId, paymentMethod } = payment;
    const declined =
      settling.type === 'AuthorizationDeclined' ? { sessionId, fingerprint: paymentMethod.fingerprint } : undefined;
    await this.#counts.settled(paymentId, declined);
  }

  #refusalOf(reached: ReachedLimit | undefined, asker: Asker): Rejection | undefined {
    if (reached === undefined) return undefined;
    this.#refused(reached.limit);
    return this.#rejectionOf(reached, asker);
  }

  /** Tells operators, once, that the limit is reached. */
  #rejectionOf({ limit, key, msBeforeNext, isNew }: ReachedLimit, asker: Asker): Rejection {
    if (isNew) this.#notice(noticeOf(limit, limit === 'declines-per-card' ? key.slice(0, SHOWN_CHARACTERS) : key));
    // A checkout must not learn of a card's history elsewhere; it knows its own session and address.
    const description =
      limit === 'declines-per-card' && asker === 'checkout' ? 'Too many card attempts.' : descriptionOf(limit);
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
/** Another attempt settles the payment: with an authentication, or at another connection. */
const isRetried = (event: PaymentEvent): boolean =>
  (event.type === 'AuthorizationDeclined' || event.type === 'AuthorizationNotSent') &&
  event.data.retriedAs !== undefined;
const settlesAuthorization = (event: PaymentEvent): boolean =>
  (SETTLING.has(event.type) && !isRetried(event)) ||
  (event.type === 'MismatchRecorded' && event.data.operation === 'authorization');

/** By its name, which operators read too; its figure is not shown. */
const descriptionOf = (limit: CardTestingLimit): string => `Too many card attempts: the limit ${limit} is reached.`;

/** The shown characters of a fingerprint: enough to see that two notices are about one card. */
const SHOWN_CHARACTERS = 12;
const noticeOf = (limit: CardTestingLimit, whom: string): Notice =>
  new Notice(
    `Card testing? ${whom} has reached the limit ${limit} of ${CARD_TESTING_POINTS[limit]} an hour; calls beyond it are refused.`,
  );
