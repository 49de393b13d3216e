// The messages that merchants get (contract §8, "Out"): about payments, and about agreements.
import { AGREEMENT_MESSAGE_TYPES, AGREEMENT_MESSAGE_WORDS, type AgreementMessageType } from './agreement/message.ts';
import { PAYMENT_MESSAGE_TYPES, PAYMENT_MESSAGE_WORDS, type PaymentMessageType } from './payment/message.ts';

export const MESSAGE_TYPES = [...PAYMENT_MESSAGE_TYPES, ...AGREEMENT_MESSAGE_TYPES] as const;
export type MessageType = (typeof MESSAGE_TYPES)[number];

export const MESSAGE_WORDS: { readonly [T in MessageType]: string } = {
  ...PAYMENT_MESSAGE_WORDS,
  ...AGREEMENT_MESSAGE_WORDS,
};

interface ToldEvent {
  /** The id of the event. */
  readonly eventId: string;
  /** The event's revision in its stream. */
  readonly sequence: number;
}
/** An event of a payment that is sent to merchants. */
export interface PaymentTold extends ToldEvent {
  readonly eventType: PaymentMessageType;
  readonly paymentId: string;
}
/** An event of an agreement that is sent to merchants. */
export interface AgreementTold extends ToldEvent {
  readonly eventType: AgreementMessageType;
  readonly agreementId: string;
}
export type TellableMessage = PaymentTold | AgreementTold;

/** The payment or the agreement that a message is about. */
export const subjectOf = (message: Pick<PaymentTold, 'paymentId'> | Pick<AgreementTold, 'agreementId'>): string =>
  'paymentId' in message ? message.paymentId : message.agreementId;
