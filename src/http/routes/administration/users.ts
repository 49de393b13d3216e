// The users of the account: listed, read, invited, given another role, disabled; by owners also let in again. A program
// changes no owners.
import { z } from 'zod';
import type { Caller } from '../../../commands/caller.ts';
import { ROLES } from '../../../domain/user/roles.ts';
import type { ExistingUser } from '../../../domain/user/state.ts';
import { page } from '../../answer-size.ts';
import { Instant, instantOf } from '../../answers/shapes.ts';
import { refuse } from '../../errors.ts';
import { found, notFound, type Route, route, shaped } from '../../route.ts';
import type { ServingParts } from '../parts.ts';
import type { Way } from './ways.ts';

const ManagedUser = z
  .strictObject({
    id: z.string().meta({ description: 'The id of the user.' }),
    email: z.string().meta({ description: 'The e-mail address for signing in.' }),
    role: z.enum(ROLES).meta({ description: 'What the user may see and do in the dashboard.' }),
    state: z.enum(['invited', 'active', 'disabled']).meta({ description: 'invited: the user has no password yet.' }),
    isTwoFactorOn: z.boolean().meta({ description: 'True if the user signs in with a second factor.' }),
    invitedAt: Instant.meta({ description: 'When the user was invited.' }),
    signedInAt: Instant.optional().meta({ description: 'The newest sign-in.' }),
  })
  .meta({ id: 'ManagedUser' });
type ManagedUser = z.output<typeof ManagedUser>;
/** As owners see it. */
const OwnersUser = ManagedUser.extend({
  isYou: z.boolean(),
  sessions: z.int().meta({ description: 'The browsers in which the user is signed in.' }),
}).meta({ id: 'ManagedUser' });

/** A management key can grant no other role. */
const GivenRole = z
  .enum(['developer', 'support', 'auditor'])
  .meta({ description: 'A role without more rights than the scopes that the management key may grant.' });
/** The e-mail address with which a user signs in. */
export const Email = z
  .string()
  .trim()
  .max(254)
  .regex(/^[^\s@]+@[^\s@]+$/, { error: 'Must be an e-mail address.' });

const params = z.object({
  id: z
    .string()
    .regex(/^usr_[0-9a-f]{32}$/)
    .meta({ description: 'The id of the user.' }),
});
const YOURSELF = refuse('Conflict', 'You cannot do this to your own user. Ask another owner.');

const userAnswer = (id: string, user: ExistingUser): ManagedUser => ({
  id,
  email: user.email,
  role: user.role,
  state: user.status,
  isTwoFactorOn: user.twoFactor !== undefined,
  invitedAt: instantOf(user.invitedAt),
  signedInAt: instantOf(user.signedInAt),
});

/** The schemas of one way. */
function schemasOf({ isForUsers }: Way) {
  const User: z.ZodType<ManagedUser> = isForUsers ? OwnersUser : ManagedUser;
  const Role = isForUsers ? z.enum(ROLES) : GivenRole;
  return {
    User,
    Users: z
      .strictObject({
        data: z.array(User).meta({ description: 'In the order of their e-mail addresses.' }),
        isCut: z.boolean().meta({ description: 'True if the account has more users than the response.' }),
      })
      .meta({ id: 'ManagedUsers' }),
    LinkedUser: z
      .strictObject({
        user: User.meta({ description: 'The user.' }),
        link: z.string().meta({
          description: 'The one-time link with which the user sets a password, for 24 hours. It cannot be shown again.',
        }),
      })
      .meta({ id: 'InvitedManagedUser' }),
    Invitation: z
      .strictObject({ email: Email.meta({ description: 'The e-mail address for signing in.' }), role: Role })
      .meta({ id: 'NewManagedUser' }),
    NewRole: z.strictObject({ role: Role }).meta({ id: 'NewRoleOfManagedUser' }),
  };
}

