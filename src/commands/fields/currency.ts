// Currencies as requests and answers may have them (contract §1).
import { z } from 'zod';
import { CURRENT, WITHDRAWN } from '../../domain/currency.ts';

/** For new amounts: a code that is in circulation. */
export const CurrencyCode: z.ZodType<string, string> = z
  .enum(CURRENT, {
    error: 'Must be the ISO 4217 code of a currency in circulation, in upper case, such as EUR.',
  })
  .meta({ id: 'CurrencyCode' });
export type CurrencyCode = z.infer<typeof CurrencyCode>;

/** For existing amounts (events, capture, refund): withdrawn codes are honoured. */
export const KnownCurrencyCode: z.ZodType<string, string> = z
  .enum([...CURRENT, ...WITHDRAWN], {
    error: 'Must be an ISO 4217 currency code in upper case, such as EUR.',
  })
  .meta({ id: 'KnownCurrencyCode' });
export type KnownCurrencyCode = z.infer<typeof KnownCurrencyCode>;
