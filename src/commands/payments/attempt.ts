// The only way to operations at a processor: a request is on record, its call is made, its outcome is recorded, until
// no follow-up remains; then come the consequences in other streams.
import { releaseSession } from '../../domain/client-session/decide.ts';
import { type Attempt, authorizationOf, isUnprepared } from '../../domain/payment/attempt.ts';
import { type AttemptTiming, recordVaulting } from '../../domain/payment/create.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import { attemptAskedFor } from '../../domain/payment/fact-names.ts';
import type { Outcome } from '../../domain/payment/outcome.ts';
import type { KnownPayment, Payment } from '../../domain/payment/payment.ts';
import { attemptOf, givesTokenBack, isKnown, isOver, wantsVaulting } from '../../domain/payment/queries.ts';
import { settleAttempt } from '../../domain/payment/settle.ts';
import type { Settlement } from '../../domain/payment/settlement.ts';
import { keepToken, releaseInstrument } from '../../domain/payment-instrument/decide.ts';
import type { Context } from '../../journal/context.ts';
import type { Folded } from '../../journal/fold.ts';
import { contextAfter, type Decide, type Transacted, transact } from '../../journal/transact.ts';
import type { AuthorizationRequest, Call, OperationRequest, Processor } from '../../processors/processor.ts';
import { aside } from '../effect.ts';
import { Admittance } from '../limits/circuits.ts';
import type { Timings } from '../payment-timings.ts';
import type { PaymentNeeds } from './needs.ts';
import { askProcessor, type CallMade, callProcessor, evidenceOf, operationRequest } from './processor-call.ts';
import { adoptIfForAgreement, settleIfCharge } from './settle-charge.ts';

/**
 * The time after which an attempt requested at `at` (ms) is no longer sent, and the time by which its call is over
 * (contract §4).
 */
export const attemptTiming = (at: number, { sendWithinMs, answerWithinMs }: Timings): AttemptTiming => ({
  at,
  sendBy: at + sendWithinMs,
  callEndsAt: at + sendWithinMs + answerWithinMs,
});

/**
 * A payment after its attempts, and the context of what follows: it names the last event that this process has
 * appended.
 */
interface Pursued {
  readonly folded: Folded<Payment>;
  readonly context: Context;
}

/** Events of a payment that this process has just appended. */
export type WrittenPayment = Transacted<Payment, PaymentEvent> & { readonly kind: 'written' };

/**
 * Calls the processor for every request among the events that this process has just appended, settles each answer,
 * goes on with the follow-ups, and concludes the payment. Never throws: once a request is on record its caller gets an
 * answer, and an outcome that could not be recorded here is looked up later. Answers the payment as it is then, with
 * the context of what follows from it. `startedAt` (World.monotonic) is from before the append, so that a process that
 * was stopped after it sends no attempt that another process has given up.
 */
export async function pursueAttempts(
  needs: PaymentNeeds,
  paymentId: string,
  written: WrittenPayment,
  context: Context,
  startedAt: number,
): Promise<Pursued> {
  const pursued = await performAll(needs, paymentId, written, context, startedAt);
  return { ...pursued, folded: await concludePayment(needs, paymentId, pursued.folded, pursued.context) };
}

async function performAll(
  needs: PaymentNeeds,
  paymentId: string,
  written: WrittenPayment,
  context: Context,
  startedAt: number,
): Promise<Pursued> {
  const { world, timings, watched } = needs;
  const allMs = timings.sendWithinMs + timings.answerWithinMs;
  let { folded } = written;
  let requested = attemptAskedFor(written.events);
  let caused = contextAfter(context, written);
  let times: CallTimes = { startedAt };
  /** No outcome follows the request here, so its document is shown before the caller is answered. */
  const end = async (): Promise<Pursued> => {
    await needs.payments.show(paymentId, folded);
    return { folded, context: caused };
  };
  while (requested !== undefined) {
    const { state } = folded;
    if (!isKnown(state)) return end();
    const attemptId: string = requested;
    const performed = await performAttempt(needs, paymentId, state, attemptId, times);
    const { kind } = performed.outcome;
    if (performed.late !== undefined) void recordLate(needs, paymentId, attemptId, performed, performed.late, caused);
    if (kind === 'unknown' || kind === 'not_sent') watched.watch(attemptId, NOTHING_PROVEN);
    const isAwaited = world.monotonic() - startedAt < timings.answerWithinMs;
    const admitted = new Admittance(needs.circuits);
    const skip = isAwaited && state.route !== undefined ? skipNow(needs, state, admitted) : undefined;
    // what was prepared is sent in the time of its first request
    const endsAt = kind === 'prepared' ? times.startedAt + allMs : undefined;
    times = { startedAt: world.monotonic(), endsAt };
    try {
      const told = { ...answered(attemptId, performed.outcome, performed.call), skip };
      const settled = await record(needs, paymentId, caused, settling(needs, told));
      // the shopper waits for both: the second one has what is left of the time of the first
      if (settled.kind === 'written' && settled.events.some(isFallback))
        times = { ...times, endsAt: startedAt + allMs };
      else admitted.leave();
      if (settled.kind !== 'rejected') folded = settled.folded;
      if (settled.kind !== 'written') return await end();
      caused = contextAfter(caused, settled);
      requested = attemptAskedFor(settled.events);
      await needs.cardTesting.settled(paymentId, folded.state, settled.events);
    } catch (fault) {
      admitted.leave();
      watched.watch(attemptId, NOTHING_PROVEN);
      needs.report(fault); // the outcome is not on record; the resolver asks the processor for it
      return end();
    }
  }
  return { folded, context: caused };
}

