// Whether a charge is within what the customer agreed to, and whether other terms allow more.

import type { AgreementKind } from '../agreement-kind.ts';
import type { AmountRule } from '../agreement-terms.ts';
import { type Rejection, reject, type Violation } from '../decider.ts';
import type { AgreementTerms } from './events.ts';
import { type KnownAgreement, openCharges } from './state.ts';

interface ChargeWanted {
  /** Minor units; undefined where neither the charge nor the terms have one. */
  readonly amount: number | undefined;
  readonly currencyCode: string;
  /** False for a further try of a period, which is counted. */
  readonly isNew: boolean;
  /** ms */
  readonly at: number;
}

/** The money of the charge; OutsideAgreementTerms with each term that it breaks. */
export function outsideTerms(
  agreement: KnownAgreement,
  { amount, currencyCode, isNew, at }: ChargeWanted,
): { readonly amount: number; readonly currencyCode: string } | Rejection {
  const { terms, succeeded, earlierPeriods: earlier } = agreement;
  const violations: Violation[] = [];
  const broken = (path: string, description: string): void => void violations.push({ path, description });
  if (currencyCode !== terms.currencyCode) broken('$.currencyCode', `The customer agreed to ${terms.currencyCode}.`);
  if (amount === undefined) broken('$.amount', 'Required: the terms name no amount.');
  else if (terms.amount !== undefined && terms.amountRule === 'EXACT' && amount !== terms.amount)
    broken('$.amount', `The customer agreed to exactly ${terms.amount}.`);
  else if (terms.amount !== undefined && terms.amountRule === 'MAXIMUM' && amount > terms.amount)
    broken('$.amount', `The customer agreed to at most ${terms.amount}.`);
  if (at < terms.startsAt && earlier === undefined) broken('$', 'The agreement has not begun.');
  if (terms.endsAt !== undefined && at >= terms.endsAt) broken('$', 'The time of the agreement is over.');
  const charged = succeeded + openCharges(agreement).length;
  if (isNew && terms.count !== undefined && charged >= terms.count)
    broken('$.periodKey', `The customer agreed to ${terms.count} periods, and all are charged.`);
  const begun = sumOf(earlier, periodsBegun(terms, at));
  if (isNew && begun !== undefined && charged >= begun)
    broken('$.periodKey', `By its terms ${begun} periods of the agreement have begun, and ${charged} are charged.`);
  return violations.length > 0 || amount === undefined
    ? reject('OutsideAgreementTerms', 'The customer has not agreed to this charge.', { violations })
    : { amount, currencyCode };
}

/** Periods of the terms before that had begun, and those of these terms. */
const sumOf = (earlier: number | undefined, begun: number | undefined): number | undefined =>
  earlier === undefined || begun === undefined ? begun : earlier + Math.max(0, begun);

const DAY_MS = 86_400_000;
const DAYS = { DAY: 1, WEEK: 7, MONTH: 30, YEAR: 365 } as const;
/** The part of a period by which a charge may come early: no run of a billing job in another time zone is refused. */
const EARLY = 0.1;

/** The periods that have begun by `at`, ms: the first one with `startsAt`. Undefined for terms without a frequency. */
export function periodsBegun(terms: AgreementTerms, at: number): number | undefined {
  const { frequency, interval = 1 } = terms;
  return frequency === undefined ? undefined : begunBy(terms, at + EARLY * interval * DAYS[frequency] * DAY_MS);
}

/** By the calendar alone; 0 or less before the first one. */
function begunBy({ frequency, interval = 1, startsAt }: AgreementTerms, then: number): number | undefined {
  switch (frequency) {
    case undefined:
      return undefined;
    case 'DAY':
    case 'WEEK':
      return 1 + Math.floor((then - startsAt) / (interval * DAYS[frequency] * DAY_MS));
    case 'MONTH':
      return 1 + Math.floor(monthsBetween(startsAt, then) / interval);
    case 'YEAR':
      return 1 + Math.floor(monthsBetween(startsAt, then) / (12 * interval));
    default:
      return frequency satisfies never;
  }
}

/** The periods that have begun by `at`, ms, before other terms take the place of the agreement's. */
export const periodsBefore = ({ terms, earlierPeriods = 0 }: KnownAgreement, at: number): number =>
  earlierPeriods + Math.max(0, begunBy(terms, at) ?? 0);

/** When the next period begins that has not begun by `at`, ms; undefined for terms without a frequency. */
export function nextPeriodAt(terms: AgreementTerms, at: number): number | undefined {
  const { frequency, interval = 1, startsAt } = terms;
  if (frequency === undefined || at < startsAt) return frequency === undefined ? undefined : startsAt;
  const begun = begunBy(terms, at) ?? 0;
  // the calendar has no inverse here: the moment is between now and the longest that a period can be
  let [before, after] = [at, at + interval * (DAYS[frequency] + 2) * DAY_MS];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if ((begunBy(terms, middle) ?? 0) > begun) after = middle;
    else before = middle;
  }
  return after;
}

