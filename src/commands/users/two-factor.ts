// The second factor of a user: one-time codes of an authenticator app (RFC 6238), set with a code that proves it,
// replaced, removed; and the recovery codes for when it is lost.
import { type Rejection, reject } from '../../domain/decider.ts';
import { removeTwoFactor as decideRemoval, setTwoFactor as decideSetting } from '../../domain/user/decide.ts';
import type { Role } from '../../domain/user/roles.ts';
import type { ExistingUser } from '../../domain/user/state.ts';
import type { Context } from '../../journal/context.ts';
import { transact } from '../../journal/transact.ts';
import type { Secrets } from '../../secrets.ts';
import type { World } from '../../world.ts';
import type { Answer } from '../caller.ts';
import { existingUser } from './existing-user.ts';
import { machineTime } from './machine-time.ts';
import type { UserNeeds } from './needs.ts';

const STEP_MS = 30_000;
/** Steps before and after the current one whose codes count: clocks of phones differ. */
const WINDOW = 1;
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'; // none that looks like another
const CODE = /^\d{6}$/;

interface Enrolment {
  /** Base32, for those who type it. */
  readonly secret: string;
  /** `otpauth://…`, for a QR code. */
  readonly uri: string;
}

/** A new secret for `email`; `issuer`: the name that the app shows. */
async function newEnrolment(world: Pick<World, 'randomBytes'>, issuer: string, email: string): Promise<Enrolment> {
  const { Secret, TOTP } = await import('otpauth');
  const bytes = Uint8Array.from(world.randomBytes(SECRET_BYTES));
  const secret = new Secret({ buffer: bytes.buffer });
  const totp = new TOTP({ issuer, label: email, secret, algorithm: 'SHA1', digits: 6, period: STEP_MS / 1_000 });
  return { secret: secret.base32, uri: totp.toString() };
}

/**
 * The step of the code; undefined for a wrong one, and for one of a step that is used up. `at`: the machine's time, ms.
 */
export async function stepOfCode(
  secret: string,
  code: string,
  at: number,
  usedUp: number,
): Promise<number | undefined> {
  const plain = code.replaceAll(/\s/g, '');
  if (!CODE.test(plain)) return undefined;
  const { Secret, TOTP } = await import('otpauth');
  const totp = new TOTP({ secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: STEP_MS / 1_000 });
  const delta = totp.validate({ token: plain, timestamp: at, window: WINDOW });
  if (delta === null) return undefined;
  const step = Math.floor(at / STEP_MS) + delta;
  return step > usedUp ? step : undefined;
}

/** Ten, each good once: `xxxxx-xxxxx`, 50 bits. */
const newRecoveryCodes = (world: Pick<World, 'randomBytes'>): readonly string[] =>
  Array.from({ length: RECOVERY_CODES }, () => {
    const letters = [...world.randomBytes(10)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
    return `${letters.slice(0, 5)}-${letters.slice(5)}`;
  });

const plainRecovery = (code: string): string => code.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** The hash that is recorded, and those that may have been. The user's id makes equal codes of two users differ. */
const recoveryHash = (secrets: Secrets, userId: string, code: string): string =>
  secrets.sign('recovery-code', `${userId}\n${plainRecovery(code)}`).toString('hex');
export const recoveryHashes = (secrets: Secrets, userId: string, code: string): readonly string[] =>
  secrets.signatures('recovery-code', `${userId}\n${plainRecovery(code)}`);

/** The roles that must have one in live mode: they move money, or say who may. */
const MUST_HAVE: ReadonlySet<Role> = new Set<Role>(['owner', 'support']);

export const mustHaveTwoFactor = (mode: 'test' | 'live', role: Role): boolean => mode === 'live' && MUST_HAVE.has(role);

interface Offered extends Enrolment {
  /** The secret for `setTwoFactor`, sealed so that it is valid for this user and for a few minutes. */
  readonly offer: string;
}

const OFFER_MS = 15 * 60_000;

/** A secret that counts once a code proves that the user's app has it. */
export async function offerTwoFactor(
  { users, storeKey, world }: UserNeeds,
  userId: string,
): Promise<Offered | undefined> {
  const { state: user } = await users.current(userId);
  if (user.status === 'absent') return undefined;
  const enrolment = await newEnrolment(world, 'Counterfoil', user.email);
  const offer = `${userId} ${machineTime(world) + OFFER_MS} ${enrolment.secret}`;
  return { ...enrolment, offer: storeKey.seal('two-factor-offer', offer, world) };
}

interface RecoveryCodes {
  readonly kind: 'set';
  /** They cannot be shown again. */
  readonly recoveryCodes: readonly string[];
}

/**
 * Sets the second factor of an offer, once. RequestValidationError for a wrong code, and for an offer that is over or
 * was used.
 */
export async function setTwoFactor(
  needs: UserNeeds,
  userId: string,
  { offer, code }: { readonly offer: string; readonly code: string },
  context: Context,
): Promise<RecoveryCodes | Rejection> {
  const { storeKey, secrets, world } = needs;
  const at = machineTime(world);
  const [offeredTo, until, secret] = storeKey.unseal('two-factor-offer', offer)?.split(' ') ?? [];
  if (offeredTo !== userId || secret === undefined || !(Number(until) > at))
    return invalid('$.offer', 'The QR code is too old. Start again.');
  const { state: user } = await needs.users.current(userId);
  const replaced = user.status === 'absent' ? undefined : user.twoFactor?.sealedSecret;
  // A secret that is already set would start again with codes that were used.
  if (replaced !== undefined && secretOf(needs, userId, replaced) === secret)
    return invalid('$.offer', 'The QR code was already used. Start again.');
  const codeStep = await stepOfCode(secret, code, at, -1);
  if (codeStep === undefined)
    return invalid('$.code', 'The code is wrong. Check the clock of your phone and try the next code.');
  const recoveryCodes = newRecoveryCodes(world);
  const recoveryHashes = recoveryCodes.map((one) => recoveryHash(secrets, userId, one));
  const sealedSecret = storeKey.seal('two-factor-secret', `${userId} ${secret}`, world);
  const done = await transact(
    needs.users,
    userId,
    context,
    decideSetting({ sealedSecret, recoveryHashes, codeStep }, replaced),
  );
  return done.kind === 'rejected' ? done : { kind: 'set', recoveryCodes };
}

/** Conflict where the user's role must have one. */
export async function removeTwoFactor(
  needs: UserNeeds,
  userId: string,
  context: Context,
): Promise<Answer<ExistingUser>> {
  const { state } = await needs.users.current(userId);
  if (state.status !== 'absent' && mustHaveTwoFactor(needs.mode, state.role))
    return reject(
      'Conflict',
      `In live mode the role ${state.role} needs two-factor sign-in. Set up another app instead.`,
    );
  const done = await transact(needs.users, userId, context, decideRemoval());
  return done.kind === 'rejected' ? done : existingUser(userId, done.folded);
}

/** The secret of a user's second factor; undefined if it cannot be opened: it was sealed in another store. */
export function secretOf(
  { storeKey }: Pick<UserNeeds, 'storeKey'>,
  userId: string,
  sealed: string,
): string | undefined {
  const [sealedFor, secret] = storeKey.unseal('two-factor-secret', sealed)?.split(' ') ?? [];
  return sealedFor === userId ? secret : undefined;
}

const invalid = (path: string, description: string): Rejection =>
  reject('RequestValidationError', description, { violations: [{ path, description }] });
