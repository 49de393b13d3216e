// What a merchant may ask for, checked at once: a mistake is a TypeError in the merchant's own stack.
import { faultsOfAppearance } from '../shared/appearance.ts';
import { claimsOf } from '../shared/client-token.ts';
import type { Configuration } from '../shared/protocol.ts';
import type { CheckoutChanges, CheckoutOptions } from './public.ts';

export function elementOf({ element }: CheckoutOptions): HTMLElement {
  const found = typeof element === 'string' ? document.querySelector(element) : element;
  if (!(found instanceof HTMLElement)) throw new TypeError(`Counterfoil: there is no element ${String(element)}`);
  return found;
}

/** The configuration for the frame, with defaults. */
export function configurationOf({ clientToken, locale, appearance = {}, orderSummary = true }: CheckoutOptions): Configuration {
  if (claimsOf(clientToken) === undefined) throw new TypeError('Counterfoil: clientToken is not the token of a client session');
  const faults = faultsOfAppearance(appearance);
  if (faults.length > 0) throw new TypeError(`Counterfoil: not allowed: ${faults.join(', ')}`);
  return { clientToken, locale: locale ?? pageLocale(), appearance, orderSummary };
}

/** `options` with the changes that are named; a member that is undefined changes nothing. */
export function withChanges(options: CheckoutOptions, changes: CheckoutChanges): CheckoutOptions {
  const named = Object.entries(changes).filter(([, value]) => value !== undefined);
  return { ...options, ...Object.fromEntries(named) };
}

const pageLocale = (): string => document.documentElement.lang || navigator.language || 'en';
