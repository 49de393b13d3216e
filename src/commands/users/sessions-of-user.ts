// A user's actions on sign-in sessions: sign out, end others, confirm the password, change it.
import { reject } from '../../domain/decider.ts';
import {
  changePassword as decideChange,
  confirmPassword as decideConfirmation,
  endExpired as decideEndOfExpired,
  signOut as decideSignOut,
} from '../../domain/user/decide.ts';
import { faultOfPassword } from '../../domain/user/roles.ts';
import { type ExistingUser, recipeOf } from '../../domain/user/state.ts';
import type { Context } from '../../journal/context.ts';
import { transact } from '../../journal/transact.ts';
import type { Answer } from '../caller.ts';
import { type Due, dueContext } from '../due.ts';
import { knownAsker } from '../limits/admission.ts';
import { existingUser } from './existing-user.ts';
import { machineTime } from './machine-time.ts';
import type { UserNeeds } from './needs.ts';

/** A user in a session. */
export interface InSession {
  readonly userId: string;
  readonly sessionId: string;
  /** Aborts when the caller no longer waits for the response. */
  readonly signal?: AbortSignal | undefined;
}

/** `refused`: the password is wrong. `ended`: so often that the session is over. */
export type WrongPassword = { readonly kind: 'refused' | 'ended' };

type Which = Parameters<typeof decideSignOut>[0];
type Why = Parameters<typeof decideSignOut>[1];

export async function signOut(
  needs: UserNeeds,
  userId: string,
  which: Which,
  why: Why,
  context: Context,
): Promise<Answer<ExistingUser>> {
  const done = await transact(needs.users, userId, context, decideSignOut(which, why));
  return done.kind === 'rejected' ? done : existingUser(userId, done.folded);
}

/** Ends the sessions that expired `keptMs` ago or earlier, by the machine's clock. Throws StoreUnavailable. */
export async function endExpired(
  { users, world }: Pick<UserNeeds, 'users' | 'world'>,
  due: Due,
  keptMs: number,
  policy: string,
): Promise<void> {
  const decide = decideEndOfExpired(machineTime(world) - keptMs);
  await transact(users, due.id, await dueContext(world, users, policy, due), decide);
}

/** The session may do for a while what needs the password again. */
export async function confirmPassword(
  needs: UserNeeds,
  of: InSession,
  password: string,
  context: Context,
): Promise<Answer<ExistingUser> | WrongPassword> {
  const verified = await passwordOf(needs, of, password, context);
  if (verified.kind !== 'verified') return verified;
  const done = await transact(
    needs.users,
    of.userId,
    context,
    decideConfirmation(of.sessionId, verified.passwordHash, machineTime(needs.world)),
  );
  return done.kind === 'rejected' ? done : existingUser(of.userId, done.folded);
}

/**
 * Changes the password and ends every other session of the user; RequestValidationError for a new password that is not
 * allowed.
 */
export async function changePassword(
  needs: UserNeeds,
  of: InSession,
  { password, newPassword }: { readonly password: string; readonly newPassword: string },
  context: Context,
): Promise<Answer<ExistingUser> | WrongPassword> {
  const verified = await passwordOf(needs, of, password, context);
  if (verified.kind !== 'verified') return verified;
  const fault = faultOfPassword(newPassword, verified.user.email);
  if (fault !== undefined) {
    return reject('RequestValidationError', fault, { violations: [{ path: '$.newPassword', description: fault }] });
  }
  const newHash = await needs.passwords.hash(newPassword, recipeOf(verified.passwordHash), knownAsker(of.signal));
  const done = await transact(
    needs.users,
    of.userId,
    context,
    decideChange(of.sessionId, { oldHash: verified.passwordHash, newHash, at: machineTime(needs.world) }),
  );
  return done.kind === 'rejected' ? done : existingUser(of.userId, done.folded);
}

interface Verified {
  readonly kind: 'verified';
  readonly user: ExistingUser;
  readonly passwordHash: string;
}

/**
 * A guess in a session counts for that session alone: a stranger who guesses at the sign-in keeps nobody who is in from
 * what needs the password again, and a thief of a session has few tries.
 */
async function passwordOf(
  needs: UserNeeds,
  { userId, sessionId, signal }: InSession,
  password: string,
  context: Context,
): Promise<Verified | WrongPassword> {
  const { users, passwords, limits } = needs;
  const begun = await limits.beginInSession(sessionId);
  if (begun === 'tooMany') return { kind: 'ended' };
  const { state: user } = await users.current(userId);
  if (user.status === 'absent' || user.passwordHash === undefined) return { kind: 'refused' };
  const { passwordHash } = user;
  if (
    (await passwords.matching(password, recipeOf(passwordHash), async () => [passwordHash], knownAsker(signal))).has(
      passwordHash,
    )
  ) {
    await limits.succeededInSession(sessionId);
    return { kind: 'verified', user, passwordHash };
  }
  if (begun === 'admitted') return { kind: 'refused' };
  await transact(users, userId, context, decideSignOut({ sessionIds: [sessionId] }, 'wrong_passwords'));
  return { kind: 'ended' };
}
