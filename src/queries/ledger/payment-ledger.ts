// One payment against the processor's own ledger: attempt by attempt, then their sums.
import { type Attempt, isBooked, isCapturedWith, isOpen } from '../../domain/payment/attempt.ts';
import { isFinal, type KnownPayment } from '../../domain/payment/payment.ts';

/** A line of the processor's ledger, as it is now. */
export interface ProcessorLine {
  /** The processor's names for our attempt, or for a dispute. */
  readonly reference: string;
  /** As the request named it. */
  readonly paymentId: string;
  readonly operation: string;
  /** Minor units, of what was done. */
  readonly amount: number;
  readonly currencyCode: string;
  /** Somebody did it at the processor itself, in no call of ours. */
  readonly byHand?: true;
  /** An authorization that took the money: succeeded, or declined since the customer's bank took it back. */
  readonly capture?: string;
  /** succeeded, declined, pending or requires_action; of a dispute its status. */
  readonly outcome: string;
}

export type Difference =
  /** `reference`: the attempt's name at the processor; absent if the payment as a whole is wrong. */
  | { readonly paymentId: string; readonly reference?: string; readonly ledger: string; readonly readModel: string }
  /** The read model stays older than the log, which agrees. -1: it does not have the payment. */
  | { readonly paymentId: string; readonly logRevision: number; readonly readModelRevision: number }
  /** The payment was not compared: its stream cannot be read, for this reason. */
  | { readonly paymentId: string; readonly unreadable: string };

/** A line for people. */
export function inWords(difference: Difference): string {
  const { paymentId } = difference;
  if ('unreadable' in difference) return `${paymentId} was not compared: ${difference.unreadable}`;
  if ('logRevision' in difference) {
    const { logRevision, readModelRevision } = difference;
    const known = readModelRevision < 0 ? 'do not have it' : `have only revision ${readModelRevision}`;
    return `${paymentId}: the log is at revision ${logRevision}, the read models ${known}`;
  }
  const { reference, ledger, readModel } = difference;
  const which = reference === undefined ? paymentId : `${paymentId}, reference ${reference}`;
  return `${which}: the ledger has ${ledger}, the read models have ${readModel}`;
}

/** The money that the attempts of a payment moved for good, on one side; minor units. */
export interface Moved {
  readonly authorized: number;
  readonly captured: number;
  readonly refunded: number;
}

export interface PaymentComparison {
  readonly differences: readonly Difference[];
  /** Attempts that are not settled yet: nothing is wrong with them, and nothing is proven. */
  readonly open: number;
  /** By the ledger's lines, of attempts that count. */
  readonly moved: Moved;
}

type Lines = ReadonlyMap<string, ProcessorLine>;

/** `lines`: those of the payment's attempts, by reference, read after the payment was. */
export function comparePayment(paymentId: string, payment: KnownPayment, lines: Lines): PaymentComparison {
  const moved = movedBy(payment.attempts, lines);
  const attempts = payment.attempts.flatMap((attempt) =>
    attemptDifference(paymentId, payment, attempt, lineOf(attempt, payment.attempts, lines)),
  );
  const differences = attempts.length > 0 ? attempts : sumDifferences(paymentId, payment, moved);
  return { differences, open: payment.attempts.filter(isOpen).length, moved };
}

/** A capture that was made with its authorization has no line of its own: the authorization's line speaks for it. */
function lineOf(attempt: Attempt, attempts: readonly Attempt[], lines: Lines): ProcessorLine | undefined {
  if (!isCapturedWith(attempt)) return lines.get(attempt.reference);
  const line = lines.get(attempts.find(({ attemptId }) => attemptId === attempt.follows?.attemptId)?.reference ?? '');
  return line && { ...line, operation: 'capture', outcome: line.capture ?? 'nothing' };
}

