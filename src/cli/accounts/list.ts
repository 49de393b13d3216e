// counterfoil accounts list
import type { Command } from 'commander';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { print } from '../output.ts';
import { listing, toSecond } from '../table.ts';

export function accountsList(parent: Command): void {
  declare(parent, { usage: 'list', summary: 'The accounts', examples: ['accounts list'], settings: STORE_SETTINGS }).action(
    async (options: CommonOptions) => {
      const { withService } = await import('../open/with-stores.ts');
      const { allOf } = await import('../../queries/pages.ts');
      const { accounts } = await import('../../projections/models/accounts.ts');
      const { accountView } = await import('./make-account.ts');
      await withService(options, async ({ service }) => {
        const data = [];
        for await (const { id, doc } of allOf(service.readModels, accounts, { where: {} })) data.push(accountView(id, doc));
        const rows = data.map(({ id, name, createdAt }) => [id, name, createdAt === null ? '' : toSecond(createdAt)]);
        print({ json: { data }, text: listing('accounts', ['id', 'name', 'created'], rows) }, options);
      });
    },
  );
}
