// Due work on payments: look-ups, holds that end, and claims that were not released. A policy knows the time; `policy`
// is its name.
import { isOpen } from '../../domain/payment/attempt.ts';
import { expireHold } from '../../domain/payment/expire.ts';
import type { KnownPayment, Payment } from '../../domain/payment/payment.ts';
import { attemptOf, dueReadAt, isKnown } from '../../domain/payment/queries.ts';
import type { Context } from '../../journal/context.ts';
import type { Folded } from '../../journal/fold.ts';
import { contextAfter, transact } from '../../journal/transact.ts';
import { type Due, dueContext } from '../due.ts';
import { concludePayment, giveBack } from './attempt.ts';
import { displaceSessionClaim, displaceTokenClaim } from './claims.ts';
import { lookUpAttempts } from './look-up-attempts.ts';
import { lookUpDisputes } from './look-up-disputes.ts';
import type { PaymentNeeds } from './needs.ts';
import { readIfRefused, readStanding } from './read-standing.ts';
import { adoptIfForAgreement, settleIfCharge } from './settle-charge.ts';

/**
 * `which`: as lookUpAttempts takes it. Also finishes the follow-ups of a settled payment that a crash left undone, and
 * reads a payment whose read is owed.
 */
export async function lookUpPayment(
  needs: PaymentNeeds,
  due: Due,
  which: 'due' | 'all',
  policy: string,
): Promise<void> {
  const { payments, world } = needs;
  const context = await dueContext(world, payments, policy, due);
  const { state: before } = await payments.current(due.id);
  const { state } = await lookAtChanged(needs, due.id, context, which);
  await readIfRefused(needs, due.id, state, context, ({ attemptId }) => {
    const attempt = attemptOf(before, attemptId);
    return attempt !== undefined && isOpen(attempt);
  });
  if ((dueReadAt(state) ?? Number.POSITIVE_INFINITY) <= world.now()) await readStanding(needs, due.id, context);
}

/** Looks up what is open of a payment that its processor says has changed, and does the follow-ups. */
export async function lookAtChanged(
  needs: PaymentNeeds,
  paymentId: string,
  context: Context,
  which: 'due' | 'all' = 'all',
): Promise<Folded<Payment>> {
  const looked = await lookUpAttempts(needs, paymentId, which, context);
  await concludePayment(needs, paymentId, looked, context);
  return looked;
}

/** Looks up answers to disputes, overdue disputes, which end by it, and challenged ones. */
export async function lookUpDueDisputes(needs: PaymentNeeds, due: Due, policy: string): Promise<void> {
  await lookUpDisputes(needs, due.id, 'due', await dueContext(needs.world, needs.payments, policy, due));
}

/**
 * Releases a hold that is over: as the processor shows it, or by our clock where the processor cannot show a payment.
 */
export async function expireAuthorization(needs: PaymentNeeds, due: Due, policy: string): Promise<void> {
  const { payments, world } = needs;
  const context = await dueContext(world, payments, policy, due);
  const { state } = await payments.current(due.id);
  if (!isKnown(state)) return;
  const processor = await needs.connections.processor(state.processor);
  if (processor?.standing !== undefined || processor === undefined)
    return void (await readStanding(needs, due.id, context));
  const expired = await transact(payments, due.id, context, expireHold(context.at));
  if (expired.kind === 'written') await concludePayment(needs, due.id, expired.folded, contextAfter(context, expired));
}

/** Takes the session from a payment that is over or was never made. */
export async function releaseSessionClaim(needs: PaymentNeeds, due: Due, policy: string): Promise<void> {
  await displaceSessionClaim(needs, due.id, await dueContext(needs.world, needs.sessions, policy, due));
}

/** Takes a single-use token from a payment that no processor saw. */
export async function releaseTokenClaim(needs: PaymentNeeds, due: Due, policy: string): Promise<void> {
  await displaceTokenClaim(needs, due.id, await dueContext(needs.world, needs.instruments, policy, due));
}

/** `payment` is over: releases its session and token. */
export async function giveClaimsBack(
  needs: PaymentNeeds,
  due: Due,
  payment: KnownPayment,
  policy: string,
): Promise<void> {
  await giveBack(needs, due.id, payment, await dueContext(needs.world, needs.payments, policy, due));
}

/** Puts the end of a payment of an agreement on record there, where a crash left it out. */
export async function settleEndedCharge(
  needs: PaymentNeeds,
  due: Due,
  payment: KnownPayment,
  policy: string,
): Promise<void> {
  const context = await dueContext(needs.world, needs.payments, policy, due);
  await settleIfCharge(needs, due.id, payment, context);
  await adoptIfForAgreement(needs, due.id, payment, context);
}
