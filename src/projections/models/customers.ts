// Customers of an account, by the merchant's own id: who they said they are, and the sums of their payments; listed by
// their last payment.

/**
 * A log projection: one document has the facts of many payments of a customer. A payment without a customer id is in
 * none.
 */
import type { RecordedCustomer } from '../../domain/client-session/recorded-fields.ts';
import { plus, type Sum } from '../../domain/money.ts';
import { type Fact, paymentCategory } from '../../domain/payment/events.ts';
import { unsealEvent } from '../../journal/envelope.ts';
import { idOf } from '../../stores/stream-name.ts';
import { type LogProjection, logProjection, type Reader, readingOf } from '../projection.ts';
import { type FactsKnown, learnt, type Measure, movedBy, nothingKnown } from './daily-totals.ts';

/** A name is taken as a whole: a payment with a first name alone leaves no earlier last name. */
export type CustomerName = Readonly<Pick<RecordedCustomer, 'firstName' | 'lastName'>>;

/** Minor units. */
export interface CustomerTotals {
  /** Without captures that were returned. */
  readonly captured: Sum;
  /** Without refunds that were returned. */
  readonly refunded: Sum;
  /** Disputed amounts that the customer keeps. */
  readonly lost: Sum;
}

export interface KnownCustomer {
  readonly accountId: string;
  /** As a payment named them last; a payment without a name, or without an address, changes nothing. */
  readonly name?: CustomerName;
  readonly emailAddress?: string;
  readonly payments: number;
  /** When the first and the newest payment were created, ms. */
  readonly firstSeenAt: number;
  readonly lastSeenAt: number;
  readonly totals: { readonly [currencyCode: string]: CustomerTotals };
  readonly disputes: number;
  /** The payments whose disputes were opened last, newest first. */
  readonly disputedPayments: readonly string[];
}

/** A document says which payments were disputed, for this many. */
const MOST_DISPUTED = 50;

/** Which total a fact moves, and how. */
const MOVES: { readonly [M in Measure]?: readonly [keyof CustomerTotals, 1 | -1] } = {
  captured: ['captured', 1],
  captureReturned: ['captured', -1],
  refunded: ['refunded', 1],
  refundReturned: ['refunded', -1],
  disputeLost: ['lost', 1],
  disputeRegained: ['lost', -1],
};

interface Known {
  /** The document of the payment's customer; absent if the payment names none. */
  readonly documentId?: string;
  readonly facts: FactsKnown;
}

const reader: Reader<Known, KnownCustomer> = {
  categories: [paymentCategory.name],
  order: 'log',
  initial: { facts: nothingKnown },
  read: (known, stored) => {
    if (known.documentId === undefined && stored.type !== 'PaymentCreated') return { known, changes: [] };
    const { event, recorded } = unsealEvent(paymentCategory, stored);
    if (event.type === 'PaymentCreated') return began(event.data, recorded.at);
    const { documentId: id, facts: before } = known;
    if (id === undefined) return { known, changes: [] };
    const facts = learnt(before, event);
    if (event.type === 'CustomerErased')
      return { known, changes: [{ id, change: (doc) => withoutName(doc ?? missing(event.type)) }] };
    const moved = movedBy(event, before, facts).flatMap(({ measure, currencyCode, amount }) => {
      const move = MOVES[measure];
      return move === undefined ? [] : [{ total: move[0], currencyCode, amount: amount * move[1] }];
    });
    const disputed = event.type === 'DisputeOpened' && event.data.round === 1 ? idOf(stored.stream) : undefined;
    const change = (doc: KnownCustomer | undefined): KnownCustomer => {
      const before = doc ?? missing(event.type);
      return moved.reduce(added, disputed === undefined ? before : withDispute(before, disputed));
    };
    const isChanged = moved.length > 0 || disputed !== undefined;
    return { known: { documentId: id, facts }, changes: isChanged ? [{ id, change }] : [] };
  },
};

export type CustomerKey = 'accountId' | 'lastSeenAt';

/** A document's id is that of `customerKey`. */
export const customers: LogProjection<KnownCustomer, CustomerKey> = logProjection(readingOf(reader), {
  name: 'customers',
  version: 3,
  keys: { accountId: ({ accountId }) => accountId, lastSeenAt: ({ lastSeenAt }) => lastSeenAt },
  indexes: [['accountId', 'lastSeenAt']],
});

/** The document of a customer; the merchant's ids have any characters. */
export const customerKey = (accountId: string, customerId: string): string => `${accountId}${SEPARATOR}${customerId}`;
const SEPARATOR = '|';
/** The merchant's id, of a document's; no account's id has the separator. */
export const customerIdIn = (id: string): string => id.slice(id.indexOf(SEPARATOR) + 1);

function began({ accountId, customerId, customer = {} }: Fact<'PaymentCreated'>['data'], at: number) {
  const facts = { ...nothingKnown, accountId };
  if (customerId === undefined) return { known: { facts }, changes: [] };
  const id = customerKey(accountId, customerId);
  const change = (doc: KnownCustomer | undefined): KnownCustomer => ({
    ...(doc ?? { accountId, firstSeenAt: at, totals: {}, disputes: 0, disputedPayments: [] }),
    ...namesIn(customer),
    payments: (doc?.payments ?? 0) + 1,
    lastSeenAt: at,
  });
  return { known: { documentId: id, facts }, changes: [{ id, change }] };
}

function namesIn({
  firstName,
  lastName,
  emailAddress,
}: RecordedCustomer): Pick<KnownCustomer, 'name' | 'emailAddress'> {
  const name = { ...(firstName !== undefined && { firstName }), ...(lastName !== undefined && { lastName }) };
  return {
    ...(Object.keys(name).length > 0 && { name }),
    ...(emailAddress !== undefined && { emailAddress }),
  };
}

const withoutName = ({ name: _name, emailAddress: _emailAddress, ...doc }: KnownCustomer): KnownCustomer => doc;

function missing(type: string): never {
  throw new Error(`${type} before PaymentCreated`);
}

interface MovedTotal {
  readonly total: keyof CustomerTotals;
  readonly currencyCode: string;
  readonly amount: number;
}

function added(doc: KnownCustomer, { total, currencyCode, amount }: MovedTotal): KnownCustomer {
  const before = doc.totals[currencyCode] ?? { captured: 0, refunded: 0, lost: 0 };
  return { ...doc, totals: { ...doc.totals, [currencyCode]: { ...before, [total]: plus(before[total], amount) } } };
}

const withDispute = (doc: KnownCustomer, paymentId: string): KnownCustomer => ({
  ...doc,
  disputes: doc.disputes + 1,
  disputedPayments: [paymentId, ...doc.disputedPayments.filter((id) => id !== paymentId)].slice(0, MOST_DISPUTED),
});
