// The facts of an agreement: what a customer has agreed to be charged for in their absence, and each try to charge a
// period of it. The stream owns that a period is charged once (contract §14). Times are ms, business time.
import { z } from 'zod';
import { AgreementKind } from '../agreement-kind.ts';
import { AmountRule, ConsentLanguage, Frequency, Retry } from '../agreement-terms.ts';
import { category, event, upcast } from '../category.ts';
import { CustomerErased, personal } from '../personal.ts';

const Time = z.number();
/** Minor units. */
const Money = z.number();

export const AgreementTerms = z.strictObject({
  amountRule: AmountRule,
  amount: Money.optional(),
  currencyCode: z.string(),
  /** A period each `interval` of these. */
  frequency: Frequency.optional(),
  interval: z.number().optional(),
  /** The most periods that may be charged. */
  count: z.number().optional(),
  startsAt: Time,
  endsAt: Time.optional(),
  description: z.string(),
});
export type AgreementTerms = Readonly<z.infer<typeof AgreementTerms>>;

export const ConsentChannel = z.enum(['ONLINE', 'PAPER', 'PHONE']).meta({ description: 'How the customer agreed.' });

const ConsentV2 = z.strictObject({
  acceptedAt: Time,
  channel: ConsentChannel,
  /** SHA-256 of the text that the customer agreed to, in hex. */
  textDigest: z.string(),
  textUrl: z.string().optional(),
  ipAddress: personal(z.string()).optional(),
  userAgent: personal(z.string()).optional(),
});
/** `shownText`, `language`: as our checkout has shown it. */
const Consent = ConsentV2.extend({ shownText: z.string().optional(), language: ConsentLanguage.optional() });
export type Consent = Readonly<z.infer<typeof Consent>>;

/** What is charged, and the payment that its customer made with it: a network knows later charges by that one. */
const ChargedMethod = z.strictObject({
  paymentMethodToken: z.string(),
  initialPaymentId: z.string(),
  connectionId: z.string(),
  network: z.string(),
  networkTransactionId: z.string().optional(),
  transactionLinkId: z.string().optional(),
});
export type ChargedMethod = Readonly<z.infer<typeof ChargedMethod>>;

/** One try of a period. `paymentId` follows from agreement, period and try: no two payments can be made for one. */
const ChargeTry = z.strictObject({ periodKey: z.string(), try: z.number(), paymentId: z.string() });

/** The end of a try: the payment's money is held or taken, or the payment is over without any. */
export const ChargeOutcome = z.enum(['SUCCEEDED', 'DECLINED', 'FAILED', 'CANCELLED']);
export type ChargeOutcome = z.infer<typeof ChargeOutcome>;

/** AUTHENTICATE: the issuer wants the customer. NEW_INSTRUMENT: this one cannot be charged. */
export const AgreementAction = z.enum(['AUTHENTICATE', 'NEW_INSTRUMENT']);
export type AgreementAction = z.infer<typeof AgreementAction>;

/** Why a planned try was not made: RetryNotAllowed, or the payment cannot be made as it was agreed. */
export const RetryRefusal = z.enum(['NETWORK_LIMIT', 'NETWORK_FORBIDS', 'OUTSIDE_TERMS', 'NOT_POSSIBLE']).meta({
  description:
    'NETWORK_LIMIT, NETWORK_FORBIDS: the card network allows none. OUTSIDE_TERMS: the customer has not agreed to it any longer. NOT_POSSIBLE: the payment cannot be made again as it was.',
});
export type RetryRefusal = z.infer<typeof RetryRefusal>;

export const NoticeKind = z.enum(['PRE_NOTIFICATION', 'TERMS']).meta({
  description: 'PRE_NOTIFICATION: of a charge that is due. TERMS: of other terms.',
});
export const NoticeChannel = z
  .enum(['EMAIL', 'SMS', 'LETTER', 'APP'])
  .meta({ description: 'How you told the customer.' });
const AgreementNotice = z.strictObject({
  kind: NoticeKind,
  sentAt: Time,
  channel: NoticeChannel,
  /** The day of the charge: `2026-12-01`. */
  dueOn: z.string().optional(),
  amount: Money.optional(),
});
export type AgreementNotice = Readonly<z.infer<typeof AgreementNotice>>;

const ProposedV1 = z.strictObject({
  accountId: z.string(),
  customerId: z.string(),
  kind: AgreementKind,
  terms: AgreementTerms,
  consent: ConsentV2,
  createdAt: Time,
  metadata: z.record(z.string(), z.unknown()).optional(),
});

