// Payments by id. Keys: every filter of GET /payments, and those of the dashboard (derived status, reason of a decline,
// amount), newest first; the due times of look-up, expiry, dispute and operator, and the time of an end without money.
import { type DerivedStatus, derivedStatuses, derivedStatusesOf } from '../../domain/payment/derived-status.ts';
import { dueDisputesAt } from '../../domain/payment/dispute-due.ts';
import type { KnownPayment, Payment } from '../../domain/payment/payment.ts';
import {
  awaitsOperator,
  dueExpiryAt,
  dueLookUpAt,
  givesTokenBack,
  isConserved,
  isKnown,
  isOver,
  wantsVaulting,
} from '../../domain/payment/queries.ts';
import { payment } from '../../domain/payment/state.ts';
import { last4In } from '../../domain/payment-instrument/recorded-data.ts';
import type { Key } from '../../stores/read-models.ts';
import { foldOf, projection, type StreamProjection } from '../projection.ts';

const known =
  (key: (of: KnownPayment) => Key | undefined) =>
  (doc: Payment): Key | undefined =>
    isKnown(doc) ? key(doc) : undefined;

export type PaymentKey =
  | 'accountId'
  | 'date'
  | 'status'
  | 'currencyCode'
  | 'orderId'
  | 'customerId'
  | 'amount'
  | 'processor'
  | 'processorTransactionId'
  | 'last4Digits'
  | 'paymentMethodType'
  | 'derivedStatus'
  | 'derivedAt'
  | 'declineCode'
  | 'declinedAt'
  | 'dueAt'
  | 'expiresAt'
  | 'disputeDueAt'
  | 'awaitsOperatorAt'
  | 'notConservedAt'
  | 'endedAt'
  | 'chargeEndedAt';

const derivedKey = (statuses: readonly DerivedStatus[]): string | undefined =>
  statuses.length === 0 ? undefined : statuses.join(' ');
/** Each combination, in the order of the statuses. */
const DERIVED_KEYS = Array.from({ length: 2 ** derivedStatuses.length }, (_, bits) =>
  derivedKey(derivedStatuses.filter((_status, place) => Math.floor(bits / 2 ** place) % 2 === 1)),
).filter((key) => key !== undefined);
/** The values of the key `derivedStatus` that contain one of these statuses. */
export const derivedKeysOf = (statuses: readonly DerivedStatus[]): readonly string[] =>
  DERIVED_KEYS.filter((key) => key.split(' ').some((one) => statuses.some((status) => status === one)));

const declineCode = ({ status, statusReason }: KnownPayment): string | undefined =>
  status === 'DECLINED' ? statusReason.code : undefined;

export const payments: StreamProjection<Payment, PaymentKey> = projection(foldOf(payment), {
  name: 'payments',
  version: 32,
  keys: {
    accountId: known((of) => of.accountId),
    date: known((of) => of.date),
    status: known((of) => of.status),
    currencyCode: known((of) => of.currencyCode),
    orderId: known((of) => of.orderId),
    customerId: known((of) => of.customerId),
    amount: known((of) => of.amount),
    processor: known((of) => of.processor),
    processorTransactionId: known((of) => of.processorTransactionId),
    last4Digits: known((of) => last4In(of.paymentMethod.paymentMethodData)),
    paymentMethodType: known((of) => of.paymentMethod.paymentMethodType),
    derivedStatus: known((of) => derivedKey(derivedStatusesOf(of))),
    // The date, of these payments alone: their indexes cost the others nothing.
    derivedAt: known((of) => (derivedStatusesOf(of).length > 0 ? of.date : undefined)),
    declineCode: known(declineCode),
    declinedAt: known((of) => (declineCode(of) === undefined ? undefined : of.date)),
    dueAt: known((of) => dueLookUpAt(of) ?? (wantsVaulting(of) ? of.dateUpdated : undefined)),
    expiresAt: dueExpiryAt,
    disputeDueAt: dueDisputesAt,
    awaitsOperatorAt: known((of) => (awaitsOperator(of) ? of.dateUpdated : undefined)),
    // The date, of these payments alone: there should be none.
    notConservedAt: known((of) => (isConserved(of) ? undefined : of.date)),
    // Payments with something to release; the holder is in other streams.
    endedAt: known((of) =>
      isOver(of) && (of.sessionId !== undefined || givesTokenBack(of)) ? of.dateUpdated : undefined,
    ),
    // Payments of an agreement, whose end is in its stream as well.
    chargeEndedAt: known((of) =>
      (of.agreement !== undefined || of.forAgreement !== undefined) && of.status !== 'PENDING'
        ? of.dateUpdated
        : undefined,
    ),
  },
  // Every list starts with the account and ends with the date, so a page costs the same at any size of the log. The
  // most selective first; every payment has the only type of payment method.
  indexes: [
    ['accountId', 'orderId', 'date'],
    ['accountId', 'customerId', 'date'],
    ['accountId', 'last4Digits', 'date'],
    ['accountId', 'derivedStatus', 'derivedAt'],
    ['accountId', 'declineCode', 'declinedAt'],
    ['accountId', 'status', 'date'],
    ['accountId', 'currencyCode', 'date'],
    // An amount changes seldom: nearly every payment writes one entry, when it is created.
    ['accountId', 'currencyCode', 'amount'],
    ['accountId', 'processor', 'date'],
    ['accountId', 'date'],
    // A notification that has no name but the processor's.
    ['processorTransactionId'],
    ['accountId', 'dueAt'],
    ['dueAt'],
    ['expiresAt'],
    ['disputeDueAt'],
    ['notConservedAt'],
    ['accountId', 'awaitsOperatorAt'],
    ['awaitsOperatorAt'],
    ['endedAt'],
    ['chargeEndedAt'],
  ],
});
