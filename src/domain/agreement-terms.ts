// How often and how much an agreement charges, and who tries again: in agreements, and in the client sessions that
// propose one.
import { z } from 'zod';

export const AmountRule = z.enum(['EXACT', 'MAXIMUM', 'VARIABLE']).meta({
  description: 'EXACT: `amount` for each period. MAXIMUM: at most `amount`. VARIABLE: any amount.',
});
export type AmountRule = z.infer<typeof AmountRule>;
export const Frequency = z.enum(['DAY', 'WEEK', 'MONTH', 'YEAR']).meta({
  description: 'How long a period is; absent for UNSCHEDULED, whose periods have no length.',
});

export type Frequency = z.infer<typeof Frequency>;

/** NONE: the merchant's own calls alone. ADVISED: as the network says, otherwise after ADVISED_DAYS. DAYS: its list. */
export const RetryPolicy = z.enum(['NONE', 'ADVISED', 'DAYS']).meta({
  description:
    'Who tries a declined period again. NONE: your own calls. ADVISED: the service, when the network says, otherwise after 1, 3, 5 and 7 days. DAYS: the service, after `days`.',
});
/** `days`: with DAYS, the waits between the tries. */
export const Retry = z.strictObject({ policy: RetryPolicy, days: z.array(z.number()).optional() });
export type Retry = Readonly<z.infer<typeof Retry>>;

/** The languages of the checkout. */
export const ConsentLanguage = z.enum(['en', 'de', 'es', 'fr', 'it']);
export type ConsentLanguage = z.infer<typeof ConsentLanguage>;