/** True for terms that nothing could be charged under from `at`, ms, on. */
export const endsTooSoon = ({ startsAt, endsAt }: Pick<AgreementTerms, 'startsAt' | 'endsAt'>, at: number): boolean =>
  endsAt !== undefined && endsAt <= Math.max(startsAt, at);
export const ENDS_TOO_SOON = 'Must be later than now, and than startsAt.';

/** What terms of a kind must have. */
export function unfitFor(
  kind: AgreementKind,
  { frequency, count }: Pick<AgreementTerms, 'frequency' | 'count'>,
): readonly { readonly member: 'frequency' | 'count'; readonly error: string }[] {
  const wrongFrequency = (kind === 'UNSCHEDULED') !== (frequency === undefined);
  return [
    ...(wrongFrequency
      ? [
          {
            member: 'frequency' as const,
            error: 'Required with RECURRING and INSTALLMENT, and not allowed with UNSCHEDULED.',
          },
        ]
      : []),
    ...(kind === 'INSTALLMENT' && count === undefined
      ? [{ member: 'count' as const, error: 'Required with INSTALLMENT.' }]
      : []),
  ];
}

/** From the narrowest on. */
const WIDTH: { readonly [R in AmountRule]: number } = { EXACT: 0, MAXIMUM: 1, VARIABLE: 2 };
/** The mean lengths of the Gregorian calendar, s: 12 months are a year. */
const SECONDS = { DAY: 86_400, WEEK: 604_800, MONTH: 2_629_746, YEAR: 31_556_952 } as const;
const lengthOf = ({ frequency, interval = 1 }: AgreementTerms): number =>
  frequency === undefined ? 0 : interval * SECONDS[frequency];

/**
 * Each term by which more may be charged than before. `isMoved`: the periods begin at other times; they may not begin
 * before the next one would have, `at` being now, ms.
 */
export function widened(
  before: AgreementTerms,
  after: AgreementTerms,
  { isMoved, at }: { readonly isMoved: boolean; readonly at: number },
): readonly Violation[] {
  const found: Violation[] = [];
  const wider = (member: keyof AgreementTerms, agreed: string): void =>
    void found.push({ path: `$.terms.${member}`, description: `The customer agreed to ${agreed}.` });
  if (after.currencyCode !== before.currencyCode) wider('currencyCode', before.currencyCode);
  if (WIDTH[after.amountRule] > WIDTH[before.amountRule]) wider('amountRule', before.amountRule);
  if (before.amount !== undefined && after.amount !== undefined && after.amount > before.amount)
    wider('amount', `at most ${before.amount}`);
  if (lengthOf(after) < lengthOf(before)) wider('frequency', 'longer periods');
  if (before.count !== undefined && (after.count ?? Number.POSITIVE_INFINITY) > before.count)
    wider('count', `${before.count} periods`);
  if (before.endsAt !== undefined && (after.endsAt ?? Number.POSITIVE_INFINITY) > before.endsAt)
    wider('endsAt', 'an earlier end');
  const firstAt = nextPeriodAt(before, at) ?? before.startsAt;
  if (isMoved && firstAt > at && after.startsAt < firstAt) wider('startsAt', 'a later next period');
  return found;
}

/** Whole months in UTC; what begins on a 31st goes on with the last day of a shorter month. */
function monthsBetween(from: number, to: number): number {
  const [begin, end] = [calendarDay(from), calendarDay(to)];
  const isLastDay = calendarDay(to + DAY_MS).month !== end.month;
  const day = isLastDay ? Math.min(begin.day, end.day) : begin.day;
  const isReached = end.day > day || (end.day === day && end.ms >= begin.ms);
  return end.month - begin.month - (isReached ? 0 : 1);
}

/**
 * `month`: counted from year 0. `ms`: since midnight. Arithmetic of the Gregorian calendar, whose years begin in March
 * here, so that a leap day is the last one.
 */
function calendarDay(at: number): { readonly month: number; readonly day: number; readonly ms: number } {
  const since = Math.floor(at / DAY_MS) + DAYS_BEFORE_1970;
  const era = Math.floor(since / DAYS_IN_400_YEARS);
  const dayOfEra = since - era * DAYS_IN_400_YEARS;
  const leapDays = Math.floor(dayOfEra / 1_460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const year = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (365 * year + Math.floor(year / 4) - Math.floor(year / 100));
  const month = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * month + 2) / 5) + 1;
  return { month: (era * 400 + year) * 12 + month + 2, day, ms: at - Math.floor(at / DAY_MS) * DAY_MS };
}

const DAYS_BEFORE_1970 = 719_468;
const DAYS_IN_400_YEARS = 146_097;
