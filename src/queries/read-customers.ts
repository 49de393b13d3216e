// Customers of an account by the merchant's ids: one as its page shows it, and names for lists that have only ids.
import type { KnownPayment } from '../domain/payment/payment.ts';
import { type CustomerName, customerKey, customers, type KnownCustomer } from '../projections/models/customers.ts';
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
    const rows = await readModels.get<KnownCustomer, never>(customers, [...ids.keys()]);
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
