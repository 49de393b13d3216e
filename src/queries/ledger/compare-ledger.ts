// The processor's own ledger against our payments, page by page from both sides, so that memory stays flat however many
// payments there are.
import { plus, type Sum } from '../../domain/money.ts';
import { addHeld, type Held, type HeldSums } from '../../domain/payment/derived-status.ts';
import type { Dispute, KnownPayment, Payment } from '../../domain/payment/payment.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import { type PaymentKey, payments } from '../../projections/models/payments.ts';
import type { Query, ReadModels, Stored } from '../../stores/read-models.ts';
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import type { World } from '../../world.ts';
import { allOf } from '../pages.ts';
import {
  comparePayment,
  type Difference,
  type Moved,
  type PaymentComparison,
  type ProcessorLine,
} from './payment-ledger.ts';

/** The ledger as a processor shows it; the sandbox is such a processor. */
export interface ProcessorLedger {
  readonly name: string;
  /** The lines of one account or of all, up to `limit`, after `after`, which is the `next` of the previous page. */
  ledgerOf(
    accountId: string | undefined,
    limit: number,
    after?: number,
  ): Promise<{ readonly lines: readonly ProcessorLine[]; readonly next?: number }>;
  /** The recorded ones of the references; 1 to 1000 of them. */
  linesOf(references: readonly string[]): Promise<readonly ProcessorLine[]>;
}

export interface CompareParts {
  readonly ledger: ProcessorLedger;
  /** Left out: all accounts. */
  readonly accountId?: string;
  /** The books that the account has at the processor besides its first one. */
  readonly furtherBooks?: readonly string[];
  readonly readModels: ReadModels;
  readonly world: Pick<World, 'sleep'>;
  /** The payment as its stream is now; a difference is looked at there a second time. */
  readonly current: (
    paymentId: string,
  ) => Promise<{ readonly state: Payment; readonly head: { readonly revision: number } }>;
  /**
   * Payments whose streams are known to be unreadable, by id, each with the reason; undefined: only reading shows it.
   */
  readonly unreadable?: (() => Promise<ReadonlyMap<string, string>>) | undefined;
  /** Called with each difference as it is found. */
  readonly found: (difference: Difference) => void;
  /** The number read up to now: first payments with their attempts, then lines. */
  readonly onProgress?: (done: Pick<Comparison, 'payments' | 'attempts' | 'lines'>) => void;
}

export interface Comparison {
  readonly payments: number;
  readonly attempts: number;
  /** The lines of the ledger that were read. */
  readonly lines: number;
  readonly differences: number;
  /** Attempts that are not settled yet, and so were not compared. */
  readonly open: number;
  /** The sums of the lines of settled attempts, by currency, minor units. */
  readonly totals: ReadonlyMap<string, LedgerSums>;
  /** Money at the processor that is in no total and that only an operator closes: not a difference. */
  readonly held: HeldSums;
}

type LedgerSums = Readonly<Record<keyof Moved, Sum>>;

/** At once: the payments of a page have some three attempts each, and as many references are asked for. */
const PAYMENTS = 100;
const LINES = 1_000;

/**
 * Compares every payment of the processor with its lines, then looks for lines that no payment knows. A concurrent
 * write is not a difference: each difference is checked again, stream first, before it counts. A payment whose stream
 * cannot be read is a difference, and the others are compared. Throws faults of the stores and the ledger.
 */
export async function compareLedger(parts: CompareParts): Promise<Comparison> {
  const { accountId } = parts;
  const tally = new Tally(parts, await parts.unreadable?.());
  for await (const rows of inBatches(allOf(parts.readModels, payments, ownedBy(accountId)), PAYMENTS)) {
    await comparePayments(parts, rows, tally);
    parts.onProgress?.(tally);
  }
  for (const book of [accountId, ...(parts.furtherBooks ?? [])])
    for (let after: number | undefined = 0; after !== undefined; ) {
      const page = await parts.ledger.ledgerOf(book, LINES, after);
      await findUnknown(parts, page.lines, tally);
      tally.lines += page.lines.length;
      parts.onProgress?.(tally);
      after = page.next;
    }
  return tally;
}

/** The payments of one account in an order that an index serves. */
const ownedBy = (accountId: string | undefined): Pick<Query<PaymentKey>, 'where' | 'order'> =>
  accountId === undefined
    ? { where: {} }
    : { where: { accountId: [accountId] }, order: { by: 'date', descending: false } };

