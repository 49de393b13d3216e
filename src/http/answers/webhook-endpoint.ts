// A webhook endpoint as the dashboard shows it: never with its secret, but right after the secret was made.
import { z } from 'zod';
import { ENDPOINT_STATES, type ExistingEndpoint, endpointState } from '../../domain/webhook-endpoint/state.ts';
import { isSuccess } from '../../domain/webhook-queue/decide.ts';
import type { DeliveryAttempt } from '../../domain/webhook-queue/state.ts';
import type { EndpointCounts, EndpointHealth } from '../../queries/webhook-endpoints.ts';
import { formatTime } from '../../world.ts';

const time = z.iso.datetime({ precision: 3 });

/** How a call of a receiver ended: its status, or why there was no answer. */
export const LastAttempt = z.strictObject({
  at: time,
  tookMs: z.int(),
  status: z.int().nullable(),
  fault: z.string().nullable(),
});
type LastAttempt = z.infer<typeof LastAttempt>;

/** `gone`: the receiver answered 410. */
export const EndpointStateAnswer = z.enum(ENDPOINT_STATES);

export const WebhookEndpointAnswer = z
  .strictObject({
    id: z.string(),
    url: z.string(),
    /** The wanted types of messages; null: all, later ones too. */
    events: z.array(z.string()).nullable(),
    state: EndpointStateAnswer,
    /** The revision of its stream: a change repeats it as If-Match. */
    version: z.int(),
    addedAt: time,
    disabledAt: time.nullable(),
    deletedAt: time.nullable(),
    /** After a rotation: the secret before signs as well until then, by the clock of the machine. */
    previousUntil: time.nullable(),
    /** `unused`: it was never called. `failing`: its last call was not taken. */
    health: z.enum(['unused', 'healthy', 'failing']),
    lastAttempt: LastAttempt.nullable(),
    /** A message waits: it is due then. */
    nextAttemptAt: time.nullable(),
    /** Deliveries were given up after the last retry; the newest message of their payments is of then. */
    failedAt: time.nullable(),
  })
  .meta({ id: 'DashboardWebhookEndpoint' });
export type WebhookEndpointAnswer = z.infer<typeof WebhookEndpointAnswer>;

const timeOf = (ms: number | undefined): string | null => (ms === undefined ? null : formatTime(ms));

const count = z.int().min(0);
/** `isMore`: there are more than were counted. */
const MessageCount = z.strictObject({ count, isMore: z.boolean() });

/** An endpoint with its messages in numbers. */
export const CountedEndpointAnswer = WebhookEndpointAnswer.extend({
  /** Never tried; `since`: the time of the oldest. */
  waiting: MessageCount.extend({ since: time.nullable() }),
  retrying: MessageCount,
  /** Messages whose last call was in the last 24 hours, and ended so. */
  lastDay: z.strictObject({ delivered: MessageCount, failed: MessageCount }),
}).meta({ id: 'DashboardCountedWebhookEndpoint' });
export type CountedEndpointAnswer = z.infer<typeof CountedEndpointAnswer>;

export const countedEndpointAnswer = (
  endpoint: WebhookEndpointAnswer,
  { waiting: { since, ...waiting }, retrying, delivered, failed }: EndpointCounts,
): CountedEndpointAnswer => ({
  ...endpoint,
  waiting: { ...waiting, since: timeOf(since) },
  retrying,
  lastDay: { delivered, failed },
});

/** `realTime`: of the machine's clock, ms. */
export function webhookEndpointAnswer(
  { id, doc, revision }: { readonly id: string; readonly doc: ExistingEndpoint; readonly revision: number },
  health: EndpointHealth,
  realTime: number,
): WebhookEndpointAnswer {
  const { url, events, status, addedAt, disabled, deletedAt, previousExpiresAt } = doc;
  const isEnabled = status === 'enabled';
  const { lastAttempt } = health;
  return {
    id,
    url,
    events: events === undefined ? null : [...events],
    state: endpointState(doc),
    version: revision,
    addedAt: formatTime(addedAt),
    disabledAt: timeOf(disabled?.at),
    deletedAt: timeOf(deletedAt),
    previousUntil:
      isEnabled && previousExpiresAt !== undefined && realTime < previousExpiresAt
        ? formatTime(previousExpiresAt)
        : null,
    health: lastAttempt === undefined ? 'unused' : isSuccess(lastAttempt.status) ? 'healthy' : 'failing',
    lastAttempt: lastAttempt === undefined ? null : lastAttemptAnswer(lastAttempt),
    nextAttemptAt: isEnabled ? timeOf(health.dueAt) : null,
    failedAt: timeOf(health.failedAt),
  };
}

export const lastAttemptAnswer = ({ at, tookMs, status, fault }: DeliveryAttempt): LastAttempt => ({
  at: formatTime(at),
  tookMs,
  status: status ?? null,
  fault: fault ?? null,
});
