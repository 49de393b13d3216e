// The work of counterfoil sandbox faults, ledger, network and diff: the rules by which the sandbox goes wrong, and its
// own books, printed and compared with our read models.
import type { RecordAct } from '../../commands/acts/record-act.ts';
import { inCurrency } from '../../domain/money.ts';
import type { ActingUser } from '../../journal/contexts.ts';
import { isUsedUp, NO_COUNTS } from '../../processors/sandbox/fault-choice.ts';
import type { FaultReport } from '../../processors/sandbox/fault-plan.ts';
import type { FaultsSet, LedgerLine, Sandbox } from '../../processors/sandbox/sandbox-interface.ts';
import { payments } from '../../projections/models/payments.ts';
import { type Comparison, compareLedger } from '../../queries/ledger/compare-ledger.ts';
import { unreadablePayments } from '../../queries/ledger/compare-own.ts';
import { type Difference, inWords } from '../../queries/ledger/payment-ledger.ts';
import { formatTime } from '../../world.ts';
import { heldInWords } from '../audit/sums.ts';
import type { CommonOptions, GivenValues, OpenedSandbox } from '../command.ts';
import { WrongUsage } from '../exit.ts';
import { readJsonFile } from '../files.ts';
import { bookOfConnection, mustBeAccount, whichAccount } from '../named.ts';
import { withSandbox } from '../open/with-stores.ts';
import { type CommandResult, jsonLine, write, writeJson } from '../output.ts';
import { openProgress, type Progress } from '../progress.ts';
import type { sandboxBooks as rows } from '../rows/sandbox.ts';
import { none, table, toSecond } from '../table.ts';
import { seenByNetworks } from './network-view.ts';
import { seenResult } from './seen-by-networks.ts';

const NO_RULES = { seed: 0, rules: [] };

export async function faults(given: GivenValues<typeof rows.faults>): Promise<CommandResult> {
  const { file, show, connection } = given;
  const plan = file === undefined ? NO_RULES : await readJsonFile(file);
  return withSandbox(given, async (opened) => {
    const { sandbox, service } = opened;
    const of =
      connection === undefined
        ? { accountId: await whichAccount(opened, given) }
        : await bookOfConnection(opened, connection);
    if (show === true) return faultsResult(await sandbox.faults(bookOf(of)));
    const answer = await setFaultsOnRecord(sandbox, service.recordAct)(of, plan);
    if (answer.kind === 'set') return faultsResult(answer.report);
    throw new WrongUsage(
      [`${file} was rejected. The rules are unchanged:`, ...answer.problems.map((one) => `  ${one}`)].join('\n'),
    );
  });
}

function faultsResult(report: FaultReport): CommandResult {
  const { seed, rules = [], counts = [] } = report;
  if (rules.length === 0) return { json: report, text: `${none('rules')} Only the test cards cause faults.` };
  const rows = rules.map(({ match, do: what }, place) => {
    const count = counts[place] ?? NO_COUNTS;
    const state = isUsedUp({ match, do: what }, count) ? 'used up' : 'on';
    return [String(place), state, `${count.applied} of ${count.matched}`, jsonLine(match), jsonLine(what)];
  });
  return { json: report, text: `${table(['rule', 'state', 'applied', 'match', 'do'], rows)}\nseed ${seed}` };
}

const PAGE = 1_000;

/** Printed page by page. */
export async function ledger(
  { account, connection, json }: GivenValues<typeof rows.ledger>,
  opened: OpenedSandbox,
): Promise<undefined> {
  const { sandbox, service } = opened;
  const book =
    connection !== undefined
      ? (await bookOfConnection(opened, connection)).book
      : account && (await mustBeAccount(service, account));
  await (json === true ? printJson(pagesOf(sandbox, book)) : printTable(pagesOf(sandbox, book)));
}

/** `book` undefined: all books. */
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

export async function network(
  { account }: GivenValues<typeof rows.network>,
  { sandbox, service }: OpenedSandbox,
): Promise<CommandResult> {
  const accountId = account === undefined ? undefined : await mustBeAccount(service, account);
  return seenResult(await seenByNetworks({ sandbox, readModels: service.readModels }, accountId));
}

