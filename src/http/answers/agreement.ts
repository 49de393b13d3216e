// Agreements in answers (contract §14): what was agreed, what charges it, and the newest periods.
import { z } from 'zod';
import { Amount } from '../../commands/fields/amount.ts';
import { KnownCurrencyCode } from '../../commands/fields/currency.ts';
import { reasonOf } from '../../domain/agreement/decide.ts';
import {
  AgreementAction,
  ChargeOutcome,
  ConsentChannel,
  NoticeChannel,
  NoticeKind,
  RetryRefusal,
} from '../../domain/agreement/events.ts';
import {
  AGREEMENT_STATUS_WORDS,
  agreementStatuses,
  type KnownAgreement,
  type Period,
} from '../../domain/agreement/state.ts';
import { AgreementKind } from '../../domain/agreement-kind.ts';
import { AmountRule, ConsentLanguage, Frequency, RetryPolicy } from '../../domain/agreement-terms.ts';
import { answer, unlessEmpty } from './answer.ts';
import { RetryBecauseName } from './error.ts';
import { StatusReasonAnswer } from './payment-status.ts';
import { Instant, pageOf, valuesIn } from './shapes.ts';

export const AgreementStatusName = z
  .enum(agreementStatuses)
  .meta({ id: 'AgreementStatus', ...valuesIn(AGREEMENT_STATUS_WORDS) });

export const Terms = z.strictObject({
  amountRule: AmountRule,
  amount: Amount.optional(),
  currencyCode: KnownCurrencyCode,
  frequency: Frequency.optional(),
  interval: z.int().optional(),
  count: z.int().optional(),
  startsAt: Instant,
  endsAt: Instant.optional(),
  description: z.string(),
});

export const Consent = z.strictObject({
  acceptedAt: Instant,
  channel: ConsentChannel,
  textDigest: z.string(),
  textUrl: z.string().optional(),
  ipAddress: z.string().optional(),
  userAgent: z.string().optional(),
  shownText: z.string().optional(),
  language: ConsentLanguage.optional(),
});

const Retry = z.strictObject({ policy: RetryPolicy, days: z.array(z.int()).min(1).optional() });

export const PeriodAnswer = z
  .strictObject({
    periodKey: z.string(),
    paymentId: z.string(),
    tries: z.int().min(1),
    amount: Amount,
    currencyCode: KnownCurrencyCode,
    orderId: z.string(),
    claimedAt: Instant,
    outcome: ChargeOutcome.optional(),
    code: z.string().optional(),
    notBefore: Instant.optional(),
    because: RetryBecauseName.optional(),
    retryAt: Instant.optional(),
    retryRefused: RetryRefusal.optional(),
  })
  .meta({ id: 'AgreementPeriod' });

export const Notice = z.strictObject({
  kind: NoticeKind,
  sentAt: Instant,
  channel: NoticeChannel,
  dueOn: z.string().optional(),
  amount: Amount.optional(),
});

const Initial = z.strictObject({
  paymentId: z.string(),
  network: z.string(),
  networkTransactionId: z.string().optional(),
  transactionLinkId: z.string().optional(),
});

export const AgreementAnswer = z
  .strictObject({
    id: z.string(),
    date: Instant,
    dateUpdated: Instant,
    status: AgreementStatusName,
    action: AgreementAction.optional(),
    statusReason: StatusReasonAnswer.optional(),
    customerId: z.string(),
    kind: AgreementKind,
    terms: Terms,
    consent: Consent,
    retry: Retry.optional(),
    paymentMethodToken: z.string().optional(),
    initial: Initial.optional(),
    usage: z.strictObject({
      claimed: z.int(),
      succeeded: z.int(),
    }),
    periods: z.array(PeriodAnswer).min(1).optional(),
    notices: z.array(Notice).min(1).optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
    version: z.int().min(0),
  })
  .meta({ id: 'Agreement' });
export type AgreementAnswer = z.infer<typeof AgreementAnswer>;

export const AgreementListAnswer = pageOf('AgreementList', AgreementAnswer);

export const periodAnswer = (period: Period): z.infer<typeof PeriodAnswer> =>
  answer(PeriodAnswer, period, { tries: period.try });

/** `revision` becomes the version. */
export function agreementAnswer(id: string, revision: number, agreement: KnownAgreement): AgreementAnswer {
  const { createdAt, updatedAt, method, code, claimed, succeeded } = agreement;
  return answer(AgreementAnswer, agreement, {
    id,
    date: createdAt,
    dateUpdated: updatedAt,
    statusReason: reasonOf(code).statusReason,
    terms: answer(Terms, agreement.terms),
    consent: answer(Consent, agreement.consent),
    paymentMethodToken: method?.paymentMethodToken,
    initial: method && answer(Initial, method, { paymentId: method.initialPaymentId }),
    usage: { claimed, succeeded },
    periods: unlessEmpty(agreement.periods.map(periodAnswer)),
    notices: agreement.notices?.map((notice) => answer(Notice, notice)),
    version: revision,
  });
}
