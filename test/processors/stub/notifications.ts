// The notifications of the acquirer Stub: `X-Stub-Signature: t=<unix s>,v1=<hex HMAC-SHA256 of "t.body">`, and several
// events a body.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { NotificationHeaders, ProcessorNotification } from '../../../src/processors/processor.ts';
import { outcomeOf, readAs, Transaction } from './wire.ts';

const TOLERANCE_SECONDS = 300;
const id = z.string().min(1).max(255);
/** ms */
const at = z.int().min(0);

const Event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('decided'), id, at, transaction: Transaction }),
  /**
   * The money of a refund or a capture came back. `authorization`: the acquirer's name of the one that it belongs to.
   */
  z.object({ type: z.literal('returned'), id, at, transaction: Transaction, authorization: id }),
]);
const Body = z.object({ events: z.array(Event).min(1) });

function notificationOf(event: z.infer<typeof Event>): ProcessorNotification | undefined {
  const { transaction, id: notificationId, at: occurredAt } = event;
  const { operation, reference, amount, currency: currencyCode, id: processorTransactionId } = transaction;
  if (event.type === 'returned') {
    if (operation !== 'refund' && operation !== 'capture') return undefined;
    const subject = { processorTransactionId: event.authorization };
    return {
      notificationId,
      occurredAt,
      subject,
      about: { reversalOf: operation, processorTransactionId, amount, currencyCode },
    };
  }
  const outcome = outcomeOf(transaction);
  return outcome.kind === 'pending'
    ? undefined
    : { notificationId, occurredAt, subject: { reference }, about: { operation, outcome } };
}

/**
 * All events of a body in their order; undefined if one of them cannot be read: then none is taken, and the acquirer
 * sends all again.
 */
export function read(raw: string): readonly ProcessorNotification[] | undefined {
  const read = readAs(Body, raw)?.events.map(notificationOf);
  return read?.every((one) => one !== undefined) ? read : undefined;
}

/** The header's value. `now` in ms. */
export function signatureOf(secret: string, raw: string, now: number): string {
  const seconds = Math.floor(now / 1_000);
  return `t=${seconds},v1=${mac(secret, `${seconds}.${raw}`).toString('hex')}`;
}

const mac = (secret: string, text: string): Buffer => createHmac('sha256', secret).update(text).digest();

/** Over the very bytes that came, at most 5 minutes from `now` (ms), compared in constant time. */
export function isSigned(secret: string, raw: string, headers: NotificationHeaders, now: number): boolean {
  const [, seconds, hex] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(headers['x-stub-signature'] ?? '') ?? [];
  if (seconds === undefined || hex === undefined || Math.abs(now / 1_000 - Number(seconds)) > TOLERANCE_SECONDS)
    return false;
  return timingSafeEqual(mac(secret, `${seconds}.${raw}`), Buffer.from(hex, 'hex'));
}
