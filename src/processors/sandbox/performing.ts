// One call of an operation or of a look-up, from its caller to the ledger and back, with the fault that strikes it.
import type { LookUp, Outcome, PaymentStanding, Unreachable } from '../../domain/payment/outcome.ts';
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import type { Alarm, World } from '../../world.ts';
import type {
  DisputeFound,
  DisputeQuestion,
  DisputeRequest,
  OperationRequest,
  StandingQuestion,
} from '../processor.ts';
import { paymentStanding } from './acquirer.ts';
import type { ChallengePage } from './authentication.ts';
import { disputeStatusAt, inRoundAt, noticeOf } from './disputes.ts';
import { isHidden, outcomeAt } from './entry.ts';
import type { Strike } from './fault-choice.ts';
import { type Fault, isAnswered, isBefore, learntFrom } from './faults.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { Performed } from './ledger/ledger-handler.ts';
import type { LedgerEntry } from './ledger/ledger-tables.ts';

/** How long an answer waits for its notification to be accepted, and how often it looks. */
const NOTIFIED_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 20;
const NEVER = new AbortController().signal;

const NO_ANSWER = 'no answer before the deadline';
const LATE: Outcome = { kind: 'unknown', detail: NO_ANSWER };
const TOO_LATE: Outcome = { kind: 'not_sent', detail: 'no connection before the deadline' };
const UNANSWERED: LookUp = { kind: 'unreachable', detail: NO_ANSWER };

/**
 * How much later (ms of business time) a slow call may still take effect; after that it has no effect. A look-up that
 * finds nothing after the consistency window is trusted, even if its card hides the operation for a minute more.
 */
const EFFECT_WITHIN_MS = 60_000;
const DROPPED: Outcome = { kind: 'unknown', detail: 'it was taken up too late, and dropped' };

export interface Sender {
  readonly ledger: Ledger;
  readonly world: World;
  readonly alarm: Alarm;
  /** Where the customer of an authorization would be challenged. */
  readonly challengePage: (reference: string) => ChallengePage;
  /** Hears of faults of the sandbox itself. */
  readonly report: (fault: unknown) => void;
}

/** The effect of a call in the ledger; `struck`: after the fault that struck it first. */
type SandboxEffect = (now: number, struck?: Strike) => Promise<Performed>;

/** An operation as its caller learns of it. */
export function performed(request: OperationRequest, sender: Sender, signal: AbortSignal): Promise<Outcome> {
  const { ledger, challengePage } = sender;
  const effect: SandboxEffect = async (now, struck) => {
    const reply = await ledger.write('perform', request, now, struck);
    return reply.kind === 'needs_page'
      ? ledger.write('perform', request, now, struck, challengePage(request.reference))
      : reply;
  };
  return learnt(effect, sender, signal);
}

/** Sends the merchant's response to a dispute. */
export const disputeAnswered = (request: DisputeRequest, sender: Sender, signal: AbortSignal): Promise<Outcome> =>
  learnt((now, struck) => sender.ledger.write('answerDispute', request, now, struck), sender, signal);

/**
 * The caller's knowledge of a call: its answer, or as much as is known when the signal aborts. The call itself goes on.
 */
async function learnt(effect: SandboxEffect, sender: Sender, signal: AbortSignal): Promise<Outcome> {
  if (signal.aborted) return { kind: 'not_sent', detail: 'the deadline had passed before it was sent' };
  let late = LATE;
  const learns = (known: Outcome): void => {
    late = known;
  };
  const work = perform(effect, sender, signal, learns).catch((fault): Outcome => {
    sender.report(fault);
    return fault instanceof StoreUnavailable && !fault.outcomeUnknown
      ? { kind: 'not_sent', detail: 'the sandbox is unavailable' }
      : { kind: 'unknown', detail: 'the sandbox failed while answering' };
  });
  return unlessAborted(signal, () => late, work);
}

