// Decisions on an agreement (contract §14). A claim is decided on the newest state, so nothing is charged under terms
// that have changed, or after an end.

import type { Retry } from '../agreement-terms.ts';
import { accept, type Decision, type Rejection, type RejectionDetails, reject } from '../decider.ts';
import { declineReason } from '../payment/decline-reason.ts';
import { type NetworkRefusal, type NetworkWord, wordOn } from '../retry-ledger/network-rules.ts';
import type { AgreementEvent, AgreementFact, ChargedMethod, ChargeOutcome, RetryRefusal } from './events.ts';
import { type Agreement, isFinalAgreement, type KnownAgreement, openCharges, type Period } from './state.ts';
import { outsideTerms } from './terms.ts';

export const noSuchAgreement = (): Rejection => reject('NotFound', 'There is no such agreement.');

/** A decision on an agreement that exists; NotFound otherwise. */
const known =
  (decide: (of: KnownAgreement) => Decision<AgreementEvent>) =>
  (agreement: Agreement): Decision<AgreementEvent> =>
    agreement.status === 'absent' ? noSuchAgreement() : decide(agreement);

/** 400: the operation is not one for the status. */
export const wrongAgreementStatus = ({ status, action, code }: KnownAgreement, operation: string): Rejection =>
  reject('InvalidAgreementStatus', `An agreement with the status ${status} cannot be ${operation}.`, {
    agreementStatus: status,
    ...(action !== undefined && { action }),
    ...reasonOf(code),
  });

/** The refusal that led there, in words. */
export function reasonOf(code: string | undefined): Pick<RejectionDetails, 'statusReason'> {
  if (code === undefined) return {};
  const { declineType: _type, ...statusReason } = declineReason({ code, declineType: 'HARD' }, 'authorization');
  return { statusReason };
}

/** A new agreement that can be charged: its first payment has succeeded. */
export const makeAgreement =
  (proposed: AgreementFact<'AgreementProposed'>, method: ChargedMethod) =>
  (agreement: Agreement): Decision<AgreementEvent> =>
    agreement.status === 'absent'
      ? accept<AgreementEvent>(
          { type: 'AgreementProposed', data: proposed },
          { type: 'AgreementActivated', data: method },
        )
      : reject('Conflict', 'Another request has made this agreement.');

/** A new agreement whose customer has agreed and not paid yet; nothing where it is there. */
export const proposeAgreement =
  (proposed: AgreementFact<'AgreementProposed'>) =>
  (agreement: Agreement): Decision<AgreementEvent> =>
    agreement.status === 'absent' ? accept({ type: 'AgreementProposed', data: proposed }) : accept();

/** Nothing once it is active, or over. */
export const failAgreement = (
  because: AgreementFact<'AgreementFailed'>['because'],
): ((agreement: Agreement) => Decision<AgreementEvent>) =>
  known((agreement) =>
    agreement.status === 'PENDING' ? accept({ type: 'AgreementFailed', data: { because } }) : accept(),
  );

/**
 * The customer has paid with this method, for the agreement: it becomes active, or is charged by the method from now
 * on. Nothing where it is over, or has adopted the payment already: an old one brings no old method back.
 */
export const adoptMethod = (method: ChargedMethod): ((agreement: Agreement) => Decision<AgreementEvent>) =>
  known((agreement) => {
    if (isFinalAgreement(agreement) || hasAdopted(agreement, method.initialPaymentId)) return accept();
    const type = agreement.status === 'PENDING' ? 'AgreementActivated' : 'AgreementInstrumentReplaced';
    return accept({ type, data: method });
  });

/** True if the payment's method is, or was, what the agreement charges. */
export const hasAdopted = ({ adopted = [] }: KnownAgreement, paymentId: string): boolean => adopted.includes(paymentId);

/** A charge of a period, with the terms that it asks for. */
export interface ChargeAsked {
  readonly periodKey: string;
  /** Minor units; left out: the amount of the terms. */
  readonly amount?: number | undefined;
  readonly currencyCode?: string | undefined;
  readonly orderId: string;
  /** The id that the payment of a try has; always the same for a period and a try. */
  readonly paymentIdOf: (number: number) => string;
  /** The service's own: only as long as the try is planned. */
  readonly isPlanned?: true;
  /** What the caller has made ready: another try, or another method, is refused. */
  readonly ready?: { readonly try: number; readonly paymentMethodToken: string };
  /** ms, business time. */
  readonly at: number;
}

/** Charges of one agreement without an outcome: more are a fault of who bills, or of the processor. */
const MOST_OPEN = 100;

