// counterfoil keys revoke: the key is refused from the very next request on.
import type { Command } from 'commander';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { changeKey } from './change.ts';

export function keysRevoke(parent: Command): void {
  declare(parent, {
    usage: 'revoke <id>',
    summary: 'End an API key for good; holds for the very next request',
    examples: ['keys revoke key_0123'],
    settings: STORE_SETTINGS,
  }).action((id: string, options: CommonOptions) =>
    changeKey(
      id,
      options,
      (service) => service.access.revokeApiKey(id),
      () => `${id} is revoked.`,
    ),
  );
}
