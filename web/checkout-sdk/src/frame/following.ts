// Asks the service for the outcome of a payment until it is known, less and less often. Silence proves nothing.
import type { Checkout } from './checkout.ts';
import { isOutage, type Session } from './pay/answers.ts';
import { forgetAttempt } from './pay/attempt-mark.ts';
import { outcomeOf } from './pay/outcome.ts';
import { backoffMs, pause } from './pay/pause.ts';
import { actionPage } from './required-action.ts';

/** A request that reached the service is on record within milliseconds. These checks take some 6 s. */
const LOOKS_FOR_ATTEMPT = 5;
const VERY_LONG_MS = 90_000;
/** One read may fail by chance. */
const READS_BEFORE_LOST = 2;
/** The longest pause while money is on its way for days. A shopper who comes back to the page ends it. */
const SLOWEST_MS = 60_000;

interface Watched {
  /** The URL of the page that the payment waits for. */
  readonly url?: string;
  /** True if the money comes in days: the pauses then grow to a minute. */
  readonly isSlow?: boolean;
  readonly whenLong?: () => void;
  /** Called when the service no longer responds, and when it does again. */
  readonly whenReachable?: (isReachable: boolean) => void;
  readonly longMs?: number;
}

export class Following {
  readonly #checkout: Checkout;

  constructor(checkout: Checkout) {
    this.#checkout = checkout;
  }

  /** Checks whether a payment that was sent has reached the service. */
  async whetherBegun(session: Session): Promise<void> {
    const { service, sessionId, stage, runs } = this.#checkout;
    const counts = runs.begin();
    stage.checking();
    let latest = session;
    for (let look = 0; look < LOOKS_FOR_ATTEMPT; look += 1) {
      await pause(backoffMs(look));
      if (!counts()) return;
      const answer = await service.readSession();
      if (!counts()) return;
      if (answer.kind === 'refused' && !isOutage(answer)) return this.#checkout.refuseSession(answer);
      if (answer.kind !== 'answered') continue;
      latest = answer.body;
      if (latest.payment !== undefined) return this.#checkout.settle(latest.payment);
    }
    forgetAttempt(sessionId);
    this.#checkout.showForm(latest, 'lastAttempt');
  }

  /** The payment was sent and got no response. Only the service knows the outcome of the payment. */
  async untilReachable(session: Session): Promise<void> {
    const { service, stage, runs } = this.#checkout;
    const counts = runs.begin();
    stage.offline();
    for (let read = 0; ; read += 1) {
      await pause(backoffMs(read));
      if (!counts()) return;
      const answer = await service.readSession();
      if (!counts()) return;
      if (answer.kind === 'answered') return this.whetherBegun(session);
      if (answer.kind === 'refused' && !isOutage(answer)) return this.#checkout.refuseSession(answer);
    }
  }

  /** Asks until the outcome is known. */
  async untilOver(paymentId: string): Promise<void> {
    const { stage } = this.#checkout;
    this.#checkout.isBusy = true;
    stage.pending();
    await this.watch(paymentId, {
      whenLong: () => stage.pending(true),
      whenReachable: (isReachable) => (isReachable ? stage.pending() : stage.offline()),
    });
  }

  /** Asks until the payment is over, or waits for a page other than `url`. */
  async watch(
    paymentId: string,
    {
      url,
      isSlow = false,
      whenLong = () => undefined,
      whenReachable = () => undefined,
      longMs = VERY_LONG_MS,
    }: Watched,
  ): Promise<void> {
    const { service, runs } = this.#checkout;
    const counts = runs.begin();
    const began = Date.now();
    let isLong = false;
    let lost = 0;
    for (let read = 0; ; read += 1) {
      const answer = await service.readPayment(paymentId);
      if (!counts()) return;
      const before = lost;
      lost = answer.kind === 'unreachable' || (answer.kind === 'refused' && isOutage(answer)) ? lost + 1 : 0;
      if (lost === READS_BEFORE_LOST || (lost === 0 && before >= READS_BEFORE_LOST)) whenReachable(lost === 0);
      if (answer.kind === 'answered' && (outcomeOf(answer.body) !== 'pending' || actionPage(answer.body)?.url !== url))
        return this.#checkout.settle(answer.body);
      if (answer.kind === 'refused' && answer.status === 401) return this.#checkout.refuseSession(answer);
      if (!isLong && lost === 0 && Date.now() - began > longMs) {
        isLong = true;
        whenLong();
      }
      await pause(backoffMs(read, isSlow ? SLOWEST_MS : undefined));
      if (!counts()) return;
    }
  }
}
