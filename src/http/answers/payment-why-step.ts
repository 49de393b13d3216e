// A step of GET /payments/{id}/why: an event of the payment or of a notification, with what it says for programs and in
// words (contract §4).
import { z } from 'zod';
import type { NotificationEvent } from '../../domain/notification/events.ts';
import { parkedReason } from '../../domain/notification/parked-reason.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import { isRequested } from '../../domain/payment/fact-names.ts';
import type { EvidenceSource } from '../../domain/payment/outcome.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import { whyWords } from '../../domain/payment/why-words.ts';
import { publicEventId } from '../../domain/public-event-id.ts';
import type { NotificationStep, PaymentStep, WhyStep } from '../../queries/read-payment-why.ts';
import { formatTime } from '../../world.ts';
import { Instant } from './instant.ts';
import { callOf, toldOf, WhyCall, WhyTold } from './payment-why-call.ts';

const KINDS = ['ASKED', 'DECIDED', 'ANSWERED', 'LOOKED_UP', 'NOTIFIED', 'RESOLVED'] as const;
type StepKind = (typeof KINDS)[number];
const AMOUNTS = [
  'amountAuthorized',
  'amountCapturable',
  'amountCaptured',
  'amountRefundable',
  'amountRefunded',
] as const;

const Notified = z.strictObject({
  processor: z.string(),
  notificationId: z.string(),
  receivedAt: Instant,
  status: z.enum(['received', 'parked', 'applied', 'discarded']),
});
const Change = z.strictObject({
  member: z.enum(['status', ...AMOUNTS]),
  from: z.union([z.string(), z.int()]).optional(),
  to: z.union([z.string(), z.int()]),
});

export const PaymentWhyStep = z
  .strictObject({
    id: z.string().regex(/^evt_/),
    kind: z.enum(KINDS),
    type: z.string(),
    words: z.string(),
    date: Instant,
    revision: z.int().min(0).optional(),
    by: z.strictObject({
      kind: z.enum(['apiKey', 'checkout', 'operator', 'policy', 'processor', 'user']),
      id: z.string(),
      name: z.string().optional(),
    }),
    requestId: z.string(),
    causedBy: z.string().optional(),
    call: WhyCall.optional(),
    told: WhyTold.optional(),
    notification: Notified.optional(),
    changed: z.array(Change).min(1).optional(),
  })
  .meta({ id: 'PaymentWhyStep' });
export type PaymentWhyStep = z.infer<typeof PaymentWhyStep>;

/** `known`: the events that a step may name as its cause. `names`: of API keys and users, by id. */
export function paymentWhyStep(
  step: WhyStep,
  known: ReadonlySet<string>,
  names: ReadonlyMap<string, string>,
): PaymentWhyStep {
  const { event, recorded, metadata } = step.one;
  const { actor, $correlationId: requestId, $causationId: cause } = metadata;
  const name = names.get(actor.id);
  const by = { kind: actor.kind, id: actor.id, ...(name !== undefined && { name }) };
  return {
    id: publicEventId(recorded.id),
    type: event.type,
    date: formatTime(recorded.at),
    by,
    requestId,
    ...(known.has(cause) && { causedBy: publicEventId(cause) }),
    ...(step.kind === 'payment' ? paymentStep(step, whoOf(by)) : notificationStep(step, whoOf(by))),
  };
}

type StepPart = Pick<PaymentWhyStep, 'kind' | 'words' | 'revision' | 'call' | 'told' | 'notification' | 'changed'>;

function paymentStep({ one: { event, recorded }, before, after, operation }: PaymentStep, who: string): StepPart {
  const changed = changesOf(before, after);
  const told = toldOf(event, operation, after);
  const call = callOf(event, after);
  return {
    kind: kindOf(event),
    words: whyWords(event, operation, who, formatTime),
    revision: recorded.revision,
    ...(call !== undefined && { call }),
    ...(told !== undefined && { told }),
    ...(changed.length > 0 && { changed }),
  };
}

const BY_SOURCE: { readonly [S in EvidenceSource | 'clock']: StepKind } = {
  clock: 'DECIDED',
  answer: 'ANSWERED',
  lookup: 'LOOKED_UP',
  notification: 'NOTIFIED',
  operator: 'RESOLVED',
};

/** The requests other than operations. */
const ASKING: ReadonlySet<PaymentEvent['type']> = new Set([
  'PaymentCreated',
  'CancellationIntended',
  'AuthorizationResumed',
  'CustomerActionGivenUp',
  'DisputeEvidenceDrafted',
  'DisputeAnswerRequested',
] as const);

function kindOf(event: PaymentEvent): StepKind {
  const { data } = event;
  if ('evidence' in data && data.evidence !== undefined) return BY_SOURCE[data.evidence.source];
  if (ASKING.has(event.type)) return 'ASKED';
  return isRequested(event) && event.data.follows === undefined ? 'ASKED' : 'DECIDED';
}

function changesOf(before: Payment, after: Payment): z.infer<typeof Change>[] {
  if (!isKnown(after)) return [];
  const was = isKnown(before) ? before : undefined;
  return (['status', ...AMOUNTS] as const).flatMap((member) => {
    const [from, to] = [was?.[member], after[member]];
    if (from === to || (from === undefined && to === 0)) return [];
    return [{ member, ...(from !== undefined && { from }), to }];
  });
}

function notificationStep({ one: { event }, after }: NotificationStep, who: string): StepPart {
  if (after.status === 'absent') throw new TypeError('a notification with an event is absent');
  const { processor, notificationId, receivedAt, status } = after;
  return {
    kind: 'NOTIFIED',
    words: notificationWords(event, processor, who),
    notification: { processor, notificationId, receivedAt: formatTime(receivedAt), status },
  };
}

function notificationWords(event: NotificationEvent, processor: string, who: string): string {
  switch (event.type) {
    case 'NotificationReceived':
      return `A notification of the processor ${processor} arrived. ${who} delivered it. The notification was recorded first.`;
    case 'NotificationParked':
      return `The notification was parked: ${parkedReason(event.data.reason)}`;
    case 'NotificationRetryRequested':
      return `${who} asked to retry the notification.`;
    case 'NotificationApplied':
      return 'The notification was applied to the payment.';
    case 'CustomerErased':
      return `${who} erased the customer, and the body of the notification with the customer.`;
    case 'NotificationDiscarded':
      return `${who} discarded the notification.`;
    default:
      return event satisfies never;
  }
}

function whoOf({ kind, id, name }: PaymentWhyStep['by']): string {
  switch (kind) {
    case 'apiKey':
      return name === undefined ? `The API key ${id}` : `The API key “${name}”`;
    case 'checkout':
      return 'The checkout';
    case 'operator':
      return 'An operator at the command line';
    case 'policy':
      return 'The service';
    case 'processor':
      return `The processor ${id}`;
    case 'user':
      return name === undefined ? 'A user of the dashboard' : `The user ${name}`;
    default:
      return kind satisfies never;
  }
}
