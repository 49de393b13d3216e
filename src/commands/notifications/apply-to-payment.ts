// Applies the report of a notification to the payment that it names, or says why that cannot be done, or not yet
// (contract §8).
import { isDisputeStatus } from '../../domain/dispute-status.ts';
import type { ParkedReason } from '../../domain/notification/events.ts';
import type { Operation } from '../../domain/operation.ts';
import { type Attempt, isOpen } from '../../domain/payment/attempt.ts';
import { recordDispute } from '../../domain/payment/dispute-word.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import { expireAuthorization } from '../../domain/payment/expire.ts';
import type { KnownPayment, Payment } from '../../domain/payment/payment.ts';
import { attemptByReference, attemptOf, isKnown } from '../../domain/payment/queries.ts';
import { recordReturn, unreturnable } from '../../domain/payment/return.ts';
import { settleAttempt } from '../../domain/payment/settle.ts';
import { isOnRecord, isToCompare } from '../../domain/payment/standing.ts';
import type { Context } from '../../journal/context.ts';
import type { Folded } from '../../journal/fold.ts';
import type { Streams } from '../../journal/streams.ts';
import type { DisputeNotice, Known, PaymentNotification } from '../../processors/processor.ts';
import type { StoreKey } from '../../secrets.ts';
import type { ConnectionRoute } from '../connections/connections.ts';
import type { Payments } from '../payments/payments.ts';

export interface ApplyNeeds extends Pick<Payments, 'recordFact' | 'lookAtChanged' | 'readStanding' | 'fenceOrphan'> {
  readonly payments: Streams<Payment, PaymentEvent>;
  readonly storeKey: StoreKey;
}

/** Why a notification could not be applied; `mayAppear`: what it speaks of is not on record, and may be later. */
interface Unapplied {
  readonly reason: ParkedReason;
  readonly mayAppear: boolean;
}
const forGood = (reason: ParkedReason): Unapplied => ({ reason, mayAppear: false });
const notYet = (reason: ParkedReason): Unapplied => ({ reason, mayAppear: true });
export const NO_PAYMENT = notYet({ code: 'payment_unknown' });

/**
 * Undefined if it was applied, or had nothing new to say. What the message shows of the payment as a whole is held
 * against the record afterwards: where it differs, the payment is read.
 */
export async function applyToPayment(
  needs: ApplyNeeds,
  paymentId: string,
  from: ConnectionRoute,
  notification: HeardNotification,
  context: Context,
): Promise<Unapplied | undefined> {
  const { state } = await needs.payments.current(paymentId);
  if (!isKnown(state) || state.accountId !== context.accountId) return NO_PAYMENT;
  const unapplied = await applyWord(needs, paymentId, state, from, notification, context);
  if (unapplied === undefined) await compare(needs, paymentId, notification, context);
  return unapplied;
}

/** Reads the payment unless the message shows what is on record; a look that shows nothing is always read. */
async function compare(
  { payments, readStanding }: ApplyNeeds,
  paymentId: string,
  { about, told, notificationId, occurredAt }: HeardNotification,
  context: Context,
): Promise<void> {
  if (told === undefined && !('look' in about)) return;
  const { state } = await payments.current(paymentId);
  if (!isToCompare(state) || (told !== undefined && isOnRecord(state, told))) return;
  await readStanding(paymentId, context, { source: 'notification', notificationId, occurredAt });
}

