// The content of a message: the payment or the agreement as it was right after the event, however late the attempt, or
// the checkpoint (contract §8).
import { periodOf } from '../../domain/agreement/decide.ts';
import {
  AGREEMENT_MESSAGE_TYPES,
  type AgreementMessageType,
  type ToldAgreement,
} from '../../domain/agreement/message.ts';
import { CHECKPOINTS_ID } from '../../domain/checkpoint.ts';
import type { AgreementTold, PaymentTold } from '../../domain/message.ts';
import { PAYMENT_MESSAGE_TYPES, type PaymentMessageType } from '../../domain/payment/message.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import { CHECKPOINT_TYPE, type WebhookType } from '../../domain/webhook-endpoint.ts';
import type { ExistingQueue, QueuedMessage } from '../../domain/webhook-queue/state.ts';
import type { WebhookNeeds } from './needs.ts';

/** Throws StoreUnavailable, and TypeError where the payment's stream is shorter than the message says. */
export async function paymentTold(
  { payments }: Pick<WebhookNeeds, 'payments'>,
  { paymentId, sequence }: Pick<PaymentTold, 'paymentId' | 'sequence'>,
): Promise<KnownPayment> {
  const { state, head } = await payments.at(paymentId, sequence);
  if (!isKnown(state) || head.revision !== sequence)
    throw new TypeError(`the payment ${paymentId} has no event ${sequence} to report`);
  return state;
}

/** Throws as `paymentTold` does. */
export async function agreementTold(
  { agreements }: Pick<WebhookNeeds, 'agreements'>,
  { agreementId, eventType, sequence }: Omit<AgreementTold, 'eventId'>,
): Promise<ToldAgreement> {
  const { state: agreement, head } = await agreements.at(agreementId, sequence);
  if (agreement.status === 'absent' || head.revision !== sequence)
    throw new TypeError(`the agreement ${agreementId} has no event ${sequence} to report`);
  if (eventType !== 'AGREEMENT.CHARGE') return { agreement };
  for await (const { event } of agreements.history(agreementId, sequence - 1)) {
    const charge = event.type === 'ChargeSettled' ? periodOf(agreement, event.data.periodKey) : undefined;
    return { agreement, ...(charge !== undefined && { charge }) };
  }
  throw new TypeError(`the agreement ${agreementId} has no event ${sequence} to report`);
}

interface ToldMessage {
  /** `webhook-id`: the public id of the event. */
  readonly messageId: string;
  /** As it is sent, character by character. */
  readonly body: string;
}

type QueuedFor = Pick<QueuedMessage, 'eventId' | 'eventType' | 'sequence' | 'previousSequence'>;

type TellNeeds = Pick<
  WebhookNeeds,
  'payments' | 'paymentMessage' | 'agreements' | 'agreementMessage' | 'checkpoints' | 'checkpointMessage'
>;

/** The body of a queued message: the same at every attempt. Throws as `paymentTold` does. */
export async function toldMessage(
  needs: TellNeeds,
  queue: Pick<ExistingQueue, 'paymentId' | 'agreementId'>,
  queued: QueuedFor,
): Promise<ToldMessage> {
  const { eventId, sequence, previousSequence } = queued;
  if (queued.eventType === CHECKPOINT_TYPE) return toldCheckpoint(needs, { eventId, sequence });
  const message = await subjectTold(needs, queue, queued);
  const body = JSON.stringify(previousSequence === undefined ? message : { ...message, previousSequence });
  return { messageId: message.eventId, body };
}

async function subjectTold(
  needs: TellNeeds,
  { paymentId, agreementId }: Pick<ExistingQueue, 'paymentId' | 'agreementId'>,
  { eventId, eventType, sequence }: QueuedFor,
): Promise<{ readonly eventId: string }> {
  if (agreementId !== undefined && isOfAgreement(eventType)) {
    const told = { eventId, eventType, agreementId, sequence };
    return needs.agreementMessage(told, await agreementTold(needs, told));
  }
  if (paymentId !== undefined && isOfPayment(eventType)) {
    const told = { eventId, eventType, paymentId, sequence };
    return needs.paymentMessage(told, await paymentTold(needs, told));
  }
  throw new TypeError(`the message ${eventId} names nothing that it is about`);
}

const isOfPayment = (type: WebhookType): type is PaymentMessageType => PAYMENT_TYPES.has(type);
const isOfAgreement = (type: WebhookType): type is AgreementMessageType => AGREEMENT_TYPES.has(type);
const PAYMENT_TYPES: ReadonlySet<string> = new Set(PAYMENT_MESSAGE_TYPES);
const AGREEMENT_TYPES: ReadonlySet<string> = new Set(AGREEMENT_MESSAGE_TYPES);

async function toldCheckpoint(
  { checkpoints, checkpointMessage }: Pick<WebhookNeeds, 'checkpoints' | 'checkpointMessage'>,
  { eventId, sequence }: { readonly eventId: string; readonly sequence: number },
): Promise<ToldMessage> {
  const { state, head } = await checkpoints.at(CHECKPOINTS_ID, sequence);
  if (state.status === 'absent' || head.revision !== sequence)
    throw new TypeError(`there is no checkpoint ${sequence} to report`);
  const message = checkpointMessage({ eventId, sequence, date: state.newestAt }, state.newest);
  return { messageId: message.eventId, body: JSON.stringify(message) };
}