const ProposedV2 = ProposedV1.extend({ retry: Retry.optional() });
/** `sessionId`: of the client session in which the customer agreed; its payment activates the agreement. */
const Proposed = ProposedV2.extend({ consent: Consent, sessionId: z.string().optional() });

const ChargeSettledV1 = ChargeTry.extend({
  outcome: ChargeOutcome,
  code: z.string().optional(),
  notBefore: Time.optional(),
});

const RevokedV1 = z.strictObject({ source: z.enum(['issuer', 'erasure']), code: z.string().optional() });
/** Of `source` mandate: the processor's name of the permission, and its word for why it holds no longer. */
const Revoked = RevokedV1.extend({
  source: z.enum([...RevokedV1.shape.source.options, 'mandate']),
  mandate: z.string().optional(),
  because: z.string().optional(),
});

export const agreementCategory = category(
  'agreement',
  z.discriminatedUnion('type', [
    event('AgreementProposed', Proposed),
    /** It may be charged from now on. */
    event('AgreementActivated', ChargedMethod),
    /** On record before the payment is created. The terms of the agreement are those of this moment. */
    event(
      'ChargeClaimed',
      ChargeTry.extend({ amount: Money, currencyCode: z.string(), orderId: z.string(), claimedAt: Time }),
    ),
    /** `code`: of a refusal. `notBefore`: when the next try may begin, and who says so; absent after a success. */
    event('ChargeSettled', ChargeSettledV1.extend({ because: z.enum(['DECLINED', 'NETWORK_ADVICE']).optional() })),
    /** The service makes this try at `dueAt`, unless somebody does earlier. */
    event('RetryPlanned', z.strictObject({ periodKey: z.string(), try: z.number(), dueAt: Time })),
    /** It was due and is not made; `notBefore`: but then, absent if never. */
    event(
      'RetryRefused',
      z.strictObject({
        periodKey: z.string(),
        try: z.number(),
        because: RetryRefusal,
        notBefore: Time.optional(),
      }),
    ),
    /** It never becomes active. EXPIRED: the session ended unpaid. NOT_SAVED: its payment method could not be kept. */
    event('AgreementFailed', z.strictObject({ because: z.enum(['EXPIRED', 'NOT_SAVED']) })),
    /**
     * The terms from now on; claims from before keep theirs. `noticeGivenAt`, `consent`: what they rest on.
     * `earlierPeriods`: those that had begun by the terms before, where the periods begin at other times.
     */
    event(
      'AgreementTermsChanged',
      z.strictObject({
        terms: AgreementTerms,
        earlierPeriods: z.number().optional(),
        noticeGivenAt: Time.optional(),
        consent: Consent.optional(),
      }),
    ),
    /** `withdrawn`: the periods whose planned tries are not made. */
    event('AgreementRetryChanged', z.strictObject({ retry: Retry, withdrawn: z.array(z.string()).optional() })),
    /** Absent: none from now on. */
    event('AgreementMetadataChanged', ProposedV1.pick({ metadata: true })),
    /** The merchant has told the customer. */
    event('AgreementNoticeRecorded', AgreementNotice),
    event('AgreementPaused', z.strictObject({})),
    event('AgreementResumed', z.strictObject({})),
    /** Only the customer can help. `code`: of the refusal that showed it. */
    event('AgreementSuspended', z.strictObject({ action: AgreementAction, code: z.string() })),
    /** The customer has paid with another saved method, which is charged from now on. */
    event('AgreementInstrumentReplaced', ChargedMethod),
    /** All that was agreed is charged. */
    event('AgreementEnded', z.strictObject({ because: z.enum(['COUNT']) })),
    event('AgreementCancelled', z.strictObject({ reason: z.string().optional() })),
    /** `code`: of the issuer's refusal, of `source` issuer. */
    event('AgreementRevoked', Revoked),
    /** The personal data of its customer was erased. */
    event('CustomerErased', CustomerErased),
  ]),
  {
    AgreementProposed: [upcast(ProposedV1, (older) => older), upcast(ProposedV2, (older) => older)],
    ChargeSettled: [upcast(ChargeSettledV1, (older) => older)],
    AgreementRevoked: [upcast(RevokedV1, (older) => older)],
  },
);
export type AgreementEvent = z.infer<typeof agreementCategory.event>;
export type AgreementFact<T extends AgreementEvent['type']> = Extract<AgreementEvent, { readonly type: T }>['data'];
