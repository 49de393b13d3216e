// counterfoil payments list: the newest payments of an account, or the payments with unknown outcomes.
import type { Command } from 'commander';
import { inCurrency } from '../../domain/in-currency.ts';
import type { KnownPayment, PaymentStatus } from '../../domain/payment/payment.ts';
import type { PaymentCursor, PaymentFilter } from '../../queries/list-payments.ts';
import type { Wanted } from '../../queries/unknown-outcomes.ts';
import type { Service } from '../../service.ts';
import type { ReadModels, Stored } from '../../stores/read-models.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { parseWholeNumber } from '../duration.ts';
import { WrongUsage } from '../exit.ts';
import { print, tell } from '../output.ts';
import { listing, toMinute, toSecond } from '../table.ts';
import { ACCOUNT_FLAG, type AccountOption } from '../which-account.ts';
import { differsWords, type PaymentLine } from './view.ts';

interface PaymentsListOptions extends CommonOptions, AccountOption {
  readonly status?: string;
  readonly unknown?: boolean;
  readonly limit: number;
}

async function statusesIn(text: string): Promise<readonly PaymentStatus[]> {
  const { paymentStatuses } = await import('../../domain/payment/payment.ts');
  const names = text.split(',').map((name) => name.trim().toUpperCase());
  const statuses = paymentStatuses.filter((status) => names.includes(status));
  if (!names.every((name) => statuses.some((status) => status === name))) {
    throw new WrongUsage(`--status is ${JSON.stringify(text)}: allowed are ${paymentStatuses.join(', ')}.`);
  }
  return statuses;
}

export function paymentsList(parent: Command): void {
  declare(parent, {
    usage: 'list',
    summary: 'Payments, newest first',
    examples: ['payments list --status AUTHORIZED,SETTLED', 'payments list --unknown'],
    rules: [
      '--unknown lists payments by their next look-up, then those that only an operator can close; a call in progress is not unknown.',
    ],
    settings: STORE_SETTINGS,
  })
    .option('--status <a,b>', 'only these statuses')
    .option(
      '--unknown',
      'only payments with an unknown outcome (including dispute responses), by their next look-up, and payments that only an operator can close',
    )
    .option('--limit <n>', 'how many at most', parseWholeNumber(1, 1_000), 20)
    .option(...ACCOUNT_FLAG)
    .action(listPayments);
}

async function listPayments(options: PaymentsListOptions): Promise<void> {
  const { withService } = await import('../open/with-stores.ts');
  const { whichAccount } = await import('../which-account.ts');
  const { paymentLine } = await import('./view.ts');
  await withService(options, async (opened) => {
    const accountId = await whichAccount(opened, options);
    const found = await find(opened.service, accountId, options);
    const { payments } = opened.service.streams;
    const data: PaymentLine[] = [];
    for (const row of found.slice(0, options.limit))
      data.push(await paymentLine(row, () => payments.history(row.id, -1)));
    print({ json: { data }, text: options.unknown === true ? asUnknownTable(data) : asTable(data) }, options);
    if (found.length > options.limit) tell(`There are more than ${options.limit}; --limit shows up to 1000.`);
  });
}

/** More than the limit, where there are more. */
async function find(
  service: Service,
  accountId: string,
  options: PaymentsListOptions,
): Promise<readonly Stored<KnownPayment>[]> {
  const status = options.status === undefined ? {} : { status: await statusesIn(options.status) };
  return options.unknown === true
    ? unknownOnes(service, { accountId: [accountId], ...status }, options.limit)
    : newest(service.readModels, accountId, status, options.limit);
}

type Statuses = Pick<PaymentFilter, 'status'>;
/** Payments that are read at a time, as the API reads them. */
const PAGE = 100;

async function newest(
  readModels: ReadModels,
  accountId: string,
  status: Statuses,
  limit: number,
): Promise<readonly Stored<KnownPayment>[]> {
  const { listPayments: pageOf } = await import('../../queries/list-payments.ts');
  const rows: Stored<KnownPayment>[] = [];
  let after: PaymentCursor | undefined;
  do {
    const page = await pageOf(readModels)(accountId, status, PAGE, after);
    rows.push(...page.rows);
    after = page.next;
  } while (after !== undefined && rows.length <= limit);
  return rows;
}

