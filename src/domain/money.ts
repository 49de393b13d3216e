// Amounts: integers in minor units of a currency (contract §1).
import { z } from 'zod';

/** 2^53 - 1, the largest amount there is. */
export const MAX_AMOUNT = Number.MAX_SAFE_INTEGER;

/** 0 to 2^53 - 1. `10.0` and `1e3` are integers in JSON, 10.5 and "10" are not. */
export const Amount = z.int().min(0);
export type Amount = z.infer<typeof Amount>;

/** 1 to 2^53 - 1: what a payment, capture or refund is about. */
export const PositiveAmount = z.int().min(1);
export type PositiveAmount = z.infer<typeof PositiveAmount>;
