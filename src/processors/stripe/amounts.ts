// Amounts: our ISO 4217 minor units, and the units that Stripe counts in (docs.stripe.com/currencies).

/** By how much Stripe's number is larger than ours (ISK and UGX are written with two decimals that are always 00). */
const TIMES: { readonly [currencyCode: string]: number } = { ISK: 100, UGX: 100 };
/** By how much Stripe's number is smaller than ours: fewer decimals than ISO 4217 has. */
const PARTS: { readonly [currencyCode: string]: number } = { MGA: 100, IQD: 10, LYD: 10 };
/** Thousandths on both sides, the last digit of which Stripe wants to be 0. */
const TENTHS: ReadonlySet<string> = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND']);

/** What of our minor units is one step at Stripe: an amount must be a multiple of it. */
export const stepOf = (currencyCode: string): number => (TENTHS.has(currencyCode) ? 10 : (PARTS[currencyCode] ?? 1));

/** Stripe's number for our minor units; undefined if Stripe cannot take the amount, because it is between two steps. */
export function toStripe(amount: number, currencyCode: string): number | undefined {
  if (amount % stepOf(currencyCode) !== 0) return undefined;
  return (amount * (TIMES[currencyCode] ?? 1)) / (PARTS[currencyCode] ?? 1);
}

/** Our minor units for Stripe's number, whose currency is in lower case; undefined if they would have a fraction. */
export function fromStripe(amount: number, currency: string): number | undefined {
  const currencyCode = currency.toUpperCase();
  const times = TIMES[currencyCode] ?? 1;
  return amount % times === 0 ? (amount / times) * (PARTS[currencyCode] ?? 1) : undefined;
}
