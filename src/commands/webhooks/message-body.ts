// The body of a message: the payment as it was right after the event, however late the attempt (contract §8).
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import { formatTime } from '../../world.ts';
import type { WebhookNeeds } from './needs.ts';

export interface TellableMessage {
  /** The id of the payment's event, without its prefix. */
  readonly eventId: string;
  readonly eventType: string;
  readonly paymentId: string;
  readonly sequence: number;
  readonly previousSequence?: number;
}

/** The version of the API that bodies follow (contract §1). */
const API_VERSION = '1.0';

export interface MessageBody {
  readonly eventId: string;
  readonly eventType: string;
  readonly date: string;
  readonly version: string;
  readonly sequence: number;
  readonly previousSequence?: number;
  readonly payment: object;
}

/** As receivers know an event. */
export const publicEventId = (eventId: string): string => `evt_${eventId}`;

/** Throws StoreUnavailable, and TypeError where the payment's stream is shorter than the message says. */
export async function messageBody(
  { payments, paymentAnswer }: Pick<WebhookNeeds, 'payments' | 'paymentAnswer'>,
  { eventId, eventType, paymentId, sequence, previousSequence }: TellableMessage,
): Promise<MessageBody> {
  const { state, head } = await payments.at(paymentId, sequence);
  if (!isKnown(state) || head.revision !== sequence) throw new TypeError(`the payment ${paymentId} has no event ${sequence} to tell of`);
  return {
    eventId: publicEventId(eventId),
    eventType,
    date: formatTime(dateOf(state)),
    version: API_VERSION,
    sequence,
    ...(previousSequence !== undefined && { previousSequence }),
    payment: paymentAnswer(paymentId, sequence, state),
  };
}

/** When the event was recorded: the newest change of the payment as it was then. */
const dateOf = ({ dateUpdated }: KnownPayment): number => dateUpdated;