export function userRoutes(way: Way, { users, queries, publicUrl }: ServingParts): readonly Route[] {
  const { User, Users, LinkedUser, Invitation, NewRole } = schemasOf(way);
  const path = `${way.prefix}/users`;
  const reads = { tag: 'Users', method: 'GET', scope: way.may.users.read } as const;
  const changes = { tag: 'Users', method: 'POST', scope: way.may.users.change, errors: ['Conflict'] } as const;
  const isYou = ({ actor }: Caller, id: string): boolean => actor.kind === 'user' && actor.id === id;
  const shown = (id: string, user: ExistingUser, by: Caller): ManagedUser => {
    const answer = userAnswer(id, user);
    return way.isForUsers ? Object.assign(answer, { isYou: isYou(by, id), sessions: user.sessions.length }) : answer;
  };
  const linked =
    (by: Caller) =>
    ({ id, doc, token }: { readonly id: string; readonly doc: ExistingUser; readonly token: string }) => ({
      user: shown(id, doc, by),
      link: `${publicUrl()}/dashboard/#/welcome/${token}`,
    });
  return [
    route({
      ...reads,
      path,
      id: 'listManagedUsers',
      summary: 'List the users of the account',
      request: z.object({}),
      answer: Users,
      async handle(_request, { caller }) {
        const rows = await queries.usersOfAccount(caller.accountId);
        return page(
          rows.toSorted((one, other) => (one.user.email < other.user.email ? -1 : 1)),
          ({ userId, user }) => shown(userId, user, caller),
          (_shown, isCut) => ({ isCut }),
        );
      },
    }),
    route({
      ...reads,
      path: `${path}/:id`,
      id: 'getManagedUser',
      summary: 'Read a user of the account',
      request: z.object({ params }),
      answer: User,
      async handle({ params: { id } }, { caller }) {
        const read = await queries.readUser(id);
        return read?.user.accountId === caller.accountId ? found(shown(id, read.user, caller)) : notFound();
      },
    }),
    route({
      ...changes,
      path,
      id: 'inviteManagedUser',
      example: { body: { email: 'grace@example.org', role: 'auditor' } },
      summary: 'Invite a user, or enable a disabled one again; only this response contains the one-time link',
      request: z.object({ body: Invitation }),
      answer: LinkedUser,
      handle: async ({ body }, { caller }) =>
        shaped(await users.inviteUser({ accountId: caller.accountId, ...body }, caller), linked(caller)),
    }),
    route({
      ...changes,
      path: `${path}/:id/role`,
      id: 'setRoleOfManagedUser',
      example: { body: { role: 'support' } },
      summary: 'Change the role of a user who is not an owner, effective immediately',
      request: z.object({ params, body: NewRole }),
      answer: User,
      handle: async ({ params: { id }, body: { role } }, { caller }) =>
        shaped(await users.changeRole(caller.accountId, id, role, caller), ({ doc }) => shown(id, doc, caller)),
    }),
    route({
      ...changes,
      path: `${path}/:id/disable`,
      id: 'disableManagedUser',
      summary: 'Disable a user who is not an owner, and end every session immediately',
      request: z.object({ params }),
      answer: User,
      handle: async ({ params: { id } }, { caller }) =>
        isYou(caller, id)
          ? YOURSELF
          : shaped(await users.disableUser(caller.accountId, id, caller), ({ doc }) => shown(id, doc, caller)),
    }),
    ...(way.isForUsers
      ? [
          route({
            ...changes,
            path: `${path}/:id/reset`,
            summary: 'Remove the password, second factor and sessions of a user; the response contains a one-time link',
            request: z.object({ params }),
            answer: LinkedUser,
            handle: async ({ params: { id } }, { caller }) =>
              isYou(caller, id)
                ? YOURSELF
                : shaped(await users.resetUser(caller.accountId, id, caller), linked(caller)),
          }),
        ]
      : []),
  ];
}
