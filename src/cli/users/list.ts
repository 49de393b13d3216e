// counterfoil users list
import type { Command } from 'commander';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { print } from '../output.ts';
import { listing, toMinute } from '../table.ts';
import type { PrintedUser } from './view.ts';

interface UsersListOptions extends CommonOptions {
  readonly account?: string;
}

export function usersList(parent: Command): void {
  declare(parent, {
    usage: 'list',
    summary: 'The users of the dashboard',
    examples: ['users list'],
    settings: STORE_SETTINGS,
  })
    .option('--account <id>', 'only users of this account')
    .action(async (options: UsersListOptions) => {
      const { withService } = await import('../open/with-stores.ts');
      const { allOf } = await import('../../queries/pages.ts');
      const { users } = await import('../../projections/models/users.ts');
      const { printedUser } = await import('./view.ts');
      await withService(options, async ({ service }) => {
        const { wholeId } = await import('../whole-id.ts');
        const { account } = options;
        const where = account === undefined ? {} : { accountId: [await wholeId(service.readModels, account)] };
        const data: PrintedUser[] = [];
        for await (const { id, doc } of allOf(service.readModels, users, { where })) {
          if (doc.status !== 'absent') data.push(printedUser(id, doc));
        }
        print({ json: { data }, text: asTable(data) }, options);
      });
    });
}

const asTable = (users: readonly PrintedUser[]): string =>
  listing(
    'users',
    ['id', 'e-mail', 'role', 'state', { spare: 'two-factor' }, { spare: 'last sign-in' }, { spare: 'account' }],
    users.map(({ id, email, role, state, twoFactor, signedInAt, accountId }) => [
      id,
      email,
      role,
      state,
      twoFactor ? 'on' : 'off',
      signedInAt === null ? 'never' : toMinute(signedInAt),
      accountId,
    ]),
  );
