// counterfoil audit conservation: whether a payment has more captured than authorized, or refunded than captured.
import type { Command } from 'commander';
import type { Conservation } from '../../audit/conservation.ts';
import { inCurrency } from '../../domain/in-currency.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { EXIT } from '../exit.ts';
import { heldInWords } from '../held-in-words.ts';
import { print, tell } from '../output.ts';
import { table } from '../table.ts';

/** Lines on stderr; --json has more of them. */
const SHOWN = 20;

export function auditConservation(parent: Command): void {
  declare(parent, {
    usage: 'conservation',
    summary: 'Fold every payment from the log: authorized ≥ captured ≥ refunded, by currency; exits 1 if it is not so',
    examples: ['audit conservation'],
    rules: [
      'Reads the log alone. Money that came too late and whose refund was refused, or that no rule explains (DIFFERS), is held: it is in no sum.',
      'Exits 1 for a payment that is not authorized ≥ captured ≥ refunded, or that cannot be read to its end.',
    ],
    json: '{conserved, position, currencies: [{currencyCode, payments, authorized, captured, refunded, overRefundAccepted}], held: [{currencyCode, payments, amount}], violations: [{stream, currencyCode, authorized, captured, refunded}], violated, unreadable, unread}, at most 1,000 names',
    settings: STORE_SETTINGS,
    appends: false,
  }).action(run);
}

async function run(options: CommonOptions): Promise<void> {
  const { withReadableLog } = await import('../open/with-stores.ts');
  const { conservationOf } = await import('../../audit/conservation.ts');
  const { openProgress, totalBy } = await import('../progress.ts');
  const { interruptible } = await import('../interrupt.ts');
  await withReadableLog(options, async (events, world) => {
    const progress = await openProgress('Adding up', 'payments', world);
    const to = await events.head();
    const onProgress = (payments: number, position: bigint): void =>
      progress.update(payments, totalBy(payments, Number(position) / Math.max(1, Number(to))));
    const found = await interruptible('Stopping.', (signal) =>
      conservationOf(events, { to, onProgress }, signal),
    ).finally(() => progress.stop());
    print({ json: { conserved: isConserved(found), position: String(to), ...found }, text: inWords(found) }, options);
    for (const { stream, currencyCode, authorized, captured, refunded } of found.violations.slice(0, SHOWN)) {
      const [a, c, r] = [authorized, captured, refunded].map((amount) => inCurrency(amount, currencyCode));
      tell(`${stream}: ${a} authorized, ${c} captured, ${r} refunded.`);
    }
    for (const stream of found.unreadable.slice(0, SHOWN)) tell(`${stream} cannot be read to its end.`);
    const more = found.violated + found.unread - 2 * SHOWN;
    if (more > 0) tell('There are more: --json lists a thousand.');
    if (!isConserved(found)) process.exitCode = EXIT.refused;
  });
}

const isConserved = ({ violated, unread }: Conservation): boolean => violated === 0 && unread === 0;

function inWords(found: Conservation): string {
  const { currencies, held, violated, unread } = found;
  const rows = currencies.map(({ currencyCode, payments, authorized, captured, refunded, overRefundAccepted }) => [
    String(payments),
    ...[authorized, captured, refunded, overRefundAccepted].map((amount) => inCurrency(amount, currencyCode)),
  ]);
  const sheet = table(['payments', 'authorized', 'captured', 'refunded', 'accepted beyond'], rows);
  const verdict = [
    ...(violated === 0 ? [] : [`${violated === 1 ? '1 payment is' : `${violated} payments are`} not conserved.`]),
    ...(unread === 0 ? [] : [`${unread === 1 ? '1 payment' : `${unread} payments`} cannot be read.`]),
  ];
  return [
    rows.length === 0 ? 'No payments.' : sheet,
    ...(held.length === 0 ? [] : [held.map(({ currencyCode, ...of }) => heldInWords(currencyCode, of)).join('\n')]),
    verdict.length === 0 ? 'Conserved: authorized ≥ captured ≥ refunded, for each payment.' : verdict.join('\n'),
  ].join('\n\n');
}
