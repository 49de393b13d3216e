// POST /payments and POST /checkout/payments: claims the session and the token, then creates and authorizes the
// payment.
import { z } from 'zod';
import { reject } from '../../domain/decider.ts';
import { createPayment } from '../../domain/payment/create.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { isOver } from '../../domain/payment/queries.ts';
import type { PaymentTerms } from '../../domain/payment/terms.ts';
import type { Decide } from '../../journal/transact.ts';
import type { Answer, Caller } from '../caller.ts';
import { type Effect, revisionOf, transactFor } from '../effect.ts';
import { Amount } from '../fields/amount.ts';
import { KnownCurrencyCode } from '../fields/currency.ts';
import { identifier } from '../fields/text.ts';
import { replayed } from '../idempotency.ts';
import { Admittance } from '../limits/circuits.ts';
import { hasExpired, ownClaims } from '../sessions/client-tokens.ts';
import {
  type Authorization,
  admitAuthorization,
  enterLimits,
  isAbsent,
  type Paying,
  PaymentFields,
  refuseInstrument,
  refuseScope,
} from './admit-authorization.ts';
import { attemptTiming, concludePayment, pursueAttempts, type WrittenPayment } from './attempt.ts';
import { answerAttempt, attemptIdOf, type Finished, refused, replayAttempt } from './attempt-answers.ts';
import { claimAndCreate, claimForPayment, withdrawPayment } from './claims.ts';
import type { PaymentNeeds } from './needs.ts';
import { routePayment } from './route-payment.ts';

export const AuthorizePayment = PaymentFields.extend({
  paymentMethodToken: identifier,
  clientToken: z.string().min(1).max(2_048).optional(),
}).meta({ id: 'AuthorizePayment' });

export const AuthorizeCheckoutPayment = z
  .strictObject({
    paymentMethodToken: identifier,
    vaultOnSuccess: z.boolean().optional(),
    shown: z.strictObject({ amount: Amount, currencyCode: KnownCurrencyCode }).optional(),
  })
  .meta({ id: 'AuthorizeCheckoutPayment' });

export async function authorizePayment(
  needs: PaymentNeeds,
  { paymentMethodToken, clientToken, ...fields }: z.output<typeof AuthorizePayment>,
  caller: Caller,
): Promise<Answer<Payment>> {
  if (clientToken === undefined) return authorize(needs, { paymentMethodToken, fields }, caller);
  const claims = ownClaims(needs, clientToken, caller.accountId);
  if ('kind' in claims) return claims;
  const ofSession = { sessionId: claims.sessionId, tokenExpired: hasExpired(claims, caller.at) };
  return authorize(needs, { paymentMethodToken, fields, ...ofSession }, caller);
}

export async function authorizeCheckoutPayment(
  needs: PaymentNeeds,
  { paymentMethodToken, vaultOnSuccess, shown }: z.output<typeof AuthorizeCheckoutPayment>,
  caller: Caller,
): Promise<Answer<Payment>> {
  const { sessionId } = caller;
  if (sessionId === undefined) return reject('NotFound', 'There is no such session.');
  const chosen = { ...(vaultOnSuccess !== undefined && { vaultOnSuccess }), ...(shown !== undefined && { shown }) };
  return authorize(needs, { paymentMethodToken, fields: {}, sessionId, ...chosen }, caller);
}

async function authorize(needs: PaymentNeeds, asked: Authorization, caller: Caller): Promise<Answer<Payment>> {
  await needs.mayWrite(); // an unavailable store is told before the request is judged
  const refusal = (await refuseInstrument(needs, asked, caller)) ?? (await refuseScope(needs, asked, caller));
  if (refusal !== undefined) return refusal;
  using operation = await needs.idempotency.open(caller, 'authorize-payment');
  const admitted = new Admittance(needs.circuits);
  const target = { streams: needs.payments, resource: { prefix: 'pay' } };
  const begun = await operation.begin(target, () => admitAuthorization(needs, asked, caller, admitted));
  if (begun.kind !== 'started') admitted.leave();
  if (begun.kind === 'rejected') return begun;
  if (begun.kind === 'repeated') return replayed(await replayAttempt(needs, begun, begun.revision));
  const { answer, result } = await start(needs, asked, caller, begun, admitted);
  return await operation.end(begun, answer, result);
}

