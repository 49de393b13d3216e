// The holder of a payment's session and of its single-use token, from their own streams (contract §§3, 5).
import type { KnownPayment } from '../../../src/domain/payment/payment.ts';
import { isKnown } from '../../../src/domain/payment/queries.ts';
import type { Service } from '../../../src/service.ts';

export interface Claims {
  /** True if the session carries the payment still, so that it can be paid by no other. */
  readonly session: 'held' | 'free';
  /** `vaulted`: it pays as often as it is asked to. */
  readonly token: 'used' | 'free' | 'vaulted';
}

export async function claimsOf({ streams }: Service, paymentId: string): Promise<Claims> {
  const { sessionId = '', paymentMethod } = await paymentOf(streams, paymentId);
  const session = (await streams.sessions.current(sessionId)).state;
  const token = (await streams.instruments.current(paymentMethod.paymentMethodToken)).state;
  return {
    session: session.status !== 'absent' && session.payment?.paymentId === paymentId ? 'held' : 'free',
    token: token.status !== 'tokenized' ? 'vaulted' : token.claim?.paymentId === paymentId ? 'used' : 'free',
  };
}

/** A payment that is over releases its session. It releases its token only if the request was provably never sent. */
export async function claimsDue({ streams }: Service, paymentId: string): Promise<Claims> {
  const { status, statusReason, paymentMethod } = await paymentOf(streams, paymentId);
  const isOver = status === 'DECLINED' || status === 'FAILED' || status === 'CANCELLED';
  const isUnsent = status === 'FAILED' && statusReason?.because === 'not_sent';
  return { session: isOver ? 'free' : 'held', token: paymentMethod.isVaulted ? 'vaulted' : isUnsent ? 'free' : 'used' };
}

async function paymentOf({ payments }: Service['streams'], paymentId: string): Promise<KnownPayment> {
  const { state } = await payments.current(paymentId);
  if (!isKnown(state)) throw new Error(`there is no payment ${paymentId}`);
  return state;
}
