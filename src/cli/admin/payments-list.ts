// The work of counterfoil payments list: the newest payments of an account, or the payments with unknown outcomes.
import { inCurrency } from '../../domain/money.ts';
import { type KnownPayment, type PaymentStatus, paymentStatuses } from '../../domain/payment/payment.ts';
import {
  differsView,
  type OpenAttemptView,
  type OpenDisputeAnswerView,
  openAttemptViews,
  openDisputeAnswerViews,
  overRefundedView,
} from '../../http/answers/open-attempts.ts';
import { type PaymentItem, paymentItem } from '../../http/answers/payment.ts';
import { type PaymentCursor, type PaymentFilter, listPayments as pageOf } from '../../queries/list-payments.ts';
import { awaitingOperator, unknownAnswers, unknownOutcomes, type Wanted } from '../../queries/unknown-outcomes.ts';
import type { Service } from '../../service.ts';
import type { ReadModels, Stored } from '../../stores/read-models.ts';
import type { GivenValues } from '../command.ts';
import { WrongUsage } from '../exit.ts';
import { whichAccount } from '../named.ts';
import type { Opened } from '../open/open.ts';
import type { CommandResult } from '../output.ts';
import type { payments as rows } from '../rows/payments.ts';
import { listing, toMinute, toSecond } from '../table.ts';
import { differsWords } from './payments-show.ts';

export async function list(given: GivenValues<typeof rows.list>, opened: Opened): Promise<CommandResult> {
  const { unknown, limit } = given;
  const { service } = opened;
  const accountId = await whichAccount(opened, given);
  const status = given.status === undefined ? {} : { status: statusesIn(given.status) };
  // one more than the limit, where there are more
  const found =
    unknown === true
      ? await unknownOnes(service, { accountId: [accountId], ...status }, limit)
      : await newest(service.readModels, accountId, status, limit);
  const data: PaymentLine[] = [];
  for (const row of found.slice(0, limit)) data.push(await paymentLine(row, service));
  return {
    json: { data },
    text: unknown === true ? asUnknownTable(data) : asTable(data),
    warnings: found.length > limit ? [`There are more than ${limit}; --limit shows up to 1000.`] : [],
  };
}

function statusesIn(text: string): readonly PaymentStatus[] {
  const names = text.split(',').map((name) => name.trim().toUpperCase());
  const statuses = paymentStatuses.filter((status) => names.includes(status));
  if (!names.every((name) => statuses.some((status) => status === name)))
    throw new WrongUsage(`--status is ${JSON.stringify(text)}: allowed are ${paymentStatuses.join(', ')}.`);
  return statuses;
}

/** The API's own object, and its attempts and answers to disputes that are not settled yet. */
interface PaymentLine extends PaymentItem {
  readonly accountId: string;
  /**
   * `OVER_REFUNDED`: refunded beyond what was captured, minor units; null where it is not, or an operator has closed
   * it.
   */
  readonly overRefunded: number | null;
  /** `DIFFERS`: the totals that the processor shows; null where no difference is open. */
  readonly differs: ReturnType<typeof differsView>;
  readonly openAttempts: readonly OpenAttemptView[];
  readonly openDisputeAnswers: readonly OpenDisputeAnswerView[];
}

const paymentLine = async (
  { id, revision, doc }: Stored<KnownPayment>,
  { streams }: Pick<Service, 'streams'>,
): Promise<PaymentLine> => {
  const history = () => streams.payments.history(id, -1);
  return {
    ...paymentItem(id, revision, doc),
    accountId: doc.accountId,
    overRefunded: overRefundedView(doc),
    differs: differsView(doc),
    openAttempts: await openAttemptViews(doc, history),
    openDisputeAnswers: await openDisputeAnswerViews(doc, history),
  };
};

type Statuses = Pick<PaymentFilter, 'status'>;
/** Payments that are read at a time, as the API reads them. */
const PAGE = 100;

async function newest(
  readModels: ReadModels,
  accountId: string,
  status: Statuses,
  limit: number,
): Promise<readonly Stored<KnownPayment>[]> {
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
