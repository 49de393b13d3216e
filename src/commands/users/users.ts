// The users of the dashboard as a subject: sign-in, sessions, and who may do what.

import type { Role } from '../../domain/user/roles.ts';
import type { SessionPlace, SignInSession } from '../../domain/user/state.ts';
import type { Context } from '../../journal/context.ts';
import type { Due } from '../due.ts';
import { machineTime } from './machine-time.ts';
import { type By, changeRole, disableUser, type Invitation, inviteUser, resetUser } from './manage-users.ts';
import type { UserNeeds } from './needs.ts';
import { endsInMs, sessionHolder } from './session-holder.ts';
import { changePassword, confirmPassword, endExpired, type InSession, signOut } from './sessions-of-user.ts';
import { type SignInRequest, signIn } from './sign-in.ts';
import { mustHaveTwoFactor, offerTwoFactor, removeTwoFactor, setTwoFactor } from './two-factor.ts';
import { everyUserOfEmail } from './users-of-email.ts';
import { lookAtLink, makeOwnerLink, type WelcomeRequest, welcome } from './welcome.ts';

export type Users = ReturnType<typeof makeUsers>;

export function makeUsers(needs: UserNeeds) {
  return {
    /** How many passwords were verified so far: as many for an unknown e-mail as for a known one. */
    passwordsVerified: (): number => needs.passwords.verified,
    /** The user of a session's cookie. */
    sessionHolder: (cookie: string, isUse: boolean) => sessionHolder(needs, cookie, isUse),
    endsInMs: (userId: string, session: SignInSession) => endsInMs(needs, userId, session),
    /**
     * Over all accounts, of which the operator alone may hear: the first 50 who were invited, and with `accountId` the
     * one of this account.
     */
    usersOfEmail: (email: string, accountId?: string) => everyUserOfEmail(needs, email, accountId),
    signIn: (request: SignInRequest) => signIn(needs, request),
    makeOwnerLink: (accountId: string) => makeOwnerLink(needs, accountId),
    lookAtLink: (token: string) => lookAtLink(needs, token),
    welcome: (request: WelcomeRequest) => welcome(needs, request),
    signOut: (
      userId: string,
      which: Parameters<typeof signOut>[2],
      why: Parameters<typeof signOut>[3],
      context: Context,
    ) => signOut(needs, userId, which, why, context),
    endExpiredSessions: (due: Due, keptMs: number, policy: string) => endExpired(needs, due, keptMs, policy),
    confirmPassword: (of: InSession, password: string, context: Context) =>
      confirmPassword(needs, of, password, context),
    changePassword: (of: InSession, passwords: Parameters<typeof changePassword>[2], context: Context) =>
      changePassword(needs, of, passwords, context),
    offerTwoFactor: (userId: string) => offerTwoFactor(needs, userId),
    setTwoFactor: (userId: string, proof: Parameters<typeof setTwoFactor>[2], context: Context) =>
      setTwoFactor(needs, userId, proof, context),
    removeTwoFactor: (userId: string, context: Context) => removeTwoFactor(needs, userId, context),
    mustHaveTwoFactor: (role: Role) => mustHaveTwoFactor(needs.mode, role),
    /** When sessions were used last, ms, to the minute, by their ids. */
    lastUses: (sessions: readonly SessionPlace[]) => needs.sessionUses.lastUses(sessions),
    /** Uses of sessions, for the other nodes; a running service does this every few seconds. */
    writeSessionUses: () => needs.sessionUses.write(machineTime(needs.world)),
    inviteUser: (invitation: Invitation, by: By) => inviteUser(needs, invitation, by),
    resetUser: (accountId: string, userId: string, by: By) => resetUser(needs, accountId, userId, by),
    changeRole: (accountId: string, userId: string, role: Role, by: By) =>
      changeRole(needs, accountId, userId, role, by),
    disableUser: (accountId: string, userId: string, by: By) => disableUser(needs, accountId, userId, by),
  };
}
