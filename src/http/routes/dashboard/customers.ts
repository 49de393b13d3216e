// The dashboard's page of a customer: name, times and totals, and the disputes; payments and cards have lists of their
// own.
import { z } from 'zod';
import { identifier } from '../../../commands/fields/text.ts';
import type { Queries } from '../../../queries/queries.ts';
import type { CustomerPage } from '../../../queries/read-customers.ts';
import { formatTime } from '../../../world.ts';
import { CustomerNameAnswer, customerNameAnswer } from '../../answers/customer-name.ts';
import { DisputeAnswer, disputeAnswer } from '../../answers/dispute.ts';
import { Instant } from '../../answers/instant.ts';
import { forUsers, found, notFound, type Route, route } from '../../route.ts';

/** Shown of a customer who has more. */
const MOST_DISPUTES = 100;

const Dispute = DisputeAnswer.omit({ evidence: true, statusReason: true });
const CustomerAnswer = z
  .strictObject({
    customerId: z.string(),
    customerName: CustomerNameAnswer.optional(),
    emailAddress: z.string().optional(),
    /** How many payments name the customer. */
    payments: z.int(),
    /** When the first and the newest payment were created; absent without a payment. */
    firstSeenAt: Instant.optional(),
    lastSeenAt: Instant.optional(),
    /** Minor units; refunds and captures that were returned do not count. By code of the currency. */
    totals: z.array(z.strictObject({ currencyCode: z.string(), captured: z.int(), refunded: z.int(), lost: z.int() })),
    /** The newest ones, and how many were ever opened. */
    disputes: z.strictObject({ count: z.int(), data: z.array(Dispute.extend({ paymentId: z.string() })) }),
  })
  .meta({ id: 'CustomerPage' });
type CustomerAnswer = z.infer<typeof CustomerAnswer>;

type CustomerRouteNeeds = Pick<Queries, 'readCustomer' | 'readWallet' | 'listClientSessions'>;

export const customerRoutes = (needs: CustomerRouteNeeds): readonly Route[] => [
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

function customerAnswer(customerId: string, { customer, disputed }: CustomerPage): CustomerAnswer {
  const { name, emailAddress, payments, firstSeenAt, lastSeenAt, totals, disputes: count } = customer;
  const disputes = disputed.flatMap(({ id: paymentId, doc }) =>
    doc.disputes.map((dispute) => {
      const { evidence: _kept, statusReason: _why, ...answer } = disputeAnswer(dispute);
      return { ...answer, paymentId };
    }),
  );
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
    disputes: {
      count,
      data: disputes.sort((a, b) => (a.openedAt < b.openedAt ? 1 : -1)).slice(0, MOST_DISPUTES),
    },
  };
}
