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
import { type FactsKnown, learnt, type Measure, movedBy, nothingKnown } from './payment-facts.ts';

/** A name is taken as a whole: a payment with a first name alone leaves no earlier last name. */
export type CustomerName = Readonly<Pick<RecordedCustomer, 'firstName' | 'lastName'>>;

/** Minor units. */
interface CustomerTotals {
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
  isInLogOrder: true, // the last name is the customer's
  initial: { facts: nothingKnown },
  read: (known, stored) => {
    if (known.documentId === undefined && stored.type !== 'PaymentCreated') return { known, changes: [] };
    const { event, recorded } = unsealEvent(paymentCategory, stored);
    if (event.type === 'PaymentCreated') return began(event.data, recorded.at);
    const { documentId: id, facts: before } = known;
    if (id === undefined) return { known, changes: [] };
    const facts = learnt(before, event);
    const empty = { ...nothingSaid, accountId: before.accountId };
    if (event.type === 'CustomerErased') return { known, changes: [{ id, doc: { ...empty, ...ERASED } }] };
    const moved = movedBy(event, before, facts).flatMap(({ measure, currencyCode, amount }) => {
      const move = MOVES[measure];
      return move === undefined ? [] : [{ total: move[0], currencyCode, amount: amount * move[1] }];
    });
    const disputed = event.type === 'DisputeOpened' && event.data.round === 1 ? [idOf(stored.stream)] : [];
    const isChanged = moved.length > 0 || disputed.length > 0;
    const doc = { ...empty, totals: totalsOf(moved), disputes: disputed.length, disputedPayments: disputed };
    return { known: { documentId: id, facts }, changes: isChanged ? [{ id, doc }] : [] };
  },
  add: (doc, part) => {
    const { name = doc.name, emailAddress = doc.emailAddress } = part;
    return {
      accountId: doc.accountId,
      firstSeenAt: doc.firstSeenAt,
      totals: bothTotals(doc.totals, part.totals),
      disputes: doc.disputes + part.disputes,
      disputedPayments: bothDisputed(doc.disputedPayments, part.disputedPayments),
      ...(name !== undefined && Object.keys(name).length > 0 && { name }),
      ...(emailAddress !== undefined && emailAddress !== '' && { emailAddress }),
      payments: doc.payments + part.payments,
      lastSeenAt: part.payments > 0 ? part.lastSeenAt : doc.lastSeenAt,
    };
  },
};

/** What an event says of its customer that says nothing. */
const nothingSaid = { payments: 0, firstSeenAt: 0, lastSeenAt: 0, totals: {}, disputes: 0, disputedPayments: [] };
/** Takes an earlier name and address away. */
const ERASED = { name: {}, emailAddress: '' };

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
  const doc = { ...nothingSaid, accountId, ...namesIn(customer), payments: 1, firstSeenAt: at, lastSeenAt: at };
  return { known: { documentId: id, facts }, changes: [{ id, doc }] };
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

interface MovedTotal {
  readonly total: keyof CustomerTotals;
  readonly currencyCode: string;
  readonly amount: number;
}

const none: CustomerTotals = { captured: 0, refunded: 0, lost: 0 };
const totalsOf = (moved: readonly MovedTotal[]): KnownCustomer['totals'] =>
  moved.reduce<KnownCustomer['totals']>(
    (totals, { total, currencyCode, amount }) => bothTotals(totals, { [currencyCode]: { ...none, [total]: amount } }),
    {},
  );

function bothTotals(totals: KnownCustomer['totals'], more: KnownCustomer['totals']): KnownCustomer['totals'] {
  const both: Record<string, CustomerTotals> = { ...totals };
  for (const [currencyCode, { captured, refunded, lost }] of Object.entries(more)) {
    const before = both[currencyCode] ?? none;
    both[currencyCode] = {
      captured: plus(before.captured, captured),
      refunded: plus(before.refunded, refunded),
      lost: plus(before.lost, lost),
    };
  }
  return both;
}

/** Newest first. */
const bothDisputed = (before: readonly string[], newer: readonly string[]): readonly string[] =>
  newer.length === 0 ? before : [...newer, ...before.filter((id) => !newer.includes(id))].slice(0, MOST_DISPUTED);
