// Sends one payment until its answer is here: under one idempotency key, however often the line breaks (contract §6).
import type { Payment, Refused } from './answers.ts';
import { backoffMs, pause } from './pause.ts';
import type { CheckoutService, Order, Unreachable } from './service.ts';

/** Refusals after which the same call may be sent again: nothing says that it had no effect, or that it will have none. */
const REPEATED: ReadonlySet<string> = new Set(['IdempotencyKeyInProgress', 'Conflict', 'InternalError', 'ServiceUnavailable']);
const MAX_SENDS = 6;

/** Whether a payment that was refused in this way may have begun all the same. */
export const mayHaveBegun = ({ status, errorId }: Refused): boolean => REPEATED.has(errorId) || status >= 500;

export async function sendPayment(
  service: Pick<CheckoutService, 'pay'>,
  order: Order,
): Promise<{ readonly kind: 'answered'; readonly body: Payment } | Refused | Unreachable> {
  const key = crypto.randomUUID();
  for (let sent = 1; ; sent += 1) {
    const answer = await service.pay(order, key);
    if (answer.kind === 'answered' || sent === MAX_SENDS) return answer;
    if (answer.kind === 'refused' && !mayHaveBegun(answer)) return answer;
    await pause(answer.kind === 'refused' ? Math.max(answer.retryAfterMs ?? 0, backoffMs(sent - 1)) : backoffMs(sent - 1));
  }
}
