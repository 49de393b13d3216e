// Currencies: ISO 4217 as of 2026-01-01, without funds, metals, test codes and X-codes (contract §1). The one list, of
// the pages too: it imports nothing.

/** Marked as pure where it is called: a page that uses none of the lists does not load them. */
function codesIn(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

// XAF, XCD, XCG, XOF and XPF are money that people pay with; every other code with an X is not.
export const CURRENT: readonly string[] = /* @__PURE__ */ codesIn(`
AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK
DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS
KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD
OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP
TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG`);

// Withdrawn in the last ten years before the list's date: nothing older can still be captured or refunded.
export const WITHDRAWN: readonly string[] = /* @__PURE__ */ codesIn('ANG BGN BYR CUC HRK MRO SLL STD VEF ZWL');

const WITHOUT_DECIMALS = new Set('BIF BYR CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'.split(' '));
const WITH_THREE_DECIMALS = new Set('BHD IQD JOD KWD LYD OMR TND'.split(' '));

/**
 * Decimals of an amount in major units, as ISO 4217 has them (Intl follows CLDR, which leaves out decimals that are out
 * of use).
 */
export const minorDigits = (currencyCode: string): number =>
  WITHOUT_DECIMALS.has(currencyCode) ? 0 : WITH_THREE_DECIMALS.has(currencyCode) ? 3 : 2;

/** Minor units as people write them: `5490` of EUR as `54.90`; a currency that is not known has two decimals. */
export function decimalText(amount: number | string, currencyCode: string): string {
  const decimals = minorDigits(currencyCode);
  const [, sign = '', units = ''] = /^(-?)(.*)$/.exec(String(amount)) ?? [];
  const digits = units.padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  return `${sign}${whole}${decimals === 0 ? '' : `.${digits.slice(-decimals)}`}`;
}

/** As a language writes it, for customers. `amount`: minor units; no digit of a great one is lost. */
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
