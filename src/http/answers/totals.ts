// The number of rows of a list that match, and the sum of their amounts in each currency.
import { z } from 'zod';
import { KnownCurrencyCode } from '../../commands/fields/currency.ts';
import { SumAnswer } from './sum.ts';

export const TotalsAnswer = z
  .strictObject({
    count: z.int(),
    /** True if there may be more: a total looks at a bounded number of rows. */
    isMore: z.boolean(),
    currencies: z.array(z.strictObject({ currencyCode: KnownCurrencyCode, count: z.int(), amount: SumAnswer })),
  })
  .meta({ id: 'Totals' });
