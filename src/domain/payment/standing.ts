// The standing of a payment: what its processor shows of it, by whatever hand the money moved, held against the record
// (contract §4, "Money that is moved at the processor itself").
import { accept, type Decision } from '../decider.ts';
import { type Attempt, authorizationOf, isBooked, isOpen, type SucceededAttempt } from './attempt.ts';
import type { AttemptTiming } from './create.ts';
import { noSuchPayment } from './decline-reason.ts';
import type { Fact, PaymentEvent } from './events.ts';
import { DAY_MS } from './look-up.ts';
import type { Evidence, PaymentStanding, StandingRefund, StandingTold } from './outcome.ts';
import { isFinal, type KnownPayment, type Payment, type StandingDifference } from './payment.ts';
import { dueExpiryAt, isKnown, mayBeExplained, owesRead, placeOf } from './queries.ts';
import { paymentIdOf } from './reference.ts';
import { allocated, unexplained } from './refund.ts';
import { returned } from './return.ts';
import { settleAttempt } from './settle.ts';

/** The amounts of a payment that are compared, minor units. */
type Amounts = Pick<PaymentStanding, 'captured' | 'capturable'> & { readonly refunded: number };

const sumOf = (attempts: readonly Attempt[], operation: Attempt['operation']): number =>
  attempts.reduce(
    (sum, attempt) =>
      attempt.operation === operation && attempt.state === 'succeeded' ? sum + attempt.bookedAmount : sum,
    0,
  );

/** On record, as if nothing of what is open had happened. Money that is in no total has moved, too. */
export const amountsOnRecord = (payment: KnownPayment): Amounts => ({
  captured: sumOf(payment.attempts, 'capture'),
  capturable:
    isFinal(payment.status) || payment.restReleased ? 0 : payment.amountCapturable + payment.amountCapturePending,
  refunded: payment.disputes.reduce(
    (sum, { refunded }) => sum + (refunded?.amount ?? 0),
    sumOf(payment.attempts, 'refund'),
  ),
});

/** As if all that is open had happened as it was asked for. */
function afterOpen(payment: KnownPayment): Amounts {
  const { captured, capturable, refunded } = amountsOnRecord(payment);
  const open = payment.attempts.filter(isOpen);
  const asked = (operation: Attempt['operation']): number =>
    open.reduce((sum, attempt) => (attempt.operation === operation ? sum + attempt.amount : sum), 0);
  const raised = open.findLast(({ operation }) => operation === 'adjustment');
  const held = raised === undefined ? capturable : capturable + raised.amount - payment.amountAuthorized;
  const isReleased = open.some(({ operation, final }) => operation === 'cancellation' || final === true);
  return {
    captured: captured + asked('capture'),
    capturable: isReleased ? 0 : held - asked('capture'),
    refunded: refunded + asked('refund'),
  };
}

/**
 * True if the message shows nothing but what is on record, or what is asked for and open; or what was captured before
 * one of our captures: none is taken back, so it is an older message that comes late.
 */
export function isOnRecord(payment: KnownPayment, told: StandingTold): boolean {
  if (told.currencyCode !== payment.currencyCode) return false;
  const agrees = ({ captured, capturable, refunded }: Amounts): boolean =>
    (told.captured ?? captured) === captured &&
    (told.capturable ?? capturable) === capturable &&
    (told.refunded ?? refunded) === refunded;
  const isOlder = told.captured !== undefined && capturedBefore(payment).includes(told.captured);
  return (
    (isOlder || agrees(amountsOnRecord(payment)) || agrees(afterOpen(payment))) &&
    (told.refunds ?? []).every(isKnownIn(payment))
  );
}

/** What was captured before each capture on record. */
function capturedBefore({ attempts }: KnownPayment): readonly number[] {
  let captured = 0;
  return attempts.flatMap((attempt) => {
    if (attempt.operation !== 'capture' || attempt.state !== 'succeeded') return [];
    captured += attempt.bookedAmount;
    return captured - attempt.bookedAmount;
  });
}

