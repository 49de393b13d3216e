// The steps that a shopper may have to take before a payment goes on, as far as this version can show them.
import type { Payment } from './pay/answers.ts';

/** Where the bank challenges the shopper; undefined without a challenge, and for a step of another kind. */
export function challengeUrl({ requiredAction }: Pick<Payment, 'requiredAction'>): string | undefined {
  return requiredAction?.name === '3DS_AUTHENTICATION' ? requiredAction.url : undefined;
}
