// Reads a payment as a whole at its processor, and records what somebody moved there (contract §4). Nothing is repeated
// at the processor by it.
import { accept } from '../../domain/decider.ts';
import type { Attempt } from '../../domain/payment/attempt.ts';
import { usesHold } from '../../domain/payment/operations.ts';
import type { Evidence } from '../../domain/payment/outcome.ts';
import type { KnownPayment, Payment } from '../../domain/payment/payment.ts';
import { dueReadAt, mayBeExplained, owesRead } from '../../domain/payment/queries.ts';
import {
  isDifferenceOpen,
  isToCompare,
  recordChange,
  recordStanding,
  recordUnread,
  type StandingRead,
} from '../../domain/payment/standing.ts';
import type { Context } from '../../journal/context.ts';
import { recordFact } from './attempt.ts';
import { lookUpWithin } from './findings.ts';
import type { PaymentNeeds } from './needs.ts';
import { askProcessor } from './processor-call.ts';

/** A payment that changes under each read is left to the next one. */
const MOST_READS = 3;

/**
 * Holds the payment at its processor against the record. `word`: the evidence that something changed; a read that was
 * not answered, or has to wait for an open attempt, is then owed on record. One read serves all that ask for it before
 * it begins. A processor that cannot show a payment is not asked. Throws StoreUnavailable.
 */
export function readStanding(
  needs: PaymentNeeds,
  paymentId: string,
  context: Context,
  word?: Evidence,
): Promise<StandingRead> {
  const waiting = needs.waitingReads.get(paymentId);
  if (waiting !== undefined) return waiting;
  const read = needs.dueLookUps(() => {
    needs.waitingReads.delete(paymentId);
    return readNow(needs, paymentId, context, word);
  });
  needs.waitingReads.set(paymentId, read);
  return read;
}

/**
 * Reads a payment of which the processor has just refused (`isNew`) what the record allows: somebody may have moved its
 * money there.
 */
export async function readIfRefused(
  needs: PaymentNeeds,
  paymentId: string,
  payment: Payment,
  context: Context,
  isNew: (attempt: Attempt) => boolean,
): Promise<void> {
  if (!isToCompare(payment) || !payment.attempts.some((attempt) => isRefusedOfHold(attempt) && isNew(attempt))) return;
  await readStanding(needs, paymentId, context, REFUSED);
}

const isRefusedOfHold = (attempt: Attempt): boolean =>
  attempt.state === 'declined' && attempt.operation !== 'authorization' && usesHold(attempt);
const REFUSED: Evidence = { source: 'answer', detail: 'the processor refused what is possible by the record' };

async function readNow(
  needs: PaymentNeeds,
  paymentId: string,
  context: Context,
  word?: Evidence,
): Promise<StandingRead> {
  /** Without a word of the processor nothing is owed. */
  const owe = async (at: number): Promise<void> => {
    if (word !== undefined) await recordFact(needs, paymentId, context, () => recordChange(word, at));
  };
  let hasBooked = false;
  for (let reads = 0; reads < MOST_READS; reads += 1) {
    const { state } = await needs.payments.load(paymentId);
    if (!isToCompare(state) || state.processorTransactionId === undefined) return 'not_shown';
    const { processor: name, connectionId, accountId, currencyCode, processorTransactionId } = state;
    const processor = await needs.connections.processor(name);
    if (processor === undefined) needs.report(new Error(`no processor ${name} on this node to read ${paymentId} at`));
    if (processor?.standing === undefined) return 'not_shown';
    const { standing } = processor;
    const sentAt = needs.world.now();
    if (mayBeExplained(state)) {
      await owe(sentAt);
      return 'waits';
    }
    const question = { paymentId, processorTransactionId, accountId, currencyCode };
    const asked = { ...lookUpWithin('due'), what: 'read', accountId };
    const told = await askProcessor(needs, { processor: name, connectionId }, asked, (call) =>
      standing(question, call),
    );
    if (told.kind === 'unreachable') {
      const evidence: Evidence = { source: 'lookup', sentAt, detail: told.detail };
      if (word !== undefined && !owesRead(state)) await owe(sentAt + FIRST_AGAIN_MS);
      else await recordFact(needs, paymentId, context, ({ at }) => recordUnread(evidence, at));
      return 'unread';
    }
    let isStale = false;
    const recorded = await recordFact(needs, paymentId, context, (timing) => (payment) => {
      isStale = !isAsItWas(state, payment);
      return isStale ? accept() : recordStanding(told, { source: 'lookup', sentAt }, timing)(payment);
    });
    if (recorded.kind === 'rejected') return 'not_shown';
    const { state: after } = recorded.folded;
    hasBooked ||= recorded.kind === 'written' && recorded.events.some(({ type }) => type !== 'StandingRecorded');
    if (isStale || isDue(after, needs.world.now())) continue;
    return isDifferenceOpen(after) ? 'differs' : hasBooked ? 'booked' : 'agrees';
  }
  await owe(needs.world.now() + FIRST_AGAIN_MS);
  return 'waits';
}

/** After a read that nobody answered, ms. */
const FIRST_AGAIN_MS = 10_000;

/** True if the read has settled one matter, and another one is left. */
const isDue = (payment: Payment, now: number): boolean => (dueReadAt(payment) ?? Number.POSITIVE_INFINITY) <= now;

/** True if nothing has been asked or learnt since: what was read is then newer than all that is on record. */
const isAsItWas = (before: KnownPayment, now: Payment): boolean =>
  isToCompare(now) &&
  now.attempts.length === before.attempts.length &&
  now.attempts.every((attempt, at) => {
    const was = before.attempts[at];
    return attempt.state === was?.state && attempt.events.length === was.events.length;
  });
