// counterfoil sandbox ledger: what the sandbox did, from its own books, printed page by page.
import type { Command } from 'commander';
import type { LedgerLine, Sandbox } from '../../processors/sandbox/sandbox-interface.ts';
import { formatTime } from '../../world.ts';
import { type CommonOptions, declare } from '../command.ts';
import { write } from '../output.ts';
import { SANDBOX_SETTINGS, withSandbox } from './with-sandbox.ts';

interface Options extends CommonOptions {
  readonly account?: string;
}

const PAGE = 1_000;

export function sandboxLedger(parent: Command): void {
  declare(parent, {
    usage: 'ledger',
    summary: "The sandbox's own books: everything that was done or refused, oldest first",
    examples: ['sandbox ledger', 'sandbox ledger --json'],
    settings: SANDBOX_SETTINGS,
  })
    .option('--account <id>', 'only what this account asked for')
    .action(ledger);
}

async function ledger(options: Options): Promise<void> {
  await withSandbox(options, async (sandbox, { service }) => {
    const { mustBeAccount } = await import('../which-account.ts');
    const { account } = options;
    if (account !== undefined) await mustBeAccount(service, account);
    await (options.json === true ? printJson(pagesOf(sandbox, account)) : printTable(pagesOf(sandbox, account)));
  });
}

async function* pagesOf(sandbox: Sandbox, account: string | undefined): AsyncIterable<readonly LedgerLine[]> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const { lines, next } = await sandbox.ledgerOf(account, PAGE, after);
    yield lines;
    after = next;
  }
}

/** One document, written while it is read. */
async function printJson(pages: AsyncIterable<readonly LedgerLine[]>): Promise<void> {
  let before = '{"data": [';
  for await (const lines of pages) {
    for (const { reference, operation, amount, currencyCode, outcome, at } of lines) {
      await write(`${before}\n  ${JSON.stringify({ reference, operation, amount, currencyCode, outcome, at: formatTime(at) })}`);
      before = ',';
    }
  }
  await write(before === ',' ? '\n]}\n' : '{"data": []}\n');
}

/** Fixed widths: nobody knows what the last page holds when the first is printed. The reference comes last, it has any length. */
const columns = (at: string, operation: string, outcome: string, amount: string, reference: string): string =>
  `${at.padEnd(24)}  ${operation.padEnd(13)}  ${outcome.padEnd(9)}  ${amount.padStart(14)}  ${reference}\n`;

async function printTable(pages: AsyncIterable<readonly LedgerLine[]>): Promise<void> {
  await write(columns('AT', 'OPERATION', 'OUTCOME', 'AMOUNT', 'REFERENCE'));
  for await (const lines of pages) {
    const rows = lines.map(({ at, operation, outcome, amount, currencyCode, reference }) =>
      columns(formatTime(at), operation, outcome, `${amount} ${currencyCode}`, reference),
    );
    await write(rows.join(''));
  }
}
