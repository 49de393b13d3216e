// What rules of routing may ask of a session before its payment exists.
import { amountOf } from '../client-session/queries.ts';
import type { SessionFields } from '../client-session/recorded-fields.ts';
import { type OfferedMethod, typeOfOffered } from '../payment-method.ts';
import { isNamedFor } from './choose-route.ts';
import type { NamedConnection, RecordedRules } from './recorded-rules.ts';
import type { RouteFacts } from './when.ts';

/** The network of a card is not known before it is entered, so a rule that asks for one does not match. */
export const sessionFacts = (fields: SessionFields, offered: OfferedMethod): RouteFacts => ({
  currencyCode: fields.currencyCode ?? '',
  amount: amountOf(fields) ?? 0,
  methodType: typeOfOffered(offered),
  network: '',
  initiator: 'customer',
  metadata: fields.metadata,
});

/** True if the rules may have the method of such a session entered at the connection. */
export const mayBeEnteredAt = (
  { rules, connections }: { readonly rules: RecordedRules; readonly connections: readonly NamedConnection[] },
  fields: SessionFields,
  offered: OfferedMethod,
  connectionId: string,
): boolean => {
  const facts = sessionFacts(fields, offered);
  return connections.some((one) => one.connectionId === connectionId && isNamedFor(rules, facts, one.name));
};
