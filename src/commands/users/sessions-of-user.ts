// What a user does with sign-in sessions: leave one, end others, give the password again, change it.
import { type Rejection, reject } from '../../domain/decider.ts';
import {
  changePassword as decideChange,
  confirmPassword as decideConfirmation,
  signOut as decideSignOut,
} from '../../domain/user/decide.ts';
import { faultOfPassword } from '../../domain/user/password-rules.ts';
import type { ExistingUser } from '../../domain/user/state.ts';
import type { Context } from '../../journal/context.ts';
import { transact } from '../../journal/transact.ts';
import type { Answer } from '../caller.ts';
import { existingUser } from './existing-user.ts';
import { machineTime } from './machine-time.ts';
import type { UserNeeds } from './needs.ts';

/** A user in a session. */
export interface InSession {
  readonly userId: string;
  readonly sessionId: string;
  readonly address: string;
}

type Which = Parameters<typeof decideSignOut>[0];
type Why = Parameters<typeof decideSignOut>[1];

export async function signOut(needs: UserNeeds, userId: string, which: Which, why: Why, context: Context): Promise<Answer<ExistingUser>> {
  const done = await transact(needs.users, userId, context, decideSignOut(which, why));
  return done.kind === 'rejected' ? done : existingUser(userId, done.folded);
}

/** `refused`: the password is wrong. TooManyRequests after many wrong ones. */
export async function confirmPassword(
  needs: UserNeeds,
  of: InSession,
  password: string,
  context: Context,
): Promise<Answer<ExistingUser> | { readonly kind: 'refused' }> {
  const verified = await passwordOf(needs, of, password);
  if (verified.kind !== 'verified') return verified;
  const done = await transact(
    needs.users,
    of.userId,
    context,
    decideConfirmation(of.sessionId, verified.passwordHash, machineTime(needs.world)),
  );
  return done.kind === 'rejected' ? done : existingUser(of.userId, done.folded);
}

/** The same; RequestValidationError for a new password that is none. Every other session of the user ends. */
export async function changePassword(
  needs: UserNeeds,
  of: InSession,
  { password, newPassword }: { readonly password: string; readonly newPassword: string },
  context: Context,
): Promise<Answer<ExistingUser> | { readonly kind: 'refused' }> {
  const verified = await passwordOf(needs, of, password);
  if (verified.kind !== 'verified') return verified;
  const fault = faultOfPassword(newPassword, verified.user.email);
  if (fault !== undefined) {
    return reject('RequestValidationError', fault, { violations: [{ path: '$.newPassword', description: fault }] });
  }
  const newHash = await needs.passwords.hash(newPassword);
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

/** A guess here counts as one of a sign-in. */
async function passwordOf(
  { users, passwords, limits }: UserNeeds,
  { userId, address }: InSession,
  password: string,
): Promise<Verified | { readonly kind: 'refused' } | Rejection> {
  const { state: user } = await users.current(userId);
  if (user.status === 'absent') return { kind: 'refused' };
  const tried = { email: user.email, address };
  const begun = await limits.begin(tried);
  if (begun.kind === 'blocked') {
    return reject('TooManyRequests', 'The password was wrong too often. Wait a few minutes.', {
      retryAfterSeconds: begun.retryAfterSeconds,
    });
  }
  if (!(await passwords.verify(user.passwordHash, password)) || user.passwordHash === undefined) return { kind: 'refused' };
  await limits.succeeded(tried);
  return { kind: 'verified', user, passwordHash: user.passwordHash };
}
