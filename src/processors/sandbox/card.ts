// A row of the table of test cards: the end of an operation, the faults on the way, and the notifications. With the
// issuer's codes and checks, by values that a developer chooses (contract §10).
import type { Operation } from '../../domain/operation.ts';
import type { Check, Declined, RefusalTold } from '../../domain/payment/outcome.ts';
import type { PaymentMethodType } from '../../domain/payment-method.ts';
import type { Fault, Manner } from './faults.ts';

/** The acquirer's decision about an operation that its rules allow; without one it approves. */
export type CardAnswer =
  | { readonly kind: 'decline'; readonly code: DeclineCode }
  /**
   * Pending; `afterMs` of business time later it has become `as`. Without a notification only a look-up finds the
   * outcome.
   */
  | {
      readonly kind: 'later';
      readonly afterMs: number;
      readonly as: 'succeeded' | DeclineCode;
      readonly notified: boolean;
    }
  /** Succeeds with nine tenths of the amount asked for, at least 1. */
  | { readonly kind: 'less' }
  /** Succeeds with the same number in another currency (names.ts, otherCurrencyThan). */
  | { readonly kind: 'other_currency' }
  /** Approves the first of its kind on an authorization, declines every further one. */
  | { readonly kind: 'first_only'; readonly code: DeclineCode };

export interface Behaviour {
  readonly answer?: CardAnswer;
  readonly fault?: Fault;
  /** An authorization: whether the customer is authenticated first, and how; without it nobody asks for that. */
  readonly authentication?: 'challenge' | 'frictionless';
  /** An authorization: declined softly without an authentication that was asked for. */
  readonly demanded?: true;
  /** An authorization: declined so while the customer is not there. */
  readonly absent?: DeclineCode;
  /** Not so where the request names Mastercard's link to the first payment. */
  readonly absentUnlessLinked?: true;
  /** What the network says besides. */
  readonly absentTold?: RefusalTold;
  /**
   * An authorization that is declined for want of an authentication: so many ms later a notification says that it
   * failed.
   */
  readonly demandNotifiedAfterMs?: number;
  /** For this long, in ms, look-ups say "not found" about it. */
  readonly hiddenForMs?: number;
  /** An authorization that took the money: so many ms after its success the customer's bank takes it back. */
  readonly returnedAfterMs?: number;
  /** An authorization: the rest that is not captured after so many ms is released. */
  readonly heldForMs?: number;
}

/** The disputes of a card's customers. */
interface Disputed {
  /** Each capture 5 s later; or all of them, 5 s after all that was captured has been refunded. */
  readonly on: 'capture' | 'full_refund';
  readonly reason: string;
  /** As the network calls it. */
  readonly reasonCode: string;
  /**
   * How a challenge is decided: by a word in its evidence 5 s later, which may lead to a later round; without one, or
   * otherwise, after 60 days against the merchant. `prevented`: it is over when it opens.
   */
  readonly decided: 'by_text' | 'in_rounds' | 'lost' | 'prevented';
}

/** What is reported about a method so many ms after the payment that saved it. */
interface ToldLater {
  readonly afterMs: number;
  readonly says: 'new_expiry' | 'new_number' | 'closed' | 'mandate_withdrawn';
}

export interface Card {
  /** The sandbox keeps this of a card in place of its number; never renamed. */
  readonly id: string;
  /** Digits only. */
  readonly numbers: readonly string[];
  readonly title: string;
  /** Another method of payment than a card that somebody typed. */
  readonly method?: PaymentMethodType;
  /** The bank accounts of a debit, without blanks. */
  readonly ibans?: readonly string[];
  /** For people: the effect that a developer sees when paying with it. */
  readonly outcome: string;
  /** Operations that are not named here are approved as far as the acquirer's rules allow. */
  readonly on: { readonly [O in Operation]?: Behaviour };
  /** All notifications of its payments. */
  readonly notifications?: Manner;
  readonly disputes?: Disputed;
  readonly later?: ToldLater;
}

const ADDRESS: ReadonlyMap<string, Check> = new Map([
  ['00001', 'NO_MATCH'],
  ['00002', 'UNAVAILABLE'],
]);

/** By the postal code; an address without one cannot be checked. */
export function avsResultOf(address: object | undefined): Check {
  const code =
    address !== undefined && 'postalCode' in address && typeof address.postalCode === 'string'
      ? address.postalCode.trim()
      : '';
  return code === '' ? 'NOT_CHECKED' : (ADDRESS.get(code) ?? 'MATCH');
}

/** The code itself is kept nowhere: of a token this is remembered. */
export const cvcResultOf = (cvc: string): Check => (cvc === '999' ? 'NO_MATCH' : 'MATCH');

const SOFT = [
  'INSUFFICIENT_FUNDS',
  'INCORRECT_CVC',
  'PROCESSING_ERROR',
  'AUTHENTICATION_REQUIRED',
  'AUTHENTICATION_FAILED',
] as const;

/** The codes that the row of a card can name. */
export type DeclineCode =
  | (typeof SOFT)[number]
  | 'GENERIC_DECLINE'
  | 'LOST_CARD'
  | 'STOLEN_CARD'
  | 'EXPIRED_CARD'
  | 'AUTHORIZATION_REVOKED'
  /** A refund's: the money goes to an account that the customer names. */
  | 'ACCOUNT_REQUIRED';

/**
 * The type of a code, including those of the acquirer's rules and codes that only a later version knows: no caller is
 * told to retry the latter.
 */
export const declineTypeOf = (code: string): Declined['declineType'] =>
  SOFT.some((soft) => soft === code) ? 'SOFT' : 'HARD';
