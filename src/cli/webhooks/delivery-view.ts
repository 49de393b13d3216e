// A delivery as the command line prints it.
import { publicEventId } from '../../domain/public-event-id.ts';
import type { Delivery } from '../../queries/list-deliveries.ts';
import { formatTime } from '../../world.ts';

export interface DeliveryView {
  readonly id: string;
  readonly endpointId: string;
  readonly paymentId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly sequence: number;
  readonly previousSequence: number | null;
  readonly status: 'waiting' | 'delivered' | 'failed';
  readonly queuedAt: string;
  readonly nextAttemptAt: string | null;
  readonly attempts: readonly {
    readonly at: string;
    readonly tookMs: number;
    readonly status: number | null;
    readonly fault: string | null;
  }[];
}

export const deliveryView = ({ id, queue, message }: Delivery): DeliveryView => ({
  id,
  endpointId: queue.endpointId,
  paymentId: queue.paymentId,
  eventId: publicEventId(message.eventId),
  eventType: message.eventType,
  sequence: message.sequence,
  previousSequence: message.previousSequence ?? null,
  status: message.status,
  queuedAt: formatTime(message.queuedAt),
  nextAttemptAt: message.dueAt === undefined ? null : formatTime(message.dueAt),
  attempts: message.attempts.map(({ at, tookMs, status = null, fault = null }) => ({ at: formatTime(at), tookMs, status, fault })),
});

/** How its last attempt ended, in a word or two. */
export function lastAnswer({ attempts }: DeliveryView): string {
  const last = attempts.at(-1);
  return last === undefined ? 'not tried' : last.status === null ? (last.fault ?? 'no answer') : String(last.status);
}
