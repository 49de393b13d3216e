// Sends the sandbox's notifications when they fall due: each by one process at a time, again and again until a 2xx.
import { within } from '../../world.ts';
import type { TakenNotification } from './ledger/ledger-tables.ts';
import { SIGNATURE_HEADER, signatureOf } from './notifications.ts';
import type { Sender } from './performing.ts';

/** At once; later due notifications wait for the next turn. */
const BATCH = 32;
const ANSWER_WITHIN_MS = 10_000;
/**
 * Longer than a whole batch may take, so that a second process sends one only when the first died with it. In business
 * time, the one clock that processes share: where it is set forward meanwhile, the receiver sees the same
 * notificationId twice.
 */
const LEASE_MS = 30_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** How soon another process's notifications, and a clock that was set forward, are noticed. */
export const LOOK_EVERY_MS = 1_000;
/** The secret end of a path that stands for a key (contract §8): such a notification needs no header. */
const PATH_TOKEN = /^[0-9a-f]{32}_[0-9a-f]{64}$/;
/** Signs messages with a wrong signature. */
const WRONG_SECRET = Buffer.alloc(32);

interface DeliveryOptions extends Sender {
  /** Signs. */
  readonly secret: Buffer;
  readonly lookEveryMs: number;
}

/**
 * Sends due notifications to `<base>/webhooks/sandbox`, or to the path of their connection there, until the signal
 * aborts; failed ones are tried again after 1 s to 1 min.
 */
export async function deliverUntil(signal: AbortSignal, base: string, options: DeliveryOptions): Promise<void> {
  const { ledger, world, report, alarm, lookEveryMs } = options;
  const url = `${base}/webhooks/sandbox`;
  while (!signal.aborted) {
    const { rung } = alarm;
    try {
      const now = world.now();
      const dueAt = (await ledger.read((tables) => tables.nextAt(now))) ?? Number.POSITIVE_INFINITY;
      if (dueAt > now) {
        await alarm.sleep(world, Math.min(dueAt - now, lookEveryMs), signal, rung);
        continue;
      }
      const taken = await ledger.write('take', now, now + LEASE_MS, BATCH);
      await Promise.all(taken.map((notification) => deliver(notification, url, signal, options)));
    } catch (fault) {
      if (signal.aborted) return;
      report(fault);
      await world.sleep(LOOK_EVERY_MS, signal).catch(() => undefined);
    }
  }
}

async function deliver(
  notification: TakenNotification,
  url: string,
  signal: AbortSignal,
  options: DeliveryOptions,
): Promise<void> {
  const { ledger, world } = options;
  const { notificationId, attempt, badlySigned } = notification;
  const isDelivered = (await accepts(notification, url, signal, options)) && !badlySigned;
  const nextAt = isDelivered
    ? undefined
    : world.now() + Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS);
  await ledger.write('finish', notificationId, attempt, nextAt);
}

/** True if the receiver answered with a 2xx; a refusal, a lost connection and silence are all "not yet". */
async function accepts(
  { body, apiKey, badlySigned }: TakenNotification,
  url: string,
  signal: AbortSignal,
  { world, secret }: DeliveryOptions,
): Promise<boolean> {
  const byPath = PATH_TOKEN.test(apiKey);
  const headers = {
    'Content-Type': 'application/json',
    ...(!byPath && { 'X-Api-Key': apiKey }),
    [SIGNATURE_HEADER]: signatureOf(badlySigned ? WRONG_SECRET : secret, body, world.now()),
  };
  const post = async (deadline: AbortSignal): Promise<boolean> => {
    const until = AbortSignal.any([deadline, signal]);
    const response = await world.fetch(byPath ? `${url}/${apiKey}` : url, {
      method: 'POST',
      headers,
      body,
      redirect: 'error',
      signal: until,
    });
    await response.body?.cancel();
    return response.ok;
  };
  return (await within(world, ANSWER_WITHIN_MS, post).catch(() => false)) === true;
}
