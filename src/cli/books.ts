// counterfoil books: the totals of each day, compared with the payments as they are now; exits 1 where they differ.
import type { Command } from 'commander';
import { inCurrency } from '../domain/in-currency.ts';
import { plus } from '../domain/money.ts';
import type { Hole } from '../projections/engine/log/documents-at.ts';
import type { DailyTotals } from '../projections/models/daily-totals.ts';
import type { Counted, Measure } from '../projections/models/payment-facts.ts';
import type { Books, BooksDifference, DailyBooks } from '../queries/books/daily-books.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from './command.ts';
import { EXIT, WrongUsage } from './exit.ts';
import { HELD } from './held-in-words.ts';
import type { Opened } from './open/open.ts';
import { print } from './output.ts';
import { listing, paragraph, table } from './table.ts';

interface BooksOptions extends CommonOptions {
  readonly account?: string;
  readonly from?: string;
  readonly to?: string;
}

export function books(parent: Command): void {
  declare(parent, {
    usage: 'books',
    summary:
      'Totals of each day (UTC), compared with the current payments, and all open attempts; exits 1 if totals and payments differ or events are missing',
    examples: ['books', 'books --from 2026-11-01 --to 2026-11-30 --json'],
    rules: [
      'A stream that cannot be read is named under holes, and a released one under released. books[].held is money held for an operator, as in `audit conservation`.',
    ],
    settings: STORE_SETTINGS,
  })
    .option('--account <id>', 'only this account; without it every account')
    .option('--from <day>', 'the first day to show; the comparison always covers all days')
    .option('--to <day>', 'the last day to show')
    .action(show);
}

async function show(options: BooksOptions): Promise<void> {
  const { parseTime } = await import('../world.ts');
  for (const name of ['from', 'to'] as const) {
    const day = options[name];
    const isDay = day === undefined || (/^\d{4}-\d\d-\d\d$/.test(day) && parseTime(`${day}T00:00:00Z`) !== undefined);
    if (!isDay) throw new WrongUsage(`--${name} is ${JSON.stringify(day)}: allowed is a day such as 2026-11-22.`);
  }
  const { withService } = await import('./open/with-stores.ts');
  const { mustBeAccount } = await import('./which-account.ts');
  await withService(options, async (opened) => {
    const { account } = options;
    const accountId = account === undefined ? undefined : await mustBeAccount(opened.service, account);
    const found = await booksOf(opened, accountId);
    const days = found.days.filter(({ day }) => day >= (options.from ?? '') && day <= (options.to ?? '9999-12-31'));
    print({ json: asJson(found, days), text: asText(found, days) }, options);
    if (found.differences.length > 0 || found.holes.length > 0) process.exitCode = EXIT.refused;
  });
}

async function booksOf({ service, events, world }: Opened, accountId: string | undefined): Promise<DailyBooks> {
  const { dailyBooks } = await import('../queries/books/daily-books.ts');
  const { payments } = await import('../projections/models/payments.ts');
  const { openProgress } = await import('./progress.ts');
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
const HOLE = 'the daily totals cannot read the event at that revision (counterfoil projections parked daily-totals).';

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
