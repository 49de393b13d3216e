// What others ask of a session's fields.
import type { CardNetwork, SessionFields } from './fields.ts';

/** Whether the session's `orderedAllowedCardNetworks`, where there is a list, holds the card's network (contract §3). */
export const allowsNetwork = ({ paymentMethod }: SessionFields, { network }: { readonly network: CardNetwork }): boolean =>
  paymentMethod?.orderedAllowedCardNetworks?.includes(network) ?? true;
