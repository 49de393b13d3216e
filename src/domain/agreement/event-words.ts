// The words for an event of an agreement, and for what comes next: made when they are shown (contract §14, "Why").
import { RETRY_BECAUSE_WORDS } from '../decider.ts';
import { inCurrency } from '../money.ts';
import type { AgreementAction, AgreementEvent, AgreementFact, ChargeOutcome, RetryRefusal } from './events.ts';
import { isFinalAgreement, type KnownAgreement, type Period } from './state.ts';
import { nextPeriodAt } from './terms.ts';

/** Writes a time (ms) for the reader. */
type TimeOf = (ms: number) => string;

/** `who`: the actor, as the beginning of a sentence. */
export function agreementWords(event: AgreementEvent, who: string, timeOf: TimeOf): string {
  switch (event.type) {
    case 'AgreementProposed':
      return `${who} created the agreement of the customer ${event.data.customerId}: ${event.data.terms.description}`;
    case 'AgreementActivated':
      return `The payment ${event.data.initialPaymentId} succeeded, and its payment method is saved: the agreement can be charged.`;
    case 'AgreementTermsChanged':
      return termsWords(event.data, who, timeOf);
    case 'AgreementRetryChanged': {
      const { retry, withdrawn = [] } = event.data;
      const changed = `${who} changed the retry policy to ${retry.policy}.`;
      return withdrawn.length === 0 ? changed : `${changed} Planned tries were withdrawn: ${withdrawn.join(', ')}.`;
    }
    case 'AgreementMetadataChanged':
      return `${who} changed the metadata.`;
    case 'AgreementNoticeRecorded':
      return `${who} recorded that the customer was informed at ${timeOf(event.data.sentAt)}: ${event.data.kind}, ${event.data.channel}.`;
    case 'ChargeClaimed':
    case 'ChargeSettled':
    case 'RetryPlanned':
    case 'RetryRefused':
      return chargeWords(event, who, timeOf);
    case 'AgreementFailed':
      return event.data.because === 'EXPIRED'
        ? 'The session ended unpaid: the agreement failed.'
        : 'The payment method of the first payment cannot be charged later: the agreement failed.';
    case 'AgreementPaused':
      return `${who} paused the agreement.`;
    case 'AgreementResumed':
      return `${who} resumed the agreement.`;
    case 'AgreementSuspended':
      return `The agreement was suspended after ${event.data.code}. ${ACTION[event.data.action]}`;
    case 'AgreementInstrumentReplaced':
      return `${who} replaced the payment method with that of the payment ${event.data.initialPaymentId}.`;
    case 'AgreementEnded':
      return 'All periods that were agreed are charged: the agreement ended.';
    case 'AgreementCancelled':
      return `${who} cancelled the agreement.${event.data.reason === undefined ? '' : ` Reason: ${event.data.reason}`}`;
    case 'AgreementRevoked':
      return event.data.source === 'issuer'
        ? `The issuer reported with ${event.data.code} that the customer withdrew the consent.`
        : 'The customer was erased, and the agreement revoked.';
    case 'CustomerErased':
      return `${who} erased the personal data of the customer.`;
    default:
      return event satisfies never;
  }
}

const ACTION: { readonly [A in AgreementAction]: string } = {
  AUTHENTICATE: 'The issuer requires the customer to confirm a payment.',
  NEW_INSTRUMENT: 'The customer has to give another payment method.',
};

function termsWords(
  { noticeGivenAt, consent }: AgreementFact<'AgreementTermsChanged'>,
  who: string,
  timeOf: TimeOf,
): string {
  const by = consent === undefined ? undefined : `a consent of ${timeOf(consent.acceptedAt)}`;
  const after = noticeGivenAt === undefined ? undefined : `a notice of ${timeOf(noticeGivenAt)}`;
  return `${who} changed the terms, on the ground of ${[by, after].filter((one) => one !== undefined).join(' and ')}.`;
}

type ChargeEvent = Extract<
  AgreementEvent,
  { type: 'ChargeClaimed' | 'ChargeSettled' | 'RetryPlanned' | 'RetryRefused' }
>;

