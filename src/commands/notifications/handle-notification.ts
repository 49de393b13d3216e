// Applies a notification on record to the payment that it names; parks one without a known payment, and tries it again (contract §8).
import { Notice } from '../../app-error.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import { isDisputeStatus } from '../../domain/dispute-status.ts';
import {
  applyNotification,
  discardNotification as decideDiscard,
  parkNotification,
  requestRetry,
} from '../../domain/notification/decide.ts';
import type { ParkedReason } from '../../domain/notification/events.ts';
import { parkedReason } from '../../domain/notification/parked-reason.ts';
import type { Notification } from '../../domain/notification/state.ts';
import type { Operation } from '../../domain/operation.ts';
import { recordDispute } from '../../domain/payment/dispute-word.ts';
import { expireAuthorization } from '../../domain/payment/expire.ts';
import type { KnownPayment, Payment } from '../../domain/payment/payment.ts';
import { attemptByReference, attemptOf, isKnown } from '../../domain/payment/queries.ts';
import { isReference, paymentIdOfReference } from '../../domain/payment/reference.ts';
import { recordReturn, unreturnable } from '../../domain/payment/return.ts';
import { settleAttempt } from '../../domain/payment/settle.ts';
import type { Context, EventCause } from '../../journal/context.ts';
import { type ActingUser, operatorContext, processorContext } from '../../journal/contexts.ts';
import type { Folded } from '../../journal/fold.ts';
import { transact } from '../../journal/transact.ts';
import type { DisputeNotice, ProcessorNotification } from '../../processors/processor.ts';
import { type Answer, completed } from '../caller.ts';
import { meantAttempt } from './meant-attempt.ts';
import type { NotificationNeeds } from './needs.ts';

type Handled = Folded<Notification>;

/** Why a notification could not be applied; `mayAppear`: what it speaks of is not on record, and may be later. */
interface Unapplied {
  readonly reason: ParkedReason;
  readonly mayAppear: boolean;
}
const forGood = (reason: ParkedReason): Unapplied => ({ reason, mayAppear: false });
const notYet = (reason: ParkedReason): Unapplied => ({ reason, mayAppear: true });
const NO_PAYMENT = notYet({ code: 'payment_unknown' });

/** Handles a notification because of the event `cause` that put it on record, and answers its record as it is then: applied, or parked for a reason. Throws StoreUnavailable. */
export async function handleNotification(
  needs: NotificationNeeds,
  recordId: string,
  processor: string,
  notification: ProcessorNotification,
  accountId: string,
  cause: EventCause,
): Promise<Handled | Rejection> {
  const context = processorContext(needs.world, processor, accountId, cause);
  const paymentId = await namedPayment(needs, processor, notification, accountId);
  const unapplied = paymentId === undefined ? NO_PAYMENT : await apply(needs, paymentId, processor, notification, context);
  if (unapplied === undefined && paymentId !== undefined) return recorded(needs, recordId, context, applyNotification(paymentId));
  if (unapplied === undefined) throw new TypeError('a notification was applied to no payment');
  if (unapplied.mayAppear && paymentId !== undefined) needs.awaited.wait(paymentId, recordId);
  return recorded(needs, recordId, context, parkNotification(unapplied.reason, context.at));
}

/** The payment that a notification names, whether it exists or not. Undefined for a reference that is none of ours, and for a name of the processor that is not known. */
async function namedPayment(
  needs: NotificationNeeds,
  processor: string,
  { subject }: ProcessorNotification,
  accountId: string,
): Promise<string | undefined> {
  if (!('reference' in subject)) return needs.paymentCalled(accountId, processor, subject.processorTransactionId);
  return isReference(subject.reference) ? paymentIdOfReference(subject.reference) : undefined;
}

async function recorded(
  needs: NotificationNeeds,
  recordId: string,
  context: Context,
  decide: ReturnType<typeof parkNotification>,
): Promise<Handled | Rejection> {
  const done = await transact(needs.notifications, recordId, context, decide);
  if (done.kind === 'rejected') {
    needs.report(new Error(`notification ${recordId}: ${done.description}`));
    return done;
  }
  if (done.kind === 'written' && isRetried(done.before.state) && !isRetried(done.folded.state)) tellEnd(needs, recordId, done.folded.state);
  return done.folded;
}

