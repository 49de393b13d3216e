// Decisions on a user of the dashboard. Which owners an account has is decided on the account's stream, first.
import type { Granting } from '../api-key.ts';
import { accept, type Decision, type Rejection, reject } from '../decider.ts';
import type { UserEvent } from './events.ts';
import { type Role, SCOPES_OF_ROLE } from './roles.ts';
import type { ExistingUser, SignInSession, User } from './state.ts';

type UserDecision = Decision<UserEvent>;

/** Sessions of one user at once; the next sign-in ends the oldest. */
export const MAX_SESSIONS = 20;

/** A link as it is recorded; `expiresAt` in ms. */
interface RecordedLink {
  readonly tokenHash: string;
  readonly expiresAt: number;
}

/** A session that begins at `at` (ms); of its secret only a keyed hash. */
export type NewSession = Omit<SignInSession, 'startedAt' | 'confirmedAt' | 'place'> & {
  readonly at: number;
  readonly codeStep?: number;
};

const NOT_THERE = (): Rejection => reject('NotFound', 'There is no such user.');

const ifThere = (user: User, accountId: string, decide: (there: ExistingUser) => UserDecision): UserDecision =>
  user.status === 'absent' || user.accountId !== accountId ? NOT_THERE() : decide(user);

const linkMade = (link: RecordedLink): UserEvent => ({ type: 'WelcomeLinkMade', data: { ...link } });

/**
 * InsufficientScope if a caller of this limit may not give the role to a user; otherwise undefined. A management key
 * makes no owners.
 */
export function refuseRole(granting: Granting, role: Role): Rejection | undefined {
  if (granting === undefined) return undefined;
  if (role === 'owner') return NO_OWNERS();
  const missing = SCOPES_OF_ROLE[role].filter((scope) => !granting.includes(scope));
  return missing.length === 0
    ? undefined
    : reject(
        'InsufficientScope',
        `The role ${role} includes more than the management key may grant: ${missing.join(', ')}.`,
      );
}

/** A decision of a caller of this limit, which is refused for an owner, a disabled one too. */
export const unlessOwner =
  (granting: Granting, decide: (user: User) => UserDecision) =>
  (user: User): UserDecision =>
    granting !== undefined && user.status !== 'absent' && user.role === 'owner' ? NO_OWNERS() : decide(user);

const NO_OWNERS = (): Rejection =>
  reject('InsufficientScope', 'A management key can neither create nor change owners. Ask an owner.');

/**
 * Makes the user, whose id is of this account alone; one that was disabled is enabled again, without the password and
 * the second factor of then. Conflict for any other.
 */
export const inviteUser =
  (invited: { readonly accountId: string; readonly email: string; readonly role: Role }, link?: RecordedLink) =>
  (user: User): UserDecision => {
    const links = link === undefined ? [] : [linkMade(link)];
    if (user.status === 'absent') return accept({ type: 'UserInvited', data: { ...invited } }, ...links);
    if (user.status !== 'disabled') return reject('Conflict', 'A user with this e-mail address already exists.');
    const role: readonly UserEvent[] =
      user.role === invited.role ? [] : [{ type: 'UserRoleChanged', data: { role: invited.role } }];
    return accept({ type: 'AccessReset', data: {} }, { type: 'UserEnabled', data: {} }, ...role, ...links);
  };

/** A new link instead of password, second factor and sessions. Conflict for a disabled user. */
export const resetAccess =
  (accountId: string, link: RecordedLink) =>
  (user: User): UserDecision =>
    ifThere(user, accountId, ({ status }) =>
      status === 'disabled'
        ? reject('Conflict', 'The user is disabled.')
        : accept({ type: 'AccessReset', data: {} }, { type: 'WelcomeLinkMade', data: { ...link } }),
    );

export const changeRole =
  (accountId: string, role: Role) =>
  (user: User): UserDecision =>
    ifThere(user, accountId, (there) => {
      if (there.status === 'disabled') return reject('Conflict', 'The user is disabled.');
      return there.role === role ? accept() : accept({ type: 'UserRoleChanged', data: { role } });
    });

/** Ends every session at once; again: nothing. */
export const disableUser =
  (accountId: string) =>
  (user: User): UserDecision =>
    ifThere(user, accountId, ({ status }) =>
      status === 'disabled' ? accept() : accept({ type: 'UserDisabled', data: {} }),
    );

/** True if the link lets the user in at `at` (ms); `tokenHashes`: the token's hash under each master secret. */
export const opensBy = (user: User, tokenHashes: readonly string[], at: number): user is ExistingUser =>
  user.status !== 'absent' &&
  user.status !== 'disabled' &&
  user.link !== undefined &&
  at < user.link.expiresAt &&
  tokenHashes.includes(user.link.tokenHash);

export const LINK_IS_OVER = (): Rejection =>
  reject('NotFound', 'This link is not valid: it was used, it has expired, or a newer link was created.');

/**
 * Uses the link up: the password is set, other sessions end, and the user is signed in. NotFound for a link that is
 * over.
 */
export const acceptLink =
  ({ tokenHashes, passwordHash, session, at }: AcceptedLink) =>
  (user: User): UserDecision =>
    opensBy(user, tokenHashes, at)
      ? accept(
          { type: 'PasswordSet', data: { passwordHash, by: 'link' } },
          ...ended(user.sessions, 'password'),
          signedIn(session),
        )
      : LINK_IS_OVER();

interface AcceptedLink {
  readonly tokenHashes: readonly string[];
  readonly passwordHash: string;
  readonly session: NewSession;
  /** ms */
  readonly at: number;
}

