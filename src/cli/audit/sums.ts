// The work of counterfoil books and audit conservation: what payments come to, by day and by currency.
import { type Conservation, conservationOf } from '../../audit/conservation.ts';
import { inCurrency, plus } from '../../domain/money.ts';
import type { Held } from '../../domain/payment/derived-status.ts';
import type { Hole } from '../../projections/engine/log/documents-at.ts';
import type { DailyTotals } from '../../projections/models/daily-totals.ts';
import type { Counted, Measure } from '../../projections/models/payment-facts.ts';
import { payments } from '../../projections/models/payments.ts';
import { type Books, type BooksDifference, type DailyBooks, dailyBooks } from '../../queries/books/daily-books.ts';
import type { CommonOptions, GivenValues } from '../command.ts';
import { interruptible } from '../exit.ts';
import { mustBeAccount } from '../named.ts';
import type { Opened } from '../open/open.ts';
import { withReadableLog } from '../open/with-stores.ts';
import type { CommandResult } from '../output.ts';
import { openProgress, totalBy } from '../progress.ts';
import type { books as rows } from '../rows/audit.ts';
import { listing, paragraph, table } from '../table.ts';

/** Money at a processor that is in no total and that only an operator closes. */
const HELD = 'held, open for an operator';

export const heldInWords = (currencyCode: string, { payments: count, amount }: Held): string =>
  `${HELD}: ${inCurrency(amount, currencyCode)} of ${count === 1 ? '1 payment' : `${count} payments`}`;

/** Whether a payment has more captured than authorized, or refunded than captured. */
export async function conservation(given: CommonOptions): Promise<CommandResult> {
  return withReadableLog(given, async (events, world) => {
    const progress = await openProgress('Adding up', 'payments', world);
    const to = await events.head();
    const onProgress = (count: number, position: bigint): void =>
      progress.update(count, totalBy(count, Number(position) / Math.max(1, Number(to))));
    const found = await interruptible('Stopping.', (signal) =>
      conservationOf(events, { to, onProgress }, signal),
    ).finally(() => progress.stop());
    return {
      json: { conserved: isConserved(found), position: String(to), ...found },
      text: conservationInWords(found),
      warnings: faultsOf(found),
      isRefused: !isConserved(found),
    };
  });
}

/** Lines on stderr; --json has more of them. */
const SHOWN = 20;

function faultsOf({ violations, unreadable, violated, unread }: Conservation): readonly string[] {
  const lines = violations.slice(0, SHOWN).map(({ stream, currencyCode, authorized, captured, refunded }) => {
    const [a, c, r] = [authorized, captured, refunded].map((amount) => inCurrency(amount, currencyCode));
    return `${stream}: ${a} authorized, ${c} captured, ${r} refunded.`;
  });
  const more = violated + unread - 2 * SHOWN;
  return [
    ...lines,
    ...unreadable.slice(0, SHOWN).map((stream) => `${stream} cannot be read to its end.`),
    ...(more > 0 ? ['There are more: --json lists a thousand.'] : []),
  ];
}

const isConserved = ({ violated, unread }: Conservation): boolean => violated === 0 && unread === 0;

