// counterfoil sandbox reset: an empty sandbox, of one account or of all.
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { type CommonOptions, declare } from '../command.ts';
import { Refused, WrongUsage } from '../exit.ts';
import { Interrupted } from '../interrupt.ts';
import { print, tell } from '../output.ts';
import { BOOK_FLAG, type BookOption } from './which-book.ts';
import { SANDBOX_SETTINGS, withSandbox } from './with-sandbox.ts';

interface SandboxResetOptions extends CommonOptions, BookOption {
  readonly account?: string;
  readonly yes?: boolean;
}

export function sandboxReset(parent: Command): void {
  declare(parent, {
    usage: 'reset',
    summary:
      'Empty the sandbox: its ledger, waiting notifications and fault rules; payments stay, and differ from the ledger afterwards',
    examples: ['sandbox reset', 'sandbox reset --account acc_0123 --yes'],
    settings: SANDBOX_SETTINGS,
  })
    .option('--account <id>', 'only for this account, at its first sandbox; without it for all accounts')
    .option(...BOOK_FLAG)
    .option('--yes', 'do not ask for confirmation')
    .action(reset);
}

async function reset(options: SandboxResetOptions): Promise<void> {
  const { account: named, connection, yes = false } = options;
  if (named !== undefined && connection !== undefined)
    throw new WrongUsage('Name --account or --connection: a connection has one account.');
  await withSandbox(options, async (sandbox, opened) => {
    const { service } = opened;
    const { mustBeAccount } = await import('../which-account.ts');
    const { bookOfConnection } = await import('./which-book.ts');
    const further = connection === undefined ? undefined : await bookOfConnection(opened, connection);
    const account = named === undefined ? further?.accountId : await mustBeAccount(service, named);
    const book = further?.book ?? account;
    const whose = further === undefined ? (account ?? 'all accounts') : `the connection ${connection}`;
    tell(
      `The sandbox forgets what it did for ${whose}: its ledger is emptied, waiting notifications are never sent, and fault rules are removed. ` +
        'Cards, keys and payments stay. The empty ledger does not know those payments, and declines their captures and refunds.',
    );
    if (!yes) await confirm();
    await service.recordAct(account ?? '', {
      type: 'SandboxResetRequested',
      data: {
        allAccounts: account === undefined,
        ...(further !== undefined && { connectionId: further.connectionId }),
      },
    });
    await sandbox.reset(book);
    print({ json: { reset: true, accountId: account ?? null }, text: `The sandbox of ${whose} is empty.` }, options);
  });
}

/** Throws Refused unless the answer at the terminal is yes. */
async function confirm(): Promise<void> {
  if (process.stdin.isTTY !== true) throw new Refused('Nothing was done: confirm with --yes.');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new AbortController(); // by Ctrl-C or Ctrl-D, which leave a question without an answer
  terminal.once('SIGINT', () => ended.abort(new Interrupted('SIGINT')));
  terminal.once('close', () => ended.abort(new Refused('Nothing was done.')));
  try {
    const answer = await terminal
      .question('Empty it? [y/N] ', { signal: ended.signal })
      .catch(() => ended.signal.throwIfAborted());
    if (!/^y(es)?$/i.test(answer?.trim() ?? '')) throw new Refused('Nothing was done.');
  } finally {
    terminal.close();
  }
}
