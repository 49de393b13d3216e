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
    for (const { at, ...line } of lines) {
      await write(`${before}\n  ${JSON.stringify({ ...line, at: formatTime(at) })}`);
      before = ',';
    }
  }
  await write(before === ',' ? '\n]}\n' : '{"data": []}\n');
}

async function printTable(pages: AsyncIterable<readonly LedgerLine[]>): Promise<void> {
  const { columns } = process.stdout; // none where it is no terminal
  await write(ledgerRow(HEADINGS, columns));
  for await (const lines of pages) await write(lines.map((line) => ledgerRow(cellsOf(line), columns)).join(''));
}

interface Cells {
  readonly at: string;
  readonly operation: string;
  readonly outcome: string;
  readonly amount: string;
  readonly transaction: string;
  readonly reference: string;
}
const HEADINGS: Cells = {
  at: 'AT',
  operation: 'OPERATION',
  outcome: 'OUTCOME',
  amount: 'AMOUNT',
  transaction: 'TRANSACTION',
  reference: 'REFERENCE',
};
const cellsOf = ({ at, operation, outcome, amount, currencyCode, processorTransactionId = '', reference }: LedgerLine): Cells => ({
  at: formatTime(at),
  operation,
  outcome,
  amount: `${amount} ${currencyCode}`,
  transaction: processorTransactionId,
  reference,
});

/** As wide as a row gets with a reference of ours, in characters. */
const WHOLE_ROW = 172;

/**
 * Fixed widths: nobody knows what the last page holds when the first is printed. The reference has any length, so it comes last, and on a
 * terminal (of so many `columns`) without room for it below; never in a pipe, where rows are searched.
 */
export function ledgerRow({ at, operation, outcome, amount, transaction, reference }: Cells, columns = WHOLE_ROW): string {
  const row = `${at.padEnd(24)}  ${operation.padEnd(13)}  ${outcome.padEnd(9)}  ${amount.padStart(14)}  `;
  return columns < WHOLE_ROW ? `${row}${transaction}\n  ${reference}\n` : `${row}${transaction.padEnd(33)}  ${reference}\n`;
}
