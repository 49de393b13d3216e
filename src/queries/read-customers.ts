// Customers of an account by the merchant's ids: one as its page shows it, names for lists that have only ids, and the
// list of all.
import type { KnownPayment } from '../domain/payment/payment.ts';
import {
  type CustomerKey,
  type CustomerName,
  customerIdIn,
  customerKey,
  customers,
  type KnownCustomer,
} from '../projections/models/customers.ts';
import {
  type SearchedPayment,
  type SearchedPaymentKey,
  searchedPayments,
} from '../projections/models/searched-payments.ts';
import type { StoreKey } from '../secrets.ts';
import type { ReadModels, Stored } from '../stores/read-models.ts';
import type { PaymentPage } from './list-payments.ts';
import { paymentsById } from './read-payments.ts';

/** The customers that have payments, by their ids. */
export const customersById =
  (readModels: Pick<ReadModels, 'get'>) =>
  async (accountId: string, customerIds: readonly string[]): Promise<ReadonlyMap<string, KnownCustomer>> => {
    const ids = new Map(
      [...new Set(customerIds)].map((customerId) => [customerKey(accountId, customerId), customerId]),
    );
    if (ids.size === 0) return new Map();
    const rows = await readModels.get<KnownCustomer, CustomerKey>(customers, [...ids.keys()]);
    return new Map(rows.flatMap(({ id, doc }) => (ids.has(id) ? [[ids.get(id) ?? '', doc]] : [])));
  };

export interface CustomerPage {
  readonly customer: KnownCustomer;
  /** The payments whose disputes were opened last; a document remembers 50. */
  readonly disputed: readonly Stored<KnownPayment>[];
}

/** A customer with the disputed payments; undefined if no payment names the customer. */
export const readCustomer =
  (readModels: Pick<ReadModels, 'get'>) =>
  async (accountId: string, customerId: string): Promise<CustomerPage | undefined> => {
    const customer = (await customersById(readModels)(accountId, [customerId])).get(customerId);
    return customer && { customer, disputed: await paymentsById(readModels)(customer.disputedPayments) };
  };

/** The names of customers, by their ids; those whose name no payment has given are left out. */
export const customerNames =
  (readModels: Pick<ReadModels, 'get'>) =>
  async (accountId: string, customerIds: readonly string[]): Promise<ReadonlyMap<string, CustomerName>> => {
    const known = await customersById(readModels)(accountId, customerIds);
    return new Map([...known].flatMap(([customerId, { name }]) => (name === undefined ? [] : [[customerId, name]])));
  };

/** A page in which payments that have a customer id and no name have the name that the customer gave last. */
export const withNames =
  (readModels: Pick<ReadModels, 'get'>) =>
  async (accountId: string, page: PaymentPage): Promise<PaymentPage> => {
    const nameless = page.rows.flatMap(({ doc }) =>
      doc.customerId === undefined || hasName(doc.customer) ? [] : [doc.customerId],
    );
    const names = await customerNames(readModels)(accountId, nameless);
    if (names.size === 0) return page;
    const rows = page.rows.map((row) => {
      const name = hasName(row.doc.customer) ? undefined : names.get(row.doc.customerId ?? '');
      return name === undefined ? row : { ...row, doc: { ...row.doc, customer: { ...row.doc.customer, ...name } } };
    });
    return { ...page, rows };
  };

const hasName = (customer: CustomerName | undefined): boolean =>
  customer?.firstName !== undefined || customer?.lastName !== undefined;

/** Where a page ended: when its last customer paid last (ms), and the id of the customer's document. */
export interface CustomerCursor {
  readonly lastSeenAt: number;
  readonly id: string;
}

export interface ListedCustomer {
  readonly customerId: string;
  readonly customer: KnownCustomer;
}

interface CustomerList {
  readonly rows: readonly ListedCustomer[];
  readonly next?: CustomerCursor;
}

/** Customers with a payment, the newest payment first. `limit`: 1 to 100. */
export const listCustomers =
  (readModels: Pick<ReadModels, 'find'>) =>
  async (accountId: string, limit: number, after?: CustomerCursor): Promise<CustomerList> => {
    const found = await readModels.find<KnownCustomer, CustomerKey>(customers, {
      where: { accountId: [accountId] },
      order: { by: 'lastSeenAt', descending: true },
      ...(after !== undefined && { after: { key: after.lastSeenAt, id: after.id } }),
      limit: limit + 1, // one more shows whether there is a next page
    });
    const shown = found.slice(0, limit);
    const last = shown.at(-1);
    return {
      rows: shown.map(({ id, doc }) => ({ customerId: customerIdIn(id), customer: doc })),
      ...(found.length > limit && last !== undefined && { next: cursorOf(last.id, last.doc) }),
    };
  };

export const cursorOf = (id: string, { lastSeenAt }: KnownCustomer): CustomerCursor => ({ lastSeenAt, id });

/** The payments of an e-mail address that a search of customers looks at: the newest. */
const MOST_SEARCHED = 1_000;

/**
 * The customers whom a text names by their id, or by an e-mail address that one of their payments contains; the newest
 * payment first.
 */
export const searchCustomers =
  (readModels: Pick<ReadModels, 'find' | 'get'>, storeKey: StoreKey) =>
  async (accountId: string, text: string): Promise<readonly ListedCustomer[]> => {
    const emailHash = text.includes('@') ? storeKey.emailHash(text) : undefined;
    const paid =
      emailHash === undefined
        ? []
        : await readModels.find<SearchedPayment, SearchedPaymentKey>(searchedPayments, {
            where: { accountId: [accountId], emailHash: [emailHash] },
            order: { by: 'emailDate', descending: true },
            limit: MOST_SEARCHED,
          });
    const found = await customersById(readModels)(accountId, [
      text,
      ...paid.flatMap(({ doc }) => doc.customerId ?? []),
    ]);
    return [...found]
      .map(([customerId, customer]) => ({ customerId, customer }))
      .sort((a, b) => b.customer.lastSeenAt - a.customer.lastSeenAt);
  };
