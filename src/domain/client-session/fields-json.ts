// JSON of a session's fields, and its bound. Most changes of a session leave its order alone, and a long order is most
// of the text: that part is written once.
import { type Rejection, reject } from '../decider.ts';
import type { SessionFields } from './recorded-fields.ts';

type SessionOrder = NonNullable<SessionFields['order']>;
interface WithOrder {
  readonly order?: SessionOrder | undefined;
}

/**
 * The largest JSON of all fields of a session, or of the fields that a payment keeps, in UTF-8 (contract §3). An append
 * and a response hold twice as much, so neither has to omit any field.
 */
export const MOST_FIELDS_BYTES = 524_288;
/** The most bytes of a UTF-16 unit in UTF-8. */
const MOST_BYTES_A_UNIT = 3;
/**
 * More than all fields but the order ever take: 24 texts of 255 characters, each written as six, and metadata and
 * options of 16 KiB each.
 */
const OTHERS_BYTES = 100_000;

/**
 * Line items from which on keeping their text costs less than writing it again. Fewer, of the longest texts, have room
 * in any session.
 */
const MANY_LINES = 8;
/** Stands for the order while the text around it is written. */
const PLACE: SessionOrder = { countryCode: '' };
const PLACE_TEXT = JSON.stringify(PLACE);

interface Text {
  readonly text: string;
  /** In UTF-8; undefined until it is wanted. */
  bytes?: number;
}

/** By the order itself: no order is ever changed, and a change that leaves it alone keeps the object. */
const texts = new WeakMap<SessionOrder, Text>();

function textOf(order: SessionOrder): Text {
  const known = texts.get(order);
  if (known !== undefined) return known;
  const made = { text: JSON.stringify(order) };
  texts.set(order, made);
  return made;
}

/**
 * `JSON.stringify(holder)`, to the character. `fields`: the holder, or a part of it; `holding` answers the same holder
 * with other fields in place of these.
 */
export function jsonOf<Fields extends WithOrder>(
  holder: object,
  fields: Fields,
  holding: (fields: Fields) => object,
): string {
  const { order } = fields;
  if (order?.lineItems === undefined || order.lineItems.length < MANY_LINES) return JSON.stringify(holder);
  const text = JSON.stringify(holding({ ...fields, order: PLACE }));
  const at = text.indexOf(PLACE_TEXT);
  // Metadata may hold the same text: then nobody knows which of the two is the order.
  if (at < 0 || text.includes(PLACE_TEXT, at + 1)) return JSON.stringify(holder);
  return [text.slice(0, at), textOf(order).text, text.slice(at + PLACE_TEXT.length)].join('');
}

/** True if the JSON of the fields has more than MOST_FIELDS_BYTES. It is written and measured for long orders alone. */
export function areTooLarge<Fields extends WithOrder>(fields: Fields): boolean {
  const { order } = fields;
  if (order?.lineItems === undefined || order.lineItems.length < MANY_LINES) return false;
  const written = textOf(order);
  if (MOST_BYTES_A_UNIT * written.text.length + OTHERS_BYTES <= MOST_FIELDS_BYTES) return false;
  written.bytes ??= Buffer.byteLength(written.text);
  const others = Buffer.byteLength(JSON.stringify({ ...fields, order: PLACE })) - PLACE_TEXT.length;
  return others + written.bytes > MOST_FIELDS_BYTES;
}

/** RequestValidationError for fields that no append should have to hold. `what`: the thing that would have them. */
export const tooLarge = (what: 'client session' | 'payment link' | 'payment'): Rejection =>
  reject('RequestValidationError', `The ${what} would be too large.`, {
    violations: [
      { path: '$', description: `Must not be larger than ${MOST_FIELDS_BYTES} bytes of JSON, all fields together.` },
    ],
  });
