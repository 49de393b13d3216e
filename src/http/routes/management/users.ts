// The users of the account for a management key: listed, read, invited, given another role, disabled. Owners are
// changed by owners alone.
import { z } from 'zod';
import type { Users } from '../../../commands/users/users.ts';
import { MANAGEMENT } from '../../../domain/api-key/scopes.ts';
import { ROLES } from '../../../domain/user/roles.ts';
import type { ExistingUser } from '../../../domain/user/state.ts';
import type { Queries } from '../../../queries/queries.ts';
import { formatTime } from '../../../world.ts';
import { page } from '../../answer-size.ts';
import { found, notFound, type Route, route, shaped } from '../../route.ts';

const time = z.iso.datetime({ precision: 3 });
const ManagedUser = z
  .strictObject({
    id: z.string().meta({ description: 'The id of the user.' }),
    email: z.string().meta({ description: 'The e-mail address for signing in.' }),
    role: z.enum(ROLES).meta({ description: 'What the user may see and do in the dashboard.' }),
    state: z.enum(['invited', 'active', 'disabled']).meta({ description: 'invited: the user has no password yet.' }),
    isTwoFactorOn: z.boolean().meta({ description: 'True if the user signs in with a second factor.' }),
    invitedAt: time.meta({ description: 'When the user was invited.' }),
    signedInAt: time.optional().meta({ description: 'The newest sign-in.' }),
  })
  .meta({ id: 'ManagedUser' });
type ManagedUser = z.output<typeof ManagedUser>;
const ManagedUsers = z
  .strictObject({
    data: z.array(ManagedUser).meta({ description: 'In the order of their e-mail addresses.' }),
    isCut: z.boolean().meta({ description: 'True if the account has more users than the response.' }),
  })
  .meta({ id: 'ManagedUsers' });
const InvitedUser = z
  .strictObject({
    user: ManagedUser.meta({ description: 'The user.' }),
    link: z.string().meta({
      description: 'The one-time link with which the user sets a password, for 24 hours. It cannot be shown again.',
    }),
  })
  .meta({ id: 'InvitedManagedUser' });

/** A management key can grant no other role. */
const GivenRole = z
  .enum(['developer', 'support', 'auditor'])
  .meta({ description: 'A role without more rights than the scopes that the management key may grant.' });
const Invitation = z
  .strictObject({
    email: z
      .string()
      .trim()
      .max(254)
      .regex(/^[^\s@]+@[^\s@]+$/, { error: 'Must be an e-mail address.' })
      .meta({ description: 'The e-mail address for signing in.' }),
    role: GivenRole,
  })
  .meta({ id: 'NewManagedUser' });
const NewRole = z.strictObject({ role: GivenRole }).meta({ id: 'NewRoleOfManagedUser' });

export interface UserRouteNeeds {
  readonly users: Pick<Users, 'inviteUser' | 'changeRole' | 'disableUser'>;
  readonly queries: Pick<Queries, 'readUser' | 'usersOfAccount'>;
  /** Where browsers reach the service, without a slash at its end. */
  readonly publicUrl: () => string;
}

const PATH = '/management/users';
const common = { tag: 'Users', scope: MANAGEMENT } as const;
const params = z.object({
  id: z
    .string()
    .regex(/^usr_[0-9a-f]{32}$/)
    .meta({ description: 'The id of the user.' }),
});

const answerOf = (
  id: string,
  { email, role, status, twoFactor, invitedAt, signedInAt }: ExistingUser,
): ManagedUser => ({
  id,
  email,
  role,
  state: status,
  isTwoFactorOn: twoFactor !== undefined,
  invitedAt: formatTime(invitedAt),
  ...(signedInAt !== undefined && { signedInAt: formatTime(signedInAt) }),
});

export const managedUserRoutes = ({ users, queries, publicUrl }: UserRouteNeeds): readonly Route[] => [
  route({
    ...common,
    method: 'GET',
    path: PATH,
    id: 'listManagedUsers',
    summary: 'List the users of the account',
    request: z.object({}),
    answer: ManagedUsers,
    async handle(_request, { caller: { accountId } }) {
      const rows = await queries.usersOfAccount(accountId);
      return page(
        rows.toSorted((one, other) => (one.user.email < other.user.email ? -1 : 1)),
        ({ userId, user }) => answerOf(userId, user),
        (_shown, isCut) => ({ isCut }),
      );
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: `${PATH}/:id`,
    id: 'getManagedUser',
    summary: 'Read a user of the account',
    request: z.object({ params }),
    answer: ManagedUser,
    async handle({ params: { id } }, { caller: { accountId } }) {
      const read = await queries.readUser(id);
      return read === undefined || read.user.accountId !== accountId ? notFound() : found(answerOf(id, read.user));
    },
  }),
  route({
    ...common,
    method: 'POST',
    path: PATH,
    id: 'inviteManagedUser',
    example: { body: { email: 'grace@example.org', role: 'auditor' } },
    summary: 'Invite a user, or enable a disabled one again; only this response contains the one-time link',
    request: z.object({ body: Invitation }),
    answer: InvitedUser,
    errors: ['Conflict'],
    handle: async ({ body }, { caller }) =>
      shaped(await users.inviteUser({ accountId: caller.accountId, ...body }, caller), ({ id, doc, token }) => ({
        user: answerOf(id, doc),
        link: `${publicUrl()}/dashboard/#/welcome/${token}`,
      })),
  }),
  route({
    ...common,
    method: 'POST',
    path: `${PATH}/:id/role`,
    id: 'setRoleOfManagedUser',
    example: { body: { role: 'support' } },
    summary: 'Change the role of a user who is not an owner, effective immediately',
    request: z.object({ params, body: NewRole }),
    answer: ManagedUser,
    errors: ['Conflict'],
    handle: async ({ params: { id }, body: { role } }, { caller }) =>
      shaped(await users.changeRole(caller.accountId, id, role, caller), ({ doc }) => answerOf(id, doc)),
  }),
  route({
    ...common,
    method: 'POST',
    path: `${PATH}/:id/disable`,
    id: 'disableManagedUser',
    summary: 'Disable a user who is not an owner, and end every session immediately',
    request: z.object({ params }),
    answer: ManagedUser,
    errors: ['Conflict'],
    handle: async ({ params: { id } }, { caller }) =>
      shaped(await users.disableUser(caller.accountId, id, caller), ({ doc }) => answerOf(id, doc)),
  }),
];
