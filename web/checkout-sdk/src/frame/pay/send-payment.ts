// Sends what moves a payment until its answer is here: under one idempotency key or token, however often the line breaks (contract §6).
import type { Payment, Refused } from './answers.ts';
import { backoffMs, pause } from './pause.ts';
import type { Answer, CheckoutService, Order } from './service.ts';

/** Refusals after which the same call may be sent again: nothing says that it had no effect, or that it will have none. */
const REPEATED: ReadonlySet<string> = new Set(['IdempotencyKeyInProgress', 'Conflict', 'InternalError', 'ServiceUnavailable']);
const MAX_SENDS = 6;
/** Fewer: the shopper has a button that tries again, and the bank's own word comes without the shopper. */
const MAX_RESUMES = 3;

/** Whether a payment that was refused in this way may have begun all the same. */
export const mayHaveBegun = ({ status, errorId }: Refused): boolean => REPEATED.has(errorId) || status >= 500;

export function sendPayment(service: Pick<CheckoutService, 'pay'>, order: Order): Promise<Answer<Payment>> {
  const key = crypto.randomUUID();
  return repeated(() => service.pay(order, key), MAX_SENDS);
}

/** Goes on with a payment whose shopper has come back. */
export const sendResume = (service: Pick<CheckoutService, 'resume'>, id: string, resumeToken: string): Promise<Answer<Payment>> =>
  repeated(() => service.resume(id, resumeToken), MAX_RESUMES);

/** Gives the payment up that waits at the bank, for another card. */
export const sendGivingUp = (service: Pick<CheckoutService, 'giveUp'>, id: string): Promise<Answer<Payment>> =>
  repeated(() => service.giveUp(id), MAX_RESUMES);

/** `send` has one effect, however often it is called. */
async function repeated(send: () => Promise<Answer<Payment>>, most: number): Promise<Answer<Payment>> {
  for (let sent = 1; ; sent += 1) {
    const answer = await send();
    if (answer.kind === 'answered' || sent === most) return answer;
    if (answer.kind === 'refused' && !mayHaveBegun(answer)) return answer;
    await pause(answer.kind === 'refused' ? Math.max(answer.retryAfterMs ?? 0, backoffMs(sent - 1)) : backoffMs(sent - 1));
  }
}
