// Values as people type them: durations, whole numbers, scopes, types of messages.
import { InvalidArgumentError } from 'commander';
import { inOrder, SCOPES, type Scope } from '../domain/scopes.ts';
import type { WebhookType } from '../domain/webhook-endpoint.ts';

const UNITS: ReadonlyMap<string, number> = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);
/** A century: a longer duration is a typing error. */
const LONGEST_MS = 36_525 * 86_400_000;

/** Milliseconds, for commander: an option's value is checked before the command runs. */
export function parseDuration(text: string): number {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS.get(unit ?? '') ?? Number.NaN);
  if (!(ms >= 0 && ms <= LONGEST_MS))
    throw new InvalidArgumentError('Allowed is a whole number and a unit: 90d, 24h, 30m, 45s.');
  return ms;
}

/** The approximate length, in the largest unit that it fills: `8 d`, `3 h`, `5 min`, `45 s`. */
export function roughly(ms: number): string {
  const [unit, size] = [...UNITS].findLast(([, length]) => ms >= length) ?? ['s', 1_000];
  return `${Math.max(0, Math.floor(ms / size))} ${unit === 'm' ? 'min' : unit}`;
}

/** Whole numbers in a range, for commander. */
export const parseWholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max))
      throw new InvalidArgumentError(`Allowed is a whole number from ${min} to ${max}.`);
    return value;
  };

/** The types of messages, and the cause of each. WEBHOOK_TYPES would load the domain at each start. */
export const MESSAGE_CAUSES: { readonly [T in WebhookType]: string } = {
  'PAYMENT.STATUS': 'a payment is authorized and captured',
  'PAYMENT.REFUND': 'a part of the capture is refunded',
  'PAYMENT.CAPTURE.FAILED': 'a capture is refused 5 s later',
  'PAYMENT.REFUND.FAILED': 'a refund is refused immediately',
  'PAYMENT.CANCELLATION.FAILED': 'a cancellation never arrives (a fault)',
  'PAYMENT.ADJUSTMENT.FAILED': 'an adjustment never arrives (a fault)',
  'DISPUTE.OPENED': 'the customer disputes the payment 5 s later',
  'DISPUTE.STATUS': 'as above, and the shop accepts',
  'AGREEMENT.STATUS': 'an agreement is made from a payment, and can be charged',
  'AGREEMENT.ACTION_REQUIRED': 'a charge is declined: the card has expired',
  'AGREEMENT.CHARGE': 'a period of an agreement is charged',
  'AUDIT.CHECKPOINT': 'a checkpoint of the log is recorded',
};
const isMessageType = (text: string): text is WebhookType => Object.hasOwn(MESSAGE_CAUSES, text);
const MESSAGE_TYPES = Object.keys(MESSAGE_CAUSES).filter(isMessageType);

/** For commander: `payment.refund,DISPUTE.OPENED`. */
export function parseMessageTypes(text: string): readonly WebhookType[] {
  return text.split(',').map((name) => parseMessageType(name.trim()));
}

/** Throws InvalidArgumentError with the near ones, or with all. */
export function parseMessageType(name: string): WebhookType {
  const known = MESSAGE_TYPES.find((type) => type === name.toUpperCase());
  if (known !== undefined) return known;
  const near = nearTypes(name.toUpperCase());
  throw new InvalidArgumentError(
    near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `The types are: ${MESSAGE_TYPES.join(', ')}.`,
  );
}

/** Letters that may be wrong. */
const MOST_WRONG = 3;

function nearTypes(name: string): readonly WebhookType[] {
  const words = name.split(/[^A-Z]+/).filter((word) => word !== '');
  const alike = MESSAGE_TYPES.filter((type) => distance(type, name) <= MOST_WRONG);
  if (alike.length > 0) return alike;
  return MESSAGE_TYPES.filter(
    (type) => words.length > 0 && words.every((word) => type.split('.').some((part) => part.startsWith(word))),
  );
}

/** The words that a mistyped one may mean: a third of its letters are wrong, or their order, or its end is missing. */
export const nearOnes = (typed: string, words: readonly string[]): readonly string[] =>
  words.filter(
    (word) =>
      distance(word, typed) * 3 <= Math.max(word.length, typed.length) ||
      inOrderOfLetters(word) === inOrderOfLetters(typed) ||
      (typed !== '' && word.startsWith(typed)),
  );

const inOrderOfLetters = (word: string): string => [...word].sort().join('');

/** Letters to add, remove or change until one text is the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...a].entries()) {
    const next = [at + 1];
    for (const [place, other] of [...b].entries()) {
      const [left = 0, above = 0, before = 0] = [next[place], row[place + 1], row[place]];
      next.push(Math.min(left + 1, above + 1, before + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? a.length;
}

const isScope = (name: string): name is Scope => SCOPES.some((scope) => scope === name);

/** For commander; an empty list, or an unknown scope, is wrong usage. */
export function parseScopes(text: string): readonly Scope[] {
  if (text === 'all') return SCOPES;
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const scopes = names.filter(isScope);
  if (scopes.length === 0 || scopes.length < names.length)
    throw new InvalidArgumentError(`Allowed are all, or some of: ${SCOPES.join(', ')}.`);
  return inOrder(scopes);
}
