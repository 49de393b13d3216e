// counterfoil payments show: one payment, whosever it is.
import type { Command } from 'commander';
import type { PaymentAnswer } from '../../http/answers/payment.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { Refused } from '../exit.ts';
import { print } from '../output.ts';
import { list, table } from '../table.ts';
import type { OpenAttemptView } from './view.ts';

export function paymentsShow(parent: Command): void {
  declare(parent, {
    usage: 'show <id>',
    summary: 'One payment, with what was asked of the processor',
    examples: ['payments show pay_0123'],
    settings: STORE_SETTINGS,
  }).action(show);
}

async function show(id: string, options: CommonOptions): Promise<void> {
  const { withService } = await import('../open/with-stores.ts');
  const { isKnown } = await import('../../domain/payment/state.ts');
  const { payments } = await import('../../projections/payments.ts');
  const { paymentAnswer } = await import('../../http/answers/payment.ts');
  const { openAttemptViews } = await import('./view.ts');
  await withService(options, async ({ service }) => {
    const [row] = await service.readModels.get(payments, [id]);
    if (row === undefined || !isKnown(row.doc)) throw new Refused(`There is no payment ${id}.`);
    const answer = paymentAnswer(id, row.revision, row.doc, true);
    const open = await openAttemptViews(row.doc, () => service.house.payments.history(id, -1));
    const { accountId } = row.doc;
    print({ json: { accountId, ...answer, openAttempts: open }, text: text(accountId, answer, open) }, options);
  });
}

function text(accountId: string, payment: PaymentAnswer, open: readonly OpenAttemptView[]): string {
  const { processor, paymentMethod, currencyCode } = payment;
  const { network, last4Digits, expirationMonth, expirationYear } = paymentMethod.paymentMethodData;
  const money = (amount: number): string => `${amount} ${currencyCode}`;
  const head = list([
    ['id', payment.id],
    ['status', payment.status],
    ...(payment.statusReason === undefined ? [] : [['reason', Object.values(payment.statusReason).join(' · ')] as const]),
    ['account', accountId],
    ['order', payment.orderId],
    ...(payment.customerId === undefined ? [] : [['customer', payment.customerId] as const]),
    ['amount', `${money(payment.amount)} (minor units, as all amounts)`],
    ['authorized', money(processor.amountAuthorized)],
    ['captured', `${money(processor.amountCaptured)}, ${money(processor.amountCapturable)} can be captured`],
    ['refunded', `${money(processor.amountRefunded)}, ${money(processor.amountRefundable)} can be refunded`],
    ['card', `${network} ending in ${last4Digits}, ${expirationMonth}/${expirationYear}`],
    ['processor', `${processor.name} ${processor.processorTransactionId ?? ''}`],
    ['made', payment.date],
    ['changed', `${payment.dateUpdated}, version ${payment.version}`],
  ]);
  return [head, history(payment), ...(open.length === 0 ? [] : [openTable(open)])].join('\n\n');
}

function history({ transactions, currencyCode }: PaymentAnswer): string {
  const rows = transactions.flatMap(({ transactionType, events = [] }) =>
    events.map(({ date, type, amount, evidence }) => [
      date,
      transactionType,
      type,
      amount === undefined ? '' : `${amount} ${currencyCode}`,
      evidence ?? '',
    ]),
  );
  return table(['date', 'transaction', 'event', 'amount', 'evidence'], rows);
}

const openTable = (open: readonly OpenAttemptView[]): string =>
  table(
    ['not settled', 'state', 'since', 'look-ups', 'next look-up', 'attempt', 'what is known'],
    open.map(({ operation, state, requestedAt, lookUps, lookUpAt, attemptId, evidence }) => [
      operation,
      state,
      requestedAt,
      String(lookUps),
      lookUpAt ?? '',
      attemptId,
      evidence === null ? '' : `${evidence.detail ?? ''} (${evidence.source} of ${evidence.at})`,
    ]),
  );
