// The daily totals against the payments as they stand: both sums must be equal, at one position of the log.
import { isUndecided } from '../../domain/dispute-status.ts';
import { plus, type Sum } from '../../domain/money.ts';
import { type Attempt, authorizationOf, isOpen } from '../../domain/payment/attempt.ts';
import { heldForOperator } from '../../domain/payment/derived-status.ts';
import { amountLostIn, atRiskIn } from '../../domain/payment/dispute-fold.ts';
import type { Dispute, KnownPayment } from '../../domain/payment/payment.ts';
import { documentsAt, type Hole } from '../../projections/engine/log/documents-at.ts';
import { type DailyTotals, dailyTotals, isTotals } from '../../projections/models/daily-totals.ts';
import { type Counted, type Measure, measures } from '../../projections/models/payment-facts.ts';
import { payments } from '../../projections/models/payments.ts';
import type { EventStore } from '../../stores/event-store.ts';
import type { ReadModels } from '../../stores/read-models.ts';
import { paymentsAt } from './payments-at.ts';

interface DailyBooksParts {
  readonly events: EventStore;
  readonly readModels: ReadModels;
  /** Up to where each read model is known to hold everything. */
  readonly positions: () => Promise<ReadonlyMap<string, bigint>>;
  /** The streams that a read model goes on without, the released ones too. */
  readonly parked: (name: string) => Promise<readonly Hole[]>;
  /** Undefined: of every account. */
  readonly accountId?: string | undefined;
  /** The number of payments read. */
  readonly onProgress?: (read: number) => void;
}

/** The books of an account and currency; amounts are minor units. */
export interface Books {
  readonly accountId: string;
  readonly currencyCode: string;
  /** The facts of all days. */
  readonly days: Readonly<Record<Measure, Counted>>;
  /** Their sum, less returned and regained amounts. */
  readonly net: Readonly<Record<ComparedMeasure, Sum>>;
  /** The sums of the current payments. */
  readonly now: Readonly<Record<ComparedMeasure, Sum>>;
  readonly open: Readonly<Record<ComparedMeasure, Counted>>;
  /** Payments with money at the processor that is in no sum and that only an operator closes, and that money. */
  readonly held: Counted;
}

export interface BooksDifference {
  readonly accountId: string;
  readonly currencyCode: string;
  readonly measure: ComparedMeasure;
  /** The sum of the days, less returned amounts. */
  readonly days: Sum;
  readonly now: Sum;
}

export interface DailyBooks {
  /** By account, then currency. */
  readonly books: readonly Books[];
  /** By day, then account, currency, connection, network and code. */
  readonly days: readonly DailyTotals[];
  readonly differences: readonly BooksDifference[];
  readonly payments: number;
  /** Both sides are as they were there. */
  readonly position: bigint;
  /** The streams that the daily totals are without, each from a revision on: nobody knows what its later events say. */
  readonly holes: readonly Hole[];
  /** The holes of streams that an operator released: both sides count them up to there. */
  readonly released: readonly Hole[];
}

/** Rejects with StoreUnavailable, and the signal's reason. */
export async function dailyBooks(parts: DailyBooksParts, signal: AbortSignal): Promise<DailyBooks> {
  const { events, readModels, accountId } = parts;
  const positions = await parts.positions();
  const known = { from: positions.get(dailyTotals.name) ?? -1n, parked: await parts.parked(dailyTotals.name) };
  const at = await documentsAt({ events, readModels }, dailyTotals, known, signal);
  const days = at.documents
    .filter(isTotals)
    .filter((day) => accountId === undefined || day.accountId === accountId)
    .toSorted(byPlace);
  const tally = new BooksTally();
  for (const day of days) tally.addDay(day);
  const from = positions.get(payments.name) ?? -1n;
  const released = at.holes.filter(({ isReleased }) => isReleased === true).map(placeOf);
  await paymentsAt(
    { ...parts, accountId, from, released },
    at.position,
    (payment, sign) => tally.addPayment(payment, sign),
    signal,
  );
  const { books } = tally;
  return {
    books,
    days,
    differences: books.flatMap(differencesIn),
    payments: tally.payments,
    position: at.position,
    holes: at.holes.filter(({ isReleased }) => isReleased !== true).map(placeOf),
    released,
  };
}

const placeOf = ({ stream, revision }: Hole): Hole => ({ stream, revision });

function differencesIn({ accountId, currencyCode, net, now }: Books): readonly BooksDifference[] {
  return comparedMeasures.flatMap((measure) =>
    net[measure] === now[measure] ? [] : [{ accountId, currencyCode, measure, days: net[measure], now: now[measure] }],
  );
}

function netOf(days: Books['days'], measure: ComparedMeasure): Sum {
  const { amount } = days[measure];
  if (measure === 'captured') return plus(amount, days.captureReturned.amount, -1);
  if (measure === 'disputeLost') return plus(amount, days.disputeRegained.amount, -1);
  return measure === 'refunded' ? plus(amount, days.refundReturned.amount, -1) : amount;
}

const netIn = ({ days }: Sheet): Books['net'] => ({
  authorized: netOf(days, 'authorized'),
  declined: netOf(days, 'declined'),
  captured: netOf(days, 'captured'),
  refunded: netOf(days, 'refunded'),
  disputed: netOf(days, 'disputed'),
  disputeLost: netOf(days, 'disputeLost'),
});

const byPlace = (a: DailyTotals, b: DailyTotals): number => compared(keyOf(a), keyOf(b));
const keyOf = ({ day, accountId, currencyCode, connectionId, network, declineCode = '' }: DailyTotals): string =>
  [day, accountId, currencyCode, connectionId, network, declineCode].join('\n');
