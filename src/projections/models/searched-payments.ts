// Payments by what a person knows of them in part, or as a hash: the beginning of the order id, the customer's e-mail.

/**
 * A log projection, because only a search reads it: these two indexes cost the requests of merchants nothing. It has
 * the hash of the e-mail address that the first event contains, and never the address. An older event
 * has the address alone, and the hash is made of that with the store's key (decision 142).
 */
import { paymentCategory } from '../../domain/payment/events.ts';
import { unsealEvent } from '../../journal/envelope.ts';
import type { StoreKey } from '../../secrets.ts';
import type { StoredEvent } from '../../stores/event-store.ts';
import type { Collection } from '../../stores/read-models.ts';
import { idOf } from '../../stores/stream-name.ts';
import { type LogProjection, logProjection, type Reader, readingOf } from '../projection.ts';

export interface SearchedPayment {
  readonly accountId: string;
  readonly orderId: string;
  readonly customerId?: string;
  readonly emailHash?: string;
  /** When it was created, ms. */
  readonly date: number;
}

export type SearchedPaymentKey = 'accountId' | 'orderId' | 'emailHash' | 'emailDate';

/** `Known`: the document, before the first event none. */
const readerWith = (storeKey: StoreKey | undefined): Reader<SearchedPayment | undefined, SearchedPayment> => ({
  categories: [paymentCategory.name],
  initial: undefined,
  read: (known, stored) => {
    const doc = after(known, stored, storeKey);
    return { known: doc, changes: doc === undefined || doc === known ? [] : [{ id: idOf(stored.stream), doc }] };
  },
});

function after(
  known: SearchedPayment | undefined,
  stored: StoredEvent,
  storeKey: StoreKey | undefined,
): SearchedPayment | undefined {
  if (stored.type === 'CustomerErased' && known !== undefined) {
    const { emailHash: _erased, ...erased } = known;
    return erased;
  }
  if (stored.type !== 'PaymentCreated') return known;
  const { event, recorded } = unsealEvent(paymentCategory, stored);
  if (event.type !== 'PaymentCreated') return known;
  const { accountId, orderId, customerId, customer } = event.data;
  const emailHash = event.data.emailHash ?? storeKey?.emailHash(customer?.emailAddress);
  return {
    accountId,
    orderId,
    ...(customerId !== undefined && { customerId }),
    ...(emailHash !== undefined && { emailHash }),
    date: recorded.at,
  };
}

/** A document's id is the payment's. */
export const searchedPayments: Collection<SearchedPayment, SearchedPaymentKey> = {
  name: 'searched-payments',
  version: 2,
  keys: {
    accountId: ({ accountId }) => accountId,
    orderId: ({ orderId }) => orderId,
    emailHash: ({ emailHash }) => emailHash,
    // The date, of payments with an e-mail alone: the index has no entry of the others.
    emailDate: ({ emailHash, date }) => (emailHash === undefined ? undefined : date),
  },
  indexes: [
    ['accountId', 'emailHash', 'emailDate'],
    ['accountId', 'orderId'],
  ],
};

export const searchedPaymentsWith = (
  storeKey: StoreKey | undefined,
): LogProjection<SearchedPayment, SearchedPaymentKey> =>
  logProjection(readingOf(readerWith(storeKey)), searchedPayments);
