// The minor units of currencies (ISO 4217).

const codes = (list: string): readonly string[] => list.trim().split(/\s+/);

const WITHOUT_DECIMALS = new Set(codes('BIF BYR CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'));
const WITH_THREE_DECIMALS = new Set(codes('BHD IQD JOD KWD LYD OMR TND'));

/** Decimals of an amount in major units, as ISO 4217 has them (Intl follows CLDR, which leaves out decimals that are out of use). */
export const minorDigits = (currencyCode: string): number =>
  WITHOUT_DECIMALS.has(currencyCode) ? 0 : WITH_THREE_DECIMALS.has(currencyCode) ? 3 : 2;
