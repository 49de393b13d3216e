// One call of an operation, from its caller to the ledger and back, with the fault that strikes it and the notification that overtakes it.

import type { Alarm, World } from '../../world.ts';
import type { OperationRequest, Outcome } from '../processor.ts';
import { outcomeAt } from './entry.ts';
import type { Fault } from './faults/fault.ts';
import { learntFrom } from './faults/learning.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { LedgerReply } from './ledger/ledger-request.ts';

/** How long an answer waits for its notification to be accepted, and how often it looks. */
const NOTIFIED_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 20;
const NEVER = new AbortController().signal;

const LATE: Outcome = { kind: 'unknown', detail: 'no answer before the deadline' };
const TOO_LATE: Outcome = { kind: 'not_sent', detail: 'no connection before the deadline' };

/**
 * How much later, ms of business time, a slow call may still take effect; after that it has no effect. A look-up that finds nothing
 * after the consistency window is believed, also where its card hides it for a minute more.
 */
const EFFECT_WITHIN_MS = 60_000;
const DROPPED: Outcome = { kind: 'unknown', detail: 'it was taken up too late, and dropped' };

/** The progress of a call. */
export interface Way {
  /** The caller's knowledge if the deadline comes now. */
  late: Outcome;
}
export const newWay = (): Way => ({ late: LATE });

export interface Sender {
  readonly ledger: Ledger;
  readonly world: World;
  readonly alarm: Alarm;
}

/** Never settles where no answer comes; `signal`: its caller's. Throws what Ledger.submit throws. */
export async function performed(request: OperationRequest, sender: Sender, signal: AbortSignal, way: Way): Promise<Outcome> {
  const { ledger, world } = sender;
  const reply = await ledger.submit({ kind: 'perform', request, now: world.now() });
  if (reply.kind !== 'struck') return answered(reply, sender, signal);
  const { strike, fault } = reply;
  const isUnsent = fault.phase === 'before_send';
  if (isUnsent) way.late = TOO_LATE;
  const since = world.steady();
  const goesOn = !isUnsent && (fault.delayMs ?? 0) <= EFFECT_WITHIN_MS;
  await takeTime(world, fault, goesOn ? NEVER : signal);
  if (fault.fault !== 'slow') return learntFrom<Outcome>(fault, undefined);
  if (isUnsent && signal.aborted) return TOO_LATE;
  way.late = LATE;
  if ((signal.aborted && !goesOn) || world.steady() - since > EFFECT_WITHIN_MS) return DROPPED;
  return answered(await ledger.submit({ kind: 'perform', request, now: world.now(), struck: strike }), sender, signal);
}

async function answered(reply: LedgerReply, { ledger, world, alarm }: Sender, signal: AbortSignal): Promise<Outcome> {
  if (reply.kind !== 'performed') throw new TypeError(`the ledger answered ${reply.kind} to perform`);
  const { entry, fault, dueAt, awaits } = reply;
  if (dueAt !== undefined) alarm.ring();
  if (awaits !== undefined) await untilAccepted(awaits, ledger, world);
  if (fault === undefined) return outcomeAt(entry, world.now());
  await takeTime(world, fault, signal);
  return learntFrom(fault, outcomeAt(entry, world.now()));
}

/**
 * Until a fault shows, or the signal aborts; a day's delay must not keep an unwanted answer. A fault that never shows is ended by
 * the caller's deadline.
 */
export async function takeTime(world: World, { fault, delayMs = 0 }: Fault, signal: AbortSignal): Promise<void> {
  if (fault === 'hang') await new Promise<never>(() => undefined);
  if (delayMs > 0) await world.sleep(delayMs, signal).catch(() => undefined);
}

async function untilAccepted(id: string, ledger: Ledger, world: World): Promise<void> {
  const deadline = world.monotonic() + NOTIFIED_WITHIN_MS;
  while (world.monotonic() < deadline && (await ledger.read((book) => book.waits(id)))) await world.sleep(LOOK_EVERY_MS, NEVER);
}

/** The work's result, or `late` as soon as the signal aborts; the work itself goes on. */
export function unlessAborted<T>(signal: AbortSignal, late: () => T, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => resolve(late());
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
