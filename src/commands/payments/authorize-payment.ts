// POST /payments and POST /checkout/payments: claims the session and the token, then creates and authorizes the
// payment.
import { z } from 'zod';
import { reject } from '../../domain/decider.ts';
import { createPayment } from '../../domain/payment/create.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { isOver } from '../../domain/payment/queries.ts';
import type { PaymentTerms } from '../../domain/payment/terms.ts';
import type { TokenAt, UsableInstrument } from '../../domain/payment-instrument/state.ts';
import type { Decide } from '../../journal/transact.ts';
import type { Answer, Caller } from '../caller.ts';
import { type Effect, revisionOf, transactFor, type Worked } from '../effect.ts';
import { Amount } from '../fields/amount.ts';
import { KnownCurrencyCode } from '../fields/currency.ts';
import { identifier } from '../fields/text.ts';
import { hasExpired, ownClaims } from '../sessions/client-tokens.ts';
import {
  type Authorization,
  admitAuthorization,
  enterLimits,
  isAbsent,
  leaveLimits,
  refuseInstrument,
  refuseScope,
} from './admit-authorization.ts';
import { answerAttempt, attemptIdOf, replayAttempt } from './attempt-answers.ts';
import { claimAndCreate, claimForPayment } from './claim-for-payment.ts';
import { concludePayment } from './conclude-payment.ts';
import { emailHashOf } from './email-hash.ts';
import type { PaymentNeeds } from './needs.ts';
import { PaymentFields } from './payment-fields.ts';
import { attemptTiming, pursueAttempts } from './pursue-attempts.ts';
import { type Admittance, leave, routePayment } from './route-payment.ts';
import { withdrawPayment } from './withdraw-payment.ts';

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

export const authorizePayment =
  (needs: PaymentNeeds) =>
  async (
    { paymentMethodToken, clientToken, ...fields }: z.output<typeof AuthorizePayment>,
    caller: Caller,
  ): Promise<Answer<Payment>> => {
    if (clientToken === undefined) return authorize(needs, { paymentMethodToken, fields }, caller);
    const claims = ownClaims(needs, clientToken, caller.accountId);
    if ('kind' in claims) return claims;
    const { sessionId } = claims;
    return authorize(
      needs,
      { paymentMethodToken, fields, sessionId, tokenExpired: hasExpired(claims, caller.at) },
      caller,
    );
  };

export const authorizeCheckoutPayment =
  (needs: PaymentNeeds) =>
  async (
    { paymentMethodToken, vaultOnSuccess, shown }: z.output<typeof AuthorizeCheckoutPayment>,
    caller: Caller,
  ): Promise<Answer<Payment>> => {
    const { sessionId } = caller;
    if (sessionId === undefined) return reject('NotFound', 'There is no such session.');
    const chosen = { ...(vaultOnSuccess !== undefined && { vaultOnSuccess }), ...(shown !== undefined && { shown }) };
    return authorize(needs, { paymentMethodToken, fields: {}, sessionId, ...chosen }, caller);
  };

async function authorize(needs: PaymentNeeds, asked: Authorization, caller: Caller): Promise<Answer<Payment>> {
  await needs.mayWrite(); // an unavailable store is told before the request is judged
  const refusal = (await refuseInstrument(needs, asked, caller)) ?? (await refuseScope(needs, asked, caller));
  if (refusal !== undefined) return refusal;
  const admitted: Admittance = { to: undefined };
  let isReplay = true;
  const answer = await needs.idempotency.once(caller, {
    name: 'authorize-payment',
    target: needs.payments,
    resource: { prefix: 'pay' },
    admit: () => admitAuthorization(needs, asked, caller, admitted),
    work: (effect) => {
      isReplay = false;
      return startAuthorization(needs, asked, caller, effect, admitted);
    },
    replay: (effect, revision) => replayAttempt(needs, effect, revision),
  });
  if (isReplay) leave(needs.circuits, admitted);
  return answer;
}

