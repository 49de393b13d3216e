// The fold of an agreement's events; also the document that its read model keeps.
import type { Decider, RetryBecause } from '../decider.ts';
import {
  type AgreementAction,
  type AgreementEvent,
  type AgreementFact,
  type AgreementNotice,
  agreementCategory,
  type ChargedMethod,
  type ChargeOutcome,
  type RetryRefusal,
} from './events.ts';

/** The public names (contract §14). */
export const agreementStatuses = [
  'PENDING',
  'ACTIVE',
  'PAUSED',
  'SUSPENDED',
  'ENDED',
  'CANCELLED',
  'REVOKED',
  'FAILED',
] as const;
export type AgreementStatus = (typeof agreementStatuses)[number];

export const AGREEMENT_STATUS_WORDS: { readonly [S in AgreementStatus]: string } = {
  PENDING: 'The customer has agreed; the first payment has not succeeded yet.',
  ACTIVE: 'The agreement can be charged.',
  PAUSED: 'You paused the agreement.',
  SUSPENDED: 'Only the customer can help: see `action`.',
  ENDED: 'All that was agreed is charged. Final.',
  CANCELLED: 'You cancelled the agreement. Final.',
  REVOKED:
    'The issuer or the processor reported that the customer withdrew the consent, or the customer was erased. Final.',
  FAILED: 'No first payment succeeded in time, or its payment method could not be saved. Final.',
};

/** A period, by its newest try. */
export interface Period {
  readonly periodKey: string;
  readonly try: number;
  readonly paymentId: string;
  /** Minor units. */
  readonly amount: number;
  readonly currencyCode: string;
  readonly orderId: string;
  /** ms */
  readonly claimedAt: number;
  /** Undefined: the payment has no outcome yet, or was never made. */
  readonly outcome?: ChargeOutcome;
  readonly code?: string;
  /** When the next try may begin, ms, and who says so; undefined after a success. */
  readonly notBefore?: number;
  readonly because?: RetryBecause;
  /** When the service makes the next try, ms. */
  readonly retryAt?: number;
  /** Why it makes none although the policy has one. */
  readonly retryRefused?: RetryRefusal;
}

export interface KnownAgreement extends Readonly<AgreementFact<'AgreementProposed'>> {
  readonly status: AgreementStatus;
  /** ms */
  readonly updatedAt: number;
  /** From its activation on. */
  readonly method?: ChargedMethod;
  /** The payments whose payment methods were ever charged, by `method` or before: none of them comes back unasked. */
  readonly adopted?: readonly string[];
  /** What ends a suspension. */
  readonly action?: AgreementAction;
  /** The code of the refusal because of which it is suspended or revoked. */
  readonly code?: string;
  /** When the suspension began, ms. */
  readonly suspendedAt?: number;
  /** The newest KEPT_PERIODS, and all that have no outcome; in the order of their first claims. */
  readonly periods: readonly Period[];
  /** How many periods were ever claimed, and how many of them succeeded. */
  readonly claimed: number;
  readonly succeeded: number;
  /** When the newest period was charged, ms. */
  readonly succeededAt?: number;
  /** Periods that had begun by earlier terms, whose periods began at other times. */
  readonly earlierPeriods?: number;
  /** The newest KEPT_NOTICES, oldest first. */
  readonly notices?: readonly AgreementNotice[];
}
export type Agreement = { readonly status: 'absent' } | KnownAgreement;

/**
 * Five years of months. An older period is known by its payments: their ids follow from its key (charge-agreement.ts).
 */
export const KEPT_PERIODS = 60;

/** A year of monthly ones, and some. */
export const KEPT_NOTICES = 20;

export const agreement: Decider<Agreement, AgreementEvent> = {
  category: agreementCategory,
  initial: { status: 'absent' },
  subjectOf(before, { type, data }, id) {
    const of = type === 'AgreementProposed' ? data : before.status === 'absent' ? undefined : before;
    return { accountId: of?.accountId ?? '', customerId: of?.customerId, otherwise: `agreement ${id}` };
  },
  evolve(before, event, { at }) {
    if (event.type === 'AgreementProposed')
      return { ...event.data, status: 'PENDING', updatedAt: at, periods: [], claimed: 0, succeeded: 0 };
    if (before.status === 'absent') throw new Error(`${event.type} before AgreementProposed`);
    return { ...after(before, event, at), updatedAt: at };
  },
};

