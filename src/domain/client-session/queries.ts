// Questions about a session's fields from other parts.
import { orderAmount } from '../order-amount.ts';
import type { SessionFields } from './recorded-fields.ts';

/** The top-level amount, otherwise the calculated amount, or undefined (contract §3); minor units. */
export const amountOf = ({ amount, order }: SessionFields): number | undefined => amount ?? orderAmount(order);

/**
 * Whether the session's `orderedAllowedCardNetworks`, where there is a list, holds the card's network (contract §3).
 */
export const allowsNetwork = ({ paymentMethod }: SessionFields, { network }: { readonly network: string }): boolean =>
  paymentMethod?.orderedAllowedCardNetworks?.some((allowed) => allowed === network) ?? true;
