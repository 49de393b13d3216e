// The dashboard's customers: the list by their last payment, and one with name, times, totals and disputes; payments
// and cards have lists of their own.
import { z } from 'zod';
import { identifier } from '../../../commands/fields/text.ts';
import { customerKey } from '../../../projections/models/customers.ts';
import type { Queries } from '../../../queries/queries.ts';
import {
  type CustomerCursor,
  type CustomerPage,
  cursorOf,
  type ListedCustomer,
} from '../../../queries/read-customers.ts';
import { formatTime } from '../../../world.ts';
import { page } from '../../answer-size.ts';
import { DisputeAnswer, disputeAnswer } from '../../answers/dispute.ts';
import { CustomerNameAnswer, customerNameAnswer } from '../../answers/listed-payment.ts';
import { Instant, SumAnswer } from '../../answers/shapes.ts';
import { bindingOf, CursorText, readCursor, writeCursor } from '../../cursor.ts';
import { forConfirmed, forUsers, found, notFound, type Route, route } from '../../route.ts';
import { ErasureAnswerBody, type ErasureRouteNeeds, erasureReply } from '../customers.ts';
import { PageSize, pageSize } from '../payment-filter.ts';

/** Shown of a customer who has more. */
const MOST_DISPUTES = 100;

const Dispute = DisputeAnswer.omit({ evidence: true, statusReason: true });
const PaidCustomer = z.strictObject({
  customerId: z.string(),
  customerName: CustomerNameAnswer.optional(),
  emailAddress: z.string().optional(),
  /** How many payments name the customer. */
  payments: z.int(),
  /** When the first and the newest payment were created. */
  firstSeenAt: Instant,
  lastSeenAt: Instant,
  /** Minor units; refunds and captures that were returned do not count. By code of the currency. */
  totals: z.array(
    z.strictObject({ currencyCode: z.string(), captured: SumAnswer, refunded: SumAnswer, lost: SumAnswer }),
  ),
});
const CustomerAnswer = PaidCustomer.extend({
  /** Both are absent without a payment. */
  firstSeenAt: Instant.optional(),
  lastSeenAt: Instant.optional(),
  /** The newest ones, and how many were ever opened. */
  disputes: z.strictObject({ count: z.int(), data: z.array(Dispute.extend({ paymentId: z.string() })) }),
}).meta({ id: 'CustomerPage' });
const CustomerListAnswer = z
  .strictObject({ data: z.array(PaidCustomer), nextCursor: z.string().optional() })
  .meta({ id: 'CustomerList' });
const Place = z.strictObject({ lastSeenAt: z.int(), id: z.string() });
type CustomerAnswer = z.infer<typeof CustomerAnswer>;

type CustomerRouteNeeds = Pick<
  Queries,
  'readCustomer' | 'listCustomers' | 'searchCustomers' | 'readWallet' | 'listClientSessions'
>;
const Erasure = z.strictObject({ customerId: identifier }).meta({ id: 'CustomerToErase' });

