// counterfoil payments show: one payment, of any account.
import type { Command } from 'commander';
import { inCurrency } from '../../domain/in-currency.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import type { EvidenceView, OpenAttemptView } from '../../http/answers/open-attempts.ts';
import type { OpenDisputeAnswerView } from '../../http/answers/open-dispute-answers.ts';
import type { PaymentAnswer } from '../../http/answers/payment.ts';
import type { Unsealed } from '../../journal/envelope.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { Refused } from '../exit.ts';
import { print } from '../output.ts';
import { list, toSecond } from '../table.ts';

export function paymentsShow(parent: Command): void {
  declare(parent, {
    usage: 'show <id>',
    summary: 'One payment, with its history and its unresolved attempts and dispute responses',
    examples: ['payments show pay_0123'],
    settings: STORE_SETTINGS,
  }).action(show);
}

async function show(named: string, options: CommonOptions): Promise<void> {
  const { withService } = await import('../open/with-stores.ts');
  const { isKnown } = await import('../../domain/payment/queries.ts');
  const { payments } = await import('../../projections/models/payments.ts');
  const { paymentAnswer } = await import('../../http/answers/payment.ts');
  const { paymentEventAnswer } = await import('../../http/answers/payment-event.ts');
  const { differsView, openAttemptViews, overRefundedView } = await import('../../http/answers/open-attempts.ts');
  const { openDisputeAnswerViews } = await import('../../http/answers/open-dispute-answers.ts');
  const { storyTable } = await import('./story.ts');
  const { differsWords } = await import('./view.ts');
  const { wholeId } = await import('../whole-id.ts');
  await withService(options, async ({ service }) => {
    const id = await wholeId(service.readModels, named);
    const [row] = await service.readModels.get(payments, [id]);
    if (row === undefined || !isKnown(row.doc)) throw new Refused(`There is no payment ${id}.`);
    const answer = paymentAnswer(id, row.revision, row.doc, { expandEvents: true });
    const events: Unsealed<PaymentEvent>[] = [];
    for await (const one of service.streams.payments.history(id, -1))
      if (one.recorded.revision <= row.revision) events.push(one);
    const open = await openAttemptViews(row.doc, () => events);
    const answers = await openDisputeAnswerViews(row.doc, () => events);
    const { accountId, currencyCode } = row.doc;
    const overRefunded = overRefundedView(row.doc);
    const differs = differsView(row.doc);
    const json = {
      accountId,
      ...answer,
      events: events.map(paymentEventAnswer),
      openAttempts: open,
      openDisputeAnswers: answers,
      overRefunded,
      differs,
    };
    const excess =
      overRefunded === null ? [] : [list([['OVER_REFUNDED', `by ${inCurrency(overRefunded, currencyCode)}`]])];
    const parts = [
      head(accountId, answer),
      storyTable(events, currencyCode),
      ...notSettled(open),
      ...unsettledAnswers(answers),
      ...excess,
      ...(differs === null ? [] : [list([['DIFFERS', differsWords(differs)]])]),
    ];
    print({ json, text: parts.join('\n\n') }, options);
  });
}

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
          'Nothing: the service asks the processor until it reports the outcome. If the response did not arrive, the same call sends it again. If little time is left, ask the processor by the reference, and resolve the outcome with `payments resolve`.',
        ],
      ]),
  );
