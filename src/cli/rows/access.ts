// counterfoil accounts, keys, secrets and users
import { ROLES, type Role } from '../../domain/user/roles.ts';
import { ACCOUNT, command, flag, needed, STORE_SETTINGS, value, valueOr } from '../command.ts';
import { WrongUsage } from '../exit.ts';
import { parseDuration, parseScopes } from '../values.ts';

/** `none`: no page at all. */
const parseOrigins = (text: string): readonly string[] =>
  text === 'none' ? [] : text.split(',').map((origin) => origin.trim());

export const accounts = {
  create: command({
    usage: 'create',
    summary: 'Create an account',
    examples: ['accounts create --name "Corner shop"'],
    rules: [
      'Users of an account with --operator, and of the first account of a store, may change what concerns the whole store: its clock, and rebuilds.',
    ],
    options: {
      name: needed('<name>', 'its name, 1 to 255 characters'),
      operator: flag(
        'allow its users to change settings of the whole store, such as its clock; the first account always may',
      ),
    },
    opens: 'service',
  }),
  list: command({
    usage: 'list',
    summary: 'The accounts',
    examples: ['accounts list'],
    opens: 'service',
  }),
  rename: command({
    usage: 'rename <id> <name>',
    summary: "Rename an account: its users and its customers' banks show the new name, 1 to 255 characters",
    examples: ['accounts rename acc_0123 "Corner shop"'],
    opens: 'service',
  }),
  setOrigins: command({
    usage: 'set-origins',
    summary:
      "Set the origins whose pages may frame an account's checkout in live mode, effective from the next page load",
    examples: ['accounts set-origins --origins https://shop.example,https://www.shop.example'],
    rules: [
      'Names all origins whose pages may frame the checkout in live mode: https, or http on the own machine, without a path.',
    ],
    options: {
      origins: needed('<a,b|none>', 'the complete list, which replaces the previous one', parseOrigins),
      account: ACCOUNT,
    },
    opens: 'service',
  }),
};

export const keys = {
  create: command(
    {
      usage: 'create',
      summary: 'Create an API key and print it once',
      examples: [
        'keys create --name backend --scopes all',
        'keys create --name reports --scopes transactions:retrieve --expires 90d',
        'keys create --name terraform --management --grants client_tokens:write,transactions:authorize',
      ],
      json: '{id, key, name, scopes, accountId, expiresAt}; of a management key also grants',
      options: {
        name: needed('<name>', 'its purpose, 1 to 255 characters'),
        scopes: value('<a,b|all>', 'its scopes; required without --management', parseScopes),
        management: flag('create a management key, which calls /management and no other route'),
        grants: value(
          '<a,b|all>',
          'the scopes that a management key may give to other keys; none by default',
          parseScopes,
        ),
        expires: value('<duration>', 'its lifetime, such as 90d; without it the key does not expire', parseDuration),
        account: ACCOUNT,
      },
      opens: 'service',
    },
    ({ name, scopes, management = false, grants }) => {
      if (name === '' || [...name].length > 255) throw new WrongUsage('--name needs 1 to 255 characters.');
      if (management && scopes !== undefined)
        throw new WrongUsage('A management key has no --scopes. Name its --grants.');
      if (!management && grants !== undefined)
        throw new WrongUsage('--grants is for management keys: add --management.');
      if (!management && scopes === undefined) throw new WrongUsage('--scopes is missing.');
    },
  ),
  list: command({
    usage: 'list',
    summary: 'The API keys, without their secrets',
    examples: ['keys list'],
    options: { account: value('<id>', 'only keys of this account') },
    opens: 'service',
  }),
  setScopes: command({
    usage: 'set-scopes <id>',
    summary: "Replace an API key's scopes, effective immediately",
    examples: ['keys set-scopes key_0123 --scopes transactions:retrieve,transactions:refund'],
    options: { scopes: needed('<a,b|all>', 'its new scopes', parseScopes) },
    opens: 'service',
  }),
  revoke: command({
    usage: 'revoke <id>',
    summary: 'Revoke an API key permanently, effective immediately',
    examples: ['keys revoke key_0123'],
    opens: 'service',
  }),
  rotate: command({
    usage: 'rotate <id>',
    summary: 'Give an API key a new secret and print it once',
    examples: ['keys rotate key_0123 --overlap 1h'],
    options: {
      overlap: valueOr('<duration>', 'how long the old secret stays valid', parseDuration, 86_400_000, '24h'),
    },
    opens: 'service',
  }),
};

export const secrets = {
  rotate: command({
    usage: 'rotate',
    summary: 'Put a new master secret in front of the old ones, which still verify',
    examples: ['secrets rotate'],
    rules: [
      'The new secret signs from the next start on; the old ones still verify. With secret.key the file is replaced in one step and read back, and the store key is wrapped by the new secret (StoreKeyRewrapped). With COUNTERFOIL_SECRET it prints the new list and changes nothing.',
    ],
    json: '{file, older}, or {secret, file: null}',
  }),
  rewrap: command({
    usage: 'rewrap',
    summary: 'Encrypt the keys of personal data under the newest master secret, and say what still needs an older one',
    examples: ['secrets rewrap'],
    rules: [
      'Encrypts the keys of personal data under the newest secret, beside running services that have it. Each key is read back and compared; the next run finishes an interrupted one.',
      'When all are bound, the store refuses a key that is not, from the next start of each process on; every node must have this version by then. Exits 1 if keys open with none of the secrets.',
    ],
    json: '{keys, rewrapped, unopened, older, rotatedAt, apiKeys, incomingWebhooks, recoveryCodes, endsAt}',
  }),
};

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