/** Never settles where no answer comes. `learns` takes the caller's knowledge from then on. */
async function perform(
  effect: SandboxEffect,
  sender: Sender,
  signal: AbortSignal,
  learns: (late: Outcome) => void,
): Promise<Outcome> {
  const { world } = sender;
  const reply = await effect(world.now());
  if (reply.kind !== 'struck') return answered(reply, sender, signal);
  const { strike } = reply;
  const isUnsent = strike.fault.phase === 'before_send';
  if (isUnsent) learns(TOO_LATE);
  const since = world.steady();
  const goesOn = !isUnsent && (strike.fault.delayMs ?? 0) <= EFFECT_WITHIN_MS;
  await takeTime(world, strike.fault, goesOn ? NEVER : signal);
  if (strike.fault.fault !== 'slow') return learntFrom<Outcome>(strike.fault);
  if (isUnsent && signal.aborted) return TOO_LATE;
  learns(LATE);
  if ((signal.aborted && !goesOn) || world.steady() - since > EFFECT_WITHIN_MS) return DROPPED;
  return answered(await effect(world.now(), strike), sender, signal);
}

async function answered(reply: Performed, { ledger, world, alarm }: Sender, signal: AbortSignal): Promise<Outcome> {
  if (reply.kind !== 'performed') throw new TypeError('the ledger asks again');
  const { outcome, fault, isAnnounced, awaits } = reply;
  if (isAnnounced) alarm.ring();
  if (awaits !== undefined) await untilAccepted(awaits, ledger, world);
  if (fault === undefined) return outcome;
  await takeTime(world, fault, signal);
  return learntFrom(fault, outcome);
}

async function untilAccepted(id: string, ledger: Ledger, world: World): Promise<void> {
  const deadline = world.monotonic() + NOTIFIED_WITHIN_MS;
  while (world.monotonic() < deadline && (await ledger.read((tables) => tables.waits(id))))
    await world.sleep(LOOK_EVERY_MS, NEVER);
}

export async function lookedUp(request: OperationRequest, sender: Sender, signal: AbortSignal): Promise<LookUp> {
  if (signal.aborted) return { kind: 'unreachable', detail: 'the deadline had passed before it was asked' };
  return lookUp(request, sender, signal).catch((fault): LookUp => {
    sender.report(fault);
    return { kind: 'unreachable', detail: 'the sandbox is unavailable' };
  });
}

/** Ends what an operation may still do, and returns its state by then. Rules for look-ups apply to it. */
export async function fenced(request: OperationRequest, sender: Sender, signal: AbortSignal): Promise<LookUp> {
  const { ledger, world } = sender;
  const fence = async (): Promise<LookUp> => {
    const known = await ledger.read((tables) => tables.entryOf(request.reference));
    const fault = known && (await faultOf(known, ledger));
    if (fault !== undefined && isBefore(fault)) {
      await takeTime(world, fault, signal);
      return { kind: 'unreachable', detail: NO_ANSWER };
    }
    const entry = await ledger.write('fence', request, world.now());
    if (entry === undefined) return { kind: 'not_found' };
    if (fault !== undefined) await takeTime(world, fault, signal);
    const found = outcomeAt(entry, world.now());
    const learnt = fault === undefined ? found : learntFrom(fault, found);
    return learnt.kind === 'not_sent' || learnt.kind === 'unknown'
      ? { kind: 'unreachable', detail: learnt.detail }
      : learnt;
  };
  const work = fence().catch((fault): LookUp => {
    sender.report(fault);
    return { kind: 'unreachable', detail: 'the sandbox is unavailable' };
  });
  return unlessAborted(signal, () => UNANSWERED, work);
}

/** Rules strike look-ups of recorded references only: the owner of any other reference is unknown. */
async function lookUp(
  { reference, accountId }: OperationRequest,
  { ledger, world }: Sender,
  signal: AbortSignal,
): Promise<LookUp> {
  const entry = await ledger.read((tables) => tables.entryOf(reference));
  if (entry === undefined || entry.fenced === true || entry.accountId !== accountId) return { kind: 'not_found' };
  const found = (): LookUp => (isHidden(entry, world.now()) ? { kind: 'not_found' } : outcomeAt(entry, world.now()));
  const fault = await faultOf(entry, ledger);
  if (fault === undefined) return found();
  const learn = async (): Promise<LookUp> => {
    await takeTime(world, fault, signal);
    const learnt = learntFrom(fault, found());
    // A look-up that was not sent, or whose answer was lost, was not answered.
    return learnt.kind === 'not_sent' || learnt.kind === 'unknown'
      ? { kind: 'unreachable', detail: learnt.detail }
      : learnt;
  };
  return unlessAborted(signal, () => UNANSWERED, learn());
}

