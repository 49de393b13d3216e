// Amounts as requests send them: integers in minor units of a currency (contract §1).
import { z } from 'zod';

const amountFrom = (least: 0 | 1): z.ZodInt => {
  const words = `Must be a whole number of minor units, ${least} to 2^53 - 1: 1250 for 12.50.`;
  return z.int({ error: ({ input }) => (input === undefined ? undefined : words) }).min(least, { error: words });
};

/** 0 to 2^53 - 1. `10.0` and `1e3` are integers in JSON, 10.5 and "10" are not. */
export const Amount = amountFrom(0);
export type Amount = z.infer<typeof Amount>;

/** 1 to 2^53 - 1: the amount of a payment, capture or refund. */
export const PositiveAmount = amountFrom(1);
export type PositiveAmount = z.infer<typeof PositiveAmount>;