const isKnownIn =
  (payment: KnownPayment) =>
  (refund: StandingRefund): boolean => {
    const attempt = refundOf(payment, refund);
    if (attempt === undefined) return refund.state === 'failed' || unexplained(payment.disputes, [refund]).length === 0;
    return isOpen(attempt) || (refund.state === 'failed') !== (attempt.state === 'succeeded');
  };

const refundOf = ({ attempts }: KnownPayment, { name, reference }: StandingRefund): Attempt | undefined =>
  attempts.find(
    (attempt) =>
      attempt.operation === 'refund' &&
      (attempt.processorTransactionId === name || (reference !== undefined && attempt.reference === reference)),
  );

/** True if a hold is on record as approved: only then is there something to compare. */
export function isToCompare(payment: Payment): payment is KnownPayment {
  const authorization = isKnown(payment) ? authorizationOf(payment) : undefined;
  return authorization !== undefined && isBooked(authorization);
}

/** The processor says that something changed, and nobody has read it yet: the read is owed. Once, until it was read. */
export const recordChange =
  (evidence: Evidence, at: number) =>
  (payment: Payment): Decision<PaymentEvent> =>
    !isToCompare(payment) || owesRead(payment)
      ? accept()
      : accept({ type: 'StandingRecorded', data: { evidence, answer: 'changed', nextLookUpAt: at } });

/** The waits between the first reads that are not answered, ms; then a day. */
const SOON_MS = [10_000, 60_000, 600_000, 3_600_000];

/** A read that was not answered: where one is owed, or the hold is over, it is repeated. */
export const recordUnread =
  (evidence: Evidence, at: number) =>
  (payment: Payment): Decision<PaymentEvent> => {
    if (!isToCompare(payment)) return accept();
    const isHoldOver = (dueExpiryAt(payment) ?? Number.POSITIVE_INFINITY) <= at;
    const { standing } = payment;
    if (!isHoldOver && (standing?.nextLookUpAt ?? Number.POSITIVE_INFINITY) > at) return accept();
    const waitMs = isHoldOver ? DAY_MS : (SOON_MS.find((ms) => at - (standing?.since ?? at) < ms) ?? DAY_MS);
    return accept({ type: 'StandingRecorded', data: { evidence, answer: 'unreachable', nextLookUpAt: at + waitMs } });
  };

/**
 * What a read shows, held against a record that has not changed since the read was sent. Facts for what somebody moved
 * at the processor; what no rule explains is open for an operator. Nothing is booked while an attempt is open that may
 * explain it.
 */
export const recordStanding =
  (standing: PaymentStanding, evidence: Evidence, timing: AttemptTiming) =>
  (payment: Payment): Decision<PaymentEvent> => {
    if (!isKnown(payment)) return noSuchPayment();
    if (!isToCompare(payment)) return accept();
    const { at } = timing;
    const authorization = authorizationOf(payment);
    if (authorization === undefined || standing.processorTransactionId !== payment.processorTransactionId)
      return accept();
    if (mayBeExplained(payment)) return recordChange(evidence, at)(payment);
    const next = (answer: 'changed' | 'agrees' | 'differs', nextLookUpAt?: number): PaymentEvent => ({
      type: 'StandingRecorded',
      data: {
        evidence,
        answer,
        ...(answer === 'differs' && differenceOf(standing)),
        ...(nextLookUpAt !== undefined && { nextLookUpAt }),
      },
    });
    const settled = settledFirst(payment, standing, evidence, timing);
    // one matter at a time: what else differs is read again
    if (settled !== undefined) return accept(...settled, next('changed', at));
    const facts = outsideFacts(payment, standing, evidence);
    if (facts === undefined) {
      const isAccepted = isSame(payment.acceptedDifference, differenceOf(standing));
      return isAccepted ? agreed(payment, next, at) : accept(next('differs', at + DAY_MS));
    }
    if (facts.length === 0) return agreed(payment, next, at);
    return payment.standing === undefined ? accept(...facts) : accept<PaymentEvent>(...facts, next('agrees'));
  };

