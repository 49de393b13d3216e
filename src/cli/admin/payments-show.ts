// The work of counterfoil payments show: one payment, of any account, with its history as lines of a table.
import { inCurrency } from '../../domain/money.ts';
import type { Operation } from '../../domain/operation.ts';
import { operationAbout, operationsIn, toldBy } from '../../domain/payment/event-words.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import {
  differsView,
  type EvidenceView,
  type OpenAttemptView,
  type OpenDisputeAnswerView,
  openAttemptViews,
  openDisputeAnswerViews,
  overRefundedView,
} from '../../http/answers/open-attempts.ts';
import { type PaymentAnswer, paymentAnswer } from '../../http/answers/payment.ts';
import { paymentEventAnswer } from '../../http/answers/payment-event.ts';
import type { Unsealed } from '../../journal/envelope.ts';
import { payments } from '../../projections/models/payments.ts';
import { formatTime } from '../../world.ts';
import type { GivenValues } from '../command.ts';
import { Refused } from '../exit.ts';
import { wholeId } from '../named.ts';
import type { Opened } from '../open/open.ts';
import type { CommandResult } from '../output.ts';
import type { payments as rows } from '../rows/payments.ts';
import { list, table, toSecond } from '../table.ts';

export async function show({ id: named }: GivenValues<typeof rows.show>, { service }: Opened): Promise<CommandResult> {
  const id = await wholeId(service.readModels, named);
  const [row] = await service.readModels.get(payments, [id]);
  if (row === undefined || !isKnown(row.doc)) throw new Refused(`There is no payment ${id}.`, 'NotFound');
  const answer = paymentAnswer(id, row.revision, row.doc, { expandEvents: true });
  const events: Unsealed<PaymentEvent>[] = [];
  for await (const one of service.streams.payments.history(id, -1))
    if (one.recorded.revision <= row.revision) events.push(one);
  const openAttempts = await openAttemptViews(row.doc, () => events);
  const openDisputeAnswers = await openDisputeAnswerViews(row.doc, () => events);
  const { accountId, currencyCode } = row.doc;
  const overRefunded = overRefundedView(row.doc);
  const differs = differsView(row.doc);
  const parts = [
    head(accountId, answer),
    storyTable(events, currencyCode),
    ...notSettled(openAttempts),
    ...unsettledAnswers(openDisputeAnswers),
    ...(overRefunded === null
      ? []
      : [list([['OVER_REFUNDED', `by ${inCurrency(overRefunded, currencyCode)}. ${CLOSE_IT}`]])]),
    ...(differs === null ? [] : [list([['DIFFERS', `${differenceShown(differs)} ${CLOSE_IT}`]])]),
  ];
  return {
    json: {
      accountId,
      ...answer,
      events: events.map(paymentEventAnswer),
      openAttempts,
      openDisputeAnswers,
      overRefunded,
      differs,
    },
    text: parts.join('\n\n'),
  };
}

/** What an operator is to do, where nobody asks again. */
const CLOSE_IT =
  'See to it, then close it: `counterfoil payments resolve --as succeeded`, with the id and your evidence.';

/** What an operator sees of a difference. */
export const differenceShown = ({
  captured,
  capturable,
  refunded,
  currencyCode,
}: NonNullable<ReturnType<typeof differsView>>): string =>
  `The processor shows ${inCurrency(captured, currencyCode)} captured, ${inCurrency(capturable, currencyCode)} held, ${inCurrency(refunded, currencyCode)} refunded.`;

function methodLine({
  paymentMethodType: type,
  paymentMethodData: data = {},
}: PaymentAnswer['paymentMethod']): readonly [string, string] {
  if ('network' in data) {
    const { network, last4Digits, expirationMonth, expirationYear, wallet } = data;
    const card = `${network} ending in ${last4Digits}, ${expirationMonth}/${expirationYear}`;
    return ['card', wallet === undefined ? card : `${card}, by ${wallet}`];
  }
  return ['method', [type, ...Object.values(data)].join(' · ')];
}

function head(accountId: string, payment: PaymentAnswer): string {
  const { processor, paymentMethod, currencyCode } = payment;
  const money = (amount: number): string => inCurrency(amount, currencyCode);
  return list([
    ['id', payment.id],
    ['status', payment.status],
    ...(payment.statusReason === undefined
      ? []
      : [['reason', Object.values(payment.statusReason).join(' · ')] as const]),
    ...actionLines(payment),
    ['account', accountId],
    ['order', payment.orderId],
    ...(payment.customerId === undefined ? [] : [['customer', payment.customerId] as const]),
    ['amount', money(payment.amount)],
    ['authorized', money(processor.amountAuthorized)],
    ['captured', `${money(processor.amountCaptured)}, ${money(processor.amountCapturable)} can be captured`],
    ['refunded', `${money(processor.amountRefunded)}, ${money(processor.amountRefundable)} can be refunded`],
    methodLine(paymentMethod),
    ['processor', `${processor.name} ${processor.processorTransactionId ?? ''}`],
    ['made', toSecond(payment.date)],
    ['changed', `${toSecond(payment.dateUpdated)}, version ${payment.version}`],
  ]);
}

