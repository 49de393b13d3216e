// The work of counterfoil users: each is named by id or e-mail, and signs in by a one-time link.
import type { Role } from '../../domain/user/roles.ts';
import type { ExistingUser } from '../../domain/user/state.ts';
import { users } from '../../projections/models/users.ts';
import { allOf } from '../../queries/pages.ts';
import type { Service } from '../../service.ts';
import { formatTime } from '../../world.ts';
import { knowingService, urlOfDashboard, welcomeLink } from '../addresses.ts';
import type { CommonOptions, GivenValues } from '../command.ts';
import { unlessRefused } from '../effect.ts';
import { Refused, WrongUsage } from '../exit.ts';
import { whichAccount, wholeId } from '../named.ts';
import type { Opened } from '../open/open.ts';
import type { CommandResult } from '../output.ts';
import type { users as rows } from '../rows/access.ts';
import { listing, toMinute } from '../table.ts';

interface UserView {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly state: ExistingUser['status'];
  readonly accountId: string;
  readonly twoFactor: boolean;
  readonly invitedAt: string;
  readonly signedInAt: string | null;
}

const userView = (id: string, user: ExistingUser): UserView => ({
  id,
  email: user.email,
  role: user.role,
  state: user.status,
  accountId: user.accountId,
  twoFactor: user.twoFactor !== undefined,
  invitedAt: formatTime(user.invitedAt),
  signedInAt: user.signedInAt === undefined ? null : formatTime(user.signedInAt),
});

export async function add(given: GivenValues<typeof rows.add>, opened: Opened): Promise<CommandResult> {
  const accountId = await whichAccount(opened, given);
  const { email, role } = given;
  const { id, doc, token } = unlessRefused(
    await opened.service.users.inviteUser({ accountId, email, role }, 'operator'),
  );
  return linkOf(id, doc, token, given, opened);
}

export async function list({ account }: GivenValues<typeof rows.list>, { service }: Opened): Promise<CommandResult> {
  const where = account === undefined ? {} : { accountId: [await wholeId(service.readModels, account)] };
  const data: UserView[] = [];
  for await (const { id, doc } of allOf(service.readModels, users, { where }))
    if (doc.status !== 'absent') data.push(userView(id, doc));
  const lines = data.map(({ id, email, role, state, twoFactor, signedInAt, accountId }) => [
    id,
    email,
    role,
    state,
    twoFactor ? 'on' : 'off',
    signedInAt === null ? 'never' : toMinute(signedInAt),
    accountId,
  ]);
  const spares = ['two-factor', 'last sign-in', 'account'].map((spare) => ({ spare }));
  return { json: { data }, text: listing('users', ['id', 'e-mail', 'role', 'state', ...spares], lines) };
}

export async function disable(given: GivenValues<typeof rows.disable>, { service }: Opened): Promise<CommandResult> {
  const { userId, accountId } = await userNamed(service, given);
  const { doc } = unlessRefused(await service.users.disableUser(accountId, userId, 'operator'));
  return { json: userView(userId, doc), text: `${doc.email} is disabled.` };
}

export async function reset(given: GivenValues<typeof rows.reset>, opened: Opened): Promise<CommandResult> {
  const { service } = opened;
  const { userId, accountId } = await userNamed(service, given);
  const { doc, token } = unlessRefused(await service.users.resetUser(accountId, userId, 'operator'));
  return linkOf(userId, doc, token, given, opened);
}

/**
 * The link of a user who was created, or whose access was reset, a moment ago: to the service that runs, otherwise to
 * the address of the settings, which a note says then.
 */
async function linkOf(
  id: string,
  { email, role }: ExistingUser,
  token: string,
  given: CommonOptions,
  { config }: Opened,
): Promise<CommandResult> {
  const known = await knowingService(config, given);
  const link = welcomeLink(urlOfDashboard(known), token);
  const isOfSettings = known.publicUrl === undefined && given.port === undefined;
  return {
    json: { id, email, role, link },
    text: link,
    notes: [
      `${id}: the link works once, expires in 24 hours, and cannot be shown again.`,
      ...(isOfSettings ? [`No service runs on ${config.dataDir}, so the link has the address of the settings.`] : []),
    ],
  };
}

interface NamedUser {
  readonly userId: string;
  readonly accountId: string;
}

/** Throws Refused for a user that does not exist, WrongUsage for an e-mail of several accounts without `account`. */
async function userNamed(
  { users: known, queries, readModels }: Pick<Service, 'users' | 'queries' | 'readModels'>,
  given: GivenValues<typeof rows.disable>,
): Promise<NamedUser> {
  const named = await wholeId(readModels, given.id);
  const account = given.account === undefined ? undefined : await wholeId(readModels, given.account);
  const found = named.includes('@') ? await byEmail(known, named, account) : await byId(queries, named, account);
  const [only, another] = found;
  if (only === undefined)
    throw new Refused(
      `There is no user ${named}${account === undefined ? '' : ` in the account ${account}`}.`,
      'NotFound',
    );
  if (another === undefined) return only;
  const accounts = found.map(({ accountId }) => accountId).join(', ');
  throw new WrongUsage(
    `Users of several accounts have the e-mail address ${named}. Name an account with --account (${accounts}).`,
  );
}

const byEmail = async (
  users: Service['users'],
  email: string,
  account: string | undefined,
): Promise<readonly NamedUser[]> =>
  (await users.usersOfEmail(email, account)).map(({ userId, user: { accountId } }) => ({ userId, accountId }));

async function byId(
  queries: Service['queries'],
  userId: string,
  account: string | undefined,
): Promise<readonly NamedUser[]> {
  const read = await queries.readUser(userId);
  return read === undefined || (account !== undefined && account !== read.user.accountId)
    ? []
    : [{ userId, accountId: read.user.accountId }];
}
