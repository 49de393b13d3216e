// Where a body must not hold card numbers: in every free text but orderId, itemId and product codes (contract §7).
import { type Rejection, reject } from '../decider.ts';
import type { Path, TextCheck } from '../json-strings.ts';
import { holdsCardNumber, mayHoldCardNumber } from './search.ts';

/** May hold digits of any kind (contract §7), or is a text that this service made itself. */
const EXEMPT = new Set<string | number>([
  'orderId',
  'itemId',
  'sku',
  'globalTradeItemNumber',
  'manufacturerPartNumber',
  'clientToken',
  'paymentMethodToken',
  'resumeToken',
  'iban',
  'transactionEventId',
  'welcomeToken',
  'password',
  'newPassword',
]);
/** Paths at which any JSON is allowed: names there mean nothing, and numbers there are not amounts. */
const isFreeJson = (path: Path): boolean =>
  path[0] === 'metadata' || (path[0] === 'paymentMethod' && path[1] === 'options');

/** No schema lets a longer string through (metadata is the largest), so none is searched. */
const LONGEST_TEXT = 16_384;
/** The smallest number of twelve digits. */
const SMALLEST = 1e11;

function isFound(text: string | number, path: Path, isKey: boolean): boolean {
  // Digits after the point never belong to a card number: coordinates have as many digits as cards.
  if (typeof text === 'number')
    return Math.abs(text) >= SMALLEST && Number.isInteger(text) && isFreeJson(path) && holdsCardNumber(String(text));
  if (text.length > LONGEST_TEXT) return false;
  if (isFreeJson(path)) return holdsCardNumber(text);
  const name = path[path.length - 1] ?? '';
  return !isKey && !EXEMPT.has(name) && holdsCardNumber(text, name === 'mobileNumber');
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