function attemptDifference(
  paymentId: string,
  payment: KnownPayment,
  attempt: Attempt,
  line: ProcessorLine | undefined,
): readonly Difference[] {
  // The processor has no reference of ours for what it shows in sums alone: findUnknown compares its lines.
  if (isOpen(attempt) || attempt.outside === true) return [];
  const { reference, operation, state } = attempt;
  const differs = (ledger: string, believed: string): readonly Difference[] => [
    { paymentId, reference, ledger, readModel: believed },
  ];
  const said = line === undefined ? 'nothing' : `${line.operation} ${line.outcome}`;
  if (attempt.state !== 'succeeded') {
    const asExpected = line?.outcome === (state === 'declined' || state === 'returned' ? 'declined' : undefined);
    // An operator who says that it failed need not know whether the processor refused it or never got it.
    const asSaid = isByOperator(attempt) && (line === undefined || line.outcome === 'declined');
    // A processor that is told that the customer may act no more, by a fence too, may count that as a refusal.
    const isFenced = state === 'not_found' && attempt.fenced === true;
    const asEnded =
      (state === 'action_expired' || isFenced) && line?.outcome !== 'succeeded' && line?.outcome !== 'pending';
    return asExpected || asSaid || asEnded ? [] : differs(said, `${operation} ${state}`);
  }
  const { bookedAmount } = attempt;
  if (line?.outcome !== 'succeeded' || line.operation !== operation) return differs(said, `${operation} succeeded`);
  // A success that is in no total may have been reported in another amount or currency than was moved: that is why it
  // is in none.
  if (operation === 'cancellation' || !isBooked(attempt)) return [];
  if (line.amount === bookedAmount && line.currencyCode === payment.currencyCode) return [];
  return differs(
    `${said} ${line.amount} ${line.currencyCode}`,
    `${operation} succeeded ${bookedAmount} ${payment.currencyCode}`,
  );
}

const isByOperator = ({ events }: Attempt): boolean => events.at(-1)?.evidence === 'operator';

function movedBy(attempts: readonly Attempt[], lines: Lines): Moved {
  let [authorized, captured, refunded] = [0, 0, 0];
  for (const attempt of attempts) {
    const line =
      attempt.outside === true && isBooked(attempt)
        ? { amount: attempt.bookedAmount, outcome: 'succeeded' }
        : lineOf(attempt, attempts, lines);
    if (!isBooked(attempt) || line?.outcome !== 'succeeded') continue;
    if (attempt.operation === 'authorization' || attempt.operation === 'adjustment') authorized = line.amount;
    else if (attempt.operation === 'capture') captured += line.amount;
    else if (attempt.operation === 'refund' && attempt.follows === undefined) refunded += line.amount;
  }
  return { authorized, captured, refunded };
}

/** Where the payment's own totals differ from the sums of the ledger's lines, or break a rule that always holds. */
function sumDifferences(
  paymentId: string,
  payment: KnownPayment,
  { authorized, captured, refunded }: Moved,
): readonly Difference[] {
  const { amountAuthorized, amountCaptured, amountRefunded, currencyCode, status } = payment;
  const differences: Difference[] = [];
  const say = (ledger: string, believed: string): void =>
    void differences.push({ paymentId, ledger, readModel: believed });
  const sums: readonly (readonly [name: string, moved: number, booked: number])[] = [
    ['authorized', authorized, amountAuthorized],
    ['captured', captured, amountCaptured],
    ['refunded', refunded, amountRefunded],
  ];
  for (const [name, moved, booked] of sums)
    if (moved !== booked) say(`${name} ${moved} ${currencyCode}`, `${name} ${booked} ${currencyCode}`);
  if (captured > authorized) say(`captured ${captured} of ${authorized} ${currencyCode}`, status);
  if (refunded > captured) say(`refunded ${refunded} of ${captured} ${currencyCode}`, status);
  if (isFinal(status) && captured > 0) say(`captured ${captured} ${currencyCode}`, status);
  return differences;
}