/** True if the first owner's link may still be used: it is void once the user has signed in, even after a reset. */
export const isFirst = (user: User): user is ExistingUser => user.status === 'invited' && user.signedInAt === undefined;

/**
 * The first owner's password, where the account's stream has decided who that is; the user must not have signed in yet.
 */
export const acceptOwnership =
  (passwordHash: string, session: NewSession) =>
  (user: User): UserDecision =>
    isFirst(user)
      ? accept({ type: 'PasswordSet', data: { passwordHash, by: 'link' } }, signedIn(session))
      : LINK_IS_OVER();

/** A session, after the password `passwordHash` was verified: Conflict where it is no longer the user's. */
export const signIn =
  (passwordHash: string, session: NewSession, recoveryHash?: string) =>
  (user: User): UserDecision => {
    if (user.status !== 'active' || user.passwordHash !== passwordHash) return CHANGED();
    const { twoFactor, sessions } = user;
    if (recoveryHash !== undefined && twoFactor?.recoveryHashes.includes(recoveryHash) !== true) return CHANGED();
    if (session.codeStep !== undefined && (twoFactor === undefined || session.codeStep <= twoFactor.codeStep))
      return CHANGED();
    if (twoFactor !== undefined && recoveryHash === undefined && session.codeStep === undefined) return CHANGED();
    const used: readonly UserEvent[] =
      recoveryHash === undefined ? [] : [{ type: 'RecoveryCodeUsed', data: { recoveryHash } }];
    const tooMany = sessions.slice(0, Math.max(0, sessions.length - MAX_SESSIONS + 1));
    return accept(...used, ...ended(tooMany, 'too_many'), signedIn(session));
  };

const CHANGED = (): Rejection => reject('Conflict', 'The user has changed in the meantime. Sign in again.');

/**
 * Ends sessions of the user; those that have ended already are left out. `others`: all but this one. NotFound if none
 * is left to be revoked.
 */
export const signOut =
  (
    which: { readonly sessionIds: readonly string[] } | { readonly others: string } | 'all',
    why: 'left' | 'revoked' | 'everywhere' | 'wrong_passwords',
  ) =>
  (user: User): UserDecision => {
    if (user.status === 'absent') return NOT_THERE();
    const isMeant = ({ sessionId }: SignInSession): boolean =>
      which === 'all' || ('others' in which ? sessionId !== which.others : which.sessionIds.includes(sessionId));
    const meant = user.sessions.filter(isMeant);
    if (why === 'revoked' && meant.length === 0) return reject('NotFound', 'There is no such session.');
    return accept(...ended(meant, why));
  };

/** Ends the sessions that expired at `before` (ms) or earlier: they leave the user's state, and their events stay. */
export const endExpired =
  (before: number) =>
  (user: User): UserDecision =>
    user.status === 'absent'
      ? NOT_THERE()
      : accept(
          ...ended(
            user.sessions.filter(({ expiresAt }) => expiresAt <= before),
            'expired',
          ),
        );

/** The password was verified in a session at `at` (ms). */
export const confirmPassword =
  (sessionId: string, passwordHash: string, at: number) =>
  (user: User): UserDecision =>
    user.status === 'active' &&
    user.passwordHash === passwordHash &&
    user.sessions.some((one) => one.sessionId === sessionId)
      ? accept({ type: 'PasswordConfirmed', data: { sessionId, at } })
      : CHANGED();

/** Another password, after the old one was verified; all sessions but this one end. */
export const changePassword =
  (
    sessionId: string,
    { oldHash, newHash, at }: { readonly oldHash: string; readonly newHash: string; readonly at: number },
  ) =>
  (user: User): UserDecision =>
    user.status === 'active' && user.passwordHash === oldHash
      ? accept(
          { type: 'PasswordSet', data: { passwordHash: newHash, by: 'change' } },
          ...ended(
            user.sessions.filter((one) => one.sessionId !== sessionId),
            'password',
          ),
          { type: 'PasswordConfirmed', data: { sessionId, at } },
        )
      : CHANGED();

/** Replaces `replaced`, the previous sealed secret: Conflict if it is no longer the user's secret. */
export const setTwoFactor =
  (
    set: { readonly sealedSecret: string; readonly recoveryHashes: readonly string[]; readonly codeStep: number },
    replaced?: string,
  ) =>
  (user: User): UserDecision => {
    if (user.status !== 'active') return reject('Conflict', 'The user has no password.');
    if (user.twoFactor?.sealedSecret !== replaced) return CHANGED();
    return accept({ type: 'TwoFactorSet', data: { ...set, recoveryHashes: [...set.recoveryHashes] } });
  };

export const removeTwoFactor =
  () =>
  (user: User): UserDecision =>
    user.status === 'absent' || user.twoFactor === undefined
      ? accept()
      : accept({ type: 'TwoFactorRemoved', data: {} });

/** One event for each block, however many sign-ins fail during it. */
export const blockSignIns =
  (failures: number, until: number, at: number) =>
  (user: User): UserDecision =>
    user.status === 'absent' || (user.blockedUntil ?? 0) > at
      ? accept()
      : accept({ type: 'SignInsBlocked', data: { failures, until } });

const signedIn = (session: NewSession): UserEvent => ({ type: 'SignedIn', data: { ...session } });

const ended = (sessions: readonly SignInSession[], why: string): readonly UserEvent[] =>
  sessions.length === 0
    ? []
    : [{ type: 'SignedOut', data: { sessionIds: sessions.map(({ sessionId }) => sessionId), why } }];