/**
 * Why a connection cannot be asked after a refusal at another one; undefined if it can, and is admitted there. Asked
 * again by each try to record the refusal.
 */
const skipNow =
  ({ connections }: PaymentNeeds, { accountId }: KnownPayment, admitted: Admittance): Settlement['skip'] =>
  (connectionId) => {
    if (!connections.isActive(accountId, connectionId)) return 'disabled';
    return admitted.enter({ accountId, connectionId }) === undefined ? undefined : 'circuit_open';
  };

const isFallback = (event: PaymentEvent): boolean =>
  event.type === 'AuthorizationRequested' && event.data.follows?.because === 'fallback';

/** A call that has just ended: no look-up came before it. */
const NOTHING_PROVEN = (): number => 0;

type DecideAt = (timing: AttemptTiming) => Decide<Payment, PaymentEvent>;

/** The settlement of an attempt by a processor's report. An action of the customer gets the token of its return. */
export const settling =
  (needs: PaymentNeeds, told: Omit<Settlement, keyof AttemptTiming | 'waits'>): DecideAt =>
  (timing) =>
    settleAttempt({ ...told, ...needs.resumeTokens.waiting(told, told.outcome, timing.at), ...timing });

const answered = (attemptId: string, outcome: CallMade['outcome'], call: CallMade['call']) =>
  ({ attemptId, outcome, evidence: evidenceOf('answer', outcome, call), source: 'answer' }) as const;

/** Appends a fact, at now. */
function record(
  needs: PaymentNeeds,
  paymentId: string,
  context: Context,
  decide: DecideAt,
): Promise<Transacted<Payment, PaymentEvent>> {
  const at = needs.world.now();
  const decided = decide(attemptTiming(at, needs.timings));
  return transact(needs.payments, paymentId, { ...context, at }, decided, { isFact: true });
}

/**
 * Records a response after the deadline. It is as good as a look-up: it is accepted, and its follow-ups are done. The
 * caller has already got a response, so this is not part of that operation. Never rejects.
 */
async function recordLate(
  needs: PaymentNeeds,
  paymentId: string,
  attemptId: string,
  { call }: CallMade,
  late: Promise<CallMade['outcome']>,
  context: Context,
): Promise<void> {
  try {
    const outcome = await late;
    if (outcome.kind === 'unknown' || outcome.kind === 'prepared') return;
    const told = settling(needs, answered(attemptId, outcome, call));
    await recordFact(needs, paymentId, aside(context, needs.world), told);
  } catch (fault) {
    needs.report(fault);
  }
}

/**
 * Records a fact about a payment from any outside source, and does all that follows: its requests are pursued, the
 * payment concluded. Answers what was written, with the payment as it is after all that. Throws StoreUnavailable while
 * nothing is on record.
 */
export async function recordFact(
  needs: PaymentNeeds,
  paymentId: string,
  context: Context,
  decide: DecideAt,
): Promise<Transacted<Payment, PaymentEvent>> {
  const startedAt = needs.world.monotonic();
  const recorded = await record(needs, paymentId, context, decide);
  if (recorded.kind !== 'written') return recorded;
  await needs.cardTesting.settled(paymentId, recorded.folded.state, recorded.events);
  const { folded } = await pursueAttempts(needs, paymentId, recorded, context, startedAt);
  return { ...recorded, folded };
}

