// The place for steps that a shopper has to take before a payment goes on: 3-D Secure in a frame, a processor's own fields.
// A step's handler is a row in HANDLERS. A step without one is told to the merchant's page, and the payment stays pending.
import type { Payment } from './pay/answers.ts';

/** `host`: where it may draw. Resolves when the payment is worth reading again, whatever became of the step. */
export type ActionHandler = (payment: Payment, host: HTMLElement) => Promise<void>;

const HANDLERS: ReadonlyMap<string, ActionHandler> = new Map();

export const handlerOf = ({ requiredAction }: Payment): ActionHandler | undefined =>
  requiredAction === undefined ? undefined : HANDLERS.get(requiredAction);
