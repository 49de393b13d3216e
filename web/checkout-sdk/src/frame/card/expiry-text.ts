// The text of the expiry's field: `MM / YY`, however the shopper or the browser fills it in.

const SEPARATOR = ' / ';

/** `MM / YY` of what was typed or pasted: 1230, 12/2030, 2030-12 and `1/30` alike. A part stays a part. */
export function formatExpiry(text: string): string {
  const [, isoYear, isoMonth] = /^\s*20(\d\d)\s*[-/.]\s*(\d\d)\s*$/.exec(text) ?? [];
  if (isoYear !== undefined && isoMonth !== undefined) return isoMonth + SEPARATOR + isoYear;
  const [, month, rest] = /^\s*(\d{1,2})\s*[-/.]\s*(\d*)/.exec(text) ?? [];
  if (month !== undefined && rest !== undefined && Number(month) > 0) return month.padStart(2, '0') + SEPARATOR + yearOf(rest);
  const digits = text.replaceAll(/\D/g, '');
  const padded = /^[2-9]/.test(digits) || /^1[3-9]/.test(digits) ? `0${digits}` : digits;
  return padded.length < 2 ? padded : padded.slice(0, 2) + (padded.length > 2 ? SEPARATOR + yearOf(padded.slice(2)) : '');
}

/** Two digits of a year that may have four. */
const yearOf = (digits: string): string => (digits.length > 2 && digits.startsWith('20') ? digits.slice(2, 4) : digits.slice(0, 2));
