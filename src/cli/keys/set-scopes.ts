// counterfoil keys set-scopes: holds for the very next request.
import type { Command } from 'commander';
import type { Scope } from '../../domain/api-key/scopes.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { changeKey } from './change.ts';
import { parseScopes } from './scopes-option.ts';

interface Options extends CommonOptions {
  readonly scopes: readonly Scope[];
}

export function keysSetScopes(parent: Command): void {
  declare(parent, {
    usage: 'set-scopes <id>',
    summary: "Replace an API key's scopes; holds for the very next request",
    examples: ['keys set-scopes key_0123 --scopes transactions:retrieve,transactions:refund'],
    settings: STORE_SETTINGS,
  })
    .requiredOption('--scopes <a,b|all>', 'its scopes from now on', parseScopes)
    .action((id: string, options: Options) =>
      changeKey(
        id,
        options,
        (service) => service.access.setApiKeyScopes(id, options.scopes),
        ({ scopes }) => `${id} may now: ${scopes.join(', ')}`,
      ),
    );
}
