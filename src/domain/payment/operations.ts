// The operations, one value each: its facts, what its success does to the payment, and the advice when it is refused
// (contract §4); and the rules that fold, deciders and answers share.
import type { Operation } from '../operation.ts';
import {
  type Asked,
  type Attempt,
  authorizationOf,
  checksOf,
  isOpen,
  type OpenAttempt,
  type SucceededAttempt,
} from './attempt.ts';
import type { Fact, PaymentEvent } from './events.ts';
import type { Succeeded } from './outcome.ts';
import { isFinal, type KnownPayment } from './payment.ts';

/** The types of an operation's facts, by result: they follow from its name, except for the success. */
const factsNamed = <Name extends string, Success extends string>(name: Name, succeeded: Success) => ({
  requested: `${name}Requested` as const,
  succeeded,
  declined: `${name}Declined` as const,
  pending: `${name}Pending` as const,
  not_sent: `${name}NotSent` as const,
  unknown: `${name}OutcomeUnknown` as const,
  not_found: `${name}NotFound` as const,
});

/** It voids what the payment has no place for, and nothing that the payment holds. */
const isOfLateSuccess = (attempt: Attempt | undefined): boolean => attempt?.follows?.because === 'late_success';

const authorization = {
  facts: factsNamed('Authorization', 'PaymentAuthorized'),
  money: 'held',
  believed: 'as_asked',
  // An attempt that another one took the place of would hold the amount a second time.
  hasPlace: (payment, { attemptId }) => !isFinal(payment.status) && authorizationOf(payment)?.attemptId === attemptId,
  isReversible: () => true,
  booking: (told, _payment, reported) => ({ type: 'PaymentAuthorized', data: { ...told, ...checksOf(reported) } }),
  add(sums, { bookedAmount }) {
    sums.authorized = bookedAmount;
  },
} as const satisfies OperationRules;

const capture = {
  facts: { ...factsNamed('Capture', 'PaymentCaptured'), returned: 'CaptureReturned', outside: 'CapturedOutside' },
  money: 'captured',
  believed: 'up_to_asked',
  instead: 'Cancel what is not captured, and ask the customer for a new payment.',
  // The amount of an open attempt is reserved; a success after a refusal takes only what is left.
  hasPlace: ({ status, amountAuthorized, amountCaptured, amountCapturePending }, attempt, amount) =>
    !isFinal(status) && (isOpen(attempt) || amountCaptured + amountCapturePending + amount <= amountAuthorized),
  isReversible: (payment, { amount, currencyCode }) =>
    currencyCode === payment.currencyCode && Number.isSafeInteger(amount) && amount >= 1,
  booking: (told) => ({ type: 'PaymentCaptured', data: told }),
  add(sums, { bookedAmount, final }) {
    sums.captured += bookedAmount;
    sums.released ||= final === true;
  },
  reserve(sums, { amount, state }) {
    sums.capturing += amount;
    sums.settling ||= state === 'pending';
  },
} as const satisfies OperationRules;

const cancellation = {
  facts: { ...factsNamed('Cancellation', 'AuthorizationVoided'), outside: 'VoidedOutside' },
  money: 'released',
  believed: 'any',
  instead: 'Let the authorization expire, or capture it and refund the capture.',
  hasPlace: () => true,
  isReversible: () => false,
  booking({ amount: _reported, currencyCode: _told, ...told }, payment) {
    if (isOfLateSuccess(payment.attempts.find(({ attemptId }) => attemptId === told.attemptId)))
      return { type: 'AuthorizationVoided', data: told };
    const { amountAuthorized, amountCaptured, amountCapturePending, currencyCode, restReleased } = payment;
    const amount = restReleased ? 0 : amountAuthorized - amountCaptured - amountCapturePending;
    return { type: 'AuthorizationVoided', data: { ...told, ...(amount > 0 && { amount, currencyCode }) } };
  },
  add(sums, attempt) {
    sums.released ||= !isOfLateSuccess(attempt);
  },
} as const satisfies OperationRules;

