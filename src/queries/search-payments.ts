// One text that may name a payment, an order, a customer or the end of a card: what it finds, the most exact meaning
// first.
import type { KnownPayment } from '../domain/payment/payment.ts';
import type { ReadModels, Stored } from '../stores/read-models.ts';
import { listPayments, type PaymentFilter } from './list-payments.ts';
import { ofOneRequest } from './pages.ts';
import { readPayment } from './read-payments.ts';

export const SEARCHED = ['id', 'orderId', 'customerId', 'last4Digits'] as const;

interface SearchMatch {
  readonly by: (typeof SEARCHED)[number];
  /** Newest first, a few of them. */
  readonly rows: readonly Stored<KnownPayment>[];
  readonly hasMore: boolean;
}

const SHOWN = 5;

/** The meanings of a text besides a payment's id: ids of orders and customers have any form. */
const meaningsOf = (text: string): readonly (readonly [SearchMatch['by'], PaymentFilter])[] => [
  ['orderId', { orderId: [text] }],
  ['customerId', { customerId: [text] }],
  ...(/^\d{4}$/.test(text) ? [['last4Digits', { last4Digits: [text] }] as const] : []),
];

/** Meanings that find something. Each costs a few documents, however many payments there are. */
export const searchPayments =
  (readModels: ReadModels) =>
  async (accountId: string, text: string): Promise<readonly SearchMatch[]> => {
    const one = await readPayment(readModels)(text, accountId);
    if (!('kind' in one)) return [{ by: 'id', rows: [one], hasMore: false }];
    const finds = ofOneRequest(readModels);
    const pages = meaningsOf(text).map(async ([by, filter]): Promise<SearchMatch> => {
      const { rows, next } = await listPayments(finds)(accountId, filter, SHOWN);
      return { by, rows, hasMore: next !== undefined };
    });
    return (await Promise.all(pages)).filter(({ rows }) => rows.length > 0);
  };
