// The sandbox's whole ledger, of all accounts or in one book, in the order of the requests.
import type { LedgerLine, Sandbox } from '../../src/processors/sandbox/sandbox-interface.ts';

const PAGE = 1_000;

export async function wholeLedger(sandbox: Pick<Sandbox, 'ledgerOf'>, book?: string): Promise<readonly LedgerLine[]> {
  const lines: LedgerLine[] = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: Awaited<ReturnType<Sandbox['ledgerOf']>> = await sandbox.ledgerOf(book, PAGE, after);
    lines.push(...page.lines);
    after = page.next;
  }
  return lines;
}