/** The times of a call by World.monotonic: from before its request was appended, and when it must be over. */
interface CallTimes {
  readonly startedAt: number;
  /** At the latest; undefined: `answerWithinMs` after it was sent. */
  readonly endsAt?: number | undefined;
}

/**
 * Prepares the attempt, where that comes first and is not on record, or performs it: one call, not too late, under its
 * deadline, its outcome graded by evidence (contract §1). Never throws. Its request was appended by this process.
 */
async function performAttempt(
  needs: PaymentNeeds,
  paymentId: string,
  payment: KnownPayment,
  attemptId: string,
  { startedAt, endsAt }: CallTimes,
): Promise<CallMade> {
  const { world, timings } = needs;
  const attempt = attemptOf(payment, attemptId);
  // a capture may be this process's first call by a connection, whose adapter is opened then
  const processor =
    attempt && (needs.processors.get(attempt.processor) ?? (await needs.connections.processor(attempt.processor)));
  // the processor already has a resumed attempt: a call that did not continue it says nothing about its outcome
  const notCalled = (detail: string): CallMade => ({
    outcome: { kind: attempt?.resumed === true ? 'unknown' : 'not_sent', detail },
  });
  if (attempt === undefined || processor === undefined)
    return notCalled(`no processor ${payment.processor} on this node`);
  // By both clocks of the process that requested it: only the wall clock moves on while a machine is suspended.
  const isLate = (): boolean => world.monotonic() - startedAt > timings.sendWithinMs || world.now() > attempt.sendBy;
  if (isLate()) return notCalled('the time to send it had passed');
  let request = operationRequest(paymentId, payment, attempt);
  const bounds = { what: request.operation, accountId: payment.accountId, isLate };
  if (request.operation === 'authorization') {
    // Only the processor gets the customer's return URL: its token is in no look-up, and in no record.
    request = { ...request, returnUrl: needs.resumeTokens.returnUrl(paymentId, payment, attempt) };
    if (isUnprepared(attempt)) return prepareAttempt(needs, processor, attempt, request, isLate);
  }
  if (attempt.resumed !== true)
    return callProcessor(needs, attempt, (call) => processor.perform(request, call), { ...bounds, endsAt });
  const resumption = { ...bounds, what: 'resumption' };
  const { outcome, ...made } = await callProcessor(
    needs,
    attempt,
    (call) => goOn(processor, request, call),
    resumption,
  );
  // nothing was sent, and the processor has the attempt all the same
  return { ...made, outcome: outcome.kind === 'not_sent' ? { ...outcome, kind: 'unknown' } : outcome };
}

/** The longest preparation, ms: what follows it needs the rest of the caller's time. */
const PREPARE_WITHIN_MS = 10_000;

/** Without an answer nothing was sent that may move money, and nothing will be: nobody has its name. */
async function prepareAttempt(
  needs: PaymentNeeds,
  processor: Processor,
  attempt: Attempt,
  request: AuthorizationRequest,
  isLate: () => boolean,
): Promise<CallMade> {
  const { prepare } = processor;
  if (prepare === undefined)
    return {
      outcome: { kind: 'not_sent', detail: `the processor ${processor.name} of this node prepares nothing` },
    };
  const patienceMs = Math.min(PREPARE_WITHIN_MS, needs.timings.answerWithinMs / 2);
  const endsAt = needs.world.monotonic() + patienceMs;
  const bounds = { what: 'preparation', accountId: request.accountId, isLate, endsAt };
  const { outcome, call, late } = await callProcessor(needs, attempt, (made) => prepare(request, made), bounds);
  void late?.catch(needs.report); // it moves nothing, and nobody confirms it
  return {
    outcome: outcome.kind === 'unknown' ? { ...outcome, kind: 'not_sent' } : outcome,
    ...(call !== undefined && { call }),
  };
}

/**
 * Asks a processor that continues on its own about the outcome. Whatever prevents the question, the processor has the
 * attempt.
 */
async function goOn(processor: Processor, request: OperationRequest, call: Call): Promise<Outcome> {
  const told =
    processor.resume === undefined ? await processor.lookUp(request, call) : await processor.resume(request, call);
  switch (told.kind) {
    case 'not_found':
      return { kind: 'unknown', detail: 'the processor does not know the reference' };
    case 'released':
      return { kind: 'unknown', detail: 'it had succeeded, and a fence took it back' };
    case 'not_sent':
    case 'unreachable':
      return { kind: 'unknown', detail: told.detail };
    default:
      return told;
  }
}

