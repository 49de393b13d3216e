// counterfoil users
import { ROLES, type Role } from '../../domain/user/roles.ts';
import { ACCOUNT, command, needed, STORE_SETTINGS, value } from '../command.ts';
import { WrongUsage } from '../exit.ts';

/** Besides the stores: where the dashboard is, for the link. */
const LINK_SETTINGS = [...STORE_SETTINGS, 'publicUrl', 'host', 'port'] as const;
const ACCOUNT_OF_USER = value(
  '<id>',
  "the user's account; needed if users of several accounts have this e-mail address",
);

const LONGEST_EMAIL = 254;

function parseEmail(text: string): string {
  const email = text.trim();
  if (/^[^\s@]+@[^\s@]+$/.test(email) && email.length <= LONGEST_EMAIL) return email;
  throw new WrongUsage(`--email is ${JSON.stringify(email)}: allowed is an e-mail address.`);
}

function parseRole(text: string): Role {
  const role = ROLES.find((one) => one === text);
  if (role === undefined) throw new WrongUsage(`--role is ${JSON.stringify(text)}: allowed is ${ROLES.join(', ')}.`);
  return role;
}

export const users = {
  add: command({
    usage: 'add',
    summary: 'Add a user of the dashboard, or enable a disabled user again, and print a one-time link',
    examples: ['users add --email ada@example.org --role owner'],
    json: '{id, email, role, link}; the link works once, for a day',
    settings: LINK_SETTINGS,
    options: {
      email: needed('<address>', 'the e-mail address for signing in', parseEmail),
      role: needed('<role>', 'owner, developer, support or auditor', parseRole),
      account: ACCOUNT,
    },
    opens: 'service',
  }),
  list: command({
    usage: 'list',
    summary: 'The users of the dashboard',
    examples: ['users list'],
    options: { account: value('<id>', 'only users of this account') },
    opens: 'service',
  }),
  disable: command({
    usage: 'disable <id>',
    summary: 'Disable a user, effective immediately (`users add` enables the user again)',
    examples: ['users disable usr_0123', 'users disable ada@example.org'],
    rules: [
      'Sessions end at once. An e-mail of users in several accounts needs --account; without it the command names the accounts and exits 2.',
    ],
    options: { account: ACCOUNT_OF_USER },
    opens: 'service',
  }),
  reset: command({
    usage: 'reset <id>',
    summary: "Remove a user's password and second factor, end all sessions, and print a one-time link",
    examples: ['users reset usr_0123', 'users reset ada@example.org'],
    rules: ['Ends password, two-factor and sessions, and prints a link as `users add` does.'],
    settings: LINK_SETTINGS,
    options: { account: ACCOUNT_OF_USER },
    opens: 'service',
  }),
};
