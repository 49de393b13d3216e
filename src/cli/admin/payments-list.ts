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
import { listing, shortId, toMinute, toSecond } from '../table.ts';
import { differenceShown } from './payments-show.ts';

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
    notes: unknown === true && data.length > 0 ? [IF_KNOWN] : [],
    warnings: found.length > limit ? [`There are more than ${limit}; --limit shows up to 1000.`] : [],
  };
}

const IF_KNOWN =
  'If you know an outcome that is still looked up, `counterfoil payments resolve` records it with your evidence.';

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

/** What is open of a payment, for a row, and what an operator does about it. */
interface OpenMatter {
  /** As `payments resolve --attempt` takes it. */
  readonly name: string;
  /** At the processor; empty for the payment as a whole. */
  readonly reference: string;
  readonly what: string;
  readonly amount: string;
  readonly since: string;
  /** In sentences. */
  readonly toDo: string;
  /** True if nothing but `payments resolve` closes it. */
  readonly isOwed: boolean;
}

function attemptMatter(currencyCode: string, attempt: OpenAttemptView): OpenMatter {
  const { operation, state, amount, requestedAt, attemptId, reference } = attempt;
  return {
    name: attemptId,
    reference,
    what: `${operation} ${state}`,
    amount: inCurrency(amount, currencyCode),
    since: requestedAt,
    ...toDoAbout(attempt, currencyCode),
  };
}

function toDoAbout(
  { state, amount, evidence, lookUpAt, actionEndsAt, mismatch }: OpenAttemptView,
  currencyCode: string,
): Pick<OpenMatter, 'toDo' | 'isOwed'> {
  if (mismatch !== undefined) {
    const took = inCurrency(mismatch.amount, mismatch.currencyCode);
    const toDo = `The processor took ${took} in place of ${inCurrency(amount, currencyCode)}, and nobody asks again. See to it, then close it:`;
    return { isOwed: true, toDo };
  }
  const known = evidence?.detail === undefined ? '' : `${evidence.detail} `;
  const waits = (words: string): Pick<OpenMatter, 'toDo' | 'isOwed'> => ({ isOwed: false, toDo: `${known}${words}` });
  if (actionEndsAt !== undefined) return waits(`Nothing: the customer can act until ${toSecond(actionEndsAt)}.`);
  if (lookUpAt !== null) return waits(`Nothing yet: the next look-up is at ${toSecond(lookUpAt)}.`);
  if (state === 'pending') return waits('Nothing: the processor reports the outcome.');
  return { isOwed: true, toDo: `${known}Return the money in another way, then close it:` };
}

const answerMatter = (of: OpenDisputeAnswerView): OpenMatter => ({
  name: of.answerId,
  reference: of.reference,
  what: `dispute ${of.answer} ${of.state}`,
  amount: inCurrency(of.amount, of.currencyCode),
  since: of.requestedAt,
  toDo: `${of.evidence?.detail === undefined ? '' : `${of.evidence.detail} `}Nothing yet: the next look-up is at ${toSecond(of.lookUpAt)}.`,
  isOwed: false,
});

/** What is not settled of a payment, its attempts first. */
function mattersOf(line: PaymentLine): readonly OpenMatter[] {
  const { currencyCode, openAttempts, openDisputeAnswers, overRefunded, differs, dateUpdated } = line;
  const whole = (name: string, amount: string, shown: string): OpenMatter => ({
    name,
    reference: '',
    what: name,
    amount,
    since: dateUpdated,
    toDo: `${shown} See to it, then close it:`,
    isOwed: true,
  });
  return [
    ...openAttempts.map((attempt) => attemptMatter(currencyCode, attempt)),
    ...openDisputeAnswers.map(answerMatter),
    ...(overRefunded === null
      ? []
      : [whole('OVER_REFUNDED', inCurrency(overRefunded, currencyCode), 'The refunds exceed the captured amount.')]),
    ...(differs === null
      ? []
      : [whole('DIFFERS', inCurrency(differs.captured, differs.currencyCode), differenceShown(differs))]),
  ];
}

/** The command that closes a matter of a payment; its name is needed where there are `others`. */
const closing = (id: string, name: string, others: boolean): string =>
  `\`counterfoil payments resolve ${shortId(id)} --as succeeded${others ? ` --attempt ${name}` : ''} --evidence TEXT\``;

/** A row for each matter; the act that is owed is the last column, where a narrow terminal has it below the row. */
const asUnknownTable = (lines: readonly PaymentLine[]): string =>
  listing(
    'payments with an unknown outcome',
    [
      'id',
      'amount',
      'unresolved',
      { spare: 'since' },
      { spare: 'status' },
      { spare: 'attempt' },
      { spare: 'reference' },
      'to do',
    ],
    lines.flatMap((line) =>
      mattersOf(line).map(({ name, reference, what, amount, since, toDo, isOwed }, _, all) => [
        line.id,
        amount,
        what,
        toSecond(since),
        line.status,
        name,
        reference,
        isOwed ? `${toDo} ${closing(line.id, name, all.length > 1)}` : toDo,
      ]),
    ),
  );