/**
 * Claims the next try of a period. Nothing to record where the newest try is open or has succeeded: its payment is the
 * answer, for ever. Rejects with NotFound, InvalidAgreementStatus, PeriodKeyReused, RetryNotAllowed,
 * OutsideAgreementTerms, and Conflict beyond MOST_OPEN.
 */
export const claimCharge = (asked: ChargeAsked): ((agreement: Agreement) => Decision<AgreementEvent>) =>
  known((agreement) => {
    const { periodKey, at } = asked;
    const period = periodOf(agreement, periodKey);
    const wanted = moneyOf(asked, agreement, period);
    if (period !== undefined) {
      const reused = refuseOther(period, asked, agreement);
      if (reused !== undefined) return reused;
      if (period.outcome === undefined || period.outcome === 'SUCCEEDED' || period.outcome === 'CANCELLED')
        return accept();
    }
    if (agreement.status !== 'ACTIVE') return wrongAgreementStatus(agreement, 'charged');
    if (asked.isPlanned && period?.retryAt === undefined) return reject('Conflict', 'The try is no longer planned.');
    const { notBefore } = period ?? {};
    if (period !== undefined && notBefore !== undefined && notBefore > at) return tooEarly(period, notBefore);
    const outside = outsideTerms(agreement, { ...wanted, isNew: period === undefined, at });
    if ('kind' in outside) return outside;
    if (openCharges(agreement).length >= MOST_OPEN)
      return reject('Conflict', `${MOST_OPEN} charges of the agreement have no outcome yet.`, {
        retryAfterSeconds: 60,
      });
    const number = (period?.try ?? 0) + 1;
    const { orderId, ready } = asked;
    if (
      ready !== undefined &&
      (ready.try !== number || ready.paymentMethodToken !== agreement.method?.paymentMethodToken)
    )
      return reject('Conflict', 'The agreement has changed since. Try again.', { retryAfterSeconds: 1 });
    const claim = { periodKey, try: number, paymentId: asked.paymentIdOf(number), ...outside, orderId, claimedAt: at };
    return accept({ type: 'ChargeClaimed', data: claim });
  });

export const periodOf = ({ periods }: KnownAgreement, periodKey: string): Period | undefined =>
  periods.find((period) => period.periodKey === periodKey);

/** The money that is asked for; what the charge leaves out is that of the period, or of the terms if it is new. */
const moneyOf = (
  { amount, currencyCode }: ChargeAsked,
  { terms }: KnownAgreement,
  charged: Pick<Period, 'amount' | 'currencyCode'> | undefined,
) => ({
  amount: amount ?? charged?.amount ?? terms.amount,
  currencyCode: currencyCode ?? charged?.currencyCode ?? terms.currencyCode,
});

/** 422 if the period was charged with other terms than these. */
export function refuseOther(
  charged: Pick<Period, 'amount' | 'currencyCode' | 'orderId' | 'paymentId'>,
  asked: ChargeAsked,
  agreement: KnownAgreement,
): Rejection | undefined {
  const wanted = moneyOf(asked, agreement, charged);
  const { amount, currencyCode, orderId, paymentId } = charged;
  if (amount === wanted.amount && currencyCode === wanted.currencyCode && orderId === asked.orderId) return undefined;
  const description = `This period was charged with other terms: ${amount} ${currencyCode} for the order ${orderId}.`;
  return reject('PeriodKeyReused', description, { paymentId });
}

/** 409, with the last try and its refusal, and when the next one may begin. */
const tooEarly = ({ paymentId, code, because = 'DECLINED' }: Period, notBefore: number): Rejection =>
  reject('RetryNotAllowed', 'The last try of this period was declined, and the next one is not allowed yet.', {
    paymentId,
    notBefore,
    because,
    ...reasonOf(code),
  });