const refund = {
  facts: { ...factsNamed('Refund', 'RefundSucceeded'), returned: 'RefundReturned', outside: 'RefundedOutside' },
  money: 'refunded',
  believed: 'as_asked',
  instead: 'Refund the customer outside this payment.',
  // The money is gone, so a success is booked in full whatever the total.
  hasPlace: () => true,
  isReversible: () => false,
  booking: (told) => ({ type: 'RefundSucceeded', data: told }),
  // A refund that takes back a capture without a place is in no total either.
  add(sums, { bookedAmount, follows }) {
    if (follows === undefined) sums.refunded += bookedAmount;
    sums.released ||= follows?.because === 'answer_mismatch';
  },
  reserve(sums, { amount, follows }) {
    if (follows === undefined) sums.refunding += amount;
  },
} as const satisfies OperationRules;

const adjustment = {
  facts: { ...factsNamed('Adjustment', 'AuthorizationAdjusted'), outside: 'RaisedOutside' },
  money: 'held',
  believed: 'as_asked',
  instead: 'Continue with the authorized amount, or ask for a new payment.',
  hasPlace: ({ status, amountCaptured, amountCapturePending }, _attempt, amount) =>
    status === 'AUTHORIZED' && amount >= amountCaptured + amountCapturePending,
  isReversible: ({ status }) => isFinal(status),
  booking: (told) => ({ type: 'AuthorizationAdjusted', data: told }),
  add(sums, { bookedAmount }) {
    sums.authorized = bookedAmount;
    sums.adjustedTo = bookedAmount;
  },
} as const satisfies OperationRules;

export const OPERATIONS = { authorization, capture, cancellation, refund, adjustment } as const satisfies {
  readonly [O in Operation]: OperationRules;
};

export type Facts = (typeof OPERATIONS)[Operation]['facts'];
export const factsOf = (operation: Operation): Facts => OPERATIONS[operation].facts;
export const rulesOf = (operation: Operation): OperationRules => OPERATIONS[operation];

/** True if it is asked for with an amount. */
export const hasAmount = (operation: Operation): boolean => rulesOf(operation).believed !== 'any';

/** True if it needs the authorization, or what is left of it: all but a refund. */
export const usesHold = ({ operation }: Pick<Attempt, 'operation'>): boolean => rulesOf(operation).money !== 'refunded';

interface OperationRules {
  /** The types of its facts by result; not every operation has all (fact-names.ts). */
  readonly facts: { readonly [result: string]: string };
  /** The effect of a success on the money, if any. */
  readonly money?: 'held' | 'captured' | 'released' | 'refunded';
  /**
   * The reported amount that is accepted (contract §4): as requested, that or less, or any where none was asked
   * for.
   */
  readonly believed: 'as_asked' | 'up_to_asked' | 'any';
  /** The advice after a hard decline when there is no customer at a checkout. */
  readonly instead?: string;
  /** True if the totals allow a success of this amount, minor units. */
  hasPlace(payment: KnownPayment, attempt: Attempt, amount: number): boolean;
  /** True if an unexpected success can be reversed: a hold is voided, captured money refunded. */
  isReversible(payment: KnownPayment, reported: Succeeded): boolean;
  /** The fact that books a success. */
  booking(told: Told, payment: KnownPayment, reported: Succeeded): PaymentEvent;
  /** Adds a booked success to the sums. */
  add(sums: Sums, attempt: Asked & SucceededAttempt): void;
  /** Adds an attempt that may still succeed. */
  reserve?(sums: Sums, attempt: OpenAttempt): void;
}

/** The recorded facts of a success of any operation. */
type Told = Fact<'PaymentCaptured'>['data'];

/**
 * The sums over the attempts of a payment, minor units: its totals follow from them. Written to while they are added
 * up.
 */
export interface Sums {
  /**
   * The newest success among authorization and adjustments; one that is named or told late changes nothing of a newer
   * one.
   */
  authorized: number;
  /** The sum of the adjustments alone: the payment's own new amount. */
  adjustedTo: number | undefined;
  captured: number;
  /** Captures that are open, unknown or pending. */
  capturing: number;
  refunded: number;
  refunding: number;
  /** A capture that the processor has accepted and not confirmed. */
  settling: boolean;
  /** A void was done, or a final capture. */
  released: boolean;
}
