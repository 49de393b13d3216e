// counterfoil users disable: every session of the user ends with the very next request.
import type { Command } from 'commander';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { print } from '../output.ts';
import type { AccountOption } from '../which-account.ts';
import { USER_ACCOUNT_FLAG, userNamed } from './named.ts';
import { printedUser } from './view.ts';

export function usersDisable(parent: Command): void {
  declare(parent, {
    usage: 'disable <id>',
    summary: 'Keep a user out; holds for the very next request (`users add` lets the user in again)',
    examples: ['users disable usr_0123', 'users disable ada@example.org'],
    settings: STORE_SETTINGS,
  })
    .option(...USER_ACCOUNT_FLAG)
    .action(async (id: string, options: CommonOptions & AccountOption) => {
      const { withService } = await import('../open/with-stores.ts');
      const { unlessRefused } = await import('../effect.ts');
      await withService(options, async ({ service }) => {
        const { userId, accountId } = await userNamed(service, id, options);
        const { doc } = unlessRefused(await service.users.disableUser(accountId, userId, 'operator'));
        print({ json: printedUser(userId, doc), text: `${doc.email} is disabled.` }, options);
      });
    });
}