/** A hold that is over by its time and still there is read again the next day. */
function agreed(
  payment: KnownPayment,
  next: (answer: 'agrees', nextLookUpAt?: number) => PaymentEvent,
  at: number,
): Decision<PaymentEvent> {
  const isHoldOver = (payment.holdExpiresAt ?? Number.POSITIVE_INFINITY) <= at && !payment.restReleased;
  if (isHoldOver && !isFinal(payment.status)) return accept(next('agrees', at + DAY_MS));
  return payment.standing === undefined || payment.standing.answer === 'agrees' ? accept() : accept(next('agrees'));
}

const differenceOf = ({ captured, capturable, refunds, currencyCode }: PaymentStanding): StandingDifference => ({
  captured,
  capturable,
  refunded: refunds.reduce((sum, { amount, state }) => (state === 'failed' ? sum : sum + amount), 0),
  currencyCode,
});

const isSame = (one: StandingDifference | undefined, other: StandingDifference): boolean =>
  one !== undefined &&
  one.captured === other.captured &&
  one.capturable === other.capturable &&
  one.refunded === other.refunded &&
  one.currencyCode === other.currencyCode;

/**
 * What carries our reference is our attempt's: one that counts as not done, or a refund whose end differs, is settled
 * by the read. Undefined if there is none.
 */
function settledFirst(
  payment: KnownPayment,
  { ours, refunds, captureName, currencyCode, processorTransactionId }: PaymentStanding,
  evidence: Evidence,
  timing: AttemptTiming,
): readonly PaymentEvent[] | undefined {
  const done = [
    ...ours.map(({ reference, operation, amount }) => {
      const name = operation === 'capture' ? captureName : processorTransactionId;
      return { name, amount, attempt: payment.attempts.find((one) => one.reference === reference) };
    }),
    ...refunds
      .filter(({ state }) => state === 'succeeded')
      .map((refund) => ({ name: refund.name, amount: refund.amount, attempt: refundOf(payment, refund) })),
  ].find(({ attempt }) => attempt !== undefined && !isOpen(attempt) && attempt.state !== 'succeeded');
  if (done?.attempt !== undefined) {
    const { name, amount, attempt } = done;
    const outcome = { kind: 'succeeded', processorTransactionId: name, amount, currencyCode } as const;
    const decision = settleAttempt({ attemptId: attempt.attemptId, outcome, evidence, source: 'lookup', ...timing })(
      payment,
    );
    return decision.kind === 'accepted' && decision.events.length > 0 ? decision.events : undefined;
  }
  for (const refund of refunds) {
    const attempt = refund.state === 'failed' ? refundOf(payment, refund) : undefined;
    if (attempt?.state !== 'succeeded' || attempt.mismatched === true) continue;
    const { code, declineType } = refund;
    const told = { ...(code !== undefined && { code }), ...(declineType !== undefined && { declineType }) };
    const decision = returned(payment, attempt, evidence, told);
    return decision.kind === 'accepted' ? decision.events : undefined;
  }
  return undefined;
}

