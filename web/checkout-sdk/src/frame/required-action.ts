// The steps that a shopper may have to take before a payment goes on, as far as this version can show them.
import type { Payment } from './pay/answers.ts';

/** The page where the shopper acts: the bank's challenge in a frame, or a method's page in a window of its own. */
export interface ActionPage {
  readonly url: string;
  readonly isFramed: boolean;
}

/** Undefined if the shopper has no page to go to, and for a step of another kind. */
export function actionPage({ requiredAction }: Pick<Payment, 'requiredAction'>): ActionPage | undefined {
  const { name, url } = requiredAction ?? {};
  if (url === undefined || (name !== '3DS_AUTHENTICATION' && name !== 'PAYMENT_METHOD_REDIRECT')) return undefined;
  return { url, isFramed: name === '3DS_AUTHENTICATION' };
}