class Tally implements Comparison {
  payments = 0;
  attempts = 0;
  lines = 0;
  differences = 0;
  open = 0;
  /** How long it still waits, all in all, for read models that lag after the log, ms. */
  patienceMs = 5_000;
  readonly totals = new Map<string, LedgerSums>();
  readonly held = new Map<string, Held>();
  readonly #parts: CompareParts;
  readonly #unreadable: ReadonlyMap<string, string>;
  /** Payments that were said to be unreadable. */
  readonly #said = new Set<string>();

  constructor(parts: CompareParts, unreadable: ReadonlyMap<string, string> = new Map()) {
    this.#parts = parts;
    this.#unreadable = unreadable;
  }

  /** True if the payment's stream cannot be read, which counts as one difference. */
  isUnreadable(paymentId: string): boolean {
    const why = this.#unreadable.get(paymentId);
    if (why !== undefined) this.sayUnreadable(paymentId, why);
    return this.#said.has(paymentId);
  }

  sayUnreadable(paymentId: string, why: string): void {
    if (this.#said.has(paymentId)) return;
    this.#said.add(paymentId);
    this.say([{ paymentId, unreadable: why }]);
  }

  count(currencyCode: string, { differences, open, moved }: PaymentComparison): void {
    this.open += open;
    const total = this.totals.get(currencyCode) ?? { authorized: 0, captured: 0, refunded: 0 };
    this.totals.set(currencyCode, {
      authorized: plus(total.authorized, moved.authorized),
      captured: plus(total.captured, moved.captured),
      refunded: plus(total.refunded, moved.refunded),
    });
    this.say(differences);
  }

  say(differences: readonly Difference[]): void {
    this.differences += differences.length;
    for (const one of differences) this.#parts.found(one);
  }
}

async function comparePayments(parts: CompareParts, rows: readonly Stored<Payment>[], tally: Tally): Promise<void> {
  const { ledger } = parts;
  const known = rows.flatMap(({ id, doc }) => (isKnown(doc) && doc.processor === ledger.name ? [{ id, doc }] : []));
  const lines = await linesOf(
    ledger,
    known.flatMap(({ doc }) => doc.attempts.map(({ reference }) => reference)),
  );
  for (const { id, doc } of known) {
    const compared = comparePayment(id, doc, lines);
    tally.payments += 1;
    tally.attempts += doc.attempts.length;
    if (tally.isUnreadable(id)) continue;
    const settled =
      compared.differences.length === 0
        ? compared
        : await again(parts, id, compared, tally).catch(unreadable(id, tally));
    if (settled === undefined) continue;
    tally.count(doc.currencyCode, settled);
    addHeld(tally.held, doc);
  }
}

/** Says that a payment's stream cannot be read, for which any fault but that of an unavailable store is the reason. */
const unreadable =
  (paymentId: string, tally: Tally) =>
  (fault: unknown): undefined => {
    if (!(fault instanceof Error) || fault instanceof StoreUnavailable) throw fault;
    tally.sayUnreadable(paymentId, fault.message);
  };

/** Reads the payment again, and only then its lines, so that every resolved attempt has its line by then. */
async function again(
  parts: CompareParts,
  id: string,
  first: PaymentComparison,
  tally: Tally,
): Promise<PaymentComparison> {
  const { payment, lag } = await newest(parts, id, tally);
  if (!isKnown(payment)) return first;
  const references = payment.attempts.map(({ reference }) => reference);
  const compared = comparePayment(id, payment, await linesOf(parts.ledger, references));
  return { ...compared, differences: [...lag, ...compared.differences] };
}

interface Newest {
  readonly payment: Payment;
  /** When its read model stays older than its stream, which is what `payment` is then. */
  readonly lag: readonly Difference[];
}

/**
 * The read model's payment once it has the stream's earlier events; a running service brings it up to that in no time.
 */
async function newest({ readModels, world, current }: CompareParts, paymentId: string, tally: Tally): Promise<Newest> {
  for (;;) {
    const { state, head } = await current(paymentId);
    const [row] = await readModels.get(payments, [paymentId]);
    const revision = row?.revision ?? -1;
    if (revision >= head.revision) return { payment: row?.doc ?? state, lag: [] };
    if (tally.patienceMs <= 0)
      return { payment: state, lag: [{ paymentId, logRevision: head.revision, readModelRevision: revision }] };
    tally.patienceMs -= LOOK_EVERY_MS;
    await world.sleep(LOOK_EVERY_MS, new AbortController().signal);
  }
}
const LOOK_EVERY_MS = 100;

/**
 * Lines that no payment knows: a request is on record before it is sent, so a payment read after its line has to know
 * it.
 */
async function findUnknown(parts: CompareParts, lines: readonly ProcessorLine[], tally: Tally): Promise<void> {
  const byPayment = new Map<string, ProcessorLine[]>();
  for (const line of lines) {
    const its = byPayment.get(line.paymentId);
    if (its === undefined) byPayment.set(line.paymentId, [line]);
    else its.push(line);
  }
  const readable = [...byPayment.keys()].filter((paymentId) => !tally.isUnreadable(paymentId));
  const rows = await rowsOf(parts, readable);
  for (const paymentId of readable) {
    const unknown = (byPayment.get(paymentId) ?? []).filter((line) => !knows(rows.get(paymentId), line));
    if (unknown.length === 0) continue;
    const found = await newest(parts, paymentId, tally).catch(unreadable(paymentId, tally));
    if (found === undefined) continue;
    const { payment, lag } = found;
    tally.say(lag);
    tally.say(unknown.filter((line) => !knows(payment, line)).map((line) => inVain(paymentId, payment, line)));
  }
}

/** The payments of these ids. Those whose document cannot be read are left out: reading their streams shows why. */
async function rowsOf({ readModels }: CompareParts, ids: readonly string[]): Promise<ReadonlyMap<string, Payment>> {
  const found = await readModels.get(payments, ids).catch(async (fault: unknown) => {
    if (fault instanceof StoreUnavailable) throw fault;
    const each = await Promise.allSettled(ids.map((id) => readModels.get(payments, [id])));
    return each.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  });
  return new Map(found.map(({ id, doc }) => [id, doc]));
}

function inVain(paymentId: string, payment: Payment, line: ProcessorLine): Difference {
  const dispute = disputeOf(payment, line);
  return {
    paymentId,
    reference: line.reference,
    ledger: `${line.operation} ${line.outcome} ${line.amount} ${line.currencyCode}`,
    readModel: dispute === undefined ? 'nothing' : disputeWords(dispute),
  };
}

function knows(payment: Payment | undefined, line: ProcessorLine): boolean {
  if (payment === undefined || !isKnown(payment)) return false;
  if (line.byHand === true) return knowsOutside(payment, line);
  if (line.operation !== 'dispute') return payment.attempts.some((attempt) => attempt.reference === line.reference);
  const dispute = disputeOf(payment, line);
  return (
    dispute !== undefined && disputeWords(dispute) === `dispute ${line.outcome} ${line.amount} ${line.currencyCode}`
  );
}

/** What somebody did at the processor is on record in sums: one fact may tell several acts. */
const knowsOutside = ({ attempts }: KnownPayment, { operation, amount }: ProcessorLine): boolean =>
  attempts.some((attempt) => attempt.outside === true && attempt.operation === operation) &&
  (operation === 'cancellation' ||
    amount <=
      attempts.reduce(
        (sum, attempt) =>
          attempt.outside === true && attempt.operation === operation && attempt.state === 'succeeded'
            ? sum + attempt.bookedAmount
            : sum,
        0,
      ));

/** A dispute that the processor opened, and that its notifications should have reported. */
const disputeOf = (payment: Payment, { operation, reference }: ProcessorLine): Dispute | undefined =>
  operation === 'dispute' && isKnown(payment)
    ? payment.disputes.find(({ processorDisputeId }) => processorDisputeId === reference)
    : undefined;

const disputeWords = ({ status, amount, currencyCode }: Dispute): string =>
  `dispute ${status.toLowerCase()} ${amount} ${currencyCode}`;

async function linesOf(
  ledger: ProcessorLedger,
  references: readonly string[],
): Promise<ReadonlyMap<string, ProcessorLine>> {
  const lines = new Map<string, ProcessorLine>();
  for (let from = 0; from < references.length; from += LINES)
    for (const line of await ledger.linesOf(references.slice(from, from + LINES))) lines.set(line.reference, line);
  return lines;
}

async function* inBatches<Item>(items: AsyncIterable<Item>, size: number): AsyncIterable<readonly Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