function chargeWords(event: ChargeEvent, who: string, timeOf: TimeOf): string {
  const { periodKey, try: number } = event.data;
  const which = `try ${number} of the period ${periodKey}`;
  switch (event.type) {
    case 'ChargeClaimed':
      return `${who} asked for ${inCurrency(event.data.amount, event.data.currencyCode)}: ${which}. It was claimed before the payment.`;
    case 'ChargeSettled': {
      const { outcome, code, notBefore, because } = event.data;
      const ended = `${which[0]?.toUpperCase()}${which.slice(1)} ${ENDED[outcome]}${code === undefined ? '' : `: ${code}`}.`;
      if (notBefore === undefined || because === undefined) return ended;
      return `${ended} The next one may begin at ${timeOf(notBefore)}. ${RETRY_BECAUSE_WORDS[because]}`;
    }
    case 'RetryPlanned':
      return `The service makes ${which} at ${timeOf(event.data.dueAt)}.`;
    case 'RetryRefused':
      return `The service did not make ${which}. ${REFUSED[event.data.because]}`;
    default:
      return event satisfies never;
  }
}

const ENDED: { readonly [O in ChargeOutcome]: string } = {
  SUCCEEDED: 'succeeded',
  DECLINED: 'was declined',
  FAILED: 'failed',
  CANCELLED: 'was cancelled',
};
const REFUSED: { readonly [B in RetryRefusal]: string } = {
  NETWORK_LIMIT: RETRY_BECAUSE_WORDS.NETWORK_LIMIT,
  NETWORK_FORBIDS: RETRY_BECAUSE_WORDS.NETWORK_FORBIDS,
  OUTSIDE_TERMS: 'The customer has not agreed to it any longer.',
  NOT_POSSIBLE: 'The payment cannot be made again as it was.',
};

/** What has to happen, or does happen, before something is charged. */
interface NextStep {
  readonly periodKey?: string;
  readonly words: string;
  /** When it happens or may happen, ms. */
  readonly at?: number;
}

/** What is next, by what the service knows at `at`, ms: of the agreement, then of each period that is not over. */
export const nextSteps = (agreement: KnownAgreement, at: number): readonly NextStep[] => [
  ...ofAgreement(agreement, at),
  ...(isFinalAgreement(agreement) ? [] : agreement.periods.flatMap((period) => ofPeriod(agreement, period, at))),
];

function ofAgreement({ status, action, terms }: KnownAgreement, at: number): readonly NextStep[] {
  switch (status) {
    case 'ACTIVE': {
      const next = nextPeriodAt(terms, at);
      return next === undefined ? [] : [{ words: 'The next period begins.', at: next }];
    }
    case 'PENDING':
      return [{ words: 'Nothing is charged until the first payment has succeeded.' }];
    case 'PAUSED':
      return [{ words: 'Nothing is charged until you resume the agreement.' }];
    case 'SUSPENDED':
      return [{ words: `Nothing is charged until then: ${ACTION[action ?? 'NEW_INSTRUMENT']}` }];
    case 'ENDED':
    case 'CANCELLED':
    case 'REVOKED':
    case 'FAILED':
      return [];
    default:
      return status satisfies never;
  }
}

function ofPeriod({ status }: KnownAgreement, period: Period, at: number): readonly NextStep[] {
  const { periodKey, outcome, notBefore, because, retryAt, retryRefused } = period;
  if (outcome === 'SUCCEEDED' || outcome === 'CANCELLED') return [];
  if (outcome === undefined) return [{ periodKey, words: 'The payment of the newest try has no outcome yet.' }];
  if (retryAt !== undefined)
    return [
      {
        periodKey,
        words: status === 'ACTIVE' ? 'The service makes the next try.' : 'The next try waits for the agreement.',
        at: retryAt,
      },
    ];
  const refused = retryRefused === undefined ? '' : ` The service does not: ${REFUSED[retryRefused]}`;
  if (notBefore !== undefined && notBefore > at)
    return [
      {
        periodKey,
        words: `You may try it again. ${RETRY_BECAUSE_WORDS[because ?? 'DECLINED']}${refused}`,
        at: notBefore,
      },
    ];
  return retryRefused === 'OUTSIDE_TERMS'
    ? [{ periodKey, words: 'It cannot be tried again as it was: the terms of now do not allow it.' }]
    : [{ periodKey, words: `You may try it again now.${refused}` }];
}