/** The most differences that are printed; beyond that, only their number. */
const SHOWN = 1_000;

export async function diff({ json }: CommonOptions, opened: OpenedSandbox): Promise<CommandResult> {
  const shown: Difference[] = [];
  const comparison = await compared(opened, (found) => void (shown.length < SHOWN && shown.push(found)));
  if (json !== true) await write(shown.map((one) => `${inWords(one)}\n`).join(''));
  return {
    json: { ...asJson(comparison), differences: shown },
    text: summary(comparison),
    isRefused: comparison.differences > 0,
  };
}

async function compared(
  { sandbox, service, world, clock, events }: OpenedSandbox,
  found: (difference: Difference) => void,
): Promise<Comparison> {
  const { readModels, streams, projections } = service;
  const count = await readModels.count(payments);
  const ofPayments = await openProgress('Comparing', 'payments', world);
  let ofLines: Promise<Progress> | undefined;
  try {
    return await compareLedger({
      ledger: sandbox,
      readModels,
      world,
      async current(paymentId) {
        await clock?.look({ events }); // else an attempt may be pending by this clock and settled by the service's
        return streams.payments.current(paymentId);
      },
      unreadable: () => unreadablePayments(projections),
      found,
      onProgress(done) {
        if (done.lines === 0) return ofPayments.update(done.payments, Math.max(count, done.payments));
        ofPayments.stop();
        ofLines ??= openProgress('Comparing', 'lines', world);
        const { lines, attempts } = done;
        void ofLines.then((progress) => progress.update(lines, Math.max(attempts, lines)));
      },
    });
  } finally {
    ofPayments.stop();
    (await ofLines)?.stop();
  }
}

function asJson({ differences, payments, lines, open, totals, held }: Comparison): object {
  const byCurrency = <Sums extends object>(sums: ReadonlyMap<string, Sums>): readonly object[] =>
    [...sums].map(([currencyCode, of]) => ({ currencyCode, ...of }));
  return {
    equal: differences === 0,
    payments,
    lines,
    open,
    totals: byCurrency(totals),
    held: byCurrency(held),
    differenceCount: differences,
  };
}

function summary({ differences, payments, lines, open, totals, held }: Comparison): string {
  const what = `${counted(lines, 'line')} of the ledger, ${counted(payments, 'payment')}`;
  const verdict = differences === 0 ? `Equal: ${what}.` : `${counted(differences, 'difference')}: ${what}.`;
  const more = differences > SHOWN ? ` The first ${SHOWN} are shown.` : '';
  const undecided = open === 0 ? '' : `\n${counted(open, 'attempt')} still unresolved, and not compared.`;
  const sums = [...totals].map(
    ([currencyCode, { authorized, captured, refunded }]) =>
      `\nauthorized ${inCurrency(authorized, currencyCode)}, captured ${inCurrency(captured, currencyCode)}, refunded ${inCurrency(refunded, currencyCode)}`,
  );
  const left = [...held].map(([currencyCode, of]) => `\n${heldInWords(currencyCode, of)}`);
  return `${verdict}${more}${undecided}${sums.join('')}${left.join('')}`;
}

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

/** `connectionId`: of a further sandbox of the account; without it, the first one. */
interface FaultsOf {
  readonly accountId: string;
  readonly connectionId?: string | undefined;
}

/** The name of the book at the sandbox. */
export const bookOf = ({ accountId, connectionId }: FaultsOf): string => connectionId ?? accountId;

/** A plan that the sandbox does not take leaves no event. */
export const setFaultsOnRecord =
  (sandbox: Pick<Sandbox, 'faultPlan' | 'setFaults'>, recordAct: RecordAct) =>
  async (of: FaultsOf, sent: unknown, by?: ActingUser): Promise<FaultsSet> => {
    const plan = sandbox.faultPlan.safeParse(sent);
    if (plan.success) {
      const { seed, rules } = plan.data;
      const at = of.connectionId === undefined ? {} : { connectionId: of.connectionId };
      await recordAct(of.accountId, { type: 'SandboxFaultsRequested', data: { seed, rules: [...rules], ...at } }, by);
    }
    return sandbox.setFaults(bookOf(of), sent);
  };
