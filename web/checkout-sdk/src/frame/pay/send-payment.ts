// Sends a call that moves a payment until its response arrives, under one idempotency key or token (contract §6).
import type { Payment, Refused } from './answers.ts';
import { backoffMs, pause } from './pause.ts';
import type { Answer, CheckoutService, Order } from './service.ts';

/** Refusals after which the same call is sent again, because it may have had, or may still have, an effect. */
const REPEATED: ReadonlySet<string> = new Set([
  'IdempotencyKeyInProgress',
  'Conflict',
  'InternalError',
  'ServiceUnavailable',
]);
const MAX_SENDS = 6;
/**
 * Fewer attempts, because the shopper has a button that tries again, and the bank's response arrives without the
 * shopper.
 */
const MAX_RESUMES = 3;

/** True if a payment that was refused in this way may have started all the same. */
export const mayHaveBegun = ({ status, errorId }: Refused): boolean => REPEATED.has(errorId) || status >= 500;

export function sendPayment(service: Pick<CheckoutService, 'pay'>, order: Order): Promise<Answer<Payment>> {
  const key = crypto.randomUUID();
  return repeated(() => service.pay(order, key), MAX_SENDS);
}

/** Resumes a payment whose shopper has come back. */
export const sendResume = (
  service: Pick<CheckoutService, 'resume'>,
  id: string,
  resumeToken: string,
): Promise<Answer<Payment>> => repeated(() => service.resume(id, resumeToken), MAX_RESUMES);

/** Gives up the payment that waits at the bank, for another card. */
export const sendGivingUp = (service: Pick<CheckoutService, 'giveUp'>, id: string): Promise<Answer<Payment>> =>
  repeated(() => service.giveUp(id), MAX_RESUMES);

/** `send` has one effect, however often it is called. */
async function repeated(send: () => Promise<Answer<Payment>>, most: number): Promise<Answer<Payment>> {
  for (let sent = 1; ; sent += 1) {
    const answer = await send();
    if (answer.kind === 'answered' || sent === most) return answer;
    if (answer.kind === 'refused' && !mayHaveBegun(answer)) return answer;
    await pause(
      answer.kind === 'refused' ? Math.max(answer.retryAfterMs ?? 0, backoffMs(sent - 1)) : backoffMs(sent - 1),
    );
  }
}
