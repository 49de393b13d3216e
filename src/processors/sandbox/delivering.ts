// Sends the sandbox's notifications when they fall due: each by one process at a time, again and again until a 2xx.

import { type Alarm, type World, within } from '../../world.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { TakenNotification } from './ledger/ledger-request.ts';
import { SIGNATURE_HEADER, signatureOf } from './notifications/notification.ts';

/** At once; later due notifications wait for the next turn. */
const BATCH = 32;
const ANSWER_WITHIN_MS = 10_000;
/**
 * Longer than a whole batch may take, so that a second process sends one only when the first died with it. In business time, the one clock
 * that processes share: where it is set forward meanwhile, the receiver sees the same notificationId twice.
 */
const LEASE_MS = 30_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** How soon another process's notifications, and a clock that was set forward, are noticed. */
export const LOOK_EVERY_MS = 1_000;
/** Signs messages that must not be believed. */
const WRONG_SECRET = Buffer.alloc(32);

export interface DeliveryOptions {
  readonly ledger: Ledger;
  readonly world: World;
  /** Signs. */
  readonly secret: Buffer;
  readonly report: (fault: unknown) => void;
  readonly alarm: Alarm;
  readonly lookEveryMs: number;
}

/** Sends due notifications to `<publicUrl>/webhooks/sandbox` until the signal aborts; failed ones are tried again after 1 s to 1 min. */
export async function deliverUntil(signal: AbortSignal, publicUrl: string, options: DeliveryOptions): Promise<void> {
  const { ledger, world, report, alarm, lookEveryMs } = options;
  const url = `${publicUrl.replace(/\/+$/, '')}/webhooks/sandbox`;
  while (!signal.aborted) {
    const { rung } = alarm;
    try {
      const sent = await deliverDue(url, signal, options);
      if (sent === BATCH) continue;
      const now = world.now();
      const dueIn = ((await ledger.read((book) => book.nextAt(now))) ?? Number.POSITIVE_INFINITY) - now;
      await alarm.sleep(world, Math.min(Math.max(dueIn, 1), lookEveryMs), signal, rung);
    } catch (fault) {
      if (signal.aborted) return;
      report(fault);
      await world.sleep(LOOK_EVERY_MS, signal).catch(() => undefined);
    }
  }
}

/** The number that was taken. */
async function deliverDue(url: string, signal: AbortSignal, options: DeliveryOptions): Promise<number> {
  const { ledger, world } = options;
  const now = world.now();
  const nextAt = await ledger.read((book) => book.nextAt(now));
  if (nextAt === undefined || nextAt > now) return 0; // a write transaction only when there is something to take
  const taken = await ledger.submit({ kind: 'take', now, leaseUntil: now + LEASE_MS, limit: BATCH });
  if (taken.kind !== 'taken') throw new TypeError(`the ledger answered ${taken.kind} to take`);
  await Promise.all(taken.notifications.map((notification) => deliver(notification, url, signal, options)));
  return taken.notifications.length;
}

async function deliver(notification: TakenNotification, url: string, signal: AbortSignal, options: DeliveryOptions): Promise<void> {
  const { ledger, world } = options;
  const { notificationId, attempt, badlySigned } = notification;
  const accepted = await accepts(notification, url, signal, options);
  const nextAt = accepted && !badlySigned ? null : world.now() + Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS);
  await ledger.submit({ kind: 'finish', notificationId, attempt, nextAt });
}

/** Whether the receiver answered with a 2xx; a refusal, a lost connection and silence are all "not yet". */
async function accepts(
  { body, apiKey, badlySigned }: TakenNotification,
  url: string,
  signal: AbortSignal,
  { world, secret }: DeliveryOptions,
): Promise<boolean> {
  const headers = {
    'Content-Type': 'application/json',
    'X-Api-Key': apiKey,
    [SIGNATURE_HEADER]: signatureOf(badlySigned ? WRONG_SECRET : secret, body, world.now()),
  };
  const post = async (deadline: AbortSignal): Promise<boolean> => {
    const response = await world.fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'error',
      signal: AbortSignal.any([deadline, signal]),
    });
    await response.body?.cancel();
    return response.ok;
  };
  return (await within(world, ANSWER_WITHIN_MS, post).catch(() => false)) === true;
}
