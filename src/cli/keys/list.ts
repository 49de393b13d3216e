// counterfoil keys list
import type { Command } from 'commander';
import { SCOPES } from '../../domain/api-key/scopes.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { print } from '../output.ts';
import { table } from '../table.ts';
import type { KeyView } from './view.ts';

interface Options extends CommonOptions {
  readonly account?: string;
}

export function keysList(parent: Command): void {
  declare(parent, { usage: 'list', summary: 'The API keys, without their secrets', examples: ['keys list'], settings: STORE_SETTINGS })
    .option('--account <id>', 'only those of this account')
    .action(async (options: Options) => {
      const { withService } = await import('../open/with-stores.ts');
      await withService(options, async ({ service, world }) => {
        const { allOf } = await import('../../queries/pages.ts');
        const { apiKeys } = await import('../../projections/api-keys.ts');
        const { keyView } = await import('./view.ts');
        const where = options.account === undefined ? {} : { accountId: [options.account] };
        const data: KeyView[] = [];
        for await (const { id, doc } of allOf(service.readModels, apiKeys, { where })) {
          if (doc.status !== 'absent') data.push(keyView(id, doc, world.now()));
        }
        print({ json: { data }, text: asTable(data) }, options);
      });
    });
}

const asTable = (keys: readonly KeyView[]): string =>
  table(
    ['id', 'name', 'state', 'account', 'expires', 'scopes'],
    keys.map(({ id, name, state, accountId, expiresAt, scopes }) => [
      id,
      name,
      state,
      accountId,
      expiresAt ?? 'never',
      scopes.length === SCOPES.length ? 'all' : scopes.join(','),
    ]),
  );
