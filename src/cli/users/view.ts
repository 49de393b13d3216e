// A user of the dashboard as the command line prints it, and a user's one-time link.
import { ROLES, type Role } from '../../domain/user/roles.ts';
import type { ExistingUser } from '../../domain/user/state.ts';
import { formatTime } from '../../world.ts';
import type { CommonOptions } from '../command.ts';
import { configOf, STORE_SETTINGS } from '../command.ts';
import { urlOfDashboard, welcomeLink } from '../dashboard-link.ts';
import { WrongUsage } from '../exit.ts';
import { print, tell } from '../output.ts';
import { knowingService } from '../running-address.ts';

/** Besides the stores: where the dashboard is, for the link. */
export const LINK_SETTINGS = [...STORE_SETTINGS, 'publicUrl', 'host', 'port'] as const;

export interface PrintedUser {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly state: ExistingUser['status'];
  readonly accountId: string;
  readonly twoFactor: boolean;
  readonly invitedAt: string;
  readonly signedInAt: string | null;
}

export const printedUser = (id: string, user: ExistingUser): PrintedUser => ({
  id,
  email: user.email,
  role: user.role,
  state: user.status,
  accountId: user.accountId,
  twoFactor: user.twoFactor !== undefined,
  invitedAt: formatTime(user.invitedAt),
  signedInAt: user.signedInAt === undefined ? null : formatTime(user.signedInAt),
});

/** Throws WrongUsage. */
export function roleNamed(text: string): Role {
  const role = ROLES.find((one) => one === text);
  if (role === undefined) throw new WrongUsage(`--role is ${JSON.stringify(text)}: allowed is ${ROLES.join(', ')}.`);
  return role;
}

/**
 * Prints the link of a user who was created, or whose access was reset, a moment ago: to the service that runs,
 * otherwise to the address of the settings, and says so.
 */
export async function printLink(
  id: string,
  { email, role }: ExistingUser,
  token: string,
  options: CommonOptions,
): Promise<void> {
  const config = configOf(options);
  const known = await knowingService(config, options);
  const link = welcomeLink(urlOfDashboard(known), token);
  print({ json: { id, email, role, link }, text: link }, options);
  if (options.json === true) return;
  tell(`${id}: the link works once, expires in 24 hours, and cannot be shown again.`);
  if (known.publicUrl === undefined && options.port === undefined)
    tell(`No service runs on ${config.dataDir}, so the link has the address of the settings.`);
}