/** The customer action, and the result of an authentication. */
function actionLines({
  requiredAction,
  paymentMethod: { threeDSecureAuthentication: told },
}: PaymentAnswer): readonly (readonly [string, string])[] {
  const facts = told && [
    told.responseCode,
    told.protocolVersion,
    told.challengeIssued === false ? 'frictionless' : undefined,
    told.eci && `ECI ${told.eci}`,
  ];
  return [
    ...(requiredAction === undefined
      ? []
      : [['customer action required', requiredAction.url ?? requiredAction.name] as const]),
    ...(facts === undefined ? [] : [['3-D Secure', facts.filter((fact) => fact !== undefined).join(' · ')] as const]),
  ];
}

const knownLine = (evidence: EvidenceView | null): readonly (readonly [string, string])[] =>
  evidence === null
    ? []
    : [['what is known', `${evidence.detail ?? ''} (${evidence.source} of ${toSecond(evidence.at)})`]];

/** One below the other: an attempt's id, which `resolve` takes, leaves no room for other columns. */
const notSettled = (open: readonly OpenAttemptView[]): readonly string[] =>
  open.map(({ operation, state, requestedAt, lookUps, lookUpAt, attemptId, reference, evidence }) =>
    list([
      ['unresolved', `${operation}, ${state}`],
      ['attempt', attemptId],
      ['reference', reference],
      ['since', toSecond(requestedAt)],
      ['look-ups', `${lookUps}${lookUpAt === null ? '' : `, the next one ${toSecond(lookUpAt)}`}`],
      ...knownLine(evidence),
    ]),
  );

const unsettledAnswers = (open: readonly OpenDisputeAnswerView[]): readonly string[] =>
  open.map(
    ({
      answerId,
      answer,
      state,
      amount,
      currencyCode,
      disputeId,
      processorDisputeId,
      reference,
      requestedAt,
      lookUps,
      lookUpAt,
      evidence,
    }) =>
      list([
        ['unresolved', `${answer} for the dispute of ${inCurrency(amount, currencyCode)}, ${state}`],
        ['attempt', answerId],
        ['dispute', `${disputeId}, ${processorDisputeId} at the processor`],
        ['reference', reference],
        ['since', toSecond(requestedAt)],
        ['look-ups', `${lookUps}, the next one ${toSecond(lookUpAt)}`],
        ...knownLine(evidence),
        [
          'what to do',
          'Nothing: the service asks the processor until it reports the outcome. If the response did not arrive, the same call sends it again. If little time is left, ask the processor by the reference, and resolve the outcome with `counterfoil payments resolve`.',
        ],
      ]),
  );

type RecordedPaymentEvent = Unsealed<PaymentEvent>;

/** `room`: columns of the terminal; where it is left out, those of stdout. */
export function storyTable(events: readonly RecordedPaymentEvent[], currencyCode: string, room?: number): string {
  const operations = operationsIn(events.map(({ event }) => event));
  const rows = events.map(({ event, recorded, metadata }) => {
    const { type, data } = event;
    const operation = operationAbout(event, operations);
    // a processor may have answered in another one
    const currency = ('currencyCode' in data ? data.currencyCode : undefined) ?? currencyCode;
    const amount = 'amount' in data && data.amount !== undefined ? inCurrency(data.amount, currency) : '';
    return [
      toSecond(formatTime(recorded.at)),
      operation ?? '',
      type,
      amount,
      known(event, operation) ?? doneBy(metadata.actor),
    ];
  });
  return table(['date', 'operation', 'event', 'amount', 'what is known'], rows, room);
}

/** The evidence in a line of text, with its source if it has one; undefined if there is none. */
function known(event: PaymentEvent, operation: Operation | undefined): string | undefined {
  const told = toldBy(event, operation, (ms) => toSecond(formatTime(ms)));
  const source = 'evidence' in event.data ? event.data.evidence?.source : undefined;
  if (source === undefined) return told;
  return told === undefined ? source : `${source}: ${told}`;
}

const doneBy = ({ kind, id }: RecordedPaymentEvent['metadata']['actor']): string =>
  kind === 'apiKey' ? `by ${id}` : `by ${kind} ${id}`;
