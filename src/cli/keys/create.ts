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
  readonly scopes: readonly Scope[];
  readonly expires?: number;
}

export function keysCreate(parent: Command): void {
  declare(parent, {
    usage: 'create',
    summary: 'Create an API key and print it once',
    examples: [
      'keys create --name backend --scopes all',
      'keys create --name reports --scopes transactions:retrieve --expires 90d',
    ],
    settings: STORE_SETTINGS,
  })
    .requiredOption('--name <name>', 'its purpose, 1 to 255 characters')
    .requiredOption('--scopes <a,b|all>', 'its scopes', parseScopes)
    .option('--expires <duration>', 'its lifetime, such as 90d; without it the key does not expire', parseDuration)
    .option(...ACCOUNT_FLAG)
    .action(create);
}

async function create(options: KeysCreateOptions): Promise<void> {
  const { name, scopes, expires } = options;
  if (name === '' || [...name].length > 255) throw new WrongUsage('--name needs 1 to 255 characters.');
  const { withService } = await import('../open/with-stores.ts');
  const { whichAccount } = await import('../which-account.ts');
  const { unlessRefused, untilEffective } = await import('../effect.ts');
  const { apiKeys } = await import('../../projections/models/api-keys.ts');
  const { madeView } = await import('./view.ts');
  await withService(options, async (opened) => {
    const { service } = opened;
    const accountId = await whichAccount(opened, options);
    const request = { accountId, name, scopes, ...(expires !== undefined && { expiresInMs: expires }) };
    const made = unlessRefused(await service.access.createApiKey(request));
    await untilEffective(service, apiKeys, made);
    if (made.doc.status === 'absent') throw new TypeError('a key that was just made is absent');
    print({ json: madeView(made.id, made.key, made.doc), text: made.key }, options);
    if (options.json !== true) tell(`${made.id}: store the key now. It cannot be shown again.`);
  });
}
