// One text that may name a payment, one of its events, a request, the processor's transaction, an order, a customer or
// the end of a card: what it finds, the most exact meaning first.
import type { KnownPayment } from '../domain/payment/payment.ts';
import { isKnown } from '../domain/payment/queries.ts';
import { bareEventId } from '../domain/public-event-id.ts';
import { paymentMessages } from '../projections/models/payment-messages.ts';
import { payments } from '../projections/models/payments.ts';
import { loggedRequests } from '../projections/models/request-log.ts';
import type { Finds, ReadModels, Stored } from '../stores/read-models.ts';
import { listPayments, type PaymentFilter } from './list-payments.ts';
import { ofOneRequest } from './pages.ts';
import { readPayment } from './read-payments.ts';

export const SEARCHED = [
  'id',
  'eventId',
  'diagnosticsId',
  'processorTransactionId',
  'orderId',
  'customerId',
  'last4Digits',
] as const;

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
    const named = await paymentNamed(readModels, accountId, text);
    if (named !== undefined) return [named];
    const finds = ofOneRequest(readModels);
    const ofProcessor = byReference(finds, accountId, text);
    const pages = meaningsOf(text).map(async ([by, filter]): Promise<SearchMatch> => {
      const { rows, next } = await listPayments(finds)(accountId, filter, SHOWN);
      return { by, rows, hasMore: next !== undefined };
    });
    return (await Promise.all([ofProcessor, ...pages])).filter(({ rows }) => rows.length > 0);
  };

/** The payment of an event that a webhook or a history names, or of a request in the request log. */
async function paymentNamed(readModels: ReadModels, accountId: string, text: string): Promise<SearchMatch | undefined> {
  const by = text.startsWith('evt_') ? 'eventId' : text.startsWith('req_') ? 'diagnosticsId' : undefined;
  if (by === undefined) return undefined;
  const paymentId =
    by === 'eventId'
      ? (await readModels.get(paymentMessages, [bareEventId(text)]))[0]?.doc.paymentId
      : (await loggedRequests(readModels, accountId)).find(({ requestId }) => requestId === text)?.paymentId;
  if (paymentId === undefined) return undefined;
  const row = await readPayment(readModels)(paymentId, accountId);
  return 'kind' in row ? undefined : { by, rows: [row], hasMore: false };
}

/** The payments whose authorization has this name at its processor: one, except for processors with equal names. */
async function byReference(finds: Finds, accountId: string, text: string): Promise<SearchMatch> {
  const where = { accountId: [accountId], processorTransactionId: [text] };
  const found = await finds.find(payments, { where, limit: SHOWN });
  const rows = found.flatMap((row) => (isKnown(row.doc) ? [{ ...row, doc: row.doc }] : []));
  return { by: 'processorTransactionId', rows, hasMore: false };
}
