// Sign-in by e-mail and password, which may be those of users in several accounts. Every failure has the same answer
// and costs one hash.
import { type Rejection, reject } from '../../domain/decider.ts';
import { blockSignIns, signIn as decideSignIn } from '../../domain/user/decide.ts';
import { plainEmail } from '../../domain/user/roles.ts';
import { type ExistingUser, recipeOf } from '../../domain/user/state.ts';
import type { Context } from '../../journal/context.ts';
import { policyContext } from '../../journal/contexts.ts';
import { transact } from '../../journal/transact.ts';
import { newId } from '../../world.ts';
import { unlessUnreadable } from '../access/unless-unreadable.ts';
import { addressNetwork } from '../limits/address-block.ts';
import { machineTime } from './machine-time.ts';
import type { UserNeeds } from './needs.ts';
import { type Browser, beginSession } from './new-session.ts';
import type { Block } from './sign-in-limits.ts';
import { recoveryHashes, secretOf, stepOfCode } from './two-factor.ts';
import { type UserOfEmail, usersOfEmail } from './users-of-email.ts';

export interface SignInRequest extends Browser {
  readonly email: string;
  readonly password: string;
  /** Where users of several accounts have e-mail and password. */
  readonly accountId?: string | undefined;
  /** The code of the user's app, if the user has set one up. */
  readonly code?: string | undefined;
  /** In its place. */
  readonly recoveryCode?: string | undefined;
  /** Business time, ms. */
  readonly at: number;
  readonly requestId: string;
}

export interface SignedIn {
  readonly kind: 'signed_in';
  readonly userId: string;
  readonly sessionId: string;
  readonly user: ExistingUser;
  /** The value of the session's cookie. */
  readonly cookie: string;
}

/** The password is that of users in several accounts: the next try names one of them. */
interface AccountNeeded {
  readonly kind: 'account_needed';
  readonly accounts: readonly { readonly accountId: string; readonly name: string }[];
}

type SignInAnswer =
  | SignedIn
  | AccountNeeded
  | { readonly kind: 'refused' | 'code_needed' | 'code_refused' }
  | Rejection;

/**
 * `refused`: unknown e-mail, wrong password, disabled or not yet active. The answer never says which. TooManyRequests
 * after many failures. Throws NotAdmitted.
 */
export async function signIn(needs: UserNeeds, request: SignInRequest): Promise<SignInAnswer> {
  const { passwords, limits } = needs;
  const email = plainEmail(request.email);
  const tried = { email, address: request.address };
  const begun = await limits.begin(tried);
  if (begun.kind === 'blocked') {
    const { retryAfterSeconds } = begun;
    return reject('TooManyRequests', 'Too many sign-ins have failed. Wait a few minutes.', { retryAfterSeconds });
  }
  const network = addressNetwork(request.address);
  const { users, right } = await usersWithPassword(needs, email, request, network).catch(async (fault: unknown) => {
    await limits.undo(tried); // nothing was tried
    throw fault;
  });
  const [only] = right;
  if (only === undefined) {
    const { last } = begun;
    if (last !== undefined)
      void Promise.all(users.map(({ userId }) => recordBlock(needs, userId, last))).catch(needs.report);
    return { kind: 'refused' };
  }
  const isNews = right.every(({ user }) => user.isPasswordUsed !== true);
  if (right.length > 1) {
    await limits.passed(tried, { isNews });
    return { kind: 'account_needed', accounts: await accountsOf(needs, right) };
  }
  const { userId, user } = only;
  const second = await secondFactor(needs, userId, user, request);
  if (second !== 'code_refused') await limits.passed(tried, { isNews });
  if (typeof second === 'string') return { kind: second };
  passwords.forgive(network);
  const started = beginSession(needs, userId, request, 'password');
  const { cookie } = started;
  const session = { ...started.session, ...(second.codeStep !== undefined && { codeStep: second.codeStep }) };
  const context = userContext(needs, userId, user.accountId, request);
  await needs.mayWrite();
  const done = await transact(
    needs.users,
    userId,
    context,
    decideSignIn(only.passwordHash, session, second.recoveryHash),
  );
  if (done.kind === 'rejected') return done.errorId === 'Conflict' ? { kind: 'refused' } : done;
  const { state: now } = done.folded;
  return now.status === 'absent'
    ? { kind: 'refused' }
    : { kind: 'signed_in', userId, sessionId: session.sessionId, user: now, cookie };
}