function conservationInWords(found: Conservation): string {
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

/** The totals of each day, compared with the payments as they are now. */
export async function books(given: GivenValues<typeof rows.books>, opened: Opened): Promise<CommandResult> {
  const { account, from = '', to = '9999-12-31' } = given;
  const accountId = account === undefined ? undefined : await mustBeAccount(opened.service, account);
  const found = await booksOf(opened, accountId);
  const days = found.days.filter(({ day }) => day >= from && day <= to);
  const isRefused = found.differences.length > 0 || found.holes.length > 0;
  return { json: asJson(found, days), text: asText(found, days), isRefused };
}

async function booksOf({ service, events, world }: Opened, accountId: string | undefined): Promise<DailyBooks> {
  const { readModels, projections } = service;
  const count = await readModels.count(payments);
  const progress = await openProgress('Adding up', 'payments', world);
  try {
    const onProgress = (read: number): void => progress.update(read, Math.max(read, count));
    const parts = {
      events,
      readModels,
      positions: () => projections.positions(),
      parked: (name: string) => projections.parked(name, { withReleased: true }),
      accountId,
      onProgress,
    };
    return await dailyBooks(parts, new AbortController().signal);
  } finally {
    progress.stop();
  }
}

function asJson(
  { books: all, differences, payments, position, holes, released }: DailyBooks,
  days: readonly DailyTotals[],
): object {
  return {
    equal: differences.length === 0 && holes.length === 0,
    payments,
    position: String(position),
    holes,
    released,
    days,
    books: all,
    differences,
  };
}

const RELEASED = 'an operator released the stream, and its payments are counted up to that revision.';
const HOLE = 'the daily totals cannot read the event at that revision (`counterfoil projections parked daily-totals`).';

function asText({ books: all, differences, holes, released }: DailyBooks, days: readonly DailyTotals[]): string {
  const parts = all.map(({ accountId }) => accountId).filter((id, place, ids) => ids.indexOf(id) === place);
  const sheets = parts.map((accountId) => {
    const its = all.filter((one) => one.accountId === accountId);
    const of = days.filter((one) => one.accountId === accountId);
    return [`Account ${accountId}`, dayTable(of), sumTable(its)].join('\n\n');
  });
  const without = ({ stream, revision }: Hole, why: string): string =>
    paragraph(`Without ${stream} from revision ${revision} on: ${why}`);
  const note = [...holes.map((one) => without(one, HOLE)), ...released.map((one) => without(one, RELEASED))];
  const count = differences.length;
  const verdict =
    count === 0
      ? [holes.length === 0 ? 'Equal.' : 'Equal otherwise.']
      : [...differences.map((one) => paragraph(inWords(one))), count === 1 ? '1 difference.' : `${count} differences.`];
  return [...(sheets.length === 0 ? ['No facts of payments.'] : sheets), [...note, ...verdict].join('\n')].join('\n\n');
}

const FACTS: readonly (readonly [measure: Measure, words: string])[] = [
  ['authorized', 'authorized'],
  ['captured', 'captured'],
  ['captureReturned', 'captures returned'],
  ['refunded', 'refunded'],
  ['refundReturned', 'refunds returned'],
  ['cancelled', 'cancelled'],
  ['disputed', 'disputed'],
  ['disputeLost', 'lost to disputes'],
  ['disputeRegained', 'regained from disputes'],
  ['declined', 'declined'],
];

/** A line for each fact of a day, over connections and networks; declines by code. */
function dayTable(days: readonly DailyTotals[]): string {
  const lines = new Map<
    string,
    { readonly cells: readonly [day: string, fact: string]; readonly currencyCode: string; sum: Counted }
  >();
  for (const of of days)
    for (const [measure, words] of FACTS) {
      const { count, amount } = of[measure];
      if (count === 0 && amount === 0) continue;
      const fact = of.declineCode === undefined ? words : `${words}, ${of.declineCode}`;
      const key = [of.day, of.currencyCode, fact].join('\n');
      const line = lines.get(key) ?? {
        cells: [of.day, fact] as const,
        currencyCode: of.currencyCode,
        sum: { count: 0, amount: 0 },
      };
      line.sum = { count: line.sum.count + count, amount: plus(line.sum.amount, amount) };
      lines.set(key, line);
    }
  const rows = [...lines.values()].map(({ cells, currencyCode, sum }) => [
    ...cells,
    String(sum.count),
    inCurrency(sum.amount, currencyCode),
  ]);
  return listing('facts on these days', ['day', 'fact', 'count', 'amount'], rows);
}

const SUMS = ['authorized', 'captured', 'refunded', 'disputed', 'disputeLost', 'declined'] as const;
const factWords = (measure: Measure): string => FACTS.find(([name]) => name === measure)?.[1] ?? measure;

/** The two sides of the comparison, and the attempts that are not settled. */
const sumTable = (all: readonly Books[]): string =>
  table(
    ['all days', 'in the days', 'in the payments', 'open'],
    all.flatMap((of) => [
      ...SUMS.filter(
        (measure) => of.days[measure].count > 0 || of.now[measure] !== 0 || of.open[measure].count > 0,
      ).map((measure) => [
        factWords(measure),
        inCurrency(of.net[measure], of.currencyCode),
        inCurrency(of.now[measure], of.currencyCode),
        countedIn(of.open[measure], of.currencyCode),
      ]),
      ...(of.held.count === 0 ? [] : [[HELD, '', '', countedIn(of.held, of.currencyCode)]]),
    ]),
  );

const countedIn = ({ count, amount }: Counted, currencyCode: string): string =>
  count === 0 ? '' : `${count} of ${inCurrency(amount, currencyCode)}`;

const inWords = ({ accountId, currencyCode, measure, days, now }: BooksDifference): string =>
  `${accountId}, ${factWords(measure)}: the days come to ${inCurrency(days, currencyCode)}, the payments to ${inCurrency(now, currencyCode)}.`;
