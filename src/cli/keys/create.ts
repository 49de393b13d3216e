// counterfoil keys create: prints the key, once.
import type { Command } from 'commander';
import type { Scope } from '../../domain/api-key/scopes.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { parseDuration } from '../duration.ts';
import { WrongUsage } from '../exit.ts';
import { print, tell } from '../output.ts';
import { ACCOUNT_FLAG, type AccountOption } from '../which-account.ts';
import { parseScopes } from './scopes-option.ts';

interface KeysCreateOptions extends CommonOptions, AccountOption {
  readonly name: string;
  readonly scopes?: readonly Scope[];
  readonly management?: boolean;
  readonly grants?: readonly Scope[];
  readonly expires?: number;
}

export function keysCreate(parent: Command): void {
  declare(parent, {
    usage: 'create',
    summary: 'Create an API key and print it once',
    examples: [
      'keys create --name backend --scopes all',
      'keys create --name reports --scopes transactions:retrieve --expires 90d',
      'keys create --name terraform --management --grants client_tokens:write,transactions:authorize',
    ],
    json: '{id, key, name, scopes, accountId, expiresAt}; of a management key also grants',
    settings: STORE_SETTINGS,
  })
    .requiredOption('--name <name>', 'its purpose, 1 to 255 characters')
    .option('--scopes <a,b|all>', 'its scopes; required without --management', parseScopes)
    .option('--management', 'create a management key, which calls /management and no other route')
    .option(
      '--grants <a,b|all>',
      'the scopes that a management key may give to other keys; none by default',
      parseScopes,
    )
    .option('--expires <duration>', 'its lifetime, such as 90d; without it the key does not expire', parseDuration)
    .option(...ACCOUNT_FLAG)
    .action(create);
}

async function create(options: KeysCreateOptions): Promise<void> {
  const { name, scopes, management = false, grants, expires } = options;
  if (name === '' || [...name].length > 255) throw new WrongUsage('--name needs 1 to 255 characters.');
  if (management && scopes !== undefined) throw new WrongUsage('A management key has no --scopes. Name its --grants.');
  if (!management && grants !== undefined) throw new WrongUsage('--grants is for management keys: add --management.');
  if (!management && scopes === undefined) throw new WrongUsage('--scopes is missing.');
  const { withService } = await import('../open/with-stores.ts');
  const { whichAccount } = await import('../which-account.ts');
  const { unlessRefused, untilEffective } = await import('../effect.ts');
  const { apiKeys } = await import('../../projections/models/api-keys.ts');
  const { madeView } = await import('./view.ts');
  await withService(options, async (opened) => {
    const { service } = opened;
    const accountId = await whichAccount(opened, options);
    const { access } = service;
    const request = { accountId, name, ...(expires !== undefined && { expiresInMs: expires }) };
    const made = unlessRefused(
      await (management
        ? access.createManagementKey({ ...request, grants: grants ?? [] })
        : access.createApiKey({ ...request, scopes: scopes ?? [] })),
    );
    await untilEffective(service, apiKeys, made);
    if (made.doc.status === 'absent') throw new TypeError('a key that was just made is absent');
    print({ json: madeView(made.id, made.key, made.doc), text: made.key }, options);
    if (options.json !== true) tell(`${made.id}: store the key now. It cannot be shown again.`);
  });
}
