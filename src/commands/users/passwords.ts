// Hashes of passwords: argon2id as OWASP advises, with a key of the store mixed in, off the main thread.
import { plainEmail } from '../../domain/user/roles.ts';
import { recipeOf } from '../../domain/user/state.ts';
import { isSameBytes, type StoreKey } from '../../secrets.ts';
import type { World } from '../../world.ts';
import { knownAsker, type TurnAsker, type TurnLimits, Turns } from '../limits/admission.ts';

/** OWASP Password Storage Cheat Sheet: 19 MiB, two passes, one lane. */
const COST = 'm=19456,t=2,p=1';
const RECIPE = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)$/;
const SALT_BYTES = 16;
/**
 * The minimum that argon2 requires, and the highest cost of a hash: no version asked for more, and an event that did
 * could stop the service.
 */
const LEAST = { kibALane: 8, saltBytes: 8 };
const MOST = { kib: 262_144, passes: 16, lanes: 16 };
/**
 * One of libuv's four threads is left for files and names. A turn is for people who are signed in, or have a link; one
 * is for networks that come for the first time, as an owner does among strangers who guess; one for all others. Of 64
 * the last waits for about two seconds.
 */
const LIMITS: TurnLimits = { atOnce: 3, strangersAtOnce: 2, repeatedAtOnce: 1, waiting: 64 };

export class Passwords {
  readonly #storeKey: StoreKey;
  readonly #pepper: Buffer;
  readonly #world: Pick<World, 'randomBytes'>;
  readonly #admission: Pick<Turns, 'run' | 'forgive'>;
  #verified = 0;

  /** A log without its store key is of no use for guessing. */
  constructor(
    storeKey: StoreKey,
    world: Pick<World, 'randomBytes'>,
    admission: Pick<Turns, 'run' | 'forgive'> = new Turns(LIMITS),
  ) {
    this.#admission = admission;
    this.#storeKey = storeKey;
    this.#pepper = Buffer.from(storeKey.fingerprint('password-pepper', ''), 'hex');
    this.#world = world;
  }

  /** The number of hashes that verified a password so far: a sign-in has one, even for an unknown e-mail address. */
  get verified(): number {
    return this.#verified;
  }

  /** The right password was given from this network: its next try is before those of networks that guess. */
  forgive(network: string): void {
    this.#admission.forgive(network);
  }

  /**
   * Parameters and salt for all passwords of an e-mail, the same for each of its users: one hash is compared with all
   * of them.
   */
  recipeFor(email: string): string {
    const salt = Buffer.from(this.#storeKey.name('password-salt', plainEmail(email)), 'hex');
    return `$argon2id$v=19$${COST}$${plainBase64(salt)}`;
  }

  /**
   * The recipe, a number used once, and a MAC over that and the hash: two users of an e-mail with the same password
   * have different texts. Throws NotAdmitted.
   */
  hash(password: string, recipe: string, asker: TurnAsker = knownAsker()): Promise<string> {
    return this.#admission.run(asker, async () => {
      const once = plainBase64(this.#world.randomBytes(SALT_BYTES));
      return `${recipe}$${once}$${this.#mac(once, await this.#raw(await native(), password, recipe))}`;
    });
  }

  /**
   * Finds the recorded hashes that match the password. `recipe`: of the e-mail address, so that the work is that of one
   * hash, whether there are users or not. `read`: reads the hashes while that hash is computed, so its time does not
   * reveal their number. Throws NotAdmitted, and what `read` throws.
   */
  matching(
    password: string,
    recipe: string,
    read: () => Promise<readonly string[]>,
    asker: TurnAsker = knownAsker(),
  ): Promise<ReadonlySet<string>> {
    return this.#admission.run(asker, async () => {
      const hashRaw = await native();
      const verifying = (one: string): Promise<Buffer> => {
        this.#verified += 1;
        return this.#raw(hashRaw, password, one);
      };
      const first = verifying(recipe); // under way before the first read
      first.catch(() => undefined); // it may fail before the read is over, and is awaited after it
      const recorded = await read().finally(() => first); // a turn is over when its hash is, even if a read failed
      const right = new Set<string>();
      // One recipe, unless an earlier version runs next to this one and chooses a salt for each password.
      for (const one of new Set([recipe, ...recorded.map(recipeOf)])) {
        const raw = await (one === recipe ? first : verifying(one));
        for (const text of recorded) if (recipeOf(text) === one && this.#isOf(text, raw)) right.add(text);
      }
      return right;
    });
  }

  /** True if this version makes such hashes. */
  canMake(recipe: string): boolean {
    const [, memory, time, parallelism, salt = ''] = RECIPE.exec(recipe) ?? [];
    const [kib, passes, lanes] = [Number(memory), Number(time), Number(parallelism)];
    const isEnough =
      lanes >= 1 &&
      passes >= 1 &&
      kib >= LEAST.kibALane * lanes &&
      Buffer.from(salt, 'base64').length >= LEAST.saltBytes;
    return isEnough && kib <= MOST.kib && passes <= MOST.passes && lanes <= MOST.lanes;
  }

  #raw(hashRaw: HashRaw, password: string, recipe: string): Promise<Buffer> {
    const [, memoryCost, timeCost, parallelism, salt] = RECIPE.exec(recipe) ?? [];
    if (salt === undefined) throw new TypeError('a password was hashed in a way that this version does not know');
    const cost = { memoryCost: Number(memoryCost), timeCost: Number(timeCost), parallelism: Number(parallelism) };
    return hashRaw(password.normalize('NFKC'), { ...cost, secret: this.#pepper, salt: Buffer.from(salt, 'base64') });
  }

  /** Earlier versions recorded the hash itself. */
  #isOf(recorded: string, raw: Buffer): boolean {
    const [hashOrOnce = '', mac] = recorded.slice(recipeOf(recorded).length + 1).split('$');
    return mac === undefined ? isSame(hashOrOnce, plainBase64(raw)) : isSame(mac, this.#mac(hashOrOnce, raw));
  }

  #mac(once: string, raw: Buffer): string {
    return this.#storeKey.fingerprint('password-mac', `${once}\n${plainBase64(raw)}`);
  }
}

type HashRaw = typeof import('@node-rs/argon2').hashRaw;

/** Native code: a start does not wait for it. */
const native = async (): Promise<HashRaw> => (await import('@node-rs/argon2')).hashRaw;

/** As in the PHC form, without padding. */
const plainBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replaceAll('=', '');

/** In constant time. */
const isSame = (one: string, other: string): boolean => isSameBytes(Buffer.from(one), Buffer.from(other));