/** The facts for what somebody moved there; undefined for what no rule explains. */
function outsideFacts(
  payment: KnownPayment,
  standing: PaymentStanding,
  evidence: Evidence,
): readonly PaymentEvent[] | undefined {
  const { captured, capturable, currencyCode } = standing;
  if (currencyCode !== payment.currencyCode) return undefined;
  const before = amountsOnRecord(payment);
  // What only our clock has ended may have been captured there before.
  const isPlaced = !isFinal(payment.status) || payment.endedBy === 'clock';
  const more = captured - before.captured;
  const isReleased = payment.restReleased && payment.endedBy !== 'clock';
  if (more < 0 || (more > 0 && (!isPlaced || isReleased))) return undefined;
  if (capturable > 0 && (isFinal(payment.status) || payment.restReleased)) return undefined;
  const name = numbered(payment);
  const { connectionId, network } = placeOf(payment, payment);
  const fact = (processorTransactionId: string, amount: number) => ({
    attemptId: name(),
    evidence,
    processorTransactionId,
    amount,
    currencyCode,
    connectionId,
    network,
  });
  const { processorTransactionId, captureName } = standing;
  const facts: PaymentEvent[] = [];
  const total = captured + capturable;
  if (total > payment.amountAuthorized)
    facts.push({ type: 'RaisedOutside', data: fact(processorTransactionId, total) });
  if (more > 0) facts.push({ type: 'CapturedOutside', data: { ...fact(captureName, more), final: capturable === 0 } });
  const left = Math.max(payment.amountAuthorized, total) - captured;
  const isHeld = before.capturable > 0;
  if (isHeld && capturable === 0 && left > 0 && more === 0)
    facts.push(released(payment, standing, fact, evidence, left));
  if (isHeld && capturable > 0 && capturable < left) return undefined;
  const news = standing.refunds.filter(
    (refund) => refund.state !== 'failed' && refundOf(payment, refund) === undefined,
  );
  for (const refund of unexplained(payment.disputes, news)) {
    if (isVouchedFor(payment, standing, refund)) continue;
    const allocations = allocated(payment, refund.amount);
    facts.push({ type: 'RefundedOutside', data: { ...fact(refund.name, refund.amount), allocations } });
  }
  return facts;
}

function released(
  payment: KnownPayment,
  { expired, processorTransactionId, currencyCode }: PaymentStanding,
  fact: (name: string, amount: number) => Fact<'VoidedOutside'>['data'],
  evidence: Evidence,
  amount: number,
): PaymentEvent {
  return expired === true
    ? { type: 'AuthorizationExpired', data: { amount, currencyCode, ...placeOf(payment, payment), evidence } }
    : { type: 'VoidedOutside', data: fact(processorTransactionId, amount) };
}

/** A refund that an operator vouched for without its name: one of this amount is that one. */
const isVouchedFor = (payment: KnownPayment, { refunds }: PaymentStanding, { amount }: StandingRefund): boolean =>
  payment.attempts.some(
    (attempt): attempt is Attempt & SucceededAttempt =>
      attempt.operation === 'refund' &&
      attempt.state === 'succeeded' &&
      attempt.processorTransactionId === attempt.reference &&
      attempt.bookedAmount === amount &&
      !refunds.some(({ reference }) => reference === attempt.reference),
  );

/** Names of attempts that nobody here made. */
function numbered(payment: KnownPayment): () => string {
  const paymentId = paymentIdOf(payment.attempts[0]?.attemptId ?? '');
  let count = payment.attempts.filter(({ outside }) => outside === true).length;
  return () => {
    count += 1;
    return `${paymentId}.outside-${count}`;
  };
}

/** True if a read has shown what no rule explains, and no operator has seen to it. */
export const isDifferenceOpen = (payment: Payment): boolean =>
  isKnown(payment) && payment.standing?.answer === 'differs';

/** An operator has seen to the difference; nothing when there is none. */
export const acceptDifference =
  (evidence: Evidence) =>
  (payment: Payment): Decision<PaymentEvent> => {
    if (!isKnown(payment)) return noSuchPayment();
    return isDifferenceOpen(payment) ? accept({ type: 'DifferenceAccepted', data: { evidence } }) : accept();
  };

/**
 * What a read came to. not_shown: the processor cannot show the payment, or no hold is on record. waits: for an attempt
 * that is open. unread: the processor did not answer. booked: what somebody moved there is on record now. differs: an
 * operator has to see to it.
 */
export type StandingRead = 'agrees' | 'booked' | 'differs' | 'waits' | 'unread' | 'not_shown';
