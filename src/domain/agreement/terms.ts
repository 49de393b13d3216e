// Whether a charge is within what the customer agreed to.
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
  const { terms, succeeded } = agreement;
  const violations: Violation[] = [];
  const broken = (path: string, description: string): void => void violations.push({ path, description });
  if (currencyCode !== terms.currencyCode) broken('$.currencyCode', `The customer agreed to ${terms.currencyCode}.`);
  if (amount === undefined) broken('$.amount', 'Required: the terms name no amount.');
  else if (terms.amount !== undefined && terms.amountRule === 'EXACT' && amount !== terms.amount)
    broken('$.amount', `The customer agreed to exactly ${terms.amount}.`);
  else if (terms.amount !== undefined && terms.amountRule === 'MAXIMUM' && amount > terms.amount)
    broken('$.amount', `The customer agreed to at most ${terms.amount}.`);
  if (at < terms.startsAt) broken('$', 'The agreement has not begun.');
  if (terms.endsAt !== undefined && at >= terms.endsAt) broken('$', 'The time of the agreement is over.');
  const charged = succeeded + openCharges(agreement).length;
  if (isNew && terms.count !== undefined && charged >= terms.count)
    broken('$.periodKey', `The customer agreed to ${terms.count} periods, and all are charged.`);
  const begun = periodsBegun(terms, at);
  if (isNew && begun !== undefined && charged >= begun)
    broken('$.periodKey', `By its terms ${begun} periods of the agreement have begun, and ${charged} are charged.`);
  return violations.length > 0 || amount === undefined
    ? reject('OutsideAgreementTerms', 'The customer has not agreed to this charge.', { violations })
    : { amount, currencyCode };
}

const DAY_MS = 86_400_000;
const DAYS = { DAY: 1, WEEK: 7, MONTH: 30, YEAR: 365 } as const;
/** The part of a period by which a charge may come early: no run of a billing job in another time zone is refused. */
const EARLY = 0.1;

/** The periods that have begun by `at`, ms: the first one with `startsAt`. Undefined for terms without a frequency. */
export function periodsBegun({ frequency, interval = 1, startsAt }: AgreementTerms, at: number): number | undefined {
  if (frequency === undefined) return undefined;
  const then = at + EARLY * interval * DAYS[frequency] * DAY_MS;
  switch (frequency) {
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
