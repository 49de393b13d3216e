// /payment-links: pages of ours that take a payment, made, listed and cancelled; twice, for API keys and for the
// dashboard, each with its own access. And the call of the page itself, by the secret of its URL (contract §3).
import { z } from 'zod';
import type { Caller } from '../../commands/caller.ts';
import { CreatePaymentLink, type PaymentLinks } from '../../commands/sessions/payment-link.ts';
import type { ClientSession, OpenSession } from '../../domain/client-session/state.ts';
import type { Queries } from '../../queries/queries.ts';
import { page } from '../answer-size.ts';
import {
  PaymentLinkAnswer,
  PaymentLinkListAnswer,
  PayPageAnswer,
  paymentLinkAnswer,
  payPageAnswer,
} from '../answers/payment-link.ts';
import { bindingOf, CursorText, readCursor, writeCursor } from '../cursor.ts';
import { SESSION_BODY_BYTES } from '../middleware/body.ts';
import { found, notFound, type Route, route } from '../route.ts';
import { PageSize, pageSize } from './payment-filter.ts';

type LinkRouteNeeds = Pick<PaymentLinks, 'createPaymentLink' | 'cancelPaymentLink' | 'paymentLinkUrl'> &
  Pick<Queries, 'listPaymentLinks' | 'readSessionById' | 'paymentsById'>;

interface LinkAccess {
  /** '' or '/dashboard/api'. */
  readonly prefix: string;
  readonly reads: Route['scope'];
  readonly changes: Route['scope'];
  /** The caller with the scopes that the operation goes by; of a user the role decides. */
  readonly callerOf: (caller: Caller) => Caller;
}

const params = z.object({ id: z.string().regex(/^cs_[0-9A-Za-z]{1,64}$/) });
const Place = z.strictObject({ createdAt: z.int(), id: z.string() });
const tag = 'Payment links';

/** A command that completed has a session. */
function open(session: ClientSession): OpenSession {
  if (session.status === 'absent') throw new TypeError('a command completed without a session');
  return session;
}

export function paymentLinkRoutes(
  needs: LinkRouteNeeds,
  { prefix, reads, changes, callerOf }: LinkAccess,
): readonly Route[] {
  const PATH = `${prefix}/payment-links`;
  const paymentOf = async ({ payment }: OpenSession) =>
    payment === undefined ? undefined : (await needs.paymentsById([payment.paymentId]))[0];
  const answerOf = async (id: string, session: OpenSession, at: number): Promise<PaymentLinkAnswer> =>
    paymentLinkAnswer(id, session, { payment: await paymentOf(session), at, url: needs.paymentLinkUrl(id) });
  type Done = Awaited<ReturnType<LinkRouteNeeds['createPaymentLink']>>;
  const completed = async (done: Done, at: number) => {
    if (done.kind === 'rejected') return done;
    const { id, doc, revision, replayed = false } = done;
    return { ...found(await answerOf(id, open(doc), at), revision), ...(replayed && { replayed }) };
  };
  return [
    route({
      tag,
      method: 'POST',
      path: PATH,
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
      answer: PaymentLinkAnswer,
      errors: ['MetadataContainsEmptyKey', 'Conflict', 'IdempotencyKeyReused', 'IdempotencyKeyInProgress'],
      handle: async ({ body }, { caller }) =>
        completed(await needs.createPaymentLink(body, callerOf(caller)), caller.at),
    }),
    route({
      tag,
      method: 'GET',
      path: PATH,
      scope: reads,
      id: 'listPaymentLinks',
      example: {},
      summary: 'List payment links, newest first',
      request: z.object({ query: z.strictObject({ limit: PageSize, cursor: CursorText.optional() }) }),
      answer: PaymentLinkListAnswer,
      errors: ['InvalidCursor'],
      async handle({ query: { limit, cursor } }, { caller: { accountId, at } }) {
        const binding = bindingOf('payment-links', accountId, {});
        const after = cursor === undefined ? undefined : readCursor(cursor, binding, Place);
        if (after !== undefined && 'kind' in after) return after;
        const { rows, next } = await needs.listPaymentLinks(accountId, pageSize(limit), after?.place);
        const held = rows.flatMap(({ doc }) => (doc.payment === undefined ? [] : [doc.payment.paymentId]));
        const payments = new Map((await needs.paymentsById(held)).map((one) => [one.id, one]));
        const itemOf = ({ id, doc }: (typeof rows)[number]): PaymentLinkAnswer =>
          paymentLinkAnswer(id, doc, {
            payment: doc.payment && payments.get(doc.payment.paymentId),
            at,
            url: needs.paymentLinkUrl(id),
          });
        return page(rows, itemOf, (shown, isCut) => {
          const last = isCut ? rows[shown - 1] : undefined;
          const place = last === undefined ? next : { createdAt: last.doc.createdAt, id: last.id };
          return { ...(place !== undefined && { nextCursor: writeCursor(binding, place) }) };
        });
      },
    }),
    route({
      tag,
      method: 'GET',
      path: `${PATH}/:id`,
      scope: reads,
      id: 'getPaymentLink',
      example: { on: 'payment link' },
      summary: 'Read a payment link',
      request: z.object({ params }),
      answer: PaymentLinkAnswer,
      async handle({ params: { id } }, { caller: { accountId, at } }) {
        const read = await needs.readSessionById(id, accountId);
        if ('kind' in read || read.doc.link === undefined) return notFound();
        return found(await answerOf(id, read.doc, at), read.revision);
      },
    }),
    route({
      tag,
      method: 'POST',
      path: `${PATH}/:id/cancel`,
      scope: changes,
      id: 'cancelPaymentLink',
      example: { on: 'payment link', body: {} },
      summary: 'Cancel a payment link that is not paid',
      request: z.object({ params }),
      answer: PaymentLinkAnswer,
      errors: ['ClientSessionCompleted', 'Conflict', 'IdempotencyKeyReused', 'IdempotencyKeyInProgress'],
      handle: async ({ params: { id } }, { caller }) => completed(await needs.cancelPaymentLink(id, caller), caller.at),
    }),
  ];
}

type PayPageNeeds = Pick<PaymentLinks, 'openPaymentLink'> & Pick<Queries, 'paymentsById' | 'readAccountName'>;

/** Called by the page alone: a visitor's requests are counted by address, and other sites are refused. */
export const payPageRoute = (needs: PayPageNeeds): Route =>
  route({
    tag,
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
      const opened = await needs.openPaymentLink(id, secret, at);
      if (opened.kind === 'rejected') return opened;
      const { session, clientToken } = opened;
      const [payment] = session.payment === undefined ? [] : await needs.paymentsById([session.payment.paymentId]);
      const accountName = (await needs.readAccountName(session.accountId)) ?? '';
      return found(payPageAnswer(id, session, { payment, at, accountName, clientToken }));
    },
  });