export const customerRoutes = (needs: CustomerRouteNeeds & ErasureRouteNeeds): readonly Route[] => [
  route({
    tag: 'Payments',
    method: 'GET',
    path: '/dashboard/api/customers',
    scope: forUsers,
    summary: 'List customers, the newest payment first; or those with an id or a whole e-mail address',
    request: z.object({
      query: z.strictObject({ text: identifier.optional(), limit: PageSize, cursor: CursorText.optional() }),
    }),
    answer: CustomerListAnswer,
    errors: ['InvalidCursor'],
    async handle({ query: { text, limit, cursor } }, { caller: { accountId } }) {
      const binding = bindingOf('customers', accountId, { text });
      const after = cursor === undefined ? undefined : readCursor(cursor, binding, Place);
      if (after !== undefined && 'kind' in after) return after;
      const size = pageSize(limit);
      const { rows, next } =
        text === undefined
          ? await needs.listCustomers(accountId, size, after?.place)
          : pageOfFound(accountId, await needs.searchCustomers(accountId, text.trim()), size, after?.place);
      return page(rows, paidCustomer, (shown, isCut) => {
        const last = isCut ? rows[shown - 1] : undefined;
        const place = last === undefined ? next : placeOf(accountId, last);
        return place === undefined ? {} : { nextCursor: writeCursor(binding, place) };
      });
    },
  }),
  route({
    tag: 'Payments',
    method: 'GET',
    path: '/dashboard/api/customer',
    scope: forUsers,
    summary: 'Read a customer: name and e-mail address as last given, totals by currency, disputes',
    request: z.object({ query: z.strictObject({ customer_id: identifier }) }),
    answer: CustomerAnswer,
    async handle({ query: { customer_id: customerId } }, { caller: { accountId, at } }) {
      const read = await needs.readCustomer(accountId, customerId);
      const answer =
        read === undefined ? await withoutPayments(needs, accountId, customerId, at) : customerAnswer(customerId, read);
      return answer === undefined ? notFound() : found(answer);
    },
  }),
  route({
    tag: 'Payments',
    method: 'POST',
    path: '/dashboard/api/customer/erase',
    scope: forConfirmed('owner'),
    summary: "Erase a customer's personal data for good",
    request: z.object({ body: Erasure }),
    answer: ErasureAnswerBody,
    errors: ['PaymentOperationInProgress', 'PaymentDisputed', 'OperationNotSupported', 'Conflict'],
    handle: async ({ body: { customerId } }, { caller }) => erasureReply(await needs.eraseCustomer(customerId, caller)),
  }),
];

/** A customer whom a saved card or a client session names, and no payment; undefined if neither does. */
async function withoutPayments(
  { readWallet, listClientSessions }: CustomerRouteNeeds,
  accountId: string,
  customerId: string,
  at: number,
): Promise<CustomerAnswer | undefined> {
  const [wallet, sessions] = await Promise.all([
    readWallet(accountId, customerId),
    listClientSessions(accountId, { customerId }, at, 1),
  ]);
  const [session] = sessions.rows;
  if (session === undefined && (wallet === undefined || wallet.status === 'absent')) return undefined;
  const { customer } = session?.doc.fields ?? {};
  return {
    customerId,
    ...customerNameAnswer(customer),
    ...(customer?.emailAddress !== undefined && { emailAddress: customer.emailAddress }),
    payments: 0,
    totals: [],
    disputes: { count: 0, data: [] },
  };
}

const placeOf = (accountId: string, { customerId, customer }: ListedCustomer): CustomerCursor =>
  cursorOf(customerKey(accountId, customerId), customer);

/** The page after a place of all customers that a search found, the newest payment first. */
function pageOfFound(accountId: string, all: readonly ListedCustomer[], size: number, after?: CustomerCursor) {
  const left =
    after === undefined
      ? all
      : all.slice(1 + all.findIndex(({ customerId }) => customerKey(accountId, customerId) === after.id));
  const rows = left.slice(0, size);
  const last = left.length > size ? rows.at(-1) : undefined;
  return { rows, next: last && placeOf(accountId, last) };
}

function paidCustomer({ customerId, customer }: ListedCustomer) {
  const { name, emailAddress, payments, firstSeenAt, lastSeenAt, totals } = customer;
  return {
    customerId,
    ...customerNameAnswer(name),
    ...(emailAddress !== undefined && { emailAddress }),
    payments,
    firstSeenAt: formatTime(firstSeenAt),
    lastSeenAt: formatTime(lastSeenAt),
    totals: Object.entries(totals)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([currencyCode, total]) => ({ currencyCode, ...total })),
  };
}

function customerAnswer(customerId: string, { customer, disputed }: CustomerPage): CustomerAnswer {
  const disputes = disputed.flatMap(({ id: paymentId, doc }) =>
    doc.disputes.map((dispute) => {
      const { evidence: _kept, statusReason: _why, ...answer } = disputeAnswer(dispute);
      return { ...answer, paymentId };
    }),
  );
  return {
    ...paidCustomer({ customerId, customer }),
    disputes: {
      count: customer.disputes,
      data: disputes.sort((a, b) => (a.openedAt < b.openedAt ? 1 : -1)).slice(0, MOST_DISPUTES),
    },
  };
}
