// Compares the sandbox's ledger with the payments in the log, attempt by attempt and in their sums.
import { type Attempt, isCapturedWith, isOpen } from '../../src/domain/payment/attempt.ts';
import type { KnownPayment, Payment } from '../../src/domain/payment/payment.ts';
import { isKnown } from '../../src/domain/payment/queries.ts';
import { paymentIdOfReference } from '../../src/domain/payment/reference.ts';
import { causeOf } from '../../src/domain/payment/totals.ts';
import type { LedgerLine } from '../../src/processors/sandbox/sandbox-interface.ts';

/** False for a mismatch: its money moved in another amount or currency, and an operator has to settle it. */
const believed = (payment: KnownPayment, attempt: Attempt): boolean =>
  causeOf(attempt, payment)?.because !== 'mismatched';

/** The effects at the processor of one payment, minor units. */
interface Done {
  readonly authorizations: number;
  readonly authorized: number;
  readonly captured: number;
  /** Taken with an authorization, and taken back by the customer's bank since; it may have been refunded before. */
  readonly returned: number;
  readonly refunded: number;
  readonly isReleased: boolean;
}

const NOTHING: Done = { authorizations: 0, authorized: 0, captured: 0, returned: 0, refunded: 0, isReleased: false };

function after(done: Done, { operation, amount, outcome, capture }: LedgerLine): Done {
  if (outcome !== 'succeeded') return done;
  switch (operation) {
    case 'authorization':
      return {
        ...done,
        authorizations: done.authorizations + 1,
        authorized: done.authorized + amount,
        captured: done.captured + (capture === 'succeeded' ? amount : 0),
        returned: done.returned + (capture === 'declined' ? amount : 0),
      };
    case 'capture':
      return { ...done, captured: done.captured + amount };
    case 'refund':
      return { ...done, refunded: done.refunded + amount };
    case 'cancellation':
      return { ...done, isReleased: true };
    case 'adjustment':
      return { ...done, authorized: amount };
    case 'dispute':
      return done; // it is not one of our operations, and moves no total of ours
    default:
      return operation satisfies never;
  }
}

/** Every difference between ledger and payments, and every sum that must never be in either. */
export function auditBooks(ledger: readonly LedgerLine[], payments: ReadonlyMap<string, Payment>): readonly string[] {
  const violations: string[] = [];
  const lines = new Map(
    ledger.flatMap((line) => (line.operation === 'dispute' ? [] : [[line.reference, line] as const])),
  );
  const done = new Map<string, Done>();
  for (const line of ledger) {
    const paymentId = paymentIdOfReference(line.reference);
    done.set(paymentId, after(done.get(paymentId) ?? NOTHING, line));
  }
  for (const [id, doc] of payments)
    if (isKnown(doc)) violations.push(...wrongOf(id, doc, lines, done.get(id) ?? NOTHING));
  for (const { reference, operation, outcome } of lines.values())
    violations.push(`${reference}: the processor has ${operation} ${outcome}, and we do not know of it`);
  return [...violations, ...paidTwice(payments, done)];
}

/** What the line of its authorization says of a capture that was made with it. */
function captureIn(doc: KnownPayment, { follows }: Attempt, lines: Map<string, LedgerLine>): LedgerLine | undefined {
  const line = lines.get(doc.attempts.find(({ attemptId }) => attemptId === follows?.attemptId)?.reference ?? '');
  return line && { ...line, operation: 'capture', outcome: line.capture ?? 'pending' };
}

/** Takes the payment's own lines out of `lines`. A line that is left at the end belongs to no payment. */
function wrongOf(id: string, doc: KnownPayment, lines: Map<string, LedgerLine>, done: Done): readonly string[] {
  const violations: string[] = [];
  const ofAuthorizations = new Map<string, LedgerLine>();
  for (const attempt of doc.attempts) {
    const { attemptId, operation, state, reference, events } = attempt;
    const bookedAmount = state === 'succeeded' ? attempt.bookedAmount : undefined;
    const line = isCapturedWith(attempt) ? captureIn(doc, attempt, ofAuthorizations) : lines.get(reference);
    if (line?.capture !== undefined) ofAuthorizations.set(reference, line);
    lines.delete(reference);
    if (!believed(doc, attempt) && state === 'unknown') continue;
    const theirs = line === undefined ? 'nothing' : `${line.operation} ${line.outcome}`;
    // A returned operation is declined in the processor's ledger.
    const ours =
      state === 'not_sent' || state === 'not_found'
        ? 'nothing'
        : `${operation} ${state === 'returned' ? 'declined' : state}`;
    // An operator's "it did not happen" is also right when the processor declined.
    const isSaid = state === 'not_found' && line?.outcome === 'declined' && events.at(-1)?.evidence === 'operator';
    // A processor that was told that the customer may act no more has declined; one that never got the request has
    // nothing.
    const isFenced = state === 'not_found' && attempt.fenced === true;
    const isEnded = (state === 'action_expired' || isFenced) && (line === undefined || line.outcome === 'declined');
    if (theirs !== ours && !isSaid && !isEnded)
      violations.push(`${attemptId}: the processor has ${theirs}, we have ${operation} ${state}`);
    else if (state === 'succeeded' && operation !== 'cancellation' && line?.amount !== bookedAmount)
      violations.push(`${attemptId}: the processor moved ${line?.amount}, we booked ${bookedAmount}`);
  }
  if (done.authorizations > 1) violations.push(`${id}: authorized ${done.authorizations} times`);
  if (done.captured > done.authorized) violations.push(`${id}: captured ${done.captured} of ${done.authorized}`);
  if (done.refunded > done.captured + done.returned)
    violations.push(`${id}: refunded ${done.refunded} of ${done.captured}`);
  if (doc.amountCaptured > doc.amountAuthorized || doc.amountRefunded > doc.amountCaptured + done.returned)
    violations.push(`${id}: its sums contradict each other`);
  return [...violations, ...unsettledOf(id, doc)];
}

/** Attempts that are still open, and a payment that waits for none. */
export function unsettledOf(id: string, doc: KnownPayment): readonly string[] {
  const open = doc.attempts.filter(
    (attempt) => isOpen(attempt) && (believed(doc, attempt) || attempt.state !== 'unknown'),
  );
  if (open.length > 0) return open.map(({ attemptId, state }) => `${attemptId} stays ${state}`);
  return doc.status === 'PENDING' || doc.status === 'SETTLING'
    ? [`${id} stays ${doc.status} although no attempt is open`]
    : [];
}

/**
 * A session pays once, and so does a single-use token, and a period of an agreement: at most one of its payments has
 * money or a hold.
 */
function paidTwice(payments: ReadonlyMap<string, Payment>, done: ReadonlyMap<string, Done>): readonly string[] {
  const holders = new Map<string, string[]>();
  for (const [id, doc] of payments) {
    if (!isKnown(doc)) continue;
    const { sessionId, agreement, paymentMethod } = doc;
    const period = agreement && `${agreement.periodKey} of ${agreement.agreementId}`;
    const payer = period ?? sessionId ?? paymentMethod.paymentMethodToken;
    const { authorized, captured, refunded, isReleased } = done.get(id) ?? NOTHING;
    const holds = captured > refunded || (authorized > 0 && captured === 0 && !isReleased && !doc.restReleased);
    if (holds) holders.set(payer, [...(holders.get(payer) ?? []), id]);
  }
  return [...holders]
    .filter(([, ids]) => ids.length > 1)
    .map(([payer, ids]) => `${payer} paid ${ids.length} times: ${ids.join(', ')}`);
}
