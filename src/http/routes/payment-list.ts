// GET /payments: pages of an account's payments, newest first (contract §4).
import { z } from 'zod';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { cursorAfter } from '../../queries/list-payments.ts';
import type { Queries } from '../../queries/queries.ts';
import { page } from '../answer-size.ts';
import { PaymentListAnswer, paymentItem } from '../answers/payment.ts';
import { bindingOf, readCursor, writeCursor } from '../cursor.ts';
import type { Refusal } from '../errors.ts';
import { type HandlerCall, type Reply, type Route, route } from '../route.ts';
import {
  type DashboardListQuery,
  LIST_PARAMETERS,
  PaymentListQuery,
  pageSize,
  paymentFilter,
} from './payment-filter.ts';

const Place = z.union([
  z.strictObject({ date: z.int(), id: z.string() }),
  z.strictObject({ amount: z.int(), id: z.string() }),
]);

type ListQuery = z.output<typeof DashboardListQuery>;

/** A page of the caller's payments, by the filters of the query; `itemOf`: what it shows of one. */
export const pageOfPayments =
  <Item>(
    listPayments: Queries['listPayments'],
    itemOf: (paymentId: string, revision: number, payment: KnownPayment) => Item,
  ) =>
  async (
    { query: { limit, cursor, ...filters } }: { readonly query: ListQuery },
    { caller: { accountId } }: Pick<HandlerCall, 'caller'>,
  ): Promise<Reply<{ readonly data: Item[]; readonly nextCursor?: string }> | Refusal> => {
    const binding = bindingOf('payments', accountId, filters);
    const after = cursor === undefined ? undefined : readCursor(cursor, binding, Place);
    if (after !== undefined && 'kind' in after) return after;
    const filter = paymentFilter(filters);
    const { rows, next } = await listPayments(accountId, filter, pageSize(limit), after?.place);
    return page(
      rows,
      ({ id, revision, doc }) => itemOf(id, revision, doc),
      (shown, isCut) => {
        const last = rows[shown - 1];
        const place = isCut && last !== undefined ? cursorAfter(last, filter) : next;
        return place === undefined ? {} : { nextCursor: writeCursor(binding, place) };
      },
    );
  };

/** The list of payments. */
export const paymentListRoute = ({ listPayments }: Pick<Queries, 'listPayments'>): Route =>
  route({
    id: 'listPayments',
    example: { query: { status: 'AUTHORIZED', limit: '1' } },
    tag: 'Payments',
    path: '/payments',
    scope: 'transactions:retrieve',
    method: 'GET',
    summary: 'List payments, newest first',
    request: z.object({ query: PaymentListQuery }),
    lists: LIST_PARAMETERS,
    answer: PaymentListAnswer,
    errors: ['InvalidCursor'],
    handle: pageOfPayments(listPayments, paymentItem),
  });
