// The number of a bank account (ISO 13616), without blanks and in capital letters.

const FORM = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;

/**
 * True if the text has the form of an IBAN and its check digits are right: the letters as numbers from 10, the first
 * four characters last, modulo 97. The length of a country's accounts is not checked.
 */
export function isIban(text: string): boolean {
  if (!FORM.test(text)) return false;
  let rest = 0;
  for (const character of text.slice(4) + text.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