async function applyWord(
  needs: ApplyNeeds,
  paymentId: string,
  state: KnownPayment,
  from: ConnectionRoute,
  notification: HeardNotification,
  context: Context,
): Promise<Unapplied | undefined> {
  const { about, notificationId, occurredAt } = notification;
  if ('dispute' in about)
    return applyDispute(needs, { id: paymentId, payment: state, from }, notification, about.dispute, context);
  if ('look' in about) return look(needs, { id: paymentId, payment: state, from }, context);
  if ('prepared' in about)
    return endOrphan(needs, { id: paymentId, payment: state, from }, notification.subject, about.prepared);
  const attempt = meantAttempt(state, { ...notification, about });
  if (attempt === undefined) return notYet({ code: 'attempt_unknown' });
  const differs = differsFrom(attempt, from);
  if (differs !== undefined) return forGood(differs);
  const operation = operationOf(about);
  if (attempt.operation !== operation)
    return forGood({ code: 'operation_differs', told: operation, attempted: attempt.operation });
  if (notification.told !== undefined && !isOpen(attempt) && isUnordered(attempt, about)) return undefined;
  if (notification.told !== undefined && isRaised(attempt, about))
    return look(needs, { id: paymentId, payment: state, from }, context);
  const { attemptId } = attempt;
  const evidence = { source: 'notification', notificationId, occurredAt } as const;
  const settled = await needs.recordFact(paymentId, context, (timing) => {
    if ('authorizationExpired' in about) return expireAuthorization({ attemptId, evidence });
    if ('reversalOf' in about)
      return recordReturn({ attemptId, amount: about.amount, currencyCode: about.currencyCode, evidence });
    return settleAttempt({ attemptId, outcome: about.outcome, evidence, source: 'notification', ...timing });
  });
  if (settled.kind !== 'rejected') return undefined;
  const refused = { code: 'refused', errorId: settled.errorId } as const;
  return 'reversalOf' in about
    ? unreturned(await needs.payments.current(paymentId), attemptId, about, refused)
    : forGood(refused);
}

/** True if only a read tells: a word against what is on record of a settled attempt, with times of two clocks. */
const isUnordered = ({ state }: Attempt, about: AboutAttempt): boolean =>
  'outcome' in about &&
  about.operation !== 'authorization' &&
  (about.outcome.kind === 'succeeded') !== (state === 'succeeded');

/** True if somebody may have raised the authorization: more is held than was asked for. */
const isRaised = ({ amount }: Attempt, about: AboutAttempt): boolean =>
  'outcome' in about &&
  about.operation === 'authorization' &&
  about.outcome.kind === 'succeeded' &&
  about.outcome.amount > amount;

/** Each attempt whose outcome is open is looked up: the look-up is the word that counts, and the schedule goes on. */
async function look(
  { lookAtChanged }: ApplyNeeds,
  { id, payment, from }: NamedPayment,
  context: Context,
): Promise<Unapplied | undefined> {
  const differs = differsFrom(payment, from);
  if (differs !== undefined) return forGood(differs);
  await lookAtChanged(id, context);
  return undefined;
}

/**
 * What a preparation made whose answer was lost: the attempt is over, and nobody has the name. While the attempt is
 * open, its answer may still come. A reference that is not on record is left alone: another store may have made it.
 */
async function endOrphan(
  { fenceOrphan }: ApplyNeeds,
  { id, payment, from }: NamedPayment,
  subject: HeardNotification['subject'],
  name: string,
): Promise<Unapplied | undefined> {
  const attempt = 'reference' in subject ? attemptByReference(payment, subject.reference) : undefined;
  if (attempt === undefined) return notYet({ code: 'attempt_unknown' });
  const differs = differsFrom(attempt, from);
  if (differs !== undefined) return forGood(differs);
  if (attempt.processorTransactionId === name) return undefined;
  const isEnded = !isOpen(attempt) && (await fenceOrphan(id, payment, attempt, name));
  return isEnded ? undefined : notYet({ code: 'attempt_unknown' });
}

interface NamedPayment {
  readonly id: string;
  readonly payment: KnownPayment;
  /** The connection that reports. */
  readonly from: ConnectionRoute;
}

/** One account at a processor does not report on payments of another one. */
function differsFrom(to: ConnectionRoute, { processor, connectionId }: ConnectionRoute): ParkedReason | undefined {
  if (to.processor !== processor) return { code: 'processor_differs', told: processor, attempted: to.processor };
  return to.connectionId === connectionId
    ? undefined
    : { code: 'processor_differs', told: connectionId, attempted: to.connectionId };
}

/**
 * A dispute is about the attempt whose reference comes with it; where only the processor's name of the payment does,
 * about the payment.
 */
async function applyDispute(
  needs: ApplyNeeds,
  { id, payment, from }: NamedPayment,
  { subject, notificationId, occurredAt }: HeardNotification,
  notice: DisputeNotice,
  context: Context,
): Promise<Unapplied | undefined> {
  const attempt = 'reference' in subject ? attemptByReference(payment, subject.reference) : undefined;
  if ('reference' in subject && attempt === undefined) return notYet({ code: 'attempt_unknown' });
  const differs = differsFrom(attempt ?? payment, from);
  if (differs !== undefined) return forGood(differs);
  const { id: processorDisputeId, status, openedAt = occurredAt, ...told } = notice;
  if (!isDisputeStatus(status)) return forGood({ code: 'dispute' });
  const word = {
    ...told,
    disputeId: disputeIdOf(needs, context.accountId, from.processor, processorDisputeId),
    processorDisputeId,
    ...(attempt !== undefined && { attemptId: attempt.attemptId }),
    status,
    openedAt,
    evidence: { source: 'notification', notificationId, occurredAt } as const,
  };
  const settled = await needs.recordFact(id, context, () => recordDispute(word));
  return settled.kind === 'rejected' ? forGood({ code: 'refused', errorId: settled.errorId }) : undefined;
}

