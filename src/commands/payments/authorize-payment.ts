// POST /payments and POST /checkout/payments: the session is claimed, then the token, then the payment is made and authorized.
import { z } from 'zod';
import { reject } from '../../domain/decider.ts';
import { createPayment } from '../../domain/payment/decide.ts';
import { isOver, type Payment } from '../../domain/payment/state.ts';
import type { PaymentTerms } from '../../domain/payment/terms.ts';
import type { UsableInstrument } from '../../domain/payment-instrument/state.ts';
import { answerAttempt, attemptIdOf, replayAttempt } from '../attempts/attempt-answers.ts';
import { attemptTiming, pursueAttempts } from '../attempts/pursue-attempts.ts';
import type { Answer, Caller } from '../caller.ts';
import { identifier } from '../fields/text.ts';
import type { House } from '../house.ts';
import { type Operation, revisionOf, transactFor, type Worked } from '../operation.ts';
import { hasExpired, ownClaims } from '../sessions/token-claims.ts';
import { type Authorization, admitAuthorization, enterLimits, leaveLimits, refuseInstrument, refuseScope } from './admit-authorization.ts';
import { claimForPayment } from './claim-for-payment.ts';
import { concludePayment } from './conclude-payment.ts';
import { PaymentFields } from './payment-fields.ts';
import { withdrawPayment } from './withdraw-payment.ts';

export const AuthorizePayment = PaymentFields.extend({
  paymentMethodToken: identifier,
  clientToken: z.string().min(1).max(2_048).optional(),
}).meta({ id: 'AuthorizePayment' });

export const AuthorizeCheckoutPayment = z
  .strictObject({ paymentMethodToken: identifier, vaultOnSuccess: z.boolean().optional() })
  .meta({ id: 'AuthorizeCheckoutPayment' });

export const authorizePayment =
  (house: House) =>
  async ({ paymentMethodToken, clientToken, ...fields }: z.output<typeof AuthorizePayment>, caller: Caller): Promise<Answer<Payment>> => {
    if (clientToken === undefined) return authorize(house, { paymentMethodToken, fields }, caller);
    const claims = ownClaims(house, clientToken, caller.accountId);
    if ('kind' in claims) return claims;
    const { sessionId } = claims;
    return authorize(house, { paymentMethodToken, fields, sessionId, tokenExpired: hasExpired(claims, caller.at) }, caller);
  };

export const authorizeCheckoutPayment =
  (house: House) =>
  async ({ paymentMethodToken, vaultOnSuccess }: z.output<typeof AuthorizeCheckoutPayment>, caller: Caller): Promise<Answer<Payment>> => {
    const { sessionId } = caller;
    if (sessionId === undefined) return reject('NotFound', 'No such session.');
    const chosen = vaultOnSuccess === undefined ? {} : { vaultOnSuccess };
    return authorize(house, { paymentMethodToken, fields: {}, sessionId, ...chosen }, caller);
  };

async function authorize(house: House, asked: Authorization, caller: Caller): Promise<Answer<Payment>> {
  await house.operations.mayWrite(); // a store that is unavailable is told before anything that was asked is judged
  const refusal = (await refuseInstrument(house, asked, caller)) ?? (await refuseScope(house, asked, caller));
  return (
    refusal ??
    house.operations.once(caller, {
      name: 'authorize-payment',
      target: house.payments,
      resource: { prefix: 'pay' },
      admit: () => admitAuthorization(house, asked, caller),
      work: (operation) => startAuthorization(house, asked, caller, operation),
      replay: (operation, revision) => replayAttempt(house, operation, revision),
    })
  );
}

async function startAuthorization(
  house: House,
  asked: Authorization,
  caller: Caller,
  operation: Operation,
): Promise<Worked<Answer<Payment>>> {
  const { context, resourceId: paymentId } = operation;
  const instrument = await enterLimits(house, asked, caller, paymentId);
  if ('kind' in instrument) return { answer: instrument, appended: false };
  let created: Created | Worked<Answer<Payment>> | undefined;
  try {
    const terms = await claimForPayment(house, asked, caller, operation);
    created = 'answer' in terms ? terms : await create(house, asked, terms, instrument, caller, operation);
  } finally {
    // What was requested here is settled, and counted, sooner or later; anything else was no attempt of this node.
    if (created === undefined || 'answer' in created) leaveLimits(house, paymentId, instrument);
  }
  if ('answer' in created) return created;
  const pursued = await pursueAttempts(house, paymentId, created.made, context, created.startedAt);
  const concluded = await concludePayment(house, paymentId, pursued, context);
  return { answer: answerAttempt(paymentId, concluded, attemptIdOf(operation)), appended: true };
}

/** The payment with its authorization requested, both on record now, by this process. */
interface Created {
  readonly made: Parameters<typeof pursueAttempts>[2];
  /** Of the time to send it, by the monotonic clock. */
  readonly startedAt: number;
}

async function create(
  house: House,
  asked: Authorization,
  { paymentMethod, ...terms }: PaymentTerms,
  instrument: UsableInstrument,
  caller: Caller,
  operation: Operation,
): Promise<Created | Worked<Answer<Payment>>> {
  const { context, resourceId: paymentId } = operation;
  const { paymentMethodToken, sessionId } = asked;
  const startedAt = house.world.monotonic();
  const attemptId = attemptIdOf(operation);
  const { paymentMethodType, paymentMethodData, fingerprint } = instrument;
  const isVaulted = instrument.status === 'vaulted';
  const customerId = terms.customerId ?? (isVaulted ? instrument.vault?.customerId : undefined);
  const { processor, processorToken } = instrument;
  const route = { processor, connectionId: processor, processorToken };
  const creation = {
    ...terms,
    ...(customerId !== undefined && { customerId }),
    accountId: caller.accountId,
    createdAt: caller.at,
    ...(sessionId !== undefined && { sessionId }),
    paymentMethod: {
      ...paymentMethod,
      paymentMethodToken,
      paymentMethodType,
      paymentMethodData,
      fingerprint,
      isVaulted,
    },
  };
  // At now, not at the request's time: claims may have taken a while, and the time to send it runs from here.
  const timing = attemptTiming(house.world.now(), house.timings);
  const made = await transactFor(operation, house.payments, createPayment(creation, route, { attemptId, ...timing }));
  if (made.kind === 'rejected') return withdrawPayment(house, asked, made, operation);
  if (made.kind !== 'written') {
    // Another node has made it, and may have given back already what this one has just claimed once more.
    if (isOver(made.folded.state)) await concludePayment(house, paymentId, made.folded, context);
    return { answer: await replayAttempt(house, operation, revisionOf(made)), appended: true };
  }
  return { made, startedAt };
}
