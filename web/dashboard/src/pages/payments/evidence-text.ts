// The order, its customer and its agreement as the beginning of a statement to the issuer, which a person edits and
// sends.

import { nameText } from '../../parts/customer-name.tsx';
import { type MoneyProps, moneyText } from '../../parts/money.tsx';
import { itemsOf } from '../../parts/order-items.tsx';
import { addressLines } from './address.ts';
import { agreementBlocks } from './agreement-evidence-text.ts';
import type { AgreementEvidence } from './ask-dispute.ts';
import type { Payment, PaymentDetail } from './payment-queries.ts';

const MOST_ITEMS = 50;

/** What the customer saw and agreed to, as the issuer may read it. */
export const seenWords = (shown: MoneyProps, date: string): string =>
  `The pay button showed ${moneyText(shown)} when the customer pressed it on ${date.slice(0, 10)} at ${date.slice(11, 19)} UTC, and that amount was requested.`;

/**
 * Order, refunds, customer, addresses, items and agreement, each if it is known. `shown`: the amount on the pay button.
 */
export function evidenceText(
  payment: Payment,
  shown: PaymentDetail['shown'],
  agreement: AgreementEvidence | undefined,
): string {
  const { orderId, date, customer, customerId, order, currencyCode } = payment;
  const buyer = [nameText(customer ?? {}), customer?.emailAddress, customer?.mobileNumber].filter(
    (one) => one !== undefined && one !== '',
  );
  const items = itemsOf(order);
  const blocks = [
    [`Order ${orderId} of ${date.slice(0, 10)}, ${moneyText(payment)}.`],
    refundLines(payment),
    [
      ...(buyer.length > 0 ? [`Customer: ${buyer.join(', ')}`] : []),
      ...(customerId === undefined ? [] : [`Customer account: ${customerId}`]),
      ...place('Billing address', customer?.billingAddress),
      ...place('Shipping address', customer?.shippingAddress),
    ],
    items.length === 0
      ? []
      : [
          'Items:',
          ...items
            .slice(0, MOST_ITEMS)
            .map(
              ({ quantity, name: item, total }) =>
                `- ${quantity} × ${item}, ${moneyText({ amount: total, currencyCode })}`,
            ),
          ...(items.length > MOST_ITEMS ? [`- and ${items.length - MOST_ITEMS} more`] : []),
        ],
    shown === undefined ? [] : [seenWords(shown, date)],
    ...(agreement === undefined ? [] : agreementBlocks(agreement)),
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

/** The refunds that went through, which are the answer to a dispute about the same money. */
const refundLines = ({ transactions }: Payment): readonly string[] =>
  transactions
    .filter(({ transactionType, status }) => transactionType === 'REFUND' && status === 'SETTLED')
    .map((refund) => {
      const { date, processorTransactionId: reference } = refund;
      const named = reference === undefined ? '' : `, reference ${reference}`;
      return `Refunded to the customer on ${date.slice(0, 10)}: ${moneyText(refund)}${named}.`;
    });

const place = (what: string, address: Parameters<typeof addressLines>[0]): readonly string[] => {
  const lines = addressLines(address);
  return lines.length === 0 ? [] : [`${what}: ${lines.map((parts) => parts.join(' ')).join(', ')}`];
};
