// Changes of what was agreed: other terms, another retry policy, the merchant's metadata; and the notices that the
// customer was given (contract §14, "Changes").

import type { Retry } from '../agreement-terms.ts';
import { accept, type Decision, type Rejection, reject, type Violation } from '../decider.ts';
import { sameJson } from '../json.ts';
import { noSuchAgreement, wrongAgreementStatus } from './decide.ts';
import type { AgreementEvent, AgreementFact, AgreementTerms, Consent } from './events.ts';
import { type Agreement, isFinalAgreement, type KnownAgreement } from './state.ts';
import { ENDS_TOO_SOON, endsTooSoon, nextPeriodAt, periodsBefore, unfitFor, widened } from './terms.ts';

/** A member that is left out stays; null: without it from now on. */
export interface AgreementChange {
  /** All of them. `startsAt` left out: as it is, or where the periods change, the beginning of the next one. */
  readonly terms?: (Omit<AgreementTerms, 'startsAt'> & { readonly startsAt?: number | undefined }) | undefined;
  /** When the customer was informed of the terms, ms. */
  readonly noticeGivenAt?: number | undefined;
  readonly consent?: Consent | undefined;
  readonly retry?: Retry | null | undefined;
  readonly metadata?: KnownAgreement['metadata'] | null;
}

interface ChangeConditions {
  /** Business time, ms. */
  readonly at: number;
  /** True if the caller will change the agreement at its revision (If-Match); left out: at any revision. */
  readonly ifMatch?: ((revision: number) => boolean) | undefined;
}

/**
 * No event if nothing changes. Tries that have begun stay as they are. Rejections, in this order: NotFound,
 * PreconditionFailed, InvalidAgreementStatus, RequestValidationError, OutsideAgreementTerms where the terms allow more
 * than the customer has agreed to.
 */
export const changeAgreement =
  (change: AgreementChange, { at, ifMatch }: ChangeConditions) =>
  (agreement: Agreement, revision: number): Decision<AgreementEvent> => {
    if (agreement.status === 'absent') return noSuchAgreement();
    if (ifMatch?.(revision) === false)
      return reject('PreconditionFailed', 'The agreement has changed since the version in If-Match.');
    // the checkout still shows the terms of the session
    const isAsked = agreement.status === 'PENDING' && change.terms !== undefined;
    if (isAsked || isFinalAgreement(agreement)) return wrongAgreementStatus(agreement, 'changed');
    const terms = changedTerms(agreement, change, at);
    if ('kind' in terms) return terms;
    return accept(...terms.events, ...changedRetry(agreement, change), ...changedMetadata(agreement, change));
  };

const invalid = (...violations: readonly Violation[]): Rejection =>
  reject('RequestValidationError', 'The request is not valid.', { violations });

interface ChangedTerms {
  readonly events: readonly AgreementEvent[];
}

function changedTerms(
  agreement: KnownAgreement,
  { terms: asked, noticeGivenAt, consent }: AgreementChange,
  at: number,
): ChangedTerms | Rejection {
  if (asked === undefined) return { events: [] };
  const { terms: before } = agreement;
  const isRescheduled = asked.frequency !== before.frequency || (asked.interval ?? 1) !== (before.interval ?? 1);
  const nextAt = nextPeriodAt(before, at);
  const { startsAt = isRescheduled && nextAt !== undefined ? nextAt : before.startsAt } = asked;
  const terms = { ...asked, startsAt };
  const isMoved = isRescheduled || startsAt !== before.startsAt;
  const faults = faultsIn(agreement, { terms, isMoved, noticeGivenAt, consent, at });
  if (faults.length > 0) return invalid(...faults);
  if (consent === undefined && sameJson(terms, before)) return { events: [] };
  const wider = widened(before, terms, { isMoved, at });
  if (consent === undefined && wider.length > 0)
    return reject('OutsideAgreementTerms', 'The customer has not agreed to these terms: send a new consent.', {
      violations: wider,
    });
  if (consent === undefined && noticeGivenAt === undefined)
    return invalid({
      path: '$.noticeGivenAt',
      description: 'Required: tell the customer first, or get a new consent.',
    });
  const data: AgreementFact<'AgreementTermsChanged'> = {
    terms,
    ...(isMoved && terms.frequency !== undefined && { earlierPeriods: periodsBefore(agreement, at) }),
    ...(noticeGivenAt !== undefined && { noticeGivenAt }),
    ...(consent !== undefined && { consent }),
  };
  return { events: [{ type: 'AgreementTermsChanged', data }] };
}

interface AskedTerms extends Pick<AgreementChange, 'noticeGivenAt' | 'consent'> {
  readonly terms: AgreementTerms;
  /** The periods begin at other times than those of the terms before. */
  readonly isMoved: boolean;
  readonly at: number;
}

function faultsIn(
  { kind, succeeded }: KnownAgreement,
  { terms, isMoved, noticeGivenAt, consent, at }: AskedTerms,
): readonly Violation[] {
  const faults: Violation[] = unfitFor(kind, terms).map(({ member, error }) => ({
    path: `$.terms.${member}`,
    description: error,
  }));
  const fault = (path: string, description: string): void => void faults.push({ path, description });
  if (terms.count !== undefined && terms.count <= succeeded)
    fault('$.terms.count', `Must be more than the ${succeeded} periods that are charged.`);
  if (endsTooSoon(terms, at)) fault('$.terms.endsAt', ENDS_TOO_SOON);
  // periods that began in the past would all be chargeable at once
  if (isMoved && terms.frequency !== undefined && terms.startsAt < at)
    fault('$.terms.startsAt', 'Must not be in the past. Left out, the new periods begin with the next one.');
  if (noticeGivenAt !== undefined && noticeGivenAt > at) fault('$.noticeGivenAt', 'Must not be in the future.');
  if (consent !== undefined && consent.acceptedAt > at) fault('$.consent.acceptedAt', 'Must not be in the future.');
  return faults;
}

/** Tries that were planned are withdrawn with the policy NONE, and keep their times otherwise. */
function changedRetry(
  { retry: before, periods }: KnownAgreement,
  { retry }: AgreementChange,
): readonly AgreementEvent[] {
  if (retry === undefined) return [];
  const after: Retry = retry ?? { policy: 'NONE' };
  if (sameJson(before ?? { policy: 'NONE' }, after)) return [];
  const planned = periods.flatMap(({ periodKey, retryAt }) => (retryAt === undefined ? [] : [periodKey]));
  const withdrawn = after.policy === 'NONE' && planned.length > 0 ? { withdrawn: planned } : {};
  return [{ type: 'AgreementRetryChanged', data: { retry: after, ...withdrawn } }];
}

function changedMetadata(
  { metadata: before }: KnownAgreement,
  { metadata }: AgreementChange,
): readonly AgreementEvent[] {
  if (metadata === undefined || sameJson(before, metadata ?? undefined)) return [];
  return [{ type: 'AgreementMetadataChanged', data: { ...(metadata !== null && { metadata }) } }];
}

/** Puts on record that the merchant has told the customer. Rejects with NotFound, InvalidAgreementStatus. */
export const recordNotice =
  (notice: AgreementFact<'AgreementNoticeRecorded'>) =>
  (agreement: Agreement): Decision<AgreementEvent> => {
    if (agreement.status === 'absent') return noSuchAgreement();
    return isFinalAgreement(agreement)
      ? wrongAgreementStatus(agreement, 'announced')
      : accept({ type: 'AgreementNoticeRecorded', data: notice });
  };