const isRetried = (record: Notification): boolean => record.status === 'parked' && record.retryAt !== undefined;

function tellEnd({ report }: NotificationNeeds, recordId: string, record: Notification): void {
  if (record.status !== 'parked') return;
  const { processor, reason } = record;
  report(
    new Notice(
      `The notification ${recordId} of ${processor} was tried in vain for 30 days and stays parked for an operator: ${parkedReason(reason)}`,
    ),
  );
}

/**
 * Handles a stored notification again, from its raw text: after a crash, or when it was parked. A node without its processor leaves
 * it to nodes that have it.
 */
export async function handleStoredNotification(needs: NotificationNeeds, recordId: string): Promise<Handled | Rejection> {
  const current = await needs.notifications.current(recordId);
  const { state } = current;
  if (state.status !== 'received' && state.status !== 'parked') return current;
  const processor = needs.processors.get(state.processor);
  if (processor === undefined) return current;
  const notification = processor.reread(state.raw)?.[state.item];
  const { accountId } = state;
  const cause = await needs.notifications.causeAt(recordId, 0);
  if (notification !== undefined) return handleNotification(needs, recordId, state.processor, notification, accountId, cause);
  const context = processorContext(needs.world, state.processor, accountId, cause);
  return recorded(needs, recordId, context, parkNotification({ code: 'unreadable' }, context.at));
}

/** Tries the notifications again that this node parked because the payment, or an attempt of it, was not known. Never throws. */
export function retryAwaited(needs: NotificationNeeds, paymentId: string): void {
  for (const recordId of needs.awaited.appeared(paymentId)) {
    handleStoredNotification(needs, recordId).catch(needs.report);
  }
}

/**
 * Tries a parked notification now. That an operator or a user asks for it is an event first; what follows is the processor's word, with
 * the ids that it came with. NotFound; Conflict for one that is applied or discarded.
 */
export const retryNotification =
  (needs: NotificationNeeds) =>
  async (recordId: string, by?: ActingUser): Promise<Answer<Notification>> => {
    const { state } = await needs.notifications.current(recordId);
    if (state.status === 'absent') return noSuchNotification();
    const isOpen = state.status === 'received' || state.status === 'parked';
    if (isOpen && !needs.processors.has(state.processor)) {
      return reject(
        'ServiceUnavailable',
        `The processor ${state.processor} cannot be reached from here; a running service tries it again.`,
      );
    }
    const context = operatorContext(needs.world, state.accountId, by);
    const asked = await transact(needs.notifications, recordId, context, requestRetry(context.actor.id));
    if (asked.kind === 'rejected') return asked;
    const handled = await handleStoredNotification(needs, recordId);
    return 'kind' in handled ? handled : completed(recordId, handled);
  };

/** Gives it up for good, as an event of the operator or of the user. Again: nothing. NotFound; Conflict for one that has been applied. */
export const discardNotification =
  (needs: NotificationNeeds) =>
  async (recordId: string, by?: ActingUser): Promise<Answer<Notification>> => {
    const { state } = await needs.notifications.current(recordId);
    if (state.status === 'absent') return noSuchNotification();
    const context = operatorContext(needs.world, state.accountId, by);
    const done = await transact(needs.notifications, recordId, context, decideDiscard(context.actor.id));
    return done.kind === 'rejected' ? done : completed(recordId, done.folded);
  };

const noSuchNotification = (): Rejection => reject('NotFound', 'There is no such notification.');

