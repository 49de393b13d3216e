// The sandbox's notifications as they come in: their payload and signature (contract §8).

import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { disputeTypes } from '../../../domain/dispute-status.ts';
import { Check, type Declined, type Succeeded } from '../../../domain/payment/outcome.ts';
import { parseTime } from '../../../world.ts';
import {
  type DisputeNotice,
  type NotificationHeaders,
  OPERATIONS,
  type ProcessorNotification,
} from '../../processor.ts';
import { declineTypeOf } from '../decline-codes.ts';
import { ThreeDSecure } from '../entry.ts';
import { CHANGED, EXPIRED, RETURNED } from '../names.ts';
import { readAs } from '../read-as.ts';

const TOLERANCE_SECONDS = 300;
export const SIGNATURE_HEADER = 'X-Sandbox-Signature';

const name = z.string().min(1).max(255);
const CurrencyCode = z.string().regex(/^[A-Z]{3}$/);

export const Dispute: z.ZodType<DisputeNotice> = z.object({
  id: name,
  status: name,
  type: z.enum(disputeTypes).exactOptional(),
  refunded: z.object({ amount: z.int().min(0), refunds: z.array(name) }).exactOptional(),
  amount: z.int().min(0),
  currencyCode: CurrencyCode,
  reason: name.exactOptional(),
  reasonCode: name.exactOptional(),
  openedAt: z.int().exactOptional(),
  challengeRequiredBy: z.int().exactOptional(),
});

/** Members that a later version of the sandbox adds are ignored: an outcome must not be lost over them. */
const Payload = z.object({
  notificationId: name,
  type: name,
  /** RFC 3339, as ms */
  occurredAt: z.string().transform(parseTime).pipe(z.number()),
  reference: name,
  processorTransactionId: name,
  amount: z.int().min(0),
  currencyCode: CurrencyCode,
  declineCode: name.optional(),
  threeDSecure: ThreeDSecure.optional().catch(undefined),
  /** The checks of an authorization that succeeded. */
  avsResult: Check.optional().catch(undefined),
  cvcResult: Check.optional().catch(undefined),
  /** An authorization that took the money. */
  captured: z.literal(true).optional().catch(undefined),
  dispute: Dispute.optional(),
});
type Payload = z.output<typeof Payload>;

const mac = (secret: Buffer, seconds: string, body: string): Buffer =>
  createHmac('sha256', secret).update(`${seconds}.${body}`).digest();

/** The header's value: `t=<unix s>,v1=<hex HMAC-SHA256 of "t.body">`. `now` in ms. */
export function signatureOf(secret: Buffer, body: string, now: number): string {
  const seconds = String(Math.floor(now / 1_000));
  return `t=${seconds},v1=${mac(secret, seconds, body).toString('hex')}`;
}

/**
 * Whether any of the signatures is one of this body by any of the secrets, at most 5 minutes from now; compared in
 * constant time. A header has one time and any number of signatures, in any order; members of other schemes are left to
 * those who know them.
 */
function isSigned(secrets: readonly Buffer[], header: string, body: string, now: number): boolean {
  const members = header.split(',');
  const [seconds, ...others] = members.flatMap((member) => /^t=(\d{1,12})$/.exec(member)?.[1] ?? []);
  const given = members
    .flatMap((member) => /^v1=([0-9a-f]{64})$/.exec(member)?.[1] ?? [])
    .map((hex) => Buffer.from(hex, 'hex'));
  if (seconds === undefined || others.length > 0 || Math.abs(now / 1_000 - Number(seconds)) > TOLERANCE_SECONDS)
    return false;
  return secrets.some((secret) => {
    const expected = mac(secret, seconds, body);
    return given.some((one) => timingSafeEqual(expected, one));
  });
}

function aboutOf({
  type,
  dispute,
  declineCode: code = 'GENERIC_DECLINE',
  threeDSecure,
  avsResult,
  cvcResult,
  captured,
  ...told
}: Payload): ProcessorNotification['about'] | undefined {
  const { processorTransactionId, amount, currencyCode } = told;
  const operation = OPERATIONS.find((one) => type === `${one}.succeeded` || type === `${one}.failed`);
  const checks = {
    ...(avsResult && { avsResult }),
    ...(cvcResult && { cvcResult }),
    ...(threeDSecure && { threeDSecure }),
    ...(captured && { captured }),
  };
  const isChecked = operation === 'authorization' && Object.keys(checks).length > 0;
  if (operation !== undefined) {
    const outcome: Succeeded | Declined = type.endsWith('.succeeded')
      ? { kind: 'succeeded', processorTransactionId, amount, currencyCode, ...(isChecked && { authorization: checks }) }
      : {
          kind: 'declined',
          code,
          declineType: declineTypeOf(code),
          processorTransactionId,
          ...(operation === 'authorization' && threeDSecure && { threeDSecure }),
        };
    return { operation, outcome };
  }
  if (type === EXPIRED) return { authorizationExpired: true };
  if (type === CHANGED) return { look: true };
  if (type === RETURNED) return { reversalOf: 'capture', processorTransactionId, amount, currencyCode };
  return dispute !== undefined && (type === 'dispute.opened' || type === 'dispute.updated') ? { dispute } : undefined;
}

/** The parts of a payload, one thing each; undefined if it is not one of ours. No signature is checked. */
export function read(raw: string): readonly ProcessorNotification[] | undefined {
  const payload = readAs(Payload, raw);
  const about = payload && aboutOf(payload);
  if (payload === undefined || about === undefined) return undefined;
  const { notificationId, occurredAt, reference } = payload;
  return [{ notificationId, occurredAt, subject: { reference }, about }];
}

/** The header's name is looked up in lower case, as Node's HTTP server gives it. `now` in ms. */
export function readSigned(
  secrets: readonly Buffer[],
  raw: string,
  headers: NotificationHeaders,
  now: number,
): readonly ProcessorNotification[] | 'bad_signature' | 'unparsable' {
  if (!isSigned(secrets, headers[SIGNATURE_HEADER.toLowerCase()] ?? '', raw, now)) return 'bad_signature';
  return read(raw) ?? 'unparsable';
}
