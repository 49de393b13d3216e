// Which connection takes a payment, by the rules of its account: the first rule that matches, then a draw by weight;
// and what the rules may ask of a session before its payment exists.

import { amountOf } from '../client-session/queries.ts';
import type { SessionFields } from '../client-session/recorded-fields.ts';
import { type OfferedMethod, typeOfOffered } from '../payment-method.ts';
import type { NamedConnection, RecordedRules, SkipReason } from './recorded-rules.ts';
import { DEFAULT_RULE } from './routing-rules.ts';
import { matches, type RouteFacts } from './when.ts';

export interface RouteChoice<Because = SkipReason> {
  /** The name of the rule. */
  readonly rule: string;
  /** As the rules name it; undefined if all were skipped. */
  readonly connection: string | undefined;
  /** In the order in which they would have been taken. */
  readonly skipped: readonly Skipped<Because>[];
  /** Those that may be asked after it. */
  readonly then: readonly string[];
}

/**
 * `skip`: why a connection cannot take the payment. `draw`: a number from 0 to below 1 that belongs to the payment, so
 * that every node draws the same; it is asked for only where there is something to draw.
 */
export function chooseRoute<Because>(
  rules: RecordedRules,
  facts: RouteFacts,
  skip: (connection: string) => Because | undefined,
  draw: () => number,
): RouteChoice<Because> {
  const { rule, use, then } = ruleFor(rules, facts);
  const skipped: Skipped<Because>[] = [];
  let left = use.filter(({ weight }) => weight > 0);
  let place = left.length > 1 ? draw() : 0;
  while (left.length > 0) {
    const { one, within } = drawnAt(left, place);
    const { connection } = one;
    if (isFree(connection, skip, skipped))
      return { rule, connection, skipped, then: then.filter((name) => name !== connection) };
    left = left.filter((other) => other !== one);
    place = within;
  }
  for (const connection of then)
    if (isFree(connection, skip, skipped))
      return { rule, connection, skipped, then: then.filter((name) => name !== connection) };
  return { rule, connection: undefined, skipped, then: [] };
}

/** True if the rule for these facts names the connection, whether it can take the payment or not. */
function isNamedFor(rules: RecordedRules, facts: RouteFacts, connection: string): boolean {
  const { use, then } = ruleFor(rules, facts);
  return then.includes(connection) || use.some((one) => one.connection === connection && one.weight > 0);
}

function ruleFor(rules: RecordedRules, facts: RouteFacts): { readonly rule: string } & RecordedRules['default'] {
  const found = rules.rules.find(({ when }) => matches(when, facts));
  return found === undefined
    ? { rule: DEFAULT_RULE, ...rules.default }
    : { rule: found.name, use: found.use, then: found.then };
}

interface Skipped<Because> {
  readonly connection: string;
  readonly because: Because;
}

/** Notes why it is not. A connection that was skipped is not asked for again. */
function isFree<Because>(
  connection: string,
  skip: (connection: string) => Because | undefined,
  skipped: Skipped<Because>[],
): boolean {
  if (skipped.some((one) => one.connection === connection)) return false;
  const because = skip(connection);
  if (because !== undefined) skipped.push({ connection, because });
  return because === undefined;
}

type Weighted = RecordedRules['default']['use'][number];

/** `within`: how far the place is inside the part that was drawn, from 0 to below 1: the place of the next draw. */
function drawnAt(weighted: readonly Weighted[], place: number): { readonly one: Weighted; readonly within: number } {
  let rest = weighted.length > 1 ? place * weighted.reduce((sum, { weight }) => sum + weight, 0) : 0;
  for (const one of weighted) {
    if (rest < one.weight) return { one, within: rest / one.weight };
    rest -= one.weight;
  }
  const [first] = weighted.slice(-1);
  if (first === undefined) throw new TypeError('nothing to draw from');
  return { one: first, within: 0 };
}

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