/** Undefined when it was applied, or had nothing new to say. */
async function apply(
  needs: NotificationNeeds,
  paymentId: string,
  processor: string,
  notification: ProcessorNotification,
  context: Context,
): Promise<Unapplied | undefined> {
  const { state } = await needs.payments.current(paymentId);
  if (!isKnown(state) || state.accountId !== context.accountId) return NO_PAYMENT;
  const { about, notificationId, occurredAt } = notification;
  if ('dispute' in about) return applyDispute(needs, { id: paymentId, payment: state, processor }, notification, about.dispute, context);
  const attempt = meantAttempt(state, notification);
  if (attempt === undefined) return notYet({ code: 'attempt_unknown' });
  if (attempt.processor !== processor) return forGood({ code: 'processor_differs', told: processor, attempted: attempt.processor });
  const operation = operationOf(about);
  if (attempt.operation !== operation) return forGood({ code: 'operation_differs', told: operation, attempted: attempt.operation });
  const { attemptId } = attempt;
  const evidence = { source: 'notification', notificationId, occurredAt } as const;
  const settled = await needs.recordFact(paymentId, context, (timing) => {
    if ('authorizationExpired' in about) return expireAuthorization(evidence);
    if ('reversalOf' in about) return recordReturn({ attemptId, amount: about.amount, currencyCode: about.currencyCode, evidence });
    return settleAttempt({ attemptId, outcome: about.outcome, evidence, source: 'notification', ...timing });
  });
  if (settled.kind !== 'rejected') return undefined;
  const refused = { code: 'refused', errorId: settled.errorId } as const;
  return 'reversalOf' in about ? unreturned(await needs.payments.current(paymentId), attemptId, about, refused) : forGood(refused);
}

interface Named {
  readonly id: string;
  readonly payment: KnownPayment;
  /** Who tells. */
  readonly processor: string;
}

/** A dispute is about the attempt whose reference comes with it; where only the processor's name of the payment does, about the payment. */
async function applyDispute(
  needs: NotificationNeeds,
  { id, payment, processor }: Named,
  { subject, notificationId, occurredAt }: ProcessorNotification,
  notice: DisputeNotice,
  context: Context,
): Promise<Unapplied | undefined> {
  const attempt = 'reference' in subject ? attemptByReference(payment, subject.reference) : undefined;
  if ('reference' in subject && attempt === undefined) return notYet({ code: 'attempt_unknown' });
  const attempted = attempt?.processor ?? payment.processor;
  if (attempted !== processor) return forGood({ code: 'processor_differs', told: processor, attempted });
  const { id: processorDisputeId, status, openedAt = occurredAt, ...told } = notice;
  if (!isDisputeStatus(status)) return forGood({ code: 'dispute' });
  const word = {
    ...told,
    disputeId: disputeIdOf(needs, context.accountId, processor, processorDisputeId),
    processorDisputeId,
    ...(attempt !== undefined && { attemptId: attempt.attemptId }),
    status,
    openedAt,
    evidence: { source: 'notification', notificationId, occurredAt } as const,
  };
  const settled = await needs.recordFact(id, context, () => recordDispute(word));
  return settled.kind === 'rejected' ? forGood({ code: 'refused', errorId: settled.errorId }) : undefined;
}

/** The same for the same name of the processor, so that two nodes that are told of it at once name it alike. */
const disputeIdOf = ({ storeKey }: NotificationNeeds, accountId: string, processor: string, processorDisputeId: string): string =>
  `dsp_${storeKey.name('derived-id', `dispute ${accountId}\n${processor}\n${processorDisputeId}`)}`;

/** A return that arrives before its success is on record waits for the success. */
function unreturned(
  { state }: Folded<Payment>,
  attemptId: string,
  about: Extract<ProcessorNotification['about'], { readonly reversalOf: unknown }>,
  refused: ParkedReason,
): Unapplied {
  const attempt = attemptOf(state, attemptId);
  const reason = isKnown(state) && attempt !== undefined ? unreturnable(state, attempt, about) : undefined;
  return reason?.code === 'return_differs' ? forGood(reason) : notYet(reason ?? refused);
}

function operationOf(about: Exclude<ProcessorNotification['about'], { readonly dispute: unknown }>): Operation {
  if ('authorizationExpired' in about) return 'authorization';
  return 'reversalOf' in about ? about.reversalOf : about.operation;
}
