// counterfoil keys list
import type { Command } from 'commander';
import { SCOPES } from '../../domain/api-key/scopes.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { print } from '../output.ts';
import { listing, toMinute } from '../table.ts';
import type { KeyView } from './view.ts';

interface KeysListOptions extends CommonOptions {
  readonly account?: string;
}

export function keysList(parent: Command): void {
  declare(parent, {
    usage: 'list',
    summary: 'The API keys, without their secrets',
    examples: ['keys list'],
    settings: STORE_SETTINGS,
  })
    .option('--account <id>', 'only keys of this account')
    .action(async (options: KeysListOptions) => {
      const { withService } = await import('../open/with-stores.ts');
      await withService(options, async ({ service, world }) => {
        const { allOf } = await import('../../queries/pages.ts');
        const { apiKeys } = await import('../../projections/models/api-keys.ts');
        const { keyView } = await import('./view.ts');
        const { wholeId } = await import('../whole-id.ts');
        const { account } = options;
        const where = account === undefined ? {} : { accountId: [await wholeId(service.readModels, account)] };
        const { lastUses } = await import('../../projections/models/api-key-uses.ts');
        const { formatTime } = await import('../../world.ts');
        const keys: KeyView[] = [];
        for await (const { id, doc } of allOf(service.readModels, apiKeys, { where })) {
          if (doc.status !== 'absent') keys.push(keyView(id, doc, world.now()));
        }
        const uses = await lastUses(
          service.readModels,
          keys.map(({ id }) => id),
        );
        const data = keys.map((key) => {
          const usedAt = uses.get(key.id);
          return { ...key, lastUsedAt: usedAt === undefined ? null : formatTime(usedAt) };
        });
        print({ json: { data }, text: asTable(data) }, options);
      });
    });
}

const named = (scopes: readonly string[]): string =>
  scopes.length === SCOPES.length ? 'all' : scopes.join(', ') || 'none';

interface ListedKey extends KeyView {
  /** To the minute. */
  readonly lastUsedAt: string | null;
}

const asTable = (keys: readonly ListedKey[]): string =>
  listing(
    'API keys',
    ['id', 'name', 'state', { spare: 'last used' }, { spare: 'expires' }, { spare: 'account' }, 'scopes'],
    keys.map(({ id, name, state, lastUsedAt, accountId, expiresAt, scopes, grants }) => [
      id,
      name,
      state,
      lastUsedAt === null ? 'never' : toMinute(lastUsedAt),
      expiresAt === null ? 'never' : toMinute(expiresAt),
      accountId,
      grants === undefined ? named(scopes) : `management, grants ${named(grants)}`,
    ]),
  );
