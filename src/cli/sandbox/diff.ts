// counterfoil sandbox diff: the sandbox's ledger against our read models; any difference is printed, and exits 1.
import type { Command } from 'commander';
import { inCurrency } from '../../domain/in-currency.ts';
import type { Sandbox } from '../../processors/sandbox/sandbox-interface.ts';
import type { Comparison } from '../../queries/ledger/compare-ledger.ts';
import type { Difference } from '../../queries/ledger/payment-ledger.ts';
import { type CommonOptions, declare } from '../command.ts';
import { EXIT } from '../exit.ts';
import { heldInWords } from '../held-in-words.ts';
import type { Opened } from '../open/open.ts';
import { print, write } from '../output.ts';
import type { Progress } from '../progress.ts';
import { SANDBOX_SETTINGS, withSandbox } from './with-sandbox.ts';

/** The most differences that are printed; beyond that, only their number. */
const SHOWN = 1_000;

export function sandboxDiff(parent: Command): void {
  declare(parent, {
    usage: 'diff',
    summary:
      "Compare the sandbox's ledger with the read models, attempt by attempt and in the sums; exits 1 if they differ",
    examples: ['sandbox diff', 'sandbox diff --json'],
    rules: [
      'Exits 1 on any difference. Held money, as in `audit conservation`, is none; a payment whose stream cannot be read is one.',
    ],
    json: 'the difference of such a payment is {paymentId, unreadable}',
    settings: SANDBOX_SETTINGS,
  }).action(diff);
}

async function diff(options: CommonOptions): Promise<void> {
  await withSandbox(options, async (sandbox, opened) => {
    const shown: Difference[] = [];
    const comparison = await compared(
      sandbox,
      opened,
      (difference) => void (shown.length < SHOWN && shown.push(difference)),
    );
    const { inWords } = await import('../../queries/ledger/payment-ledger.ts');
    if (options.json !== true) await write(shown.map((one) => `${inWords(one)}\n`).join(''));
    print({ json: { ...asJson(comparison), differences: shown }, text: summary(comparison) }, options);
    if (comparison.differences > 0) process.exitCode = EXIT.refused;
  });
}

async function compared(
  sandbox: Sandbox,
  { service, world, clock, events }: Opened,
  found: (difference: Difference) => void,
): Promise<Comparison> {
  const { compareLedger } = await import('../../queries/ledger/compare-ledger.ts');
  const { openProgress } = await import('../progress.ts');
  const { payments } = await import('../../projections/models/payments.ts');
  const { unreadablePayments } = await import('../../queries/ledger/unreadable-payments.ts');
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