function after(
  before: KnownAgreement,
  event: Exclude<AgreementEvent, { type: 'AgreementProposed' }>,
  at: number,
): KnownAgreement {
  switch (event.type) {
    case 'AgreementActivated':
    case 'AgreementInstrumentReplaced':
      return {
        ...unhindered(before),
        status: before.status === 'PAUSED' ? 'PAUSED' : 'ACTIVE',
        method: event.data,
        adopted: [
          ...(before.adopted ?? []).filter((id) => id !== event.data.initialPaymentId),
          event.data.initialPaymentId,
        ],
      };
    case 'ChargeClaimed':
      return claimed(before, event.data);
    case 'ChargeSettled':
      return settled(before, event.data, at);
    case 'RetryPlanned': {
      const { periodKey, dueAt: retryAt } = event.data;
      return withPeriod(before, periodKey, ({ retryRefused: _refused, ...period }) => ({ ...period, retryAt }));
    }
    case 'RetryRefused': {
      const { periodKey, because: retryRefused, notBefore } = event.data;
      return withPeriod(before, periodKey, ({ retryAt: _due, ...period }) => ({
        ...period,
        retryRefused,
        ...(notBefore !== undefined && { notBefore, because: 'NETWORK_LIMIT' as const }),
      }));
    }
    case 'AgreementFailed':
      return { ...before, status: 'FAILED' };
    case 'AgreementTermsChanged': {
      const { terms, consent, earlierPeriods } = event.data;
      return {
        ...before,
        terms,
        ...(consent !== undefined && { consent }),
        ...(earlierPeriods !== undefined && { earlierPeriods }),
      };
    }
    case 'AgreementRetryChanged':
      return retryChanged(before, event.data);
    case 'AgreementMetadataChanged': {
      const { metadata: _before, ...others } = before;
      return { ...others, ...event.data };
    }
    case 'AgreementNoticeRecorded':
      return { ...before, notices: [...(before.notices ?? []), event.data].slice(-KEPT_NOTICES) };
    case 'AgreementPaused':
      return { ...before, status: 'PAUSED' };
    case 'AgreementResumed':
      return { ...unhindered(before), status: 'ACTIVE' };
    case 'AgreementSuspended':
      return { ...before, status: 'SUSPENDED', ...event.data, suspendedAt: at };
    case 'AgreementEnded':
      return { ...before, status: 'ENDED' };
    case 'AgreementCancelled':
      return { ...unhindered(before), status: 'CANCELLED' };
    case 'AgreementRevoked': {
      const { code } = event.data;
      return { ...unhindered(before), status: 'REVOKED', ...(code !== undefined && { code }) };
    }
    case 'CustomerErased': {
      const { ipAddress: _address, userAgent: _agent, ...consent } = before.consent;
      return { ...before, consent };
    }
    default:
      return event satisfies never;
  }
}

const unhindered = ({ action: _action, code: _code, suspendedAt: _at, ...before }: KnownAgreement): KnownAgreement =>
  before;

function claimed(before: KnownAgreement, data: AgreementFact<'ChargeClaimed'>): KnownAgreement {
  if (before.periods.some(({ periodKey }) => periodKey === data.periodKey)) {
    const periods = before.periods.map((period) => (period.periodKey === data.periodKey ? data : period));
    return { ...before, periods };
  }
  const first = before.periods.length - KEPT_PERIODS + 1;
  const kept = before.periods.filter(({ outcome }, place) => place >= first || outcome === undefined);
  return { ...before, periods: [...kept, data], claimed: before.claimed + 1 };
}

function settled(before: KnownAgreement, data: AgreementFact<'ChargeSettled'>, at: number): KnownAgreement {
  const { periodKey, outcome, code, notBefore, because } = data;
  const end = {
    outcome,
    ...(code !== undefined && { code }),
    ...(notBefore !== undefined && { notBefore }),
    ...(because !== undefined && { because }),
  };
  const after = withPeriod(before, periodKey, (period) => ({ ...period, ...end }));
  return outcome === 'SUCCEEDED' ? { ...after, succeeded: before.succeeded + 1, succeededAt: at } : after;
}

function retryChanged(
  before: KnownAgreement,
  { retry, withdrawn = [] }: AgreementFact<'AgreementRetryChanged'>,
): KnownAgreement {
  const periods = before.periods.map(({ retryAt, ...period }) =>
    retryAt === undefined || withdrawn.includes(period.periodKey) ? period : { ...period, retryAt },
  );
  return { ...before, retry, periods };
}

const withPeriod = (before: KnownAgreement, periodKey: string, change: (period: Period) => Period): KnownAgreement => ({
  ...before,
  periods: before.periods.map((period) => (period.periodKey === periodKey ? change(period) : period)),
});

/** Its status never changes again. */
export const isFinalAgreement = ({ status }: KnownAgreement): boolean =>
  status === 'ENDED' || status === 'CANCELLED' || status === 'REVOKED' || status === 'FAILED';

/** Tries without an outcome, oldest first. */
export const openCharges = ({ periods }: KnownAgreement): readonly Period[] =>
  periods.filter(({ outcome }) => outcome === undefined);

/** Declined periods that the service tries again, while the agreement can be charged. */
export const plannedRetries = ({ status, periods }: KnownAgreement): readonly Period[] =>
  status === 'ACTIVE' ? periods.filter(({ retryAt }) => retryAt !== undefined) : [];