/** The payment is created with its authorization requested, and the processor is called. */
async function start(
  needs: PaymentNeeds,
  asked: Authorization,
  caller: Caller,
  effect: Effect,
  admitted: Admittance,
): Promise<Finished> {
  const { context, resourceId: paymentId } = effect;
  const instrument = await enterLimits(needs, asked, caller, paymentId);
  if ('kind' in instrument) {
    admitted.leave();
    return refused(instrument);
  }
  let created: Created | Finished | undefined;
  try {
    created = await create(needs, { asked, caller, effect, instrument, admitted });
  } finally {
    // An attempt that was requested here is settled, and counted, sooner or later; any other belongs to another node.
    if (created === undefined || 'answer' in created) {
      needs.cardTesting.giveBack(paymentId);
      admitted.leave();
    }
  }
  if ('answer' in created) return created;
  const { folded } = await pursueAttempts(needs, paymentId, created.made, context, created.startedAt);
  return { answer: answerAttempt(paymentId, folded, attemptIdOf(effect)), result: 'appended' };
}

/** The payment with its authorization requested, both on record now, by this process. */
interface Created {
  readonly made: WrittenPayment;
  /** The start of the time to send it, by the monotonic clock. */
  readonly startedAt: number;
}

/**
 * Claims the session and the token, and creates the payment: in one append if the store can, otherwise one stream after
 * another.
 */
async function create(needs: PaymentNeeds, paying: Paying): Promise<Created | Finished> {
  const { effect } = paying;
  const startedTogether = needs.world.monotonic();
  const together = await claimAndCreate(needs, paying, (terms) => creationFor(needs, paying, terms));
  if (together.kind === 'written') return { made: together, startedAt: startedTogether };
  const terms = await claimForPayment(needs, paying);
  if ('answer' in terms) return terms;
  const startedAt = needs.world.monotonic();
  const made = await transactFor(effect, needs.payments, creationFor(needs, paying, terms));
  if (made.kind === 'rejected') return withdrawPayment(needs, paying, made);
  if (made.kind === 'written') return { made, startedAt };
  // Another node has created it, and may have released the claim that this node has just made again.
  const { resourceId: paymentId, context } = effect;
  if (isOver(made.folded.state)) await concludePayment(needs, paymentId, made.folded, context);
  return { answer: await replayAttempt(needs, effect, revisionOf(made)), result: 'appended' };
}

/** At now, not at the request's time: claims may have taken a while, and the time to send it runs from here. */
function creationFor(needs: PaymentNeeds, paying: Paying, terms: PaymentTerms): Decide<Payment, PaymentEvent> {
  const { caller, effect, instrument, admitted } = paying;
  const { accountId } = caller;
  const absent = isAbsent(caller, terms);
  const asked = { paymentId: effect.resourceId, accountId, terms, instrument, isAbsent: absent, admitted };
  const routed = routePayment(needs, asked);
  if ('kind' in routed) return () => routed;
  const { processor, connectionId, processorToken } = routed.token;
  const route = {
    processor,
    connectionId,
    processorToken,
    ...(absent && { offSession: true as const }),
    ...(needs.processors.get(processor)?.prepare !== undefined && { prepares: true as const }),
  };
  const timing = { attemptId: attemptIdOf(effect), ...attemptTiming(needs.world.now(), needs.timings) };
  return createPayment(firstRecord(needs, paying, terms), route, timing, routed.chosen);
}

/** The first record of a payment. */
function firstRecord(
  { storeKey }: PaymentNeeds,
  { asked: { paymentMethodToken, sessionId, shown }, caller, instrument }: Paying,
  terms: PaymentTerms,
) {
  const { paymentMethodType, paymentMethodData, fingerprint } = instrument;
  const isVaulted = instrument.status === 'vaulted';
  // In the checkout the challenge stands in a frame, and ends at our own page (contract §4).
  const { paymentMethod, returnUrl, ...others } = terms;
  const customerId = terms.customerId ?? (isVaulted ? instrument.vault?.customerId : undefined);
  const emailHash = storeKey.emailHash(terms.customer?.emailAddress);
  return {
    ...others,
    ...(caller.sessionId === undefined && returnUrl !== undefined && { returnUrl }),
    ...(customerId !== undefined && { customerId }),
    ...(emailHash !== undefined && { emailHash }),
    accountId: caller.accountId,
    createdAt: caller.at,
    ...(sessionId !== undefined && { sessionId }),
    ...(shown !== undefined && { shown }),
    paymentMethod: {
      ...paymentMethod,
      paymentMethodToken,
      paymentMethodType,
      paymentMethodData,
      fingerprint,
      isVaulted,
    },
  };
}
