// One-time codes of an authenticator app (RFC 6238), and the recovery codes for when it is lost.
import type { Secrets } from '../../secrets.ts';
import type { World } from '../../world.ts';

const STEP_MS = 30_000;
/** Steps before and after the current one whose codes count: clocks of phones differ. */
const WINDOW = 1;
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'; // none that looks like another
const CODE = /^\d{6}$/;

export interface Enrolment {
  /** Base32, for those who type it. */
  readonly secret: string;
  /** `otpauth://…`, for a QR code. */
  readonly uri: string;
}

/** A new secret for `email`; `issuer`: the name that the app shows. */
export async function newEnrolment(
  world: Pick<World, 'randomBytes'>,
  issuer: string,
  email: string,
): Promise<Enrolment> {
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
export const newRecoveryCodes = (world: Pick<World, 'randomBytes'>): readonly string[] =>
  Array.from({ length: RECOVERY_CODES }, () => {
    const letters = [...world.randomBytes(10)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
    return `${letters.slice(0, 5)}-${letters.slice(5)}`;
  });

const plainRecovery = (code: string): string => code.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** The hash that is recorded, and those that may have been. The user's id makes equal codes of two users differ. */
export const recoveryHash = (secrets: Secrets, userId: string, code: string): string =>
  secrets.sign('recovery-code', `${userId}\n${plainRecovery(code)}`).toString('hex');
export const recoveryHashes = (secrets: Secrets, userId: string, code: string): readonly string[] =>
  secrets.signatures('recovery-code', `${userId}\n${plainRecovery(code)}`);
