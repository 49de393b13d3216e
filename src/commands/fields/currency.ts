// Currencies: ISO 4217 alpha-3 as of 2026-01-01, without funds, metals, test codes and X-codes (contract §1).
import { z } from 'zod';

// XAF, XCD, XCG, XOF and XPF are money that people pay with; every other code with an X is not.
const CURRENT = `
AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK
DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS
KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD
OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP
TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG`;

// Withdrawn in the last ten years before the list's date: nothing older can still be captured or refunded.
const WITHDRAWN = 'ANG BGN BYR CUC HRK MRO SLL STD VEF ZWL';

const codes = (list: string): readonly string[] => list.trim().split(/\s+/);

/** For new amounts: a code that is in circulation. */
export const CurrencyCode: z.ZodType<string, string> = z
  .enum(codes(CURRENT), {
    error: 'Must be the ISO 4217 code of a currency in circulation, in upper case, such as EUR.',
  })
  .meta({ id: 'CurrencyCode' });
export type CurrencyCode = z.infer<typeof CurrencyCode>;

/** For existing amounts (events, capture, refund): withdrawn codes are honoured. */
export const KnownCurrencyCode: z.ZodType<string, string> = z
  .enum([...codes(CURRENT), ...codes(WITHDRAWN)], {
    error: 'Must be an ISO 4217 currency code in upper case, such as EUR.',
  })
  .meta({ id: 'KnownCurrencyCode' });
export type KnownCurrencyCode = z.infer<typeof KnownCurrencyCode>;
