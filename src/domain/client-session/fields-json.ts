// JSON of a session's fields. Most changes of a session leave its order alone, and a long order is most of the text: that part is written once.
import type { SessionFields } from './recorded-fields.ts';

type Order = NonNullable<SessionFields['order']>;
interface WithOrder {
  readonly order?: Order | undefined;
}

/** Line items from which on keeping their text costs less than writing it again. */
const MANY_LINES = 8;
/** Stands for the order while the text around it is written. */
const PLACE: Order = { countryCode: '' };
const PLACE_TEXT = JSON.stringify(PLACE);

/** By the order itself: no order is ever changed, and a change that leaves it alone keeps the object. */
const texts = new WeakMap<Order, string>();

function textOf(order: Order): string {
  const known = texts.get(order);
  if (known !== undefined) return known;
  const text = JSON.stringify(order);
  texts.set(order, text);
  return text;
}

/**
 * `JSON.stringify(holder)`, to the character. `fields`: the holder, or a part of it; `holding` answers the same holder with other fields in
 * place of these.
 */
export function jsonOf<Fields extends WithOrder>(holder: object, fields: Fields, holding: (fields: Fields) => object): string {
  const { order } = fields;
  if (order?.lineItems === undefined || order.lineItems.length < MANY_LINES) return JSON.stringify(holder);
  const text = JSON.stringify(holding({ ...fields, order: PLACE }));
  const at = text.indexOf(PLACE_TEXT);
  // Metadata may hold the same text: then nobody knows which of the two is the order.
  if (at < 0 || text.includes(PLACE_TEXT, at + 1)) return JSON.stringify(holder);
  return [text.slice(0, at), textOf(order), text.slice(at + PLACE_TEXT.length)].join('');
}
