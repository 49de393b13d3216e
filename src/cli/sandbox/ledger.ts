// counterfoil sandbox ledger: the sandbox's effects, from its own books, printed page by page.
import type { Command } from 'commander';
import { inCurrency } from '../../domain/in-currency.ts';
import type { LedgerLine, Sandbox } from '../../processors/sandbox/sandbox-interface.ts';
import { formatTime } from '../../world.ts';
import { type CommonOptions, declare } from '../command.ts';
import { write, writeJson } from '../output.ts';
import { none, table, toSecond } from '../table.ts';
import { SANDBOX_SETTINGS, withSandbox } from './with-sandbox.ts';

interface SandboxLedgerOptions extends CommonOptions {
  readonly account?: string;
}

const PAGE = 1_000;

export function sandboxLedger(parent: Command): void {
  declare(parent, {
    usage: 'ledger',
    summary: "The sandbox's own books: every effect and every refusal, oldest first",
    examples: ['sandbox ledger', 'sandbox ledger --json'],
    settings: SANDBOX_SETTINGS,
  })
    .option('--account <id>', 'only lines of this account')
    .action(ledger);
}

async function ledger(options: SandboxLedgerOptions): Promise<void> {
  await withSandbox(options, async (sandbox, { service }) => {
    const { mustBeAccount } = await import('../which-account.ts');
    const account = options.account === undefined ? undefined : await mustBeAccount(service, options.account);
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
