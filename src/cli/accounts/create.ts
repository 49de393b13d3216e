// counterfoil accounts create: an account, and in test mode the key that the sandbox notifies it with.
import type { Command } from 'commander';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { print } from '../output.ts';

interface Options extends CommonOptions {
  readonly name: string;
  readonly operator?: boolean;
}

export function accountsCreate(parent: Command): void {
  declare(parent, {
    usage: 'create',
    summary: 'Make an account',
    examples: ['accounts create --name "Corner shop"'],
    settings: STORE_SETTINGS,
  })
    .requiredOption('--name <name>', 'its name, 1 to 255 characters')
    .option('--operator', 'its users may change what concerns the whole store, such as its clock; the first account may in any case')
    .action(async (options: Options) => {
      const { withService } = await import('../open/with-stores.ts');
      const { makeAccount } = await import('./make-account.ts');
      await withService(options, async (opened) => {
        const account = await makeAccount(opened, options.name, options.operator === true);
        print({ json: account, text: `${account.id}  ${account.name}` }, options);
      });
    });
}