type WithPassword = UserOfEmail & { readonly passwordHash: string };

/**
 * The users of the e-mail, and those of them whose password is that of the request. Throws NotAdmitted and
 * StoreUnavailable, and, if all remaining users cannot be read, the fault of one of them.
 */
async function usersWithPassword(
  needs: UserNeeds,
  email: string,
  { password, accountId, signal }: SignInRequest,
  network: string,
): Promise<{ readonly users: readonly UserOfEmail[]; readonly right: readonly WithPassword[] }> {
  const { read, recipe } = await usersOfEmail(needs, email, accountId);
  let users: readonly UserOfEmail[] = [];
  let active: readonly WithPassword[] = [];
  const readHashes = async (): Promise<readonly string[]> => {
    const found = await read();
    users = found.users;
    if (users.length === 0 && found.unreadable !== undefined) throw found.unreadable;
    active = users.flatMap((of) => withPassword(needs, of));
    return active.map(({ passwordHash }) => passwordHash);
  };
  const matching = await needs.passwords.matching(password, recipe, readHashes, { lane: 'stranger', network, signal });
  return { users, right: active.filter(({ passwordHash }) => matching.has(passwordHash)) };
}

/** Empty if the user has no password that can be tried: one user's record keeps out no other user of the e-mail. */
function withPassword({ passwords, report }: UserNeeds, { userId, user }: UserOfEmail): readonly WithPassword[] {
  const { status, passwordHash } = user;
  if (status !== 'active' || passwordHash === undefined) return [];
  if (passwords.canMake(recipeOf(passwordHash))) return [{ userId, user, passwordHash }];
  report(
    new TypeError(
      `the password of ${userId} was hashed in a way that this version does not know: no sign-in matches it`,
    ),
  );
  return [];
}

/** By name, for the choice of a person. */
async function accountsOf(
  { accounts, report }: UserNeeds,
  users: readonly UserOfEmail[],
): Promise<AccountNeeded['accounts']> {
  const named = await Promise.all(
    users.map(async ({ user: { accountId } }) => {
      const account = (await unlessUnreadable(report, () => accounts.current(accountId)))?.state;
      return { accountId, name: account === undefined || account.status === 'absent' ? '' : account.name };
    }),
  );
  return named.toSorted(
    (one, other) => one.name.localeCompare(other.name, 'en') || (one.accountId < other.accountId ? -1 : 1),
  );
}

interface SecondFactor {
  readonly codeStep?: number;
  readonly recoveryHash?: string;
}

/** Empty if the user has none. */
async function secondFactor(
  needs: UserNeeds,
  userId: string,
  { twoFactor }: ExistingUser,
  { code, recoveryCode }: SignInRequest,
): Promise<SecondFactor | 'code_needed' | 'code_refused'> {
  if (twoFactor === undefined) return {};
  if (recoveryCode !== undefined) {
    const used = recoveryHashes(needs.secrets, userId, recoveryCode).find((hash) =>
      twoFactor.recoveryHashes.includes(hash),
    );
    return used === undefined ? 'code_refused' : { recoveryHash: used };
  }
  if (code === undefined) return 'code_needed';
  const secret = secretOf(needs, userId, twoFactor.sealedSecret);
  const codeStep = secret && (await stepOfCode(secret, code, machineTime(needs.world), twoFactor.codeStep));
  return typeof codeStep === 'number' ? { codeStep } : 'code_refused';
}

/** Runs after the response, so that response time does not reveal whether the e-mail exists. */
async function recordBlock(needs: UserNeeds, userId: string, { failures, forMs }: Block): Promise<void> {
  const { state } = await needs.users.current(userId);
  if (state.status === 'absent') return;
  const context = policyContext(needs.world, 'sign-in-limits', state.accountId, {
    correlationId: newId(needs.world, 'op'),
  });
  const at = machineTime(needs.world);
  await transact(needs.users, userId, context, blockSignIns(failures, at + forMs, at));
}

/** The context of what a user does who is not signed in yet. */
export const userContext = (
  { world }: Pick<UserNeeds, 'world'>,
  userId: string,
  accountId: string,
  { at, requestId }: { readonly at: number; readonly requestId: string },
): Context => ({
  accountId,
  actor: { kind: 'user', id: userId },
  at,
  correlationId: requestId,
  operationId: newId(world, 'op'),
});