/**
 * Releases the claims of a payment that is over, puts the end of a charge on record in its agreement, and vaults the
 * card of an authorized payment that asked for it. Never
 * throws: a later command displaces a claim that was not released, and a policy finds vaulting that was not done.
 * Answers the payment with what this call recorded in it.
 */
export async function concludePayment(
  needs: PaymentNeeds,
  paymentId: string,
  folded: Folded<Payment>,
  context: Context,
): Promise<Folded<Payment>> {
  const { state: payment } = folded;
  if (!isKnown(payment)) return folded;
  try {
    if (isOver(payment)) await giveBack(needs, paymentId, payment, context);
    await settleIfCharge(needs, paymentId, payment, context);
    const kept = wantsVaulting(payment)
      ? ((await vault(needs, paymentId, payment, folded.head.revision, context)) ?? folded)
      : folded;
    await adoptIfForAgreement(needs, paymentId, kept.state, context);
    return kept;
  } catch (fault) {
    needs.report(fault);
  }
  return folded;
}

/** Releases session and token as far as the payment, which is over, holds them. Throws StoreUnavailable. */
export async function giveBack(
  needs: PaymentNeeds,
  paymentId: string,
  payment: KnownPayment,
  context: Context,
): Promise<void> {
  if (payment.sessionId !== undefined)
    await transact(needs.sessions, payment.sessionId, context, releaseSession(paymentId));
  if (givesTokenBack(payment))
    await transact(needs.instruments, payment.paymentMethod.paymentMethodToken, context, releaseInstrument(paymentId));
}

/**
 * Asks the processor for the token under which it keeps a card, or another means, that it took for one payment, and
 * adds the token to the instrument. False while the processor does not say: the policy asks again for ten minutes. True
 * without such a token, too.
 */
async function addKeptToken(
  needs: PaymentNeeds,
  paymentId: string,
  payment: KnownPayment,
  context: Context,
): Promise<boolean> {
  const token = payment.paymentMethod.paymentMethodToken;
  const attempt = authorizationOf(payment);
  const { state: instrument } = await needs.instruments.load(token);
  if (instrument.status === 'absent' || instrument.paysOnce !== true || attempt === undefined) return true;
  const { accountId } = payment;
  const { processor, connectionId } = attempt;
  const { kept } = (await needs.connections.processor(processor)) ?? {};
  const request = operationRequest(paymentId, payment, attempt);
  if (kept === undefined || request.operation !== 'authorization' || request.keeps !== true) return true;
  // Without an answer for so long the card is not saved, and that is on record: the policy asks every second.
  if (needs.world.now() - payment.dateUpdated > KEPT_UNTIL_MS) return true;
  if (!needs.circuits.wouldAdmit({ accountId, connectionId })) return false;
  const route = { processor, connectionId };
  const asked = { what: 'question for the kept card', accountId, patienceMs: KEPT_WITHIN_MS, isUncounted: true };
  const told = await askProcessor(needs, route, asked, (call) => kept(request, call));
  if (told.kind !== 'kept') return told.kind === 'not_found';
  const { kind: _answer, ...keptToken } = told;
  await transact(needs.instruments, token, context, keepToken({ processor, connectionId, ...keptToken }));
  return true;
}

/** The shopper waits for it. */
const KEPT_WITHIN_MS = 5_000;
const KEPT_UNTIL_MS = 600_000;

async function vault(
  needs: PaymentNeeds,
  paymentId: string,
  payment: KnownPayment,
  revision: number,
  context: Context,
): Promise<Folded<Payment> | undefined> {
  const { customerId, paymentMethod } = payment;
  if (customerId === undefined || !(await addKeptToken(needs, paymentId, payment, context))) return undefined;
  const vaulted = await needs.vaultFor(paymentMethod.paymentMethodToken, { customerId, paymentId }, context);
  // lost races refuse nothing: the policy goes on
  if (vaulted.kind === 'rejected' && vaulted.errorId === 'Conflict') return undefined;
  const outcome = vaulted.kind === 'rejected' ? { refused: vaulted.errorId } : { paymentMethodToken: vaulted.id };
  const recorded = await transact(needs.payments, paymentId, context, recordVaulting(outcome));
  if (recorded.kind === 'written') return recorded.folded;
  // A repetition on another node was first: its record is part of both operations' answers.
  for await (const { event, metadata, recorded: place } of needs.payments.history(paymentId, revision)) {
    if (event.type === 'VaultingRecorded' && metadata.operationId === context.operationId)
      return needs.payments.at(paymentId, place.revision);
  }
  return undefined;
}
