// Due work on payments: look-ups, holds that end, and claims that were not released. A policy knows the time; `policy`
// is its name.
import { isOpen } from '../../domain/payment/attempt.ts';
import { expireHold } from '../../domain/payment/expire.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { attemptOf, dueReadAt, isKnown } from '../../domain/payment/queries.ts';
import { contextAfter, transact } from '../../journal/transact.ts';
import { type Due, dueContext } from '../due.ts';
import { displaceSessionClaim, displaceTokenClaim } from './claims.ts';
import { concludePayment, giveBack } from './conclude-payment.ts';
import { lookUpAttempts } from './look-up-attempts.ts';
import { lookUpDisputes } from './look-up-disputes.ts';
import type { LookUpNeeds } from './needs.ts';
import { readIfRefused, readStanding } from './read-standing.ts';

export function makeDueWork(needs: LookUpNeeds) {
  const { payments, sessions, instruments, world } = needs;
  return {
    /**
     * `which`: as lookUpAttempts takes it. Also finishes the follow-ups of a settled payment that a crash left undone,
     * and reads a payment whose read is owed.
     */
    async lookUpPayment(due: Due, which: 'due' | 'all', policy: string): Promise<void> {
      const context = await dueContext(world, payments, policy, due);
      const { state: before } = await payments.current(due.id);
      const looked = await lookUpAttempts(needs, due.id, which, context);
      await concludePayment(needs, due.id, looked, context);
      await readIfRefused(needs, due.id, looked.state, context, ({ attemptId }) => {
        const attempt = attemptOf(before, attemptId);
        return attempt !== undefined && isOpen(attempt);
      });
      if ((dueReadAt(looked.state) ?? Number.POSITIVE_INFINITY) <= world.now())
        await readStanding(needs, due.id, context);
    },
    /** Looks up answers to disputes, overdue disputes, which end by it, and challenged ones. */
    async lookUpDisputes(due: Due, policy: string): Promise<void> {
      await lookUpDisputes(needs, due.id, 'due', await dueContext(world, payments, policy, due));
    },
    /**
     * Releases a hold that is over: as the processor shows it, or by our clock where the processor cannot show a
     * payment.
     */
    async expireAuthorization(due: Due, policy: string): Promise<void> {
      const context = await dueContext(world, payments, policy, due);
      const { state } = await payments.current(due.id);
      if (!isKnown(state)) return;
      const processor = await needs.connections.processor(state.processor);
      if (processor?.standing !== undefined || processor === undefined)
        return void (await readStanding(needs, due.id, context));
      const expired = await transact(payments, due.id, context, expireHold(context.at));
      if (expired.kind === 'written')
        await concludePayment(needs, due.id, expired.folded, contextAfter(context, expired));
    },
    /** Takes the session from a payment that is over or was never made. */
    async releaseSessionClaim(due: Due, policy: string): Promise<void> {
      await displaceSessionClaim(needs, due.id, await dueContext(world, sessions, policy, due));
    },
    /** Takes a single-use token from a payment that no processor saw. */
    async releaseTokenClaim(due: Due, policy: string): Promise<void> {
      await displaceTokenClaim(needs, due.id, await dueContext(world, instruments, policy, due));
    },
    /** `payment` is over: releases its session and token. */
    async giveClaimsBack(due: Due, payment: KnownPayment, policy: string): Promise<void> {
      await giveBack(needs, due.id, payment, await dueContext(world, payments, policy, due));
    },
  };
}
