// A user of the dashboard as it stands: role, password, second factor and sign-in sessions.
import type { Decider } from '../decider.ts';
import { type UserEvent, userCategory } from './events.ts';
import { ROLES, type Role } from './roles.ts';

/** A browser in which the user is signed in; its times are of the machine's clock. */
export interface SignInSession {
  readonly sessionId: string;
  readonly secretHash: string;
  /** ms */
  readonly startedAt: number;
  /** The absolute end, ms. */
  readonly expiresAt: number;
  /** When the password was last given in it, ms. */
  readonly confirmedAt: number;
  readonly by: string;
  /** The smallest number that no other running session had at its start. */
  readonly place: number;
  readonly address: string;
  readonly device: string;
}

/** A session of a user, at its place. */
export interface SessionPlace {
  readonly userId: string;
  readonly sessionId: string;
  readonly place: number;
}

interface TwoFactor {
  readonly sealedSecret: string;
  /** The hashes of the unused codes. */
  readonly recoveryHashes: readonly string[];
  /** Codes of this step and of earlier ones are used up. */
  readonly codeStep: number;
}

export interface ExistingUser {
  /** `invited`: without a password, so only a link lets the user in. */
  readonly status: 'invited' | 'active' | 'disabled';
  readonly accountId: string;
  readonly email: string;
  readonly role: Role;
  /** ms */
  readonly invitedAt: number;
  /** The link that still lets the user in. */
  readonly link?: { readonly tokenHash: string; readonly expiresAt: number };
  readonly passwordHash?: string;
  /**
   * The recipe of the newest password, kept even after the password was removed: the next one is hashed in the same
   * way.
   */
  readonly passwordRecipe?: string;
  /** The user has signed in with this password. Until then it may be a guess at that of another user of the e-mail. */
  readonly isPasswordUsed?: boolean;
  readonly twoFactor?: TwoFactor;
  /** The sessions that were not ended, oldest first; expired ones leave with the next sign-in. */
  readonly sessions: readonly SignInSession[];
  /** The last sign-in, ms. */
  readonly signedInAt?: number;
  readonly blockedUntil?: number;
}

export type User = { readonly status: 'absent' } | ExistingUser;

/** A role that a newer version wrote lets nobody do more than read. */
const roleOf = (text: string): Role => ROLES.find((role) => role === text) ?? 'auditor';

/** Between `$`: nothing, the function, its version, its parameters and the salt. */
const RECIPE_PARTS = 5;

/** The parameters and the salt with which a recorded password was hashed. */
export const recipeOf = (passwordHash: string): string => passwordHash.split('$').slice(0, RECIPE_PARTS).join('$');

/** The user without what lets one in. */
function withoutAccess({
  passwordHash: _password,
  twoFactor: _factor,
  link: _link,
  ...user
}: ExistingUser): ExistingUser {
  return { ...user, sessions: [] };
}

function freePlace(running: readonly SignInSession[]): number {
  let place = 0;
  while (running.some((one) => one.place === place)) place += 1;
  return place;
}

const withoutLink = ({ link: _link, ...user }: ExistingUser): ExistingUser => user;

export const user: Decider<User, UserEvent> = {
  category: userCategory,
  initial: { status: 'absent' },
  evolve(user, { type, data }, { at }) {
    if (type === 'UserInvited')
      return { ...data, status: 'invited', role: roleOf(data.role), invitedAt: at, sessions: [] };
    if (user.status === 'absent') throw new Error(`${type} before UserInvited`);
    switch (type) {
      case 'WelcomeLinkMade':
        return { ...user, link: { tokenHash: data.tokenHash, expiresAt: data.expiresAt } };
      case 'PasswordSet':
        return {
          ...withoutLink(user),
          status: user.status === 'disabled' ? 'disabled' : 'active',
          passwordHash: data.passwordHash,
          passwordRecipe: recipeOf(data.passwordHash),
          isPasswordUsed: false,
        };
      case 'SignedIn': {
        const { codeStep, at: startedAt, ...session } = data;
        const running = user.sessions.filter(({ expiresAt }) => expiresAt > startedAt);
        const sessions = [...running, { ...session, place: freePlace(running), startedAt, confirmedAt: startedAt }];
        const twoFactor =
          user.twoFactor !== undefined && codeStep !== undefined ? { ...user.twoFactor, codeStep } : user.twoFactor;
        const isPasswordUsed = user.isPasswordUsed === true || data.by === 'password';
        return {
          ...user,
          sessions,
          signedInAt: startedAt,
          isPasswordUsed,
          ...(twoFactor !== undefined && { twoFactor }),
        };
      }
      case 'SignedOut':
        return { ...user, sessions: user.sessions.filter(({ sessionId }) => !data.sessionIds.includes(sessionId)) };
      case 'PasswordConfirmed': {
        const confirmed = (one: SignInSession) =>
          one.sessionId === data.sessionId ? { ...one, confirmedAt: data.at } : one;
        return { ...user, sessions: user.sessions.map(confirmed) };
      }
      case 'SignInsBlocked':
        return { ...user, blockedUntil: data.until };
      case 'UserRoleChanged':
        return { ...user, role: roleOf(data.role) };
      case 'AccessReset':
        return { ...withoutAccess(user), status: user.status === 'disabled' ? 'disabled' : 'invited' };
      case 'UserDisabled':
        return { ...withoutLink(user), status: 'disabled', sessions: [] };
      case 'UserEnabled':
        return { ...user, status: user.passwordHash === undefined ? 'invited' : 'active' };
      case 'TwoFactorSet':
        return { ...user, twoFactor: data };
      case 'RecoveryCodeUsed':
        return user.twoFactor === undefined
          ? user
          : {
              ...user,
              twoFactor: {
                ...user.twoFactor,
                recoveryHashes: user.twoFactor.recoveryHashes.filter((hash) => hash !== data.recoveryHash),
              },
            };
      case 'TwoFactorRemoved': {
        const { twoFactor: _factor, ...rest } = user;
        return rest;
      }
      default:
        return type satisfies never;
    }
  },
};

/**
 * The session by its id, while it may be used at `at` (ms): undefined for an ended one, an expired one, and one of a
 * disabled user.
 */
export const sessionOf = (user: User, sessionId: string, at: number): SignInSession | undefined =>
  user.status === 'absent' || user.status === 'disabled'
    ? undefined
    : user.sessions.find((session) => session.sessionId === sessionId && at < session.expiresAt);
