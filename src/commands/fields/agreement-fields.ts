// What a customer agrees to, as requests send it: in POST /agreements, and in a client session whose checkout asks for
// the consent (contract §14).
import { z } from 'zod';
import { unfitFor } from '../../domain/agreement/terms.ts';
import { AgreementKind } from '../../domain/agreement-kind.ts';
import { AmountRule, Frequency, RetryPolicy } from '../../domain/agreement-terms.ts';
import { Metadata } from '../../domain/metadata.ts';
import { parseTime } from '../../world.ts';
import { PositiveAmount } from './amount.ts';
import { CurrencyCode } from './currency.ts';
import { moment, momentText } from './moment.ts';
import { identifier } from './text.ts';

const MOST_PERIODS = 10_000;
const MOST_INTERVAL = 365;
/** More tries in a month no network allows. */
const MOST_RETRIES = 20;
const MOST_RETRY_DAYS = 30;

const termsWith = <Time extends z.ZodType<string | number | undefined>>(time: Time) =>
  z
    .strictObject({
      amountRule: AmountRule,
      amount: PositiveAmount.optional(),
      currencyCode: CurrencyCode,
      frequency: Frequency.optional(),
      interval: z.int().min(1).max(MOST_INTERVAL).optional(),
      count: z.int().min(1).max(MOST_PERIODS).optional(),
      startsAt: time.optional(),
      endsAt: time.optional(),
      description: identifier,
    })
    .refine(({ amountRule, amount }) => (amountRule === 'VARIABLE') === (amount === undefined), {
      error: 'Required with EXACT and MAXIMUM, and not allowed with VARIABLE.',
      path: ['amount'],
    })
    .refine(({ frequency, interval }) => frequency !== undefined || interval === undefined, {
      error: 'Must not be set without a frequency.',
      path: ['interval'],
    })
    .refine(({ startsAt, endsAt }) => (msOf(endsAt) ?? Number.POSITIVE_INFINITY) > (msOf(startsAt) ?? 0), {
      error: 'Must be later than startsAt.',
      path: ['endsAt'],
    });

const msOf = (time: unknown): number | undefined =>
  typeof time === 'string' ? parseTime(time) : typeof time === 'number' ? time : undefined;

/** Times in ms. */
export const AgreementTerms = termsWith(moment());

export const RetryOfAgreement = z
  .strictObject({
    policy: RetryPolicy,
    days: z.array(z.int().min(1).max(MOST_RETRY_DAYS)).min(1).max(MOST_RETRIES).optional(),
  })
  .refine(({ policy, days }) => (policy === 'DAYS') === (days !== undefined), {
    error: 'Required with DAYS, and not allowed otherwise.',
    path: ['days'],
  });

interface Kinded {
  readonly kind: AgreementKind;
  readonly terms: Parameters<typeof unfitFor>[1];
}

/** The terms that a kind requires, as a check of the whole object. */
export const fitKind = <Schema extends z.ZodType<Kinded>>(schema: Schema): Schema =>
  schema.superRefine(({ kind, terms }, ctx) => {
    for (const { member, error } of unfitFor(kind, terms))
      ctx.addIssue({ code: 'custom', message: error, path: ['terms', member] });
  });

/** The `agreement` of a client session; its times stay as they were sent. */
export const ProposedAgreement = fitKind(
  z.strictObject({
    kind: AgreementKind,
    terms: termsWith(momentText),
    retry: RetryOfAgreement.optional(),
    metadata: Metadata.optional(),
  }),
).meta({ id: 'ProposedAgreement' });
