// /payment-links: pages of ours that take a payment, made, listed and cancelled; twice, for API keys and for the
// dashboard, each with its own access. And the call of the page itself, by the secret of its URL (contract §3).
import { z } from 'zod';
import type { Caller } from '../../commands/caller.ts';
import { CreatePaymentLink } from '../../commands/sessions/payment-link.ts';
import type { OpenSession } from '../../domain/client-session/state.ts';
import type { Stored } from '../../stores/read-models.ts';
import {
  PaymentLinkAnswer,
  PaymentLinkListAnswer,
  PayPageAnswer,
  paymentLinkAnswer,
  payPageAnswer,
} from '../answers/payment-link.ts';
import { listed, Paging } from '../list.ts';
import { SESSION_BODY_BYTES } from '../middleware/body.ts';
import { found, notFound, type Route, route, shapedLater } from '../route.ts';
import { open } from './client-session.ts';
import type { RouteParts } from './parts.ts';
import { KEYED } from './payments.ts';

interface LinkAccess {
  /** '' or '/dashboard/api'. */
  readonly prefix: string;
  readonly reads: Route['scope'];
  readonly changes: Route['scope'];
  /** The caller with the scopes that the operation goes by; of a user the role decides. */
  readonly callerOf: (caller: Caller) => Caller;
}

const params = z.object({ id: z.string().regex(/^cs_[0-9A-Za-z]{1,64}$/) });
const common = { tag: 'Payment links', answer: PaymentLinkAnswer } as const;
/** Where a list by the time of creation ends a page: its last row. */
export const NewestPlace = z.strictObject({ createdAt: z.int(), id: z.string() });
export const newestPlaceOf = ({ id, doc }: Stored<{ readonly createdAt: number }>) => ({
  createdAt: doc.createdAt,
  id,
});

export function paymentLinkRoutes(
  { sessions, queries }: RouteParts,
  { prefix, reads, changes, callerOf }: LinkAccess,
): readonly Route[] {
  const path = `${prefix}/payment-links`;
  /** In the order of the sessions. `at`: now, ms. */
  const answersOf = async (rows: readonly Stored<OpenSession>[], at: number): Promise<readonly PaymentLinkAnswer[]> => {
    const held = rows.flatMap(({ doc }) => (doc.payment === undefined ? [] : [doc.payment.paymentId]));
    const payments = new Map((await queries.paymentsById(held)).map((one) => [one.id, one]));
    return rows.map(({ id, doc }) =>
      paymentLinkAnswer(id, doc, {
        payment: doc.payment && payments.get(doc.payment.paymentId),
        at,
        url: sessions.paymentLinkUrl(id),
      }),
    );
  };
  const answerOf = async (session: Stored<OpenSession>, at: number): Promise<PaymentLinkAnswer> => {
    const [answer] = await answersOf([session], at);
    if (answer === undefined) throw new TypeError('a session has no answer');
    return answer;
  };
  const completed = (done: Awaited<ReturnType<typeof sessions.createPaymentLink>>, at: number) =>
    shapedLater(done, ({ id, revision, doc }) => answerOf({ id, revision, doc: open(doc) }, at));
  return [
    route({
      ...common,
      method: 'POST',
      path,
      scope: changes,
      id: 'createPaymentLink',
      example: {
        body: {
          orderId: 'order-1',
          currencyCode: 'EUR',
          order: { lineItems: [{ name: 'A shirt', amount: 2_500, quantity: 2 }] },
        },
      },
      summary: 'Create a payment link: a page that takes one payment',
      request: z.object({ body: CreatePaymentLink }),
      mostBodyBytes: SESSION_BODY_BYTES,
      errors: ['InvalidAgreementStatus', 'MetadataContainsEmptyKey', ...KEYED],
      handle: async ({ body }, { caller }) =>
        completed(await sessions.createPaymentLink(body, callerOf(caller)), caller.at),
    }),
    route({
      ...common,
      method: 'GET',
      path,
      scope: reads,
      id: 'listPaymentLinks',
      example: {},
      summary: 'List payment links, newest first',
      request: z.object({ query: Paging }),
      answer: PaymentLinkListAnswer,
      errors: ['InvalidCursor'],
      handle: ({ query }, { caller: { accountId, at } }) =>
        listed(query, {
          list: 'payment-links',
          accountId,
          filters: {},
          place: NewestPlace,
          read: (size, after) => queries.listPaymentLinks(accountId, size, after),
          itemsOf: (rows) => answersOf(rows, at),
          placeOf: newestPlaceOf,
        }),
    }),
    route({
      ...common,
      method: 'GET',
      path: `${path}/:id`,
      scope: reads,
      id: 'getPaymentLink',
      example: { on: 'payment link' },
      summary: 'Read a payment link',
      request: z.object({ params }),
      async handle({ params: { id } }, { caller: { accountId, at } }) {
        const read = await queries.readSessionById(id, accountId);
        if ('kind' in read || read.doc.link === undefined) return notFound();
        return found(await answerOf(read, at), read.revision);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${path}/:id/cancel`,
      scope: changes,
      id: 'cancelPaymentLink',
      example: { on: 'payment link', body: {} },
      summary: 'Cancel a payment link that is not paid',
      request: z.object({ params }),
      errors: ['ClientSessionCompleted', ...KEYED],
      handle: async ({ params: { id } }, { caller }) =>
        completed(await sessions.cancelPaymentLink(id, caller), caller.at),
    }),
  ];
}

/** Called by the page alone: a visitor's requests are counted by address, and other sites are refused. */
export const payPageRoute = ({ sessions, queries }: RouteParts): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/pay/:id/open',
    scope: 'visitor',
    summary: 'Read what the page of a payment link shows, by the secret in its URL',
    request: z.object({
      params,
      body: z.strictObject({ secret: z.string().max(128) }).meta({ id: 'OpenPaymentLink' }),
    }),
    answer: PayPageAnswer,
    async handle({ params: { id }, body: { secret } }, { caller: { at } }) {
      const opened = await sessions.openPaymentLink(id, secret, at);
      if (opened.kind === 'rejected') return opened;
      const { session, clientToken } = opened;
      const [payment] = session.payment === undefined ? [] : await queries.paymentsById([session.payment.paymentId]);
      const shopName = await queries.readShopName(session.accountId);
      return found(payPageAnswer(id, session, { payment, at, shopName, clientToken }));
    },
  });