/** How a try ended. */
export interface ChargeEnd {
  readonly periodKey: string;
  readonly paymentId: string;
  readonly outcome: ChargeOutcome;
  /** DECLINED: what is known of it. */
  readonly refusal?: NetworkRefusal | undefined;
  /** FAILED: its payment was never made. */
  readonly isAbandoned?: true;
  /** ms */
  readonly at: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Where neither the network nor the issuer names a time: a billing job that runs twice a day tries once a day. */
const NEXT_TRY_MS = DAY_MS;

/**
 * Records the end of a try, once, with what follows from it: the agreement ends with its last period, waits for its
 * customer after a refusal that only the customer can change, and is revoked with the consent; or its policy plans the
 * next try.
 */
export const settleCharge = (end: ChargeEnd): ((agreement: Agreement) => Decision<AgreementEvent>) =>
  known((agreement) => {
    const { periodKey, paymentId, outcome, refusal, at } = end;
    const period = periodOf(agreement, periodKey);
    if (period === undefined || period.paymentId !== paymentId || period.outcome !== undefined) return accept();
    const word = refusal && wordOn(refusal);
    const settled: AgreementFact<'ChargeSettled'> = {
      periodKey,
      try: period.try,
      paymentId,
      outcome,
      ...(refusal !== undefined && { code: refusal.code }),
      ...nextTry(word, end),
    };
    return accept<AgreementEvent>(
      // before the outcome, whose message has the time of the next try
      ...planned(agreement, period, { word, end, notBefore: settled.notBefore ?? at }),
      { type: 'ChargeSettled', data: settled },
      ...consequences(agreement, word, end),
    );
  });

function nextTry(word: NetworkWord | undefined, { outcome, at }: ChargeEnd) {
  if (word === undefined) return outcome === 'FAILED' ? { notBefore: at } : {};
  if (word.kind !== 'wait') return { notBefore: at };
  const { waitMs } = word;
  return waitMs === undefined
    ? { notBefore: at + NEXT_TRY_MS, because: 'DECLINED' as const }
    : { notBefore: at + waitMs, because: 'NETWORK_ADVICE' as const };
}

function consequences(
  agreement: KnownAgreement,
  word: NetworkWord | undefined,
  { outcome, refusal }: ChargeEnd,
): readonly AgreementEvent[] {
  if (isFinalAgreement(agreement)) return [];
  const { count } = agreement.terms;
  if (outcome === 'SUCCEEDED' && count !== undefined && agreement.succeeded + 1 >= count)
    return [{ type: 'AgreementEnded', data: { because: 'COUNT' } }];
  if (word === undefined || refusal === undefined || word.kind === 'wait') return [];
  const { code } = refusal;
  if (word.kind === 'withdrawn') return [{ type: 'AgreementRevoked', data: { source: 'issuer', code } }];
  if (agreement.status === 'SUSPENDED') return [];
  const action = word.kind === 'authenticate' ? 'AUTHENTICATE' : 'NEW_INSTRUMENT';
  return [{ type: 'AgreementSuspended', data: { action, code } }];
}

/** After a decline without a time of the network's own. */
const ADVISED_DAYS: readonly number[] = [1, 3, 5, 7];
/** After a try that did not reach the issuer. */
const NOT_REACHED_MS = HOUR_MS;

const daysOf = (retry: Retry | undefined): readonly number[] => {
  if (retry === undefined || retry.policy === 'NONE') return [];
  return retry.policy === 'ADVISED' ? ADVISED_DAYS : (retry.days ?? []);
};

interface EndedTry {
  readonly word: NetworkWord | undefined;
  readonly end: ChargeEnd;
  readonly notBefore: number;
}

/** The next try, by the agreement's policy; none where only the customer can help. */
function planned(
  agreement: KnownAgreement,
  period: Period,
  { word, end, notBefore }: EndedTry,
): readonly AgreementEvent[] {
  const { retry, terms, succeededAt, status } = agreement;
  const { outcome, at } = end;
  const waits = daysOf(retry);
  // a try that came to nothing has used no wait up
  const days = outcome === 'FAILED' ? waits[Math.max(0, period.try - 2)] : waits[period.try - 1];
  const isOver = isFinalAgreement(agreement) || status === 'SUSPENDED';
  if (days === undefined || isOver || !isRetried(period, word, end)) return [];
  const isAdvised = retry?.policy === 'ADVISED' && word?.kind === 'wait' && word.waitMs !== undefined;
  const wanted = isAdvised ? notBefore : atHourOf(succeededAt, at + days * DAY_MS, notBefore);
  const dueAt = outcome === 'FAILED' ? at + NOT_REACHED_MS : Math.max(wanted, notBefore);
  if (terms.endsAt !== undefined && dueAt >= terms.endsAt) return [];
  return [{ type: 'RetryPlanned', data: { periodKey: period.periodKey, try: period.try + 1, dueAt } }];
}

/** True after a wait, and if it came to nothing. Who asked for a first payment that was never created asks again. */
const isRetried = (period: Period, word: NetworkWord | undefined, { outcome, isAbandoned }: ChargeEnd): boolean =>
  outcome === 'FAILED' ? isAbandoned === undefined || period.try > 1 : word?.kind === 'wait';

/** The same day at the hour at which the customer's money was there before. */
function atHourOf(succeededAt: number | undefined, dueAt: number, notBefore: number): number {
  if (succeededAt === undefined) return dueAt;
  const then = dueAt - (dueAt % DAY_MS) + (succeededAt % DAY_MS);
  return then < notBefore ? then + DAY_MS : then;
}

/** A planned try that is due and is not made. */
interface RefusedRetry {
  readonly periodKey: string;
  readonly try: number;
  readonly because: RetryRefusal;
  /** ms; undefined: never. */
  readonly notBefore?: number | undefined;
}

/**
 * Puts on record why a planned try is not made, and plans it for when it may be; nothing where somebody has made it
 * since.
 */
export const refuseRetry = ({
  notBefore,
  ...refused
}: RefusedRetry): ((agreement: Agreement) => Decision<AgreementEvent>) =>
  known((agreement) => {
    const { periodKey, try: number } = refused;
    const period = periodOf(agreement, periodKey);
    if (period?.retryAt === undefined || period.try !== number - 1) return accept();
    if (notBefore === undefined) return accept({ type: 'RetryRefused', data: refused });
    return accept<AgreementEvent>(
      { type: 'RetryRefused', data: { ...refused, notBefore } },
      { type: 'RetryPlanned', data: { periodKey, try: number, dueAt: notBefore } },
    );
  });

/** Rejects with InvalidAgreementStatus. A paused agreement stays as it is. */
export const pauseAgreement = known((agreement) => {
  if (agreement.status === 'PAUSED') return accept();
  return agreement.status === 'ACTIVE'
    ? accept({ type: 'AgreementPaused', data: {} })
    : wrongAgreementStatus(agreement, 'paused');
});

export const resumeAgreement = known((agreement) => {
  if (agreement.status === 'ACTIVE') return accept();
  return agreement.status === 'PAUSED'
    ? accept({ type: 'AgreementResumed', data: {} })
    : wrongAgreementStatus(agreement, 'resumed');
});

/** Final. A try that has begun is not stopped. */
export const cancelAgreement = (reason: string | undefined): ((agreement: Agreement) => Decision<AgreementEvent>) =>
  known((agreement) => {
    if (agreement.status === 'CANCELLED') return accept();
    return isFinalAgreement(agreement)
      ? wrongAgreementStatus(agreement, 'cancelled')
      : accept({ type: 'AgreementCancelled', data: { ...(reason !== undefined && { reason }) } });
  });

/** Ends a suspension: its customer has paid with this method. */
export const replaceInstrument = (method: ChargedMethod): ((agreement: Agreement) => Decision<AgreementEvent>) =>
  known((agreement) => {
    if (isFinalAgreement(agreement)) return wrongAgreementStatus(agreement, 'charged by another method');
    return agreement.method?.initialPaymentId === method.initialPaymentId
      ? accept()
      : accept({ type: 'AgreementInstrumentReplaced', data: method });
  });

/** The code with which an agreement waits for another method: its own was closed. */
const CLOSED = 'ACCOUNT_CLOSED';

/** The customer has to bring another method, because this one was closed. Nothing where it is not charged. */
export const closeMethod = (paymentMethodToken: string): ((agreement: Agreement) => Decision<AgreementEvent>) =>
  known((agreement) => {
    if (isFinalAgreement(agreement) || agreement.method?.paymentMethodToken !== paymentMethodToken) return accept();
    return agreement.action === 'NEW_INSTRUMENT'
      ? accept()
      : accept({ type: 'AgreementSuspended', data: { action: 'NEW_INSTRUMENT', code: CLOSED } });
  });

/**
 * The network has told of a card in the place of this one: the agreement is charged again where it waited for that
 * alone. A reissued card needs no new consent.
 */
export const renewMethod = (paymentMethodToken: string): ((agreement: Agreement) => Decision<AgreementEvent>) =>
  known((agreement) => {
    const { status, action, code, method } = agreement;
    const isWaiting = status === 'SUSPENDED' && action === 'NEW_INSTRUMENT' && code === 'EXPIRED_CARD';
    return isWaiting && method?.paymentMethodToken === paymentMethodToken
      ? accept({ type: 'AgreementResumed', data: {} })
      : accept();
  });

/** The customer has withdrawn the permission to debit this method. Nothing where it is not charged. */
export const withdrawMandate = (
  paymentMethodToken: string,
  { mandate, because }: { readonly mandate: string; readonly because: string | undefined },
): ((agreement: Agreement) => Decision<AgreementEvent>) =>
  known((agreement) => {
    if (isFinalAgreement(agreement) || agreement.method?.paymentMethodToken !== paymentMethodToken) return accept();
    const told = { mandate, ...(because !== undefined && { because }) };
    return accept({ type: 'AgreementRevoked', data: { source: 'mandate', code: 'AUTHORIZATION_REVOKED', ...told } });
  });
