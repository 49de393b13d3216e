// The dashboard's customers: the list by their last payment, and one with name, times, totals and disputes; payments
// and cards have lists of their own.
import { z } from 'zod';
import { identifier } from '../../../commands/fields/text.ts';
import { customerKey } from '../../../projections/models/customers.ts';
import {
  type CustomerCursor,
  type CustomerPage,
  cursorOf,
  type ListedCustomer,
} from '../../../queries/read-customers.ts';
import { formatTime } from '../../../world.ts';
import { DisputeAnswer, disputeAnswer } from '../../answers/dispute.ts';
import { CustomerNameAnswer, customerNameAnswer } from '../../answers/listed-payment.ts';
import { Instant, SumAnswer } from '../../answers/shapes.ts';
import { listed, paging } from '../../list.ts';
import { forUsers, found, notFound, type Route, route } from '../../route.ts';
import type { RouteParts } from '../parts.ts';

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

const common = { tag: 'Payments', method: 'GET', scope: forUsers } as const;

export const dashboardCustomerRoutes = (parts: RouteParts): readonly Route[] => [
  route({
    ...common,
    path: '/dashboard/api/customers',
    summary: 'List customers, the newest payment first; or those with an id or a whole e-mail address',
    request: z.object({ query: z.strictObject({ text: identifier.optional(), ...paging }) }),
    answer: CustomerListAnswer,
    errors: ['InvalidCursor'],
    handle: ({ query: { text, ...query } }, { caller: { accountId } }) =>
      listed(query, {
        list: 'customers',
        accountId,
        filters: { text },
        place: Place,
        read: async (size, after) =>
          text === undefined
            ? parts.queries.listCustomers(accountId, size, after)
            : pageOfFound(accountId, await parts.queries.searchCustomers(accountId, text.trim()), size, after),
        itemsOf: (rows) => rows.map(paidCustomer),
        placeOf: (last) => placeOf(accountId, last),
      }),
  }),
  route({
    ...common,
    path: '/dashboard/api/customer',
    summary: 'Read a customer: name and e-mail address as last given, totals by currency, disputes',
    request: z.object({ query: z.strictObject({ customer_id: identifier }) }),
    answer: CustomerAnswer,
    async handle({ query: { customer_id: customerId } }, { caller: { accountId, at } }) {
      const read = await parts.queries.readCustomer(accountId, customerId);
      const answer =
        read === undefined ? await withoutPayments(parts, accountId, customerId, at) : customerAnswer(customerId, read);
      return answer === undefined ? notFound() : found(answer);
    },
  }),
];

/** A customer whom a saved card or a client session names, and no payment; undefined if neither does. */
async function withoutPayments(
  { queries }: RouteParts,
  accountId: string,
  customerId: string,
  at: number,
): Promise<CustomerAnswer | undefined> {
  const [wallet, sessions] = await Promise.all([
    queries.readWallet(accountId, customerId),
    queries.listClientSessions(accountId, { customerId }, at, 1),
  ]);
  const [session] = sessions.rows;
  if (session === undefined && (wallet === undefined || wallet.status === 'absent')) return undefined;
  const { customer } = session?.doc.fields ?? {};
  return {
    customerId,
    ...customerNameAnswer(customer),
    emailAddress: customer?.emailAddress,
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
    emailAddress,
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
