// counterfoil sandbox ledger: the sandbox's effects, from its own books, printed page by page.
import type { Command } from 'commander';
import { inCurrency } from '../../domain/in-currency.ts';
import type { LedgerLine, Sandbox } from '../../processors/sandbox/sandbox-interface.ts';
import { formatTime } from '../../world.ts';
import { type CommonOptions, declare } from '../command.ts';
import { WrongUsage } from '../exit.ts';
import type { Opened } from '../open/open.ts';
import { write, writeJson } from '../output.ts';
import { none, table, toSecond } from '../table.ts';
import { BOOK_FLAG, type BookOption } from './which-book.ts';
import { SANDBOX_SETTINGS, withSandbox } from './with-sandbox.ts';

interface SandboxLedgerOptions extends CommonOptions, BookOption {
  readonly account?: string;
}

const PAGE = 1_000;

export function sandboxLedger(parent: Command): void {
  declare(parent, {
    usage: 'ledger',
    summary: "The sandbox's own books: every effect and every refusal, oldest first",
    examples: ['sandbox ledger', 'sandbox ledger --json', 'sandbox ledger --connection second'],
    settings: SANDBOX_SETTINGS,
  })
    .option('--account <id>', 'only lines of this account at the first sandbox')
    .option(...BOOK_FLAG)
    .action(ledger);
}

async function ledger(options: SandboxLedgerOptions): Promise<void> {
  if (options.account !== undefined && options.connection !== undefined)
    throw new WrongUsage('Name --account or --connection: a connection has one account.');
  await withSandbox(options, async (sandbox, opened) => {
    const book = await bookIn(opened, options);
    await (options.json === true ? printJson(pagesOf(sandbox, book)) : printTable(pagesOf(sandbox, book)));
  });
}

/** Undefined: all books. */
async function bookIn(opened: Opened, { account, connection }: SandboxLedgerOptions): Promise<string | undefined> {
  if (connection !== undefined) {
    const { bookOfConnection } = await import('./which-book.ts');
    return (await bookOfConnection(opened, connection)).book;
  }
  const { mustBeAccount } = await import('../which-account.ts');
  return account === undefined ? undefined : mustBeAccount(opened.service, account);
}

async function* pagesOf(sandbox: Sandbox, book: string | undefined): AsyncIterable<readonly LedgerLine[]> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const { lines, next } = await sandbox.ledgerOf(book, PAGE, after);
    yield lines;
    after = next;
  }
}

/** One document, written while it is read. */
async function printJson(pages: AsyncIterable<readonly LedgerLine[]>): Promise<void> {
  let before = '{"data": [';
  for await (const lines of pages) {
    for (const { at, ...line } of lines) {
      await writeJson(`${before}\n  ${JSON.stringify({ ...line, at: formatTime(at) })}`);
      before = ',';
    }
  }
  await writeJson(before === ',' ? '\n]}\n' : '{"data": []}\n');
}

/** Each page is a table of its own: the width of the last page is unknown when the first is printed. */
async function printTable(pages: AsyncIterable<readonly LedgerLine[]>): Promise<void> {
  let isEmpty = true;
  for await (const lines of pages) {
    if (lines.length === 0) continue;
    await write(`${ledgerTable(lines)}\n`);
    isEmpty = false;
  }
  if (isEmpty) await write(`${none('lines in the ledger')}\n`);
}

/** `room`: columns of the terminal. */
export const ledgerTable = (lines: readonly LedgerLine[], room?: number): string =>
  table(
    ['at', 'operation', 'outcome', 'amount', 'transaction', 'payment', 'reference'],
    lines.map(({ at, operation, outcome, amount, currencyCode, processorTransactionId = '', paymentId, reference }) => [
      toSecond(formatTime(at)),
      operation,
      outcome,
      inCurrency(amount, currencyCode),
      processorTransactionId,
      paymentId,
      reference,
    ]),
    room,
  );