/** Derives the id from the processor's id, so two nodes that record the same dispute agree on it. */
const disputeIdOf = (
  { storeKey }: ApplyNeeds,
  accountId: string,
  processor: string,
  processorDisputeId: string,
): string => `dsp_${storeKey.name('derived-id', `dispute ${accountId}\n${processor}\n${processorDisputeId}`)}`;

/** A return that arrives before its success is on record waits for the success. */
function unreturned(
  { state }: Folded<Payment>,
  attemptId: string,
  about: Extract<HeardNotification['about'], { readonly reversalOf: unknown }>,
  refused: ParkedReason,
): Unapplied {
  const attempt = attemptOf(state, attemptId);
  const reason = isKnown(state) && attempt !== undefined ? unreturnable(state, attempt, about) : undefined;
  return reason?.code === 'return_differs' ? forGood(reason) : notYet(reason ?? refused);
}

function operationOf(about: AboutAttempt): Operation {
  if ('authorizationExpired' in about) return 'authorization';
  return 'reversalOf' in about ? about.reversalOf : about.operation;
}

/** A notification with its time, ms: the processor's own, otherwise when it was received. */
type HeardNotification = PaymentNotification & { readonly occurredAt: number };
/** A word about one operation. */
type AboutAttempt = Exclude<
  PaymentNotification['about'],
  { readonly dispute: unknown } | { readonly look: true } | { readonly prepared: string }
>;

/** Undefined if the notification speaks of no operation that is known. */
export function meantAttempt(
  payment: KnownPayment,
  { subject, about }: { readonly subject: Known; readonly about: AboutAttempt },
): Attempt | undefined {
  if ('reversalOf' in about) {
    const { reversalOf, processorTransactionId } = about;
    return (
      called(payment, reversalOf, processorTransactionId) ??
      ('reference' in subject ? attemptByReference(payment, subject.reference) : undefined)
    );
  }
  if ('reference' in subject) {
    const attempt = attemptByReference(payment, subject.reference);
    return attempt !== undefined && 'outcome' in about && isOfAnother(attempt, about.outcome) ? undefined : attempt;
  }
  if ('authorizationExpired' in about) return called(payment, 'authorization', subject.processorTransactionId);
  const { operation, outcome } = about;
  const name = outcome.processorTransactionId;
  return called(payment, operation, name ?? subject.processorTransactionId) ?? onlyOpen(payment, operation, name);
}

/**
 * True if it was prepared under another name than the processor reports: anybody who can write at the processor's
 * account can copy our reference to a transaction of their own.
 */
const isOfAnother = (
  { prepares, processorTransactionId: recorded }: Attempt,
  { processorTransactionId: told }: Extract<AboutAttempt, { readonly outcome: unknown }>['outcome'],
): boolean => prepares === true && recorded !== undefined && told !== undefined && told !== recorded;

const called = ({ attempts }: KnownPayment, operation: Operation, name: string): Attempt | undefined =>
  attempts.find((attempt) => attempt.operation === operation && attempt.processorTransactionId === name);

/**
 * Its name is not known before it is answered: the attempt that waits for a word is meant, where there is one, and
 * where the name cannot be that of another attempt, which was taken for refused or is booked without a name.
 */
function onlyOpen({ attempts }: KnownPayment, operation: Operation, name: string | undefined): Attempt | undefined {
  const [one, ...others] = attempts.filter(
    (attempt) => attempt.operation === operation && (isOpen(attempt) || (name !== undefined && isNameless(attempt))),
  );
  return one !== undefined && isOpen(one) && others.length === 0 ? one : undefined;
}

/** True if it was booked by manual confirmation, and may have our own reference in place of the processor's id. */
const isNameless = ({ processorTransactionId = '', reference, state }: Attempt): boolean =>
  state !== 'not_sent' && ['', reference].includes(processorTransactionId);
