// Hashes of passwords: argon2id as OWASP advises, with a key of the store mixed in, off the main thread.
import pLimit from 'p-limit';
import type { StoreKey } from '../../secrets.ts';
import type { World } from '../../world.ts';

/** OWASP Password Storage Cheat Sheet: 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** libuv's four threads also serve files and names. */
const AT_ONCE = 2;

export class Passwords {
  readonly #pepper: Buffer;
  readonly #world: Pick<World, 'randomBytes'>;
  readonly #turn = pLimit(AT_ONCE);
  #dummy: Promise<string> | undefined;
  #verified = 0;

  /** A log without its store key is of no use for guessing. */
  constructor(storeKey: StoreKey, world: Pick<World, 'randomBytes'>) {
    this.#pepper = Buffer.from(storeKey.fingerprint('password-pepper', ''), 'hex');
    this.#world = world;
  }

  /** The number of verifications so far: a sign-in has one, also for an unknown e-mail. */
  get verified(): number {
    return this.#verified;
  }

  /** In PHC form, with a salt of its own. */
  hash(password: string): Promise<string> {
    return this.#turn(async () => {
      const { hash } = await import('@node-rs/argon2'); // native code: a start does not wait for it
      return hash(password.normalize('NFKC'), { ...COST, secret: this.#pepper, salt: this.#world.randomBytes(16) });
    });
  }

  /** Undefined, where there is no such user: a hash that no password has is verified in its place. */
  async verify(passwordHash: string | undefined, password: string): Promise<boolean> {
    this.#verified += 1;
    const dummy = this.#dummyHash();
    dummy.catch(() => undefined); // where it is not needed, nobody waits for it
    const compared = passwordHash ?? (await dummy);
    const isSame = await this.#turn(async () => {
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
