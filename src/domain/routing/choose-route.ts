// Which connection takes a payment, by the rules of its account: the first rule that matches, then a draw by weight.
import type { RecordedRules, SkipReason } from './recorded-rules.ts';
import { DEFAULT_RULE } from './routing-rules.ts';
import { matches, type RouteFacts } from './when.ts';

export interface RouteChoice<Because = SkipReason> {
  /** The name of the rule. */
  readonly rule: string;
  /** As the rules name it; undefined if all were skipped. */
  readonly connection: string | undefined;
  /** In the order in which they would have been taken. */
  readonly skipped: readonly { readonly connection: string; readonly because: Because }[];
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
  const found = rules.rules.find(({ when }) => matches(when, facts));
  const { use, then } = found ?? rules.default;
  const rule = found?.name ?? DEFAULT_RULE;
  const skipped: { connection: string; because: Because }[] = [];
  const isFree = (connection: string): boolean => {
    if (skipped.some((one) => one.connection === connection)) return false;
    const because = skip(connection);
    if (because !== undefined) skipped.push({ connection, because });
    return because === undefined;
  };
  const chosen = (connection: string): RouteChoice<Because> => ({
    rule,
    connection,
    skipped,
    then: then.filter((one) => one !== connection),
  });
  let left = use.filter(({ weight }) => weight > 0);
  let place = left.length > 1 ? draw() : 0;
  while (left.length > 0) {
    const drawn = drawnAt(left, place);
    if (isFree(drawn.one.connection)) return chosen(drawn.one.connection);
    left = left.filter((one) => one !== drawn.one);
    place = drawn.within;
  }
  for (const connection of then) if (isFree(connection)) return chosen(connection);
  return { rule, connection: undefined, skipped, then: [] };
}

type Weighted = RecordedRules['default']['use'][number];

/** `within`: how far the place is inside the part that was drawn, from 0 to below 1: the place of the next draw. */
function drawnAt(weighted: readonly Weighted[], place: number): { readonly one: Weighted; readonly within: number } {
  let rest = place * weighted.reduce((sum, { weight }) => sum + weight, 0);
  for (const one of weighted) {
    if (rest < one.weight) return { one, within: rest / one.weight };
    rest -= one.weight;
  }
  const [first] = weighted.slice(-1);
  if (first === undefined) throw new TypeError('nothing to draw from');
  return { one: first, within: 0 };
}
