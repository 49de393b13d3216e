// Daily totals: sums of payments' facts by day of record (UTC), account, currency, connection, network and decline
// code; and the figures of an account, which are the same sums by hour and by day over all of those places.

/**
 * A log projection: one document has the facts of many payments. A day of figures is one document for each currency, so
 * that a year is read at once, and so is each of the last hours.
 */
import { type PaymentEvent, paymentCategory } from '../../domain/payment/events.ts';
import { unsealEvent } from '../../journal/envelope.ts';
import { formatTime } from '../../world.ts';
import { type Change, type LogProjection, logProjection, type Reader, readingOf } from '../projection.ts';
import {
  type Counted,
  type FactsKnown,
  learnt,
  type Measure,
  type MovedMoney,
  measures,
  movedBy,
  nothing,
  nothingKnown,
  withCounted,
} from './payment-facts.ts';
import { bothWaits, type WaitingTimes, withWait } from './waiting-times.ts';

export interface DailyTotals extends Readonly<Record<Measure, Counted>> {
  /** YYYY-MM-DD, UTC */
  readonly day: string;
  readonly accountId: string;
  readonly currencyCode: string;
  readonly connectionId: string;
  readonly network: string;
  /** Of declines; the documents without one hold everything else. */
  readonly declineCode?: string;
}

export interface PaymentFigures extends Readonly<Record<Measure, Counted>> {
  readonly accountId: string;
  readonly currencyCode: string;
  /** YYYY-MM-DD of a day, YYYY-MM-DDTHH of an hour; UTC. */
  readonly start: string;
  /**
   * From an authorization's request to its outcome, by the hour of the outcome; without those for which the customer
   * had to act, because a customer's minutes say nothing about a processor.
   */
  readonly waits: WaitingTimes;
}

type PaymentSums = DailyTotals | PaymentFigures;
export const isFigures = (sums: PaymentSums): sums is PaymentFigures => 'start' in sums;
export const isTotals = (sums: PaymentSums): sums is DailyTotals => 'day' in sums;

/** `day` of totals; `figuresDay` and `hour` of figures. */
export type PaymentSumsKey = 'accountId' | 'day' | 'figuresDay' | 'hour';

interface Known {
  readonly facts: FactsKnown;
  /** Authorizations without an outcome yet, for which no customer had to act. */
  readonly asked: readonly Asked[];
}

interface Asked {
  readonly attemptId: string;
  readonly requestedAt: number;
  readonly currencyCode: string;
}

const reader: Reader<Known, PaymentSums> = {
  categories: [paymentCategory.name],
  initial: { facts: nothingKnown, asked: [] },
  read: ({ facts: before, asked }, stored) => {
    const { event, recorded } = unsealEvent(paymentCategory, stored);
    const facts = learnt(before, event);
    const answered = answeredBy(event, asked);
    const at = formatTime(recorded.at);
    const moves = movedBy(event, before, facts);
    const waited = answered && { ...answered, ms: Math.max(0, recorded.at - answered.requestedAt) };
    return {
      known: { facts, asked: askedAfter(event, asked, answered) },
      changes: [
        ...moves.map((moved) => totalsOf(at.slice(0, DAY), before.accountId, moved)),
        ...figuresOf(facts.accountId, at, moves, waited),
      ],
    };
  },
  add: (doc, part) => {
    const sums: Record<Measure, Counted> = { ...doc };
    for (const measure of measures)
      if (part[measure].count !== 0 || part[measure].amount !== 0)
        sums[measure] = withCounted(doc[measure], part[measure]);
    if (isFigures(doc))
      return { ...doc, ...sums, waits: isFigures(part) ? bothWaits(doc.waits, part.waits) : doc.waits };
    return { ...doc, ...sums };
  },
};

const DAY = 'YYYY-MM-DD'.length;
const HOUR = 'YYYY-MM-DDTHH'.length;
const startOf =
  (length: number) =>
  (sums: PaymentSums): string | undefined =>
    isFigures(sums) && sums.start.length === length ? sums.start : undefined;

export const dailyTotals: LogProjection<PaymentSums, PaymentSumsKey> = logProjection(readingOf(reader), {
  name: 'daily-totals',
  version: 6,
  keys: {
    accountId: ({ accountId }) => accountId,
    day: (sums) => (isTotals(sums) ? sums.day : undefined),
    figuresDay: startOf(DAY),
    hour: startOf(HOUR),
  },
  indexes: [['accountId', 'day'], ['accountId', 'figuresDay'], ['accountId', 'hour'], ['day']],
});

const answeredBy = (event: PaymentEvent, asked: Known['asked']): Asked | undefined =>
  event.type === 'PaymentAuthorized' || event.type === 'AuthorizationDeclined'
    ? asked.find(({ attemptId }) => attemptId === event.data.attemptId)
    : undefined;

function askedAfter(event: PaymentEvent, asked: Known['asked'], answered: Asked | undefined): Known['asked'] {
  if (answered !== undefined) return asked.filter((one) => one !== answered);
  if (event.type === 'CustomerActionRequired')
    return asked.filter(({ attemptId }) => attemptId !== event.data.attemptId);
  if (event.type !== 'AuthorizationRequested') return asked;
  const { attemptId, requestedAt, currencyCode } = event.data;
  return [...asked, { attemptId, requestedAt, currencyCode }];
}

const idOf = (...parts: readonly string[]): string => parts.map(encodeURIComponent).join('|');

function totalsOf(day: string, accountId: string, moved: MovedMoney): Change<DailyTotals> {
  const { currencyCode, declineCode } = moved;
  const { connectionId, network } = moved.at;
  const place = { day, accountId, currencyCode, connectionId, network };
  return {
    id: idOf(day, accountId, currencyCode, connectionId, network, declineCode ?? ''),
    doc: { ...nothing, ...place, ...(declineCode !== undefined && { declineCode }), ...countedIn(moved) },
  };
}

const countedIn = ({ measure, count, amount }: MovedMoney): Partial<Record<Measure, Counted>> => ({
  [measure]: { count, amount },
});

/** The changes of the day and of the hour, one for each document. */
function figuresOf(
  accountId: string,
  at: string,
  moves: readonly MovedMoney[],
  waited: (Asked & { readonly ms: number }) | undefined,
): readonly Change<PaymentFigures>[] {
  const currencies = new Set(moves.map(({ currencyCode }) => currencyCode));
  if (waited !== undefined) currencies.add(waited.currencyCode);
  return [...currencies].flatMap((currencyCode) => {
    const sums: Record<Measure, Counted> = { ...nothing };
    for (const { measure, count, amount } of moves.filter((one) => one.currencyCode === currencyCode))
      sums[measure] = withCounted(sums[measure], { count, amount });
    const waits = waited?.currencyCode === currencyCode ? withWait([], waited.ms) : [];
    return [at.slice(0, DAY), at.slice(0, HOUR)].map((start) => ({
      id: idOf(start, accountId, currencyCode),
      doc: { ...sums, accountId, currencyCode, start, waits },
    }));
  });
}
