// The dashboard's first page: figures of a period in one currency, and how far the read models lag.
import { z } from 'zod';
import { KnownCurrencyCode } from '../../../commands/fields/currency.ts';
import { plus } from '../../../domain/money.ts';
import { declineReason } from '../../../domain/payment/decline-reason.ts';
import { inWords } from '../../../projections/engine/health/not-moving.ts';
import type { Hole } from '../../../projections/engine/log/documents-at.ts';
import { dailyTotals } from '../../../projections/models/daily-totals.ts';
import { waitAt } from '../../../projections/models/waiting-times.ts';
import {
  dayOf,
  type FigureSums,
  type OverviewFigures,
  readDaysShown,
  readOverview,
} from '../../../queries/overview.ts';
import { isStreamOf } from '../../../queries/own-streams.ts';
import { unlessUnavailable } from '../../../stores/store-unavailable.ts';
import { formatTime, parseTime, within } from '../../../world.ts';
import { Instant, SumAnswer } from '../../answers/shapes.ts';
import { invalid } from '../../errors.ts';
import { forUsers, found, type Route, route } from '../../route.ts';
import type { RouteParts } from '../parts.ts';

const CountedAnswer = z.strictObject({ count: z.int(), amount: SumAnswer });
const ms = z.number().min(0).nullable();
const sums = {
  /** Captured amounts, less those that the acquirer took back. */
  volume: SumAnswer,
  captured: CountedAnswer,
  refunded: CountedAnswer,
  authorized: CountedAnswer,
  declined: CountedAnswer,
  /** Authorized of those that the processor has answered, 0 to 1; null where it has answered none. */
  authorizationRate: z.number().min(0).max(1).nullable(),
  /** From an authorization's request to its outcome, ms; without those for which the customer had to act. */
  p50: ms,
  p95: ms,
};
const SumsAnswer = z.strictObject(sums);
const OverviewAnswer = z
  .strictObject({
    from: z.iso.date(),
    to: z.iso.date(),
    /** Null before the account's first payment. */
    currencyCode: z.string().nullable(),
    currencyCodes: z.array(z.string()).readonly(),
    resolution: z.enum(['hour', 'day']),
    points: z.array(z.strictObject({ start: Instant, ...sums })).readonly(),
    sums: SumsAnswer,
    /** The period in all currencies, of which the figures above show one. */
    byCurrency: z
      .array(SumsAnswer.extend({ currencyCode: z.string(), disputed: CountedAnswer, disputeLost: CountedAnswer }))
      .readonly(),
    /** As many days before; where the period is not over, up to the same hour. */
    before: SumsAnswer,
    declines: z
      .array(z.strictObject({ code: z.string(), message: z.string(), count: z.int(), amount: SumAnswer }))
      .readonly(),
    /** Seconds that the oldest event which a read model lacks has been waiting; null while it is not known. */
    lag: z
      .array(z.strictObject({ name: z.string(), seconds: z.number().min(0) }))
      .readonly()
      .nullable(),
    /**
     * Streams of the account that the figures are without, each from a revision on, because an event cannot be read.
     */
    holes: z.array(z.strictObject({ stream: z.string(), revision: z.int() })).readonly(),
    /**
     * The figures may be without more streams of the account: not all streams that cannot be read were looked at, or
     * not all are shown.
     */
    hasMoreHoles: z.boolean(),
    /** Read models of the store that do not move, in words: "webhooks since 18:40, 32 events", in UTC. */
    notMoving: z.array(z.string()).readonly(),
    isEmpty: z.boolean(),
    asOf: Instant,
  })
  .meta({ id: 'DashboardOverview' });

const DAY_MS = 86_400_000;
const MOST_DAYS = 366;
/** For each look at the event store. */
const LOOK_WITHIN_MS = 2_000;
const MOST_HOLES = 50;
const HOLES_AT_ONCE = 50;

const Query = z.strictObject({
  /** Days in UTC, both included. */
  from: z.iso.date().optional(),
  to: z.iso.date().optional(),
  /**
   * Without `from`: so many days up to the last one; else a week, or fewer while the account is younger than two days.
   * The service knows which day it is: its clock may be ahead of the browser's.
   */
  days: z.coerce.number().pipe(z.int().min(1).max(MOST_DAYS)).optional(),
  currency: KnownCurrencyCode.optional(),
});

