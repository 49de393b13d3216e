// counterfoil users add: prints a link with which the user sets a password.
import type { Command } from 'commander';
import { type CommonOptions, declare } from '../command.ts';
import { WrongUsage } from '../exit.ts';
import { ACCOUNT_FLAG, type AccountOption } from '../which-account.ts';
import { LINK_SETTINGS, printLink, roleNamed } from './view.ts';

interface UsersAddOptions extends CommonOptions, AccountOption {
  readonly email: string;
  readonly role: string;
}

const EMAIL = /^[^\s@]+@[^\s@]+$/;
const LONGEST_EMAIL = 254;

export function usersAdd(parent: Command): void {
  declare(parent, {
    usage: 'add',
    summary: 'Add a user of the dashboard, or enable a disabled user again, and print a one-time link',
    examples: ['users add --email ada@example.org --role owner'],
    json: '{id, email, role, link}; the link works once, for a day',
    settings: LINK_SETTINGS,
  })
    .requiredOption('--email <address>', 'the e-mail address for signing in')
    .requiredOption('--role <role>', 'owner, developer, support or auditor')
    .option(...ACCOUNT_FLAG)
    .action(add);
}

async function add(options: UsersAddOptions): Promise<void> {
  const role = roleNamed(options.role);
  const email = options.email.trim();
  if (!EMAIL.test(email) || email.length > LONGEST_EMAIL)
    throw new WrongUsage(`--email is ${JSON.stringify(email)}: allowed is an e-mail address.`);
  const { withService } = await import('../open/with-stores.ts');
  const { whichAccount } = await import('../which-account.ts');
  const { unlessRefused } = await import('../effect.ts');
  await withService(options, async (opened) => {
    const accountId = await whichAccount(opened, options);
    const { id, doc, token } = unlessRefused(
      await opened.service.users.inviteUser({ accountId, email, role }, 'operator'),
    );
    await printLink(id, doc, token, options);
  });
}
