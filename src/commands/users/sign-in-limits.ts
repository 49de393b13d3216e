// Limits on passwords that are guessed, at the sign-in and in a session; they count on this node alone, all its
// processes together.
import { addressBlock, addressNetwork, isIPv6Network } from '../limits/address-block.ts';
import { type Counter, type Counters, countersInMemory, type KeyCount } from '../limits/counters.ts';

/**
 * Failures in the window after which none is tried until it ends. A stranger who fails for an e-mail keeps out only
 * sign-ins from the same address, until failures from many addresses reach the e-mail's own limit.
 */
export const FAILURES = { emailAtAddress: 10, email: 100, address: 50, network: 100 } as const;
export const WINDOW_MS = 15 * 60_000;
/** Wrong passwords in a session, one after the other, which end it. */
const WRONG_IN_SESSION = 5;
/** No session is older. */
const SESSION_SECONDS = 12 * 3_600;

interface Tried {
  readonly email: string;
  readonly address: string;
}

/** A block that the next failure would meet. */
export interface Block {
  readonly failures: number;
  readonly forMs: number;
}

/** `last`: this try is the last one before a block for the e-mail. */
type Admission =
  | { readonly kind: 'admitted'; readonly last: Block | undefined }
  | { readonly kind: 'blocked'; readonly retryAfterSeconds: number };

interface LimitedSignIn {
  readonly counter: Counter;
  readonly points: number;
}

export class SignInLimits {
  readonly #isOn: boolean;
  readonly #byEmailAtAddress: LimitedSignIn;
  readonly #byEmail: LimitedSignIn;
  readonly #byAddress: LimitedSignIn;
  /** Of IPv6: one customer may have 256 blocks of addresses. */
  readonly #byNetwork: LimitedSignIn;
  readonly #inSession: Counter;

  constructor(isOn: boolean, counters: Counters = countersInMemory) {
    const limited = (name: keyof typeof FAILURES): LimitedSignIn => {
      return { counter: counters({ name, seconds: WINDOW_MS / 1_000 }), points: FAILURES[name] };
    };
    this.#isOn = isOn;
    this.#byEmailAtAddress = limited('emailAtAddress');
    this.#byEmail = limited('email');
    this.#byAddress = limited('address');
    this.#byNetwork = limited('network');
    this.#inSession = counters({ name: 'session', seconds: SESSION_SECONDS });
  }

  /**
   * Counts an attempt before it starts, so that concurrent attempts count too. A refused attempt counts for none of
   * the limits.
   */
  async begin(tried: Tried): Promise<Admission> {
    if (!this.#isOn) return { kind: 'admitted', last: undefined };
    const counters = this.#countersOf(tried);
    const counted = await Promise.all(
      counters.map(async ({ limited, key }) => ({ limited, result: await limited.counter.penalty(key) })),
    );
    const exceeded = counted
      .filter(({ limited, result }) => result.consumedPoints > limited.points)
      .map(({ result }) => result);
    if (exceeded.length > 0) {
      await this.undo(tried);
      return { kind: 'blocked', retryAfterSeconds: secondsUntil(exceeded) };
    }
    const reached = counted.find(
      ({ limited, result }) => !this.#isOfAddress(limited) && result.consumedPoints === limited.points,
    );
    const last = reached && { failures: reached.limited.points, forMs: reached.result.msBeforeNext };
    return { kind: 'admitted', last };
  }

  /** Nothing was tried, or nothing that could be a guess: it does not count, and the tries before it do. */
  async undo(tried: Tried): Promise<void> {
    if (!this.#isOn) return;
    await Promise.all(this.#countersOf(tried).map(({ limited, key }) => limited.counter.reward(key)));
  }

  /**
   * The password was right for a user of the e-mail: the try does not count. The tries before it do, because they may
   * have been guesses at the password of another user of the e-mail. So may this one where it `isNews`: then it counts
   * like a failure, for the address too, which may try one guess at the users of each of many e-mails.
   */
  async passed(tried: Tried, { isNews }: { readonly isNews: boolean }): Promise<void> {
    if (!isNews) await this.undo(tried);
  }

  /** Counts a password in a session before it is verified. `tooMany`: others before it have ended the session. */
  async beginInSession(sessionId: string): Promise<'admitted' | 'last' | 'tooMany'> {
    if (!this.#isOn) return 'admitted';
    const { consumedPoints } = await this.#inSession.penalty(sessionId);
    if (consumedPoints > WRONG_IN_SESSION) return 'tooMany';
    return consumedPoints === WRONG_IN_SESSION ? 'last' : 'admitted';
  }

  /** The password was right. */
  async succeededInSession(sessionId: string): Promise<void> {
    if (this.#isOn) await this.#inSession.delete(sessionId);
  }

  #isOfAddress(limited: LimitedSignIn): boolean {
    return limited === this.#byAddress || limited === this.#byNetwork;
  }

  #countersOf(tried: Tried): readonly { readonly limited: LimitedSignIn; readonly key: string }[] {
    return [
      { limited: this.#byEmailAtAddress, key: atAddress(tried) },
      { limited: this.#byEmail, key: tried.email },
      { limited: this.#byAddress, key: addressBlock(tried.address) },
      ...(isIPv6Network(tried.address) ? [{ limited: this.#byNetwork, key: addressNetwork(tried.address) }] : []),
    ];
  }
}

const atAddress = ({ email, address }: Tried): string => `${addressBlock(address)} ${email}`;

const secondsUntil = (exceeded: readonly KeyCount[]): number =>
  Math.max(1, ...exceeded.map(({ msBeforeNext }) => Math.ceil(msBeforeNext / 1_000)));