export const overviewRoutes = ({ readModels, world, projections, events }: RouteParts): readonly Route[] => {
  const read = readOverview(readModels);
  const daysShown = readDaysShown(readModels);
  /**
   * A stream whose first event cannot be read is of no account: no figures lack it. Streams of other accounts hide none
   * of this one.
   */
  const ownHoles = async (
    accountId: string,
  ): Promise<{ readonly holes: readonly Hole[]; readonly hasMoreHoles: boolean }> => {
    const all = projections.holesIn([dailyTotals.name]);
    const own: Hole[] = [];
    const look = async (signal: AbortSignal): Promise<boolean> => {
      for (let at = 0; at < all.length && own.length <= MOST_HOLES; at += HOLES_AT_ONCE) {
        const some = all.slice(at, at + HOLES_AT_ONCE);
        const isOwn = await Promise.all(some.map(({ stream }) => isStreamOf(events, stream, accountId)));
        if (signal.aborted) return false;
        own.push(...some.filter((_, place) => isOwn[place] === true));
      }
      return own.length <= MOST_HOLES;
    };
    const isWhole = await within(world, LOOK_WITHIN_MS, (signal) => look(signal).catch(unlessUnavailable(false)));
    return { holes: own.slice(0, MOST_HOLES), hasMoreHoles: isWhole !== true };
  };
  return [
    route({
      tag: 'Overview',
      method: 'GET',
      path: '/dashboard/api/overview',
      scope: forUsers,
      summary: 'Read volume, authorization rate, declines, latency and lag of a period, in one currency',
      request: z.object({ query: Query }),
      answer: OverviewAnswer,
      async handle({ query: { from, to, days, currency } }, { caller: { accountId, at } }) {
        const last = midnightOf(to) ?? at - (at % DAY_MS);
        const first = midnightOf(from) ?? last - ((days ?? (await daysShown(accountId, last))) - 1) * DAY_MS;
        const dayCount = (last - first) / DAY_MS + 1;
        if (dayCount < 1 || dayCount > MOST_DAYS) return wrongPeriod();
        const [figures, itsHoles, lags] = await Promise.all([
          read(accountId, first, last, at, currency),
          ownHoles(accountId),
          within(world, LOOK_WITHIN_MS, (signal) => projections.lags(signal).catch(() => undefined)),
        ]);
        return found({
          from: dayOf(first),
          to: dayOf(last),
          ...shownFigures(figures),
          lag:
            lags === 'timeout' || lags === undefined ? null : [...lags].map(([name, seconds]) => ({ name, seconds })),
          ...itsHoles,
          notMoving: projections
            .notMoving()
            .flatMap((one) => (one.stream === undefined ? [inWords(one, world.now())] : [])),
          asOf: formatTime(at),
        });
      },
    }),
  ];
};

const midnightOf = (day: string | undefined): number | undefined =>
  day === undefined ? undefined : parseTime(`${day}T00:00:00Z`);

function wrongPeriod(): ReturnType<typeof invalid> {
  const message = `Must be from 0 to ${MOST_DAYS - 1} days after from.`;
  return invalid([{ code: 'custom', path: ['query', 'to'], message, input: undefined }], () => 'Query');
}

const wordsOf = (code: string): string => declineReason({ code, declineType: 'HARD' }, 'authorization').message ?? code;

const shownFigures = ({
  currencyCodes,
  currencyCode,
  resolution,
  points,
  sums: total,
  byCurrency,
  before,
  declines,
  hasFacts,
}: OverviewFigures) => ({
  currencyCode: currencyCode ?? null,
  currencyCodes,
  resolution,
  points: points.map((point) => ({ start: formatTime(point.start), ...shownSums(point) })),
  sums: shownSums(total),
  byCurrency: byCurrency.map(({ currencyCode: code, ...its }) => ({
    ...shownSums(its),
    currencyCode: code,
    disputed: its.disputed,
    disputeLost: lostIn(its),
  })),
  before: shownSums(before),
  declines: declines.map((one) => ({ ...one, message: wordsOf(one.code) })),
  isEmpty: !hasFacts,
});

/** Disputes whose money the customer keeps, without those that were regained. */
const lostIn = ({ disputeLost, disputeRegained }: FigureSums): z.output<typeof CountedAnswer> => ({
  count: disputeLost.count - disputeRegained.count,
  amount: plus(disputeLost.amount, disputeRegained.amount, -1),
});

function shownSums({
  captured,
  captureReturned,
  refunded,
  authorized,
  declined,
  waits,
}: FigureSums): z.output<typeof SumsAnswer> {
  const answered = authorized.count + declined.count;
  return {
    volume: plus(captured.amount, captureReturned.amount, -1),
    captured,
    refunded,
    authorized,
    declined,
    authorizationRate: answered === 0 ? null : authorized.count / answered,
    p50: waitAt(waits, 0.5) ?? null,
    p95: waitAt(waits, 0.95) ?? null,
  };
}
