// Numbers of a JSON text that would come back with other digits: a double cannot hold them (contract §1).
import { MAX_DEPTH, MAX_FAULTS, type Path, type TextFault } from './json-strings.ts';
import { walkTokens } from './json-tokens.ts';

/** The pattern of a number of more than fifteen digits, or with an exponent of three; a string may look like it as well. */
const PERHAPS_INEXACT = /(?:^|[\s:,[])-?\d(?:[\d.]{15}|[\d.]*[eE][+-]?\d{3})/;

const DESCRIPTION = 'Must be a number that keeps all its digits as a double; one with more can be sent as text.';

/** The same for every spelling of one decimal number. Loops, because an expression for zeros at an end takes quadratic time. */
function canonical(number: string): string {
  const [mantissa = '', exponent = '0'] = number.split(/[eE]/);
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = whole + fraction;
  let first = 0;
  let behind = digits.length;
  while (digits[first] === '0') first += 1;
  while (behind > first && digits[behind - 1] === '0') behind -= 1;
  if (first === behind) return '0';
  return `${number.startsWith('-') ? '-' : ''}${digits.slice(first, behind)}e${Number(exponent) - fraction.length + digits.length - behind}`;
}

/** Whether what JSON.parse makes of a number is written with the same digits: 0.1, 1e3 and 10.0 are, 0.1 with thirty digits is not. */
const isExact = (number: string): boolean => canonical(number) === canonical(String(Number(number)));

/** Where the numbers are that a double cannot hold, in a text that JSON.parse takes. */
export function inexactNumbers(json: string): readonly TextFault[] {
  if (!PERHAPS_INEXACT.test(json)) return [];
  const faults: TextFault[] = [];
  walkTokens(json, {
    number: (number, path) => {
      if (path.length <= MAX_DEPTH && faults.length < MAX_FAULTS && !isExact(number)) faults.push(faultAt(path));
    },
  });
  return faults;
}

const faultAt = (path: Path): TextFault => ({ path: [...path], description: DESCRIPTION });
