// Hashes of passwords: argon2id as OWASP advises, with a key of the store mixed in, off the main thread.
import type { StoreKey } from '../../secrets.ts';
import type { World } from '../../world.ts';
import { knownAsker, type TurnAsker, type TurnLimits, Turns } from '../limits/admission.ts';

/** OWASP Password Storage Cheat Sheet: 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/**
 * One of libuv's four threads is left for files and names. A turn is for people who are signed in, or have a link; one is for networks that
 * come for the first time, as an owner does among strangers who guess; one for all others. Of 64 the last waits for about two seconds.
 */
const LIMITS: TurnLimits = { atOnce: 3, strangersAtOnce: 2, repeatedAtOnce: 1, waiting: 64 };

export class Passwords {
  readonly #pepper: Buffer;
  readonly #world: Pick<World, 'randomBytes'>;
  readonly #admission: Pick<Turns, 'run' | 'forgive'>;
  #dummy: Promise<string> | undefined;
  #verified = 0;

  /** A log without its store key is of no use for guessing. */
  constructor(storeKey: StoreKey, world: Pick<World, 'randomBytes'>, admission: Pick<Turns, 'run' | 'forgive'> = new Turns(LIMITS)) {
    this.#admission = admission;
    this.#pepper = Buffer.from(storeKey.fingerprint('password-pepper', ''), 'hex');
    this.#world = world;
  }

  /** The number of verifications so far: a sign-in has one, also for an unknown e-mail. */
  get verified(): number {
    return this.#verified;
  }

  /** The right password was given from this network: its next try is before those of networks that guess. */
  forgive(network: string): void {
    this.#admission.forgive(network);
  }

  /** In PHC form, with a salt of its own. Throws NotAdmitted. */
  hash(password: string, asker: TurnAsker = knownAsker()): Promise<string> {
    return this.#admission.run(asker, async () => {
      const { hash } = await import('@node-rs/argon2'); // native code: a start does not wait for it
      return hash(password.normalize('NFKC'), { ...COST, secret: this.#pepper, salt: this.#world.randomBytes(16) });
    });
  }

  /** Undefined, where there is no such user: a hash that no password has is verified in its place. Throws NotAdmitted. */
  async verify(passwordHash: string | undefined, password: string, asker: TurnAsker = knownAsker()): Promise<boolean> {
    const dummy = this.#dummyHash();
    dummy.catch(() => undefined); // where it is not needed, nobody waits for it
    const compared = passwordHash ?? (await dummy);
    const isSame = await this.#admission.run(asker, async () => {
      this.#verified += 1;
      const { verify } = await import('@node-rs/argon2');
      return verify(compared, password.normalize('NFKC'), { secret: this.#pepper });
    });
    return isSame && passwordHash !== undefined;
  }

  /** Made with the first verification, whosever password that is; once more after it failed. */
  #dummyHash(): Promise<string> {
    this.#dummy ??= this.hash(Buffer.from(this.#world.randomBytes(32)).toString('hex')).catch((fault: unknown) => {
      this.#dummy = undefined;
      throw fault;
    });
    return this.#dummy;
  }
}
