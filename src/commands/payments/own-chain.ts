// The chain that a finding belongs to: that of the request which the processor was asked about, never of the call that happened to ask.
import type { Context } from '../../journal/context.ts';
import { aside } from '../effect.ts';
import type { ClaimNeeds } from './needs.ts';

/** What was requested at a revision of the payment's stream. */
export interface RequestedAt {
  readonly requestedRevision: number;
}

/**
 * The context of what is found about the request, and of all that follows. A policy stays the actor of its work; in the place of a caller
 * the actor of the request acts, so that an automatic capture is never that of a key which may only cancel. Throws StoreUnavailable.
 */
export async function ownChain(
  { payments, world }: Pick<ClaimNeeds, 'payments' | 'world'>,
  paymentId: string,
  { requestedRevision }: RequestedAt,
  begun: Context,
): Promise<Context> {
  const { actor, ...cause } = await payments.chainAt(paymentId, requestedRevision);
  const isPolicy = begun.actor.kind === 'policy';
  return { ...aside(begun, world), ...cause, actor: isPolicy ? begun.actor : actor, at: world.now() };
}
