// The dashboard's agreements: those of the API, each with all of its tries; the revenue that only customers can save;
// and what the log has against a dispute of a charge (contract §14).
import { z } from 'zod';
import { Amount } from '../../../commands/fields/amount.ts';
import { KnownCurrencyCode } from '../../../commands/fields/currency.ts';
import { AgreementAction, ChargeOutcome, RetryRefusal } from '../../../domain/agreement/events.ts';
import { declineReason } from '../../../domain/payment/decline-reason.ts';
import type { AgreementEvidence } from '../../../queries/agreement-evidence.ts';
import type { ChargeTry } from '../../../queries/agreement-tries.ts';
import { RISK_AGES } from '../../../queries/revenue-at-risk.ts';
import { page } from '../../answer-size.ts';
import { Consent, Notice, Terms } from '../../answers/agreement.ts';
import { answer } from '../../answers/answer.ts';
import { RetryBecauseName } from '../../answers/error.ts';
import { ThreeDSecureAuthentication, threeDSecureAuthentication } from '../../answers/payment-status.ts';
import { Instant, SumAnswer } from '../../answers/shapes.ts';
import { forRoles, forUsers, found, type Route, route } from '../../route.ts';
import { agreementChanges, agreementParams, agreementReads } from '../agreements.ts';
import type { RouteParts } from '../parts.ts';
import { paymentParams } from '../payment-filter.ts';

/** The roles that cancel payments. */
const MONEY = forRoles('owner', 'support');
const BY_USER = { prefix: '/dashboard/api', reads: forUsers, changes: MONEY } as const;

const Try = z.strictObject({
  periodKey: z.string(),
  try: z.int().min(1),
  paymentId: z.string(),
  amount: Amount,
  currencyCode: KnownCurrencyCode,
  claimedAt: Instant,
  outcome: ChargeOutcome.optional(),
  code: z.string().optional(),
  message: z.string().optional(),
  settledAt: Instant.optional(),
  notBefore: Instant.optional(),
  because: RetryBecauseName.optional(),
  retryAt: Instant.optional(),
  retryRefused: RetryRefusal.optional(),
});
const Tries = z.strictObject({ data: z.array(Try) }).meta({ id: 'AgreementTries' });

const RiskAnswer = z
  .strictObject({
    data: z.array(
      z.strictObject({
        action: AgreementAction,
        /** For how long they have been suspended. */
        age: z.enum(RISK_AGES),
        currencyCode: KnownCurrencyCode,
        count: z.int(),
        /** Of their next periods, minor units. */
        amount: SumAnswer,
      }),
    ),
    /** The suspended agreements. */
    count: z.int(),
    isMore: z.boolean(),
  })
  .meta({ id: 'RevenueAtRisk' });

const OnRecord = { eventId: z.string() };
const EvidenceAnswer = z
  .strictObject({
    agreementId: z.string(),
    periodKey: z.string(),
    terms: Terms,
    consent: Consent.extend(OnRecord),
    notices: z.array(Notice.extend(OnRecord)),
    first: z
      .strictObject({
        ...OnRecord,
        paymentId: z.string(),
        date: Instant,
        threeDSecureAuthentication: ThreeDSecureAuthentication.optional(),
        authenticationEventId: z.string().optional(),
      })
      .optional(),
    earlier: z.array(
      z.strictObject({
        ...OnRecord,
        periodKey: z.string(),
        paymentId: z.string(),
        amount: Amount,
        currencyCode: KnownCurrencyCode,
        chargedAt: Instant,
      }),
    ),
  })
  .meta({ id: 'AgreementEvidence' });

const common = { tag: 'Agreements', method: 'GET' } as const;

export const dashboardAgreementRoutes = (parts: RouteParts): readonly Route[] => [
  ...agreementReads(parts, BY_USER),
  ...agreementChanges(parts, BY_USER),
  tries(parts),
  risk(parts),
  evidence(parts),
];

const tries = ({ queries }: RouteParts): Route =>
  route({
    ...common,
    path: '/dashboard/api/agreements/:id/tries',
    scope: forUsers,
    long: true,
    summary: 'List every try to charge the periods that an agreement shows, oldest first',
    request: z.object({ params: agreementParams }),
    answer: Tries,
    async handle({ params: { id } }, { caller: { accountId } }) {
      const read = await queries.readAgreementTries(id, accountId);
      return 'kind' in read ? read : page(read.tries, tryAnswer, () => ({}));
    },
  });

const tryAnswer = (one: ChargeTry): z.output<typeof Try> =>
  answer(Try, one, {
    message:
      one.code === undefined
        ? undefined
        : declineReason({ code: one.code, declineType: 'SOFT' }, 'authorization').message,
  });

const risk = ({ queries }: RouteParts): Route =>
  route({
    ...common,
    path: '/dashboard/api/revenue-at-risk',
    scope: forUsers,
    summary: 'Add up the next periods of suspended agreements, by what the customer has to do and since when',
    request: z.object({}),
    answer: RiskAnswer,
    async handle(_request, { caller: { accountId, at } }) {
      const { rows, ...counted } = await queries.revenueAtRisk(accountId, at);
      return found({ data: [...rows], ...counted });
    },
  });

const evidence = ({ queries }: RouteParts): Route =>
  route({
    ...common,
    path: '/dashboard/api/payments/:id/agreement-evidence',
    scope: MONEY,
    long: true,
    summary: 'Read what answers a dispute of a payment that charged an agreement, each fact with its event',
    request: z.object({ params: paymentParams }),
    answer: EvidenceAnswer,
    async handle({ params: { id } }, { caller: { accountId } }) {
      const read = await queries.readAgreementEvidence(id, accountId);
      return 'kind' in read ? read : found(evidenceAnswer(read));
    },
  });

function evidenceAnswer({
  first,
  earlier,
  terms,
  consent,
  notices,
  ...of
}: AgreementEvidence): z.output<typeof EvidenceAnswer> {
  const { shape } = EvidenceAnswer;
  return answer(EvidenceAnswer, of, {
    terms: answer(Terms, terms),
    consent: answer(shape.consent, consent),
    notices: notices.map((one) => answer(shape.notices.element, one)),
    first:
      first &&
      answer(shape.first.unwrap(), first, {
        paymentId: first.id,
        date: first.doc.date,
        threeDSecureAuthentication: threeDSecureAuthentication(first.doc),
      }),
    earlier: earlier.map((one) => answer(shape.earlier.element, one)),
  });
}
