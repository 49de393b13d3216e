// Where a body must not hold card numbers: in every free text but orderId, itemId and product codes (contract §7).
import { type Rejection, reject } from '../decider.ts';
import { type Path, placeOf, type TextCheck } from '../json-strings.ts';
import { holdsCardNumber, mayHoldCardNumber } from './search.ts';

/**
 * Places that may hold digits of any kind (contract §7), or a text that this service made itself. `*` is any place in a
 * list. A name counts nowhere else: a body may have members whose names its author chose.
 */
const EXEMPT = new Set([
  'orderId',
  'order.lineItems.*.itemId',
  'order.lineItems.*.productData.sku',
  'order.lineItems.*.productData.globalTradeItemNumber',
  'order.lineItems.*.productData.manufacturerPartNumber',
  'clientToken',
  'paymentMethodToken',
  'resumeToken',
  'method.iban',
  'transactionEventId',
  'welcomeToken',
  'password',
  'newPassword',
]);
const PHONE = 'customer.mobileNumber';

/** Paths at which any JSON is allowed: numbers there are not amounts. */
const isFreeJson = (path: Path): boolean =>
  path[0] === 'metadata' || (path[0] === 'paymentMethod' && path[1] === 'options');

/** The smallest number of twelve digits. */
const SMALLEST = 1e11;

function isFound(text: string | number, path: Path, isKey: boolean): boolean {
  // Digits after the point never belong to a card number: coordinates have as many digits as cards.
  if (typeof text === 'number')
    return Math.abs(text) >= SMALLEST && Number.isInteger(text) && isFreeJson(path) && holdsCardNumber(String(text));
  if (!holdsCardNumber(text)) return false;
  const place = placeOf(path);
  return isKey || (!EXEMPT.has(place) && (place !== PHONE || holdsCardNumber(text, true)));
}

/** Escapes that may stand for a digit or a gap. */
const ESCAPE = /\\[^"\\/]/;

/**
 * The check for card numbers in free strings, metadata and its keys and numbers included. `raw` is the body's text;
 * undefined if a search of it shows that there is none.
 */
export const cardNumberCheck = (raw: string): TextCheck | undefined =>
  mayHoldCardNumber(raw) || ESCAPE.test(raw)
    ? (text, path, isKey) => (isFound(text, path, isKey) ? 'Must not hold a card number.' : undefined)
    : undefined;

/** Names that an operator gives may hold none either: names are in events, lists and logs. */
export const refuseCardNumber = (name: string): Rejection | undefined =>
  holdsCardNumber(name) ? reject('CardNumberNotAllowed', 'A name must not hold a card number.') : undefined;
