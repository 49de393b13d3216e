// Limits on sign-ins that fail, by e-mail and by address; they count on this node alone.
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { addressBlock } from '../limits/address-block.ts';

/** Failures in the window after which none is tried until it ends. */
export const FAILURES = { email: 10, address: 50 } as const;
export const WINDOW_MS = 15 * 60_000;

export interface Tried {
  readonly email: string;
  readonly address: string;
}

/** `isLast`: the next failure for this e-mail would be refused, until `blockedMs` have passed. */
export type Admission =
  | { readonly kind: 'admitted'; readonly isLast: boolean; readonly blockedMs: number }
  | { readonly kind: 'blocked'; readonly retryAfterSeconds: number };

const limiterOf = (keyPrefix: keyof typeof FAILURES): RateLimiterMemory =>
  new RateLimiterMemory({ keyPrefix, points: FAILURES[keyPrefix], duration: WINDOW_MS / 1_000 });

export class SignInLimits {
  readonly #isOn: boolean;
  readonly #byEmail = limiterOf('email');
  readonly #byAddress = limiterOf('address');

  constructor(isOn: boolean) {
    this.#isOn = isOn;
  }

  /** Counts a try before it is made, so that tries at the same time count too. */
  async begin({ email, address }: Tried): Promise<Admission> {
    if (!this.#isOn) return { kind: 'admitted', isLast: false, blockedMs: 0 };
    try {
      await this.#byAddress.consume(addressBlock(address));
      const { remainingPoints, msBeforeNext } = await this.#byEmail.consume(email);
      return { kind: 'admitted', isLast: remainingPoints === 0, blockedMs: msBeforeNext };
    } catch (exceeded) {
      if (!(exceeded instanceof RateLimiterRes)) throw exceeded;
      return { kind: 'blocked', retryAfterSeconds: Math.max(1, Math.ceil(exceeded.msBeforeNext / 1_000)) };
    }
  }

  /** The try was no guess, and what it began is not over: it does not count, and the tries before it do. */
  async undo({ email, address }: Tried): Promise<void> {
    if (!this.#isOn) return;
    await this.#byEmail.reward(email);
    await this.#byAddress.reward(addressBlock(address));
  }

  /** The sign-in succeeded: neither this try nor those before it count for the e-mail. */
  async succeeded({ email, address }: Tried): Promise<void> {
    if (!this.#isOn) return;
    await this.#byEmail.delete(email);
    await this.#byAddress.reward(addressBlock(address));
  }
}
