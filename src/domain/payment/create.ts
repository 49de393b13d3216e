// The beginning of a payment: made and authorized in one decision, or fenced off for good.
import type { z } from 'zod';
import { RecordedCustomer, RecordedOrder } from '../client-session/recorded-fields.ts';
import { accept, type Decision, reject } from '../decider.ts';
import { withoutEmpty } from '../json.ts';
import type { Fact, PaymentCreation, PaymentEvent } from './events.ts';
import type { Payment } from './payment.ts';
import { attemptOf, wantsVaulting } from './queries.ts';
import { referenceOf } from './reference.ts';

/** The times of one call for an attempt, all in ms of business time. */
export interface AttemptTiming {
  readonly at: number;
  /** It is not sent later than this. */
  readonly sendBy: number;
  /** The call is over by then, answered or not: so the first look-up is due at that time. */
  readonly callEndsAt: number;
}

/** Where an authorization goes, and the processor's name for the card there. */
interface AuthorizationRoute {
  readonly processor: string;
  readonly connectionId: string;
  readonly processorToken: string;
  /** The customer is not there to be asked: nothing may be required of them. */
  readonly offSession?: true;
  /** The processor prepares it first. */
  readonly prepares?: true;
}

/** A choice by the rules of the account, for the first authorization. */
export type ChosenRoute = Omit<Fact<'RouteChosen'>['data'], 'attemptId'>;

/**
 * A payment together with the request for its authorization, and the choice that sent it there; nothing when this
 * attempt made it already.
 */
export const createPayment =
  (
    creation: PaymentCreation,
    route: AuthorizationRoute,
    { attemptId, at, sendBy, callEndsAt }: AttemptTiming & { readonly attemptId: string },
    chosen?: ChosenRoute,
  ) =>
  (payment: Payment): Decision<PaymentEvent> => {
    if (payment.status === 'absent') {
      const { amount, currencyCode } = creation;
      const times = { requestedAt: at, sendBy, nextLookUpAt: callEndsAt };
      const requested = { attemptId, reference: referenceOf(attemptId), ...times, ...route, amount, currencyCode };
      return accept<PaymentEvent>(
        { type: 'PaymentCreated', data: kept(creation) },
        ...(chosen === undefined ? [] : [{ type: 'RouteChosen' as const, data: { attemptId, ...chosen } }]),
        { type: 'AuthorizationRequested', data: requested },
      );
    }
    if (payment.status === 'abandoned')
      return reject('Conflict', 'This payment was abandoned before it was created. Create a new one.');
    return attemptOf(payment, attemptId) === undefined
      ? reject('Conflict', 'Another request has created this payment.')
      : accept();
  };

/**
 * A payment omits empty members, as its session does, so its answers need not; metadata stays word for word.
 */
function kept({ customer, order, metadata, ...others }: PaymentCreation): PaymentCreation {
  const keptCustomer = keptAs(RecordedCustomer, customer);
  const keptOrder = keptAs(RecordedOrder, order);
  return {
    ...others,
    ...(keptCustomer !== undefined && { customer: keptCustomer }),
    ...(keptOrder !== undefined && { order: keptOrder }),
    ...(metadata !== undefined && Object.keys(metadata).length > 0 && { metadata }),
  };
}

/**
 * Parsed only if something was left out, because the type of the rest is then unknown; the journal parses every event
 * again.
 */
function keptAs<T extends object>(recorded: z.ZodType<T>, value: T | undefined): T | undefined {
  const rest = value && withoutEmpty(value);
  if (rest === undefined) return undefined;
  return rest === value ? value : recorded.parse(rest);
}

/** Keeps a payment that was never made from ever being made; nothing when it exists, whatever became of it. */
export const abandonPayment =
  (accountId: string) =>
  (payment: Payment): Decision<PaymentEvent> =>
    payment.status === 'absent' ? accept({ type: 'PaymentAbandoned', data: { accountId } }) : accept();

/** Records the result of `vaultOnSuccess` once: the token of the vaulted card, or the reason of the refusal. */
export const recordVaulting =
  (outcome: { readonly paymentMethodToken: string } | { readonly refused: string }) =>
  (payment: Payment): Decision<PaymentEvent> =>
    wantsVaulting(payment) ? accept({ type: 'VaultingRecorded', data: outcome }) : accept();
