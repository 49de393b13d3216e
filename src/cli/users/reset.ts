// counterfoil users reset: password, second factor and sign-in sessions end at once, and a link takes their place.
import type { Command } from 'commander';
import { type CommonOptions, declare } from '../command.ts';
import type { AccountOption } from '../which-account.ts';
import { USER_ACCOUNT_FLAG, userNamed } from './named.ts';
import { LINK_SETTINGS, printLink } from './view.ts';

export function usersReset(parent: Command): void {
  declare(parent, {
    usage: 'reset <id>',
    summary: "End a user's password, second factor and sessions, and print a one-time link",
    examples: ['users reset usr_0123', 'users reset ada@example.org'],
    settings: LINK_SETTINGS,
  })
    .option(...USER_ACCOUNT_FLAG)
    .action(async (id: string, options: CommonOptions & AccountOption) => {
      const { withService } = await import('../open/with-stores.ts');
      const { unlessRefused } = await import('../effect.ts');
      await withService(options, async ({ service }) => {
        const { userId, accountId } = await userNamed(service, id, options);
        const { doc, token } = unlessRefused(await service.users.resetUser(accountId, userId, 'operator'));
        printLink(userId, doc, token, options);
      });
    });
}
