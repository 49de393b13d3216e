import { releaseSession } from '../../domain/client-session/decide.ts';
import type { ClientSession } from '../../domain/client-session/state.ts';
import type { Rejection } from '../../domain/decider.ts';
import { abandonPayment } from '../../domain/payment/create.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { givesTokenBack, isOver } from '../../domain/payment/queries.ts';
import { claimInstrument, releaseInstrument } from '../../domain/payment-instrument/decide.ts';
import type { PaymentInstrument } from '../../domain/payment-instrument/state.ts';
import type { Context } from '../../journal/context.ts';
import { contextAfter, transact } from '../../journal/transact.ts';
import { aside } from '../effect.ts';
import type { PaymentNeeds } from './needs.ts';

interface HeldClaim {
  readonly paymentId: string;
  /** ms */
  readonly abandonAfter: number;
}

/**
 * True if the payment that holds a claim is over for good at `at` (ms), or was never made although it is time, so that
 * another payment may take the claim.
 */
function mayBeTaken(state: Payment, { abandonAfter }: HeldClaim, over: typeof isOver, at: number): boolean {
  return state.status === 'absent' ? at >= abandonAfter : over(state);
}

/**
 * Whether the payment that holds a claim is over for good, so that the claim may be taken from it. A payment that was
 * claimed for but never made is fenced off first, by an event in its own stream, when the claim is old enough. Answers
 * the context to take the claim in; undefined while it holds.
 */
async function contextIfOver(
  needs: PaymentNeeds,
  claim: HeldClaim,
  over: typeof isOver,
  context: Context,
): Promise<Context | undefined> {
  const { paymentId } = claim;
  const { state } = await needs.payments.current(paymentId);
  if (!mayBeTaken(state, claim, over, context.at)) return undefined;
  if (state.status !== 'absent') return context;
  const fenced = await transact(needs.payments, paymentId, context, abandonPayment(context.accountId));
  return fenced.kind !== 'rejected' && over(fenced.folded.state) ? contextAfter(context, fenced) : undefined;
}

/**
 * Takes the session back from a payment that is over. True if the session is (or now became) free of that payment.
 */
export async function displaceSessionClaim(needs: PaymentNeeds, sessionId: string, asked: Context): Promise<boolean> {
  const context = aside(asked, needs.world);
  const { state } = await needs.sessions.current(sessionId);
  if (state.status === 'absent' || state.payment === undefined) return state.status !== 'absent';
  const over = await contextIfOver(needs, state.payment, isOver, context);
  if (over === undefined) return false;
  const ended = await transact(needs.sessions, sessionId, over, releaseSession(state.payment.paymentId));
  return ended.kind !== 'rejected';
}

/**
 * Takes a single-use token back from a payment that no processor saw. True if the token is (or now became) free of
 * that payment.
 */
export async function displaceTokenClaim(needs: PaymentNeeds, token: string, asked: Context): Promise<boolean> {
  const context = aside(asked, needs.world);
  const { state } = await needs.instruments.current(token);
  if (state.status === 'absent' || state.claim === undefined) return state.status !== 'absent';
  const over = await contextIfOver(needs, state.claim, givesTokenBack, context);
  if (over === undefined) return false;
  const released = await transact(needs.instruments, token, over, releaseInstrument(state.claim.paymentId));
  return released.kind !== 'rejected';
}

/** Claims the instrument for a payment; a claim whose payment gave the token back is displaced first. */
export async function claimToken(
  needs: PaymentNeeds,
  token: string,
  claim: Parameters<typeof claimInstrument>[0],
  context: Context,
): Promise<Rejection | undefined> {
  const claimed = await transact(needs.instruments, token, context, claimInstrument(claim));
  if (claimed.kind !== 'rejected') return undefined;
  const { state } = await needs.instruments.load(token);
  if (state.status === 'absent' || state.claim === undefined || state.claim.paymentId === claim.paymentId)
    return claimed;
  if (!(await displaceTokenClaim(needs, token, context))) return claimed;
  const again = await transact(needs.instruments, token, context, claimInstrument(claim));
  return again.kind === 'rejected' ? again : undefined;
}

/** The newest state of a token as `claimToken` will find it: a claim that it may displace counts as none. */
export async function claimableToken(needs: PaymentNeeds, token: string): Promise<PaymentInstrument> {
  const { state } = await needs.instruments.current(token);
  if (state.status === 'absent' || state.claim === undefined) return state;
  const holder = (await needs.payments.current(state.claim.paymentId)).state;
  if (holder.status !== 'absent' && !givesTokenBack(holder)) return state;
  const { claim: _displaceable, ...free } = state;
  return free;
}

/** The session as a payment finds it at `at` (ms): a claim that the payment could take counts as none. Only reads. */
export async function sessionFor(needs: PaymentNeeds, sessionId: string, at: number): Promise<ClientSession> {
  const { state } = await needs.sessions.current(sessionId);
  if (state.status === 'absent' || state.payment === undefined) return state;
  const { payment, ...free } = state;
  const holder = (await needs.payments.current(payment.paymentId)).state;
  return mayBeTaken(holder, payment, isOver, at) ? free : state;
}

/** The token as a payment finds it at `at` (ms): a claim that the payment could take counts as none. Only reads. */
export async function tokenFor(needs: PaymentNeeds, token: string, at: number): Promise<PaymentInstrument> {
  const { state } = await needs.instruments.current(token);
  if (state.status === 'absent' || state.claim === undefined) return state;
  const { claim, ...free } = state;
  const holder = (await needs.payments.current(claim.paymentId)).state;
  return mayBeTaken(holder, claim, givesTokenBack, at) ? free : state;
}