/**
 * Payments with an unknown outcome first, then those with an unknown answer to a dispute; after them the payments that
 * only an operator closes.
 */
async function unknownOnes(
  { readModels, world }: Service,
  where: NonNullable<Wanted['where']>,
  limit: number,
): Promise<readonly Stored<KnownPayment>[]> {
  const { awaitingOperator, unknownAnswers, unknownOutcomes } = await import('../../queries/unknown-outcomes.ts');
  const wanted = { where, limit: limit + 1 };
  const now = world.now();
  const unknown = await unknownOutcomes(readModels, now, wanted);
  const others = [
    ...(await unknownAnswers(readModels, now, wanted)).rows,
    ...(await awaitingOperator(readModels, now, wanted)).rows,
  ];
  const rows = new Map([...unknown.rows, ...others].map((row) => [row.id, row]));
  return [...rows.values()];
}

const asTable = (lines: readonly PaymentLine[]): string =>
  listing(
    'payments',
    ['id', 'status', 'amount', 'made', { spare: 'captured' }, { spare: 'refunded' }, 'order', 'unresolved'],
    lines.map(({ id, date, status, amount, currencyCode, processor, orderId, openAttempts, openDisputeAnswers }) => [
      id,
      status,
      inCurrency(amount, currencyCode),
      toMinute(date),
      inCurrency(processor.amountCaptured, currencyCode),
      inCurrency(processor.amountRefunded, currencyCode),
      orderId,
      [
        ...openAttempts.map((attempt) => `${attempt.operation} ${attempt.state}`),
        ...openDisputeAnswers.map(({ answer, state }) => `dispute ${answer} ${state}`),
      ].join(', '),
    ]),
  );

/** What an operator is to do, where nobody asks again. */
const CLOSE_IT = 'See to it, then close it: payments resolve.';

const knownOf = (detail = '', mismatch: PaymentLine['openAttempts'][number]['mismatch']): string =>
  mismatch === undefined
    ? detail
    : `The processor took ${inCurrency(mismatch.amount, mismatch.currencyCode)}. ${CLOSE_IT}`;

/**
 * A line for each attempt and answer to a dispute, and a line for an OVER_REFUNDED payment: the facts that an operator
 * needs.
 */
const asUnknownTable = (lines: readonly PaymentLine[]): string =>
  listing(
    'payments with an unknown outcome',
    ['id', 'status', 'amount', 'unresolved', 'since', 'next look-up', 'attempt', 'reference', 'what is known'],
    lines.flatMap(
      ({ id, status, currencyCode, openAttempts, openDisputeAnswers, overRefunded, differs, dateUpdated }) => [
        ...openAttempts.map(
          ({ operation, state, amount, requestedAt, lookUpAt, attemptId, reference, evidence, mismatch }) => [
            id,
            status,
            inCurrency(amount, currencyCode),
            `${operation} ${state}`,
            toSecond(requestedAt),
            lookUpAt === null ? '' : toSecond(lookUpAt),
            attemptId,
            reference,
            knownOf(evidence?.detail, mismatch),
          ],
        ),
        ...openDisputeAnswers.map(
          ({
            answer,
            state,
            amount,
            currencyCode: disputedIn,
            requestedAt,
            lookUpAt,
            answerId,
            reference,
            evidence,
          }) => [
            id,
            status,
            inCurrency(amount, disputedIn),
            `dispute ${answer} ${state}`,
            toSecond(requestedAt),
            toSecond(lookUpAt),
            answerId,
            reference,
            evidence?.detail ?? '',
          ],
        ),
        ...(overRefunded === null
          ? []
          : [
              [
                id,
                status,
                inCurrency(overRefunded, currencyCode),
                'OVER_REFUNDED',
                toSecond(dateUpdated),
                '',
                '',
                '',
                `The refunds exceed the captured amount. ${CLOSE_IT}`,
              ],
            ]),
        ...(differs === null
          ? []
          : [
              [
                id,
                status,
                inCurrency(differs.captured, differs.currencyCode),
                'DIFFERS',
                toSecond(dateUpdated),
                '',
                '',
                '',
                differsWords(differs),
              ],
            ]),
      ],
    ),
  );
