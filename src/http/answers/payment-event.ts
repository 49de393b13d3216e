// GET /payments/{id}/events: what happened to a payment, oldest first, without what only we need to know (contract §4).
import { z } from 'zod';
import type { PaymentEvent } from '../../domain/payment/state.ts';
import type { Unsealed } from '../../journal/envelope.ts';
import { formatTime } from '../../world.ts';
import { Instant } from './instant.ts';

export const PaymentEventAnswer = z
  .strictObject({
    id: z.string().regex(/^evt_/),
    type: z.string(),
    date: Instant,
    revision: z.int().min(0),
    actor: z.strictObject({ kind: z.enum(['apiKey', 'checkout', 'operator', 'policy', 'processor']), id: z.string() }),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'PaymentEvent' });
export type PaymentEventAnswer = z.infer<typeof PaymentEventAnswer>;

/** Without `nextCursor` there are no more. */
export const PaymentEventListAnswer = z
  .strictObject({ data: z.array(PaymentEventAnswer), nextCursor: z.string().optional() })
  .meta({ id: 'PaymentEventList' });
export type PaymentEventListAnswer = z.infer<typeof PaymentEventListAnswer>;

/** `date` is when it was recorded; when something happened is in its data. */
export const paymentEventAnswer = ({ event, recorded, metadata }: Unsealed<PaymentEvent>): PaymentEventAnswer => ({
  id: `evt_${recorded.id}`,
  type: event.type,
  date: formatTime(recorded.at),
  revision: recorded.revision,
  actor: { kind: metadata.actor.kind, id: metadata.actor.id },
  data: publicMembers(event.data),
});

export const paymentEventListAnswer = (events: readonly Unsealed<PaymentEvent>[], nextCursor?: string): PaymentEventListAnswer => ({
  data: events.map(paymentEventAnswer),
  ...(nextCursor !== undefined && { nextCursor }),
});

/** The caller's own account, the names that the processor and the store key give to a card, and raw answers stay here. */
const PRIVATE: ReadonlySet<string> = new Set(['accountId', 'processorToken', 'fingerprint', 'received']);
const TIMES: ReadonlySet<string> = new Set([
  'at',
  'createdAt',
  'abandonedAt',
  'requestedAt',
  'sendBy',
  'sentAt',
  'lookUpAt',
  'holdExpiresAt',
]);
/** What a Date can say, ms; a processor's word may be any number. */
const LAST_TIME = 8.64e15;
/** The objects that are the service's own; the others are the caller's words. */
const OWN: ReadonlySet<string> = new Set(['paymentMethod', 'evidence', 'sent']);

const publicMembers = (data: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(data)
      .filter(([name, value]) => !PRIVATE.has(name) && value !== undefined && !isEmptyList(value))
      .map(([name, value]) => [name, publicMember(name, value)]),
  );

function publicMember(name: string, value: unknown): unknown {
  if (TIMES.has(name) && typeof value === 'number' && Math.abs(value) <= LAST_TIME) return formatTime(value);
  return OWN.has(name) && typeof value === 'object' && value !== null ? publicMembers(value) : value;
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
