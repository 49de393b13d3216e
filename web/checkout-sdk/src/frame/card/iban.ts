// The number of a bank account while it is typed: groups of four, and its check digits (ISO 13616).
import { isIban } from '../../../../../src/domain/iban.ts';
import type { DebitFault } from '../words/words.ts';

/** The lengths of the countries whose accounts are debited most; any other is judged by its check digits alone. */
const LENGTHS: { readonly [country: string]: number } = {
  AT: 20,
  BE: 16,
  CH: 21,
  DE: 22,
  DK: 18,
  ES: 24,
  FI: 18,
  FR: 27,
  IE: 22,
  IT: 27,
  LU: 20,
  NL: 18,
  NO: 15,
  PL: 28,
  PT: 25,
  SE: 24,
};
const SHORTEST = 15;

const plainOf = (text: string): string => text.replaceAll(/[^0-9A-Za-z]/g, '').toUpperCase();

/** `DE89 3704 …` */
export const formatIban = (text: string): string =>
  plainOf(text)
    .slice(0, 34)
    .replaceAll(/(.{4})(?=.)/g, '$1 ');

/** Undefined for an account that may exist. */
export function ibanFault(text: string): Extract<DebitFault, `iban${string}`> | undefined {
  const iban = plainOf(text);
  if (iban === '') return 'ibanMissing';
  const length = LENGTHS[iban.slice(0, 2)] ?? SHORTEST;
  if (iban.length < length) return 'ibanIncomplete';
  return isIban(iban) && (length === SHORTEST || iban.length === length) ? undefined : 'ibanWrong';
}
