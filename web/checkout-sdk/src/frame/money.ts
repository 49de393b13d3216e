// Amounts as the shopper's language writes them.

const WITHOUT_DECIMALS = 'BIF BYR CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF';
const WITH_THREE_DECIMALS = 'BHD IQD JOD KWD LYD OMR TND';

/** As the service has them (ISO 4217); Intl leaves out decimals that are out of use. A test compares all currencies. */
const minorDigits = (currencyCode: string): number =>
  WITHOUT_DECIMALS.includes(currencyCode) ? 0 : WITH_THREE_DECIMALS.includes(currencyCode) ? 3 : 2;

/** `amount`: minor units. No digit of a great amount is lost. */
export function formatMoney(amount: number, currencyCode: string, locale: string): string {
  const decimals = minorDigits(currencyCode);
  const digits = String(Math.abs(amount)).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const text = `${amount < 0 ? '-' : ''}${whole}${decimals === 0 ? '' : `.${digits.slice(-decimals)}`}`;
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: currencyCode,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  return isNumeric(text) ? format.format(text) : text;
}

/** Intl takes a decimal in a string exactly. */
const isNumeric = (text: string): text is `${number}` => /^-?\d+(?:\.\d+)?$/.test(text);
