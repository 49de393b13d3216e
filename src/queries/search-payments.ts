// One text that may name a payment, one of its events, a request, the processor's transaction, an order or its
// beginning, a customer, an e-mail address or the end of a card: what it finds, the most exact meaning first.

import { bareEventId } from '../domain/category.ts';
import type { KnownPayment } from '../domain/payment/payment.ts';
import { isKnown } from '../domain/payment/queries.ts';
import type { KnownCustomer } from '../projections/models/customers.ts';
import { paymentMessages } from '../projections/models/payment-messages.ts';
import { payments } from '../projections/models/payments.ts';
import { loggedRequests } from '../projections/models/request-log.ts';
import {
  type SearchedPayment,
  type SearchedPaymentKey,
  searchedPayments,
} from '../projections/models/searched-payments.ts';
import type { StoreKey } from '../secrets.ts';
import type { Finds, Query, ReadModels, Stored } from '../stores/read-models.ts';
import { listPayments, type PaymentFilter } from './list-payments.ts';
import { ofOneRequest } from './pages.ts';
import { customersById } from './read-customers.ts';
import { paymentsById, readPayment } from './read-payments.ts';

export const SEARCHED = [
  'id',
  'eventId',
  'diagnosticsId',
  'processorTransactionId',
  'orderId',
  'customerId',
  'emailAddress',
  'orderIdPrefix',
  'last4Digits',
] as const;

interface SearchMatch {
  readonly by: (typeof SEARCHED)[number];
  /** Newest first, a few of them. */
  readonly rows: readonly Stored<KnownPayment>[];
  readonly hasMore: boolean;
}

interface SearchResult {
  readonly matches: readonly SearchMatch[];
  /** The customer that the text names, and those of the payments that an e-mail address found; by id. */
  readonly customers: ReadonlyMap<string, KnownCustomer>;
}

const SHOWN = 5;
/** Fewer characters begin too many orders to be of use. */
const SHORTEST_PREFIX = 3;

/** The meanings of a text besides a payment's id: ids of orders and customers have any form. */
const meaningsOf = (text: string): readonly (readonly [SearchMatch['by'], PaymentFilter])[] => [
  ['orderId', { orderId: [text] }],
  ['customerId', { customerId: [text] }],
  ...(/^\d{4}$/.test(text) ? [['last4Digits', { last4Digits: [text] }] as const] : []),
];

/** Meanings that find something. Each costs a few documents, however many payments there are. */
export const searchPayments =
  (readModels: ReadModels, storeKey: StoreKey) =>
  async (accountId: string, text: string): Promise<SearchResult> => {
    const matches = await matchesOf(readModels, storeKey, accountId, text);
    const ofEmail = matches.find(({ by }) => by === 'emailAddress')?.rows ?? [];
    const ids = ofEmail.flatMap(({ doc }) => doc.customerId ?? []);
    const isAlone = matches.some(({ by }) => by === 'id' || by === 'eventId' || by === 'diagnosticsId');
    return { matches, customers: await customersById(readModels)(accountId, isAlone ? [] : [text, ...ids]) };
  };

async function matchesOf(
  readModels: ReadModels,
  storeKey: StoreKey,
  accountId: string,
  text: string,
): Promise<readonly SearchMatch[]> {
  const one = await readPayment(readModels)(text, accountId);
  if (!('kind' in one)) return [{ by: 'id', rows: [one], hasMore: false }];
  const named = await paymentNamed(readModels, accountId, text);
  if (named !== undefined) return [named];
  const partly = partlyNamed({ readModels, storeKey }, accountId, text);
  const finds = ofOneRequest(readModels);
  const ofProcessor = byReference(finds, accountId, text);
  const pages = meaningsOf(text).map(async ([by, filter]): Promise<SearchMatch> => {
    const { rows, next } = await listPayments(finds)(accountId, filter, SHOWN);
    return { by, rows, hasMore: next !== undefined };
  });
  const found = (await Promise.all([ofProcessor, ...pages, ...partly])).filter(({ rows }) => rows.length > 0);
  return found.sort((a, b) => SEARCHED.indexOf(a.by) - SEARCHED.indexOf(b.by));
}

/** Payments whose order id begins with the text and is longer, and those of an e-mail address. */
function partlyNamed(
  { readModels, storeKey }: { readonly readModels: ReadModels; readonly storeKey: StoreKey },
  accountId: string,
  text: string,
): readonly Promise<SearchMatch>[] {
  const emailHash = text.includes('@') ? storeKey.emailHash(text) : undefined;
  const matchOf = async (
    by: SearchMatch['by'],
    query: Pick<Query<SearchedPaymentKey>, 'where' | 'order'>,
  ): Promise<SearchMatch> => {
    const where = { accountId: [accountId], ...query.where };
    const found = await readModels.find<SearchedPayment, SearchedPaymentKey>(searchedPayments, {
      ...query,
      where,
      limit: SHOWN + 1,
    });
    const shown = found.slice(0, SHOWN).map(({ id }) => id);
    const rows = [...(await paymentsById(readModels)(shown))];
    rows.sort((a, b) => shown.indexOf(a.id) - shown.indexOf(b.id));
    return { by, rows, hasMore: found.length > SHOWN };
  };
  const longer = { from: `${text}\u0001`, to: `${text}\u{10ffff}` };
  return [
    ...([...text].length < SHORTEST_PREFIX
      ? []
      : [matchOf('orderIdPrefix', { where: { orderId: longer }, order: { by: 'orderId', descending: false } })]),
    ...(emailHash === undefined
      ? []
      : [matchOf('emailAddress', { where: { emailHash: [emailHash] }, order: { by: 'emailDate', descending: true } })]),
  ];
}

/** The payment of an event that a webhook or a history names, or of a request in the request log. */
async function paymentNamed(readModels: ReadModels, accountId: string, text: string): Promise<SearchMatch | undefined> {
  const by = text.startsWith('evt_') ? 'eventId' : text.startsWith('req_') ? 'diagnosticsId' : undefined;
  if (by === undefined) return undefined;
  const paymentId =
    by === 'eventId'
      ? await paymentOfEvent(readModels, bareEventId(text))
      : (await loggedRequests(readModels, accountId)).find(({ requestId }) => requestId === text)?.paymentId;
  if (paymentId === undefined) return undefined;
  const row = await readPayment(readModels)(paymentId, accountId);
  return 'kind' in row ? undefined : { by, rows: [row], hasMore: false };
}

/** Undefined for an event that is not a message, or not one about a payment. */
async function paymentOfEvent(readModels: Pick<ReadModels, 'get'>, eventId: string): Promise<string | undefined> {
  const [row] = await readModels.get(paymentMessages, [eventId]);
  return row !== undefined && 'paymentId' in row.doc ? row.doc.paymentId : undefined;
}

/** The payments whose authorization has this name at its processor: one, except for processors with equal names. */
async function byReference(finds: Finds, accountId: string, text: string): Promise<SearchMatch> {
  const where = { accountId: [accountId], processorTransactionId: [text] };
  const found = await finds.find(payments, { where, limit: SHOWN });
  const rows = found.flatMap((row) => (isKnown(row.doc) ? [{ ...row, doc: row.doc }] : []));
  return { by: 'processorTransactionId', rows, hasMore: false };
}