async function faultOf(entry: LedgerEntry, ledger: Ledger): Promise<Fault | undefined> {
  const { rules = [] } = await ledger.read((tables) => tables.faultsOf(entry.accountId));
  // Counting a look-up takes a write; most plans need none.
  return rules.some(({ match }) => match.operation === 'look_up') ? ledger.write('countLookUp', entry) : undefined;
}

/**
 * Until a fault shows, or the signal aborts; a day's delay must not keep an unwanted answer. A fault that never shows
 * is ended by the caller's deadline.
 */
export async function takeTime(world: World, { fault, delayMs = 0 }: Fault, signal: AbortSignal): Promise<void> {
  if (fault === 'hang') await new Promise<never>(() => undefined);
  if (delayMs > 0) await world.sleep(delayMs, signal).catch(() => undefined);
}

/** The work's result, or `late` as soon as the signal aborts; the work itself goes on. */
export function unlessAborted<T>(signal: AbortSignal, late: () => T, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => resolve(late());
    signal.addEventListener('abort', onAbort, { once: true });
    // It may have come while the ledger was read, before anybody listened.
    if (signal.aborted) onAbort();
    work.then(
      (result) => {
        signal.removeEventListener('abort', onAbort);
        resolve(result);
      },
      (fault: unknown) => {
        signal.removeEventListener('abort', onAbort);
        reject(fault);
      },
    );
  });
}

/** The dispute as the merchant may read it. */
export const disputeFound = (
  { disputeId, accountId }: DisputeQuestion,
  sender: Sender,
  signal: AbortSignal,
): Promise<DisputeFound> =>
  readOf<DisputeFound>(sender, signal, async () => {
    const { ledger, world } = sender;
    const dispute = await ledger.read((tables) => tables.disputeOf(disputeId));
    if (dispute === undefined || dispute.accountId !== accountId) return { kind: 'not_found' };
    if (await isReadLost(dispute, sender, signal)) return LOST;
    const now = world.now();
    const status = disputeStatusAt(dispute, now);
    return status === undefined
      ? { kind: 'not_found' }
      : { kind: 'found', dispute: noticeOf(inRoundAt(dispute, now), status) };
  });

/** A payment as a whole. */
export const standingRead = (
  { paymentId, processorTransactionId, accountId }: StandingQuestion,
  sender: Sender,
  signal: AbortSignal,
): Promise<PaymentStanding | Unreachable> =>
  readOf<PaymentStanding>(sender, signal, async () => {
    const { ledger, world } = sender;
    const entries = await ledger.read((tables) => tables.entriesOf(paymentId, processorTransactionId));
    const [authorization] = entries;
    if (authorization === undefined || authorization.accountId !== accountId) return unreachable('it has no such hold');
    if (await isReadLost(authorization, sender, signal)) return LOST;
    return paymentStanding(entries, world.now()) ?? unreachable('nothing was approved');
  });

const unreachable = (detail: string): Unreachable => ({ kind: 'unreachable', detail });
const LOST = unreachable('the answer was lost');

/** A read of the ledger under its caller's deadline; it has no effect. */
async function readOf<T>(
  { report }: Sender,
  signal: AbortSignal,
  read: () => Promise<T | Unreachable>,
): Promise<T | Unreachable> {
  if (signal.aborted) return unreachable('the deadline had passed before it was asked');
  const work = read().catch((fault): Unreachable => {
    report(fault);
    return unreachable('the sandbox is unavailable');
  });
  return unlessAborted<T | Unreachable>(signal, () => unreachable(NO_ANSWER), work);
}

/** True if a fault keeps the answer; rules for look-ups strike these reads as well. */
async function isReadLost(entry: LedgerEntry, { ledger, world }: Sender, signal: AbortSignal): Promise<boolean> {
  const fault = await faultOf(entry, ledger);
  if (fault !== undefined) await takeTime(world, fault, signal);
  return fault !== undefined && !isAnswered(fault);
}
