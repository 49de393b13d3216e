// The figures of an account by hour and by day (UTC): the sums of the daily totals over all networks, and how long
// authorizations took.

/**
 * A log projection, for charts over time. The daily totals keep connections, networks and decline codes apart; here a
 * day is one document for each currency, so that a year is read at once, and so is each of the last hours.
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
  movedBy,
  nothing,
  nothingKnown,
  withCounted,
} from './daily-totals.ts';
import { type WaitingTimes, withWait } from './waiting-times.ts';

export interface PaymentFigures extends Readonly<Record<Measure, Counted>> {
  readonly accountId: string;
  readonly currencyCode: string;
  /** YYYY-MM-DD of a day, YYYY-MM-DDTHH of an hour; UTC. */
  readonly start: string;
  /** From an authorization's request to its outcome, by the hour of the outcome. */
  readonly waits: WaitingTimes;
}

export type PaymentFiguresKey = 'accountId' | 'day' | 'hour';

interface Known {
  readonly facts: FactsKnown;
  /** Authorizations without an outcome yet. */
  readonly asked: readonly {
    readonly attemptId: string;
    readonly requestedAt: number;
    readonly currencyCode: string;
  }[];
}

const reader: Reader<Known, PaymentFigures> = {
  categories: [paymentCategory.name],
  order: 'log',
  initial: { facts: nothingKnown, asked: [] },
  read: ({ facts: before, asked }, stored) => {
    const { event, recorded } = unsealEvent(paymentCategory, stored);
    const facts = learnt(before, event);
    const answered = answeredBy(event, asked);
    const sums = movedBy(event, before, facts).map(({ measure, currencyCode, count, amount }) => ({
      currencyCode,
      add: (doc: PaymentFigures): PaymentFigures => ({
        ...doc,
        [measure]: withCounted(doc[measure], { count, amount }),
      }),
    }));
    const waits = (answered === undefined ? [] : [answered]).map(({ currencyCode, requestedAt }) => ({
      currencyCode,
      add: (doc: PaymentFigures): PaymentFigures => ({
        ...doc,
        waits: withWait(doc.waits, Math.max(0, recorded.at - requestedAt)),
      }),
    }));
    return {
      known: { facts, asked: askedAfter(event, asked, answered) },
      changes: changesOf(facts.accountId, formatTime(recorded.at), [...sums, ...waits]),
    };
  },
};

const DAY = 'YYYY-MM-DD'.length;
const HOUR = 'YYYY-MM-DDTHH'.length;
const keyOf =
  (length: number) =>
  ({ start }: PaymentFigures): string | undefined =>
    start.length === length ? start : undefined;

export const paymentFigures: LogProjection<PaymentFigures, PaymentFiguresKey> = logProjection(readingOf(reader), {
  name: 'payment-figures',
  version: 4,
  keys: { accountId: ({ accountId }) => accountId, day: keyOf(DAY), hour: keyOf(HOUR) },
  indexes: [
    ['accountId', 'day'],
    ['accountId', 'hour'],
  ],
});

type Asked = Known['asked'][number];

const answeredBy = (event: PaymentEvent, asked: Known['asked']): Asked | undefined =>
  event.type === 'PaymentAuthorized' || event.type === 'AuthorizationDeclined'
    ? asked.find(({ attemptId }) => attemptId === event.data.attemptId)
    : undefined;

function askedAfter(event: PaymentEvent, asked: Known['asked'], answered: Asked | undefined): Known['asked'] {
  if (answered !== undefined) return asked.filter((one) => one !== answered);
  if (event.type !== 'AuthorizationRequested') return asked;
  const { attemptId, requestedAt, currencyCode } = event.data;
  return [...asked, { attemptId, requestedAt, currencyCode }];
}

interface Addition {
  readonly currencyCode: string;
  readonly add: (doc: PaymentFigures) => PaymentFigures;
}

/** The changes of the day and of the hour; one for each document, whatever the number of additions. */
function changesOf(accountId: string, at: string, additions: readonly Addition[]): readonly Change<PaymentFigures>[] {
  const currencies = [...new Set(additions.map(({ currencyCode }) => currencyCode))];
  return currencies.flatMap((currencyCode) =>
    [at.slice(0, DAY), at.slice(0, HOUR)].map((start) => ({
      id: [start, accountId, currencyCode].map(encodeURIComponent).join('|'),
      change: (doc): PaymentFigures =>
        additions
          .filter((addition) => addition.currencyCode === currencyCode)
          .reduce((figures, { add }) => add(figures), doc ?? { ...nothing, accountId, currencyCode, start, waits: [] }),
    })),
  );
}
