// The chain that a finding belongs to: that of the request which the processor was asked about, never of the call that
// happened to ask.
import type { PaymentEvent } from '../../domain/payment/events.ts';
import type { Context } from '../../journal/context.ts';
import { contextAfter, type Transacted } from '../../journal/transact.ts';
import { aside } from '../effect.ts';
import type { ClaimNeeds } from './needs.ts';

/** The request at a revision of the payment's stream. */
export interface RequestedAt {
  readonly requestedRevision: number;
}

/**
 * The context of what is found about the request, and of all that follows. A policy stays the actor of its work; in the
 * place of a caller the actor of the request acts, so that an automatic capture is never that of a key which may only
 * cancel. Throws StoreUnavailable.
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

/**
 * The context of what follows from a wish: this call's event, or the newest one of the type that was on record before.
 * A second call for a wish leaves no event of its own, and what it leads to is still the first one's. Throws
 * StoreUnavailable.
 */
export async function afterWish(
  needs: Pick<ClaimNeeds, 'payments' | 'world'>,
  paymentId: string,
  wished: Transacted<object, object>,
  type: PaymentEvent['type'],
  begun: Context,
): Promise<Context> {
  if (wished.kind === 'written') return contextAfter(begun, wished);
  return chainOfNewest(needs, paymentId, (event) => event.type === type, begun);
}

/**
 * The chain of the newest event that is meant; `begun` where there is none. Reads the whole stream. Throws
 * StoreUnavailable.
 */
export async function chainOfNewest(
  { payments, world }: Pick<ClaimNeeds, 'payments' | 'world'>,
  paymentId: string,
  isMeant: (event: PaymentEvent) => boolean,
  begun: Context,
): Promise<Context> {
  let newest: number | undefined;
  for await (const { event, recorded } of payments.history(paymentId, -1))
    if (isMeant(event)) newest = recorded.revision;
  return newest === undefined ? begun : ownChain({ payments, world }, paymentId, { requestedRevision: newest }, begun);
}
