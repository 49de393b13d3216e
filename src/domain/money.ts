// Amounts: integers in minor units of a currency (contract §1).

/** 2^53 - 1, the largest amount there is. */
export const MAX_AMOUNT = Number.MAX_SAFE_INTEGER;