const compared = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

type GrowingCount = { -readonly [Name in keyof Counted]: Counted[Name] };
type MeasureSums<M extends string> = Record<M, GrowingCount>;
interface Sheet {
  readonly accountId: string;
  readonly currencyCode: string;
  readonly days: MeasureSums<Measure>;
  readonly now: Record<ComparedMeasure, Sum>;
  readonly open: MeasureSums<ComparedMeasure>;
  readonly held: GrowingCount;
}

class BooksTally {
  payments = 0;
  readonly #sheets = new Map<string, Sheet>();

  get books(): readonly Books[] {
    return [...this.#sheets.entries()]
      .sort(([a], [b]) => compared(a, b))
      .map(([, sheet]) => ({ ...sheet, net: netIn(sheet) }));
  }

  addDay(day: DailyTotals): void {
    const { days } = this.#sheetOf(day.accountId, day.currencyCode);
    for (const measure of measures) addTo(days[measure], day[measure], 1);
  }

  addPayment(payment: KnownPayment, sign: 1 | -1): void {
    const { accountId, currencyCode, disputes } = payment;
    const sheet = this.#sheetOf(accountId, currencyCode);
    const { now, open } = currentOf(payment);
    for (const measure of paymentMeasures) {
      sheet.now[measure] = plus(sheet.now[measure], now[measure], sign);
      addTo(sheet.open[measure], open[measure], sign);
    }
    for (const [currency, amount] of heldForOperator(payment))
      addTo(this.#sheetOf(accountId, currency).held, { count: 1, amount }, sign);
    // Each in its own currency, as its fact is counted.
    for (const dispute of disputes) addDispute(this.#sheetOf(accountId, dispute.currencyCode), dispute, sign);
    this.payments += sign;
  }

  #sheetOf(accountId: string, currencyCode: string): Sheet {
    const key = `${accountId}\n${currencyCode}`;
    const known = this.#sheets.get(key);
    if (known !== undefined) return known;
    const sheet: Sheet = {
      accountId,
      currencyCode,
      days: {
        ...comparedSums(),
        captureReturned: zero(),
        refundReturned: zero(),
        cancelled: zero(),
        disputeRegained: zero(),
      },
      now: { authorized: 0, declined: 0, captured: 0, refunded: 0, disputed: 0, disputeLost: 0 },
      open: comparedSums(),
      held: zero(),
    };
    this.#sheets.set(key, sheet);
    return sheet;
  }
}

const zero = (): GrowingCount => ({ count: 0, amount: 0 });
const comparedSums = (): MeasureSums<ComparedMeasure> => ({
  authorized: zero(),
  declined: zero(),
  captured: zero(),
  refunded: zero(),
  disputed: zero(),
  disputeLost: zero(),
});

/** Undecided it may still be lost. */
function addDispute({ now, open }: Sheet, dispute: Dispute, sign: 1 | -1): void {
  now.disputed = plus(now.disputed, dispute.amount, sign);
  now.disputeLost = plus(now.disputeLost, amountLostIn(dispute), sign);
  if (isUndecided(dispute.status)) addTo(open.disputeLost, { count: 1, amount: atRiskIn(dispute) }, sign);
}

function addTo(sum: GrowingCount, { count, amount }: Counted, sign: 1 | -1): void {
  sum.count += sign * count;
  sum.amount = plus(sum.amount, amount, sign);
}

/** The totals that the days are compared with: returned amounts are taken off. */
const comparedMeasures = [
  'authorized',
  'declined',
  'captured',
  'refunded',
  'disputed',
  'disputeLost',
] as const satisfies readonly Measure[];
type ComparedMeasure = (typeof comparedMeasures)[number];

/** In the payment's own currency; a dispute may be in another one. */
const paymentMeasures = [
  'authorized',
  'declined',
  'captured',
  'refunded',
] as const satisfies readonly ComparedMeasure[];
type PaymentMeasure = (typeof paymentMeasures)[number];

/** Minor units. `open`: not settled yet, so it may come to be counted. */
interface Current {
  readonly now: Readonly<Record<PaymentMeasure, Sum>>;
  readonly open: Readonly<Record<PaymentMeasure, Counted>>;
}

function currentOf({ attempts, amountAuthorized, amountCaptured, amountRefunded }: KnownPayment): Current {
  const authorization = authorizationOf({ attempts });
  return {
    now: {
      authorized: amountAuthorized,
      declined: authorization === undefined ? 0 : declinesOf(authorization),
      captured: amountCaptured,
      refunded: amountRefunded,
    },
    open: {
      authorized: openIn(attempts, 'authorization'),
      declined: { count: 0, amount: 0 },
      captured: openIn(attempts, 'capture'),
      refunded: openIn(attempts, 'refund'),
    },
  };
}

/** A decline stays a fact when a later word says otherwise. */
const declinesOf = ({ events, amount }: Attempt): Sum =>
  sumOf(events.filter(({ type }) => type === 'AuthorizationDeclined').map(() => ({ amount })));

function openIn(attempts: readonly Attempt[], operation: Attempt['operation']): Counted {
  const open = attempts.filter((attempt) => attempt.operation === operation && isOpen(attempt));
  return { count: open.length, amount: sumOf(open) };
}

const sumOf = (all: readonly Pick<Attempt, 'amount'>[]): Sum =>
  all.reduce<Sum>((sum, { amount }) => plus(sum, amount), 0);
