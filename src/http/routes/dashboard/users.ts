// The users of the account, for its owners: invited, given another role, disabled, let in again.
import { z } from 'zod';
import { ROLES } from '../../../domain/user/roles.ts';
import type { ExistingUser } from '../../../domain/user/state.ts';
import { refuse } from '../../errors.ts';
import { forConfirmed, forRoles, found, type Route, route } from '../../route.ts';
import { Email, type SignInParts, userOf } from './sign-in.ts';

const TAG = 'Users';

const ListedUser = z
  .strictObject({
    userId: z.string(),
    email: z.string(),
    role: z.enum(ROLES),
    status: z.enum(['invited', 'active', 'disabled']),
    isTwoFactorOn: z.boolean(),
    isYou: z.boolean(),
    invitedAt: z.number().meta({ description: 'ms' }),
    signedInAt: z.number().optional().meta({ description: 'ms' }),
    sessions: z.int().meta({ description: 'The browsers in which the user is signed in.' }),
  })
  .meta({ id: 'ListedUser' });
type ListedUser = z.output<typeof ListedUser>;
const ListedUsers = z.strictObject({ data: z.array(ListedUser) }).meta({ id: 'ListedUsers' });
const LinkedUser = z
  .strictObject({
    user: ListedUser,
    link: z
      .string()
      .meta({ description: 'Path and fragment of a one-time link, valid for 24 hours. It cannot be shown again.' }),
  })
  .meta({ id: 'LinkedUser' });

const UserId = z.object({ id: z.string().regex(/^usr_[0-9a-f]{32}$/) });
const linkOf = (token: string): string => `/dashboard/#/welcome/${token}`;
const YOURSELF = refuse('Conflict', 'You cannot do this to your own user. Ask another owner.');

export function userRoutes({ users, queries }: SignInParts): readonly Route[] {
  const listed = (userId: string, user: ExistingUser, own: string): ListedUser => ({
    userId,
    email: user.email,
    role: user.role,
    status: user.status,
    isTwoFactorOn: user.twoFactor !== undefined,
    isYou: userId === own,
    invitedAt: user.invitedAt,
    ...(user.signedInAt !== undefined && { signedInAt: user.signedInAt }),
    sessions: user.sessions.length,
  });
  return [
    route({
      method: 'GET',
      path: '/dashboard/api/users',
      scope: forRoles('owner'),
      tag: TAG,
      summary: 'List the users of the account',
      request: z.object({}),
      answer: ListedUsers,
      async handle(_, call) {
        const { accountId, userId: own } = userOf(call);
        const rows = await queries.usersOfAccount(accountId);
        return found({ data: rows.map(({ userId, user }) => listed(userId, user, own)).toSorted(byEmail) });
      },
    }),
    route({
      method: 'POST',
      path: '/dashboard/api/users',
      scope: forConfirmed('owner'),
      tag: TAG,
      summary: 'Invite a user; the response contains the one-time link',
      request: z.object({ body: z.strictObject({ email: Email, role: z.enum(ROLES) }) }),
      answer: LinkedUser,
      errors: ['Conflict'],
      async handle({ body }, call) {
        const { accountId, userId: own } = userOf(call);
        const done = await users.inviteUser({ accountId, ...body }, call.caller);
        if (done.kind === 'rejected') return done;
        return found({ user: listed(done.id, done.doc, own), link: linkOf(done.token) });
      },
    }),
    route({
      method: 'POST',
      path: '/dashboard/api/users/:id/role',
      scope: forConfirmed('owner'),
      tag: TAG,
      summary: 'Change the role of a user, effective immediately',
      request: z.object({ params: UserId, body: z.strictObject({ role: z.enum(ROLES) }) }),
      answer: ListedUser,
      errors: ['Conflict'],
      async handle({ params, body }, call) {
        const { accountId, userId: own } = userOf(call);
        const done = await users.changeRole(accountId, params.id, body.role, call.caller);
        if (done.kind === 'rejected') return done;
        return found(listed(params.id, done.doc, own));
      },
    }),
    route({
      method: 'POST',
      path: '/dashboard/api/users/:id/disable',
      scope: forConfirmed('owner'),
      tag: TAG,
      summary: 'Disable a user and end every session immediately',
      request: z.object({ params: UserId }),
      answer: ListedUser,
      errors: ['Conflict'],
      async handle({ params }, call) {
        const { accountId, userId: own } = userOf(call);
        if (params.id === own) return YOURSELF;
        const done = await users.disableUser(accountId, params.id, call.caller);
        if (done.kind === 'rejected') return done;
        return found(listed(params.id, done.doc, own));
      },
    }),
    route({
      method: 'POST',
      path: '/dashboard/api/users/:id/reset',
      scope: forConfirmed('owner'),
      tag: TAG,
      summary: 'Remove the password, second factor and sessions of a user; the response contains a one-time link',
      request: z.object({ params: UserId }),
      answer: LinkedUser,
      errors: ['Conflict'],
      async handle({ params }, call) {
        const { accountId, userId: own } = userOf(call);
        if (params.id === own) return YOURSELF;
        const done = await users.resetUser(accountId, params.id, call.caller);
        if (done.kind === 'rejected') return done;
        return found({ user: listed(params.id, done.doc, own), link: linkOf(done.token) });
      },
    }),
  ];
}

const byEmail = (a: ListedUser, b: ListedUser): number => (a.email < b.email ? -1 : 1);