async function startAuthorization(
  needs: PaymentNeeds,
  asked: Authorization,
  caller: Caller,
  effect: Effect,
  admitted: Admittance,
): Promise<Worked<Answer<Payment>>> {
  const { context, resourceId: paymentId } = effect;
  const instrument = await enterLimits(needs, asked, caller, paymentId);
  if ('kind' in instrument) {
    leave(needs.circuits, admitted);
    return { answer: instrument, appended: false };
  }
  let created: Created | Worked<Answer<Payment>> | undefined;
  try {
    created = await create(needs, asked, instrument, caller, effect, admitted);
  } finally {
    // An attempt that was requested here is settled, and counted, sooner or later; any other belongs to another node.
    if (created === undefined || 'answer' in created) leaveLimits(needs, paymentId, admitted);
  }
  if ('answer' in created) return created;
  const pursued = await pursueAttempts(needs, paymentId, created.made, context, created.startedAt);
  const concluded = await concludePayment(needs, paymentId, pursued.folded, pursued.context);
  return { answer: answerAttempt(paymentId, concluded, attemptIdOf(effect)), appended: true };
}

/** The payment with its authorization requested, both on record now, by this process. */
interface Created {
  readonly made: Parameters<typeof pursueAttempts>[2];
  /** The start of the time to send it, by the monotonic clock. */
  readonly startedAt: number;
}

/**
 * Claims the session and the token, and creates the payment: in one append if the store can, otherwise one stream after
 * another.
 */
async function create(
  needs: PaymentNeeds,
  asked: Authorization,
  instrument: UsableInstrument,
  caller: Caller,
  effect: Effect,
  admitted: Admittance,
): Promise<Created | Worked<Answer<Payment>>> {
  const { context, resourceId: paymentId } = effect;
  const { accountId } = caller;
  const attemptId = attemptIdOf(effect);
  // At now, not at the request's time: claims may have taken a while, and the time to send it runs from here.
  const creationFor = (terms: PaymentTerms): Decide<Payment, PaymentEvent> => {
    const absent = isAbsent(caller, terms);
    const routed = routePayment(needs, { paymentId, accountId, terms, instrument, isAbsent: absent, admitted });
    if ('kind' in routed) return () => routed;
    const { creation, route } = creationOf(needs, asked, terms, instrument, caller, routed.token, absent);
    const timing = { attemptId, ...attemptTiming(needs.world.now(), needs.timings) };
    return createPayment(creation, route, timing, routed.chosen);
  };
  const startedTogether = needs.world.monotonic();
  const together = await claimAndCreate(needs, asked, caller, effect, creationFor);
  if (together.kind === 'written') return { made: together, startedAt: startedTogether };
  const terms = await claimForPayment(needs, asked, instrument, caller, effect);
  if ('answer' in terms) return terms;
  const startedAt = needs.world.monotonic();
  const made = await transactFor(effect, needs.payments, creationFor(terms));
  if (made.kind === 'rejected') return withdrawPayment(needs, asked, made, effect);
  if (made.kind !== 'written') {
    // Another node has created it, and may have released the claim that this node has just made again.
    if (isOver(made.folded.state)) await concludePayment(needs, paymentId, made.folded, context);
    return { answer: await replayAttempt(needs, effect, revisionOf(made)), appended: true };
  }
  return { made, startedAt };
}

/** The first record of a payment, and the route of its authorization. */
function creationOf(
  { processors, storeKey }: Pick<PaymentNeeds, 'processors' | 'storeKey'>,
  { paymentMethodToken, sessionId, shown }: Authorization,
  terms: PaymentTerms,
  instrument: UsableInstrument,
  caller: Caller,
  { processor, connectionId, processorToken }: TokenAt,
  absent: boolean,
) {
  const { paymentMethodType, paymentMethodData, fingerprint } = instrument;
  const isVaulted = instrument.status === 'vaulted';
  // In the checkout the challenge stands in a frame, and ends at our own page (contract §4).
  const { paymentMethod, returnUrl, ...others } = terms;
  const customerId = terms.customerId ?? (isVaulted ? instrument.vault?.customerId : undefined);
  const emailHash = emailHashOf(storeKey, terms.customer?.emailAddress);
  const creation = {
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
  return {
    creation,
    route: {
      processor,
      connectionId,
      processorToken,
      ...(absent && { offSession: true as const }),
      ...(processors.get(processor)?.prepare !== undefined && { prepares: true as const }),
    },
  };
}
