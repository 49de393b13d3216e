// counterfoil keys set-scopes and revoke: change an API key, which takes effect with the next request.
import type { Command } from 'commander';
import type { Answer } from '../../commands/caller.ts';
import type { Scope } from '../../domain/api-key/scopes.ts';
import type { ApiKey } from '../../domain/api-key/state.ts';
import type { Service } from '../../service.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { print } from '../output.ts';
import { parseScopes } from './scopes-option.ts';
import type { KeyView } from './view.ts';

interface ScopesOptions extends CommonOptions {
  readonly scopes: readonly Scope[];
}

export function keysSetScopes(parent: Command): void {
  declare(parent, {
    usage: 'set-scopes <id>',
    summary: "Replace an API key's scopes, effective immediately",
    examples: ['keys set-scopes key_0123 --scopes transactions:retrieve,transactions:refund'],
    settings: STORE_SETTINGS,
  })
    .requiredOption('--scopes <a,b|all>', 'its new scopes', parseScopes)
    .action((id: string, options: ScopesOptions) =>
      changeKey(
        id,
        options,
        (service, whole) => service.access.setApiKeyScopes(whole, options.scopes),
        ({ id: whole, scopes }) => `${whole} now has the scopes ${scopes.join(', ')}`,
      ),
    );
}

export function keysRevoke(parent: Command): void {
  declare(parent, {
    usage: 'revoke <id>',
    summary: 'Revoke an API key permanently, effective immediately',
    examples: ['keys revoke key_0123'],
    settings: STORE_SETTINGS,
  }).action((id: string, options: CommonOptions) =>
    changeKey(
      id,
      options,
      (service, whole) => service.access.revokeApiKey(whole),
      (key) => `${key.id} is revoked.`,
    ),
  );
}

/**
 * Waits until the change takes effect in every process, and prints the key. Throws Refused for a key that does not
 * exist, or that can no longer be changed.
 */
async function changeKey(
  named: string,
  options: CommonOptions,
  change: (service: Service, id: string) => Promise<Answer<ApiKey>>,
  text: (key: KeyView) => string,
): Promise<void> {
  const { withService } = await import('../open/with-stores.ts');
  const { unlessRefused, untilEffective } = await import('../effect.ts');
  const { apiKeys } = await import('../../projections/models/api-keys.ts');
  const { keyView } = await import('./view.ts');
  const { wholeId } = await import('../whole-id.ts');
  await withService(options, async ({ service, world }) => {
    const id = await wholeId(service.readModels, named);
    const changed = unlessRefused(await change(service, id));
    await untilEffective(service, apiKeys, changed);
    if (changed.doc.status === 'absent') throw new TypeError('a key that was just changed is absent');
    const key = keyView(id, changed.doc, world.now());
    print({ json: key, text: text(key) }, options);
  });
}
