// counterfoil keys
import { ACCOUNT, command, flag, needed, value, valueOr } from '../command.ts';
import { WrongUsage } from '../exit.ts';
import { parseDuration, parseScopes } from '../values.ts';

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
