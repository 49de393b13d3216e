// Signs webhooks as Counterfoil does, so that a merchant can test a receiver without the service (contract §8).
import { liveOutside } from './outside.ts';
import type { Agreement, AgreementMessage, CheckpointMessage, Payment, PaymentMessage } from './types.ts';
import { type SIGNED_HEADERS, signerOf } from './webhook-signature.ts';

/**
 * A message about a payment or an agreement with the members that your test needs; the client makes the other ones of
 * the envelope.
 */
export type TestMessage = Partial<Omit<PaymentMessage | AgreementMessage, 'payment' | 'agreement' | 'charge'>> &
  Pick<AgreementMessage, 'previousSequence'> &
  (
    | { readonly payment: Pick<Payment, 'id' | 'status'> & Partial<Payment> }
    | ({ readonly agreement: Pick<Agreement, 'id' | 'status'> & Partial<Agreement> } & Pick<AgreementMessage, 'charge'>)
  );

export interface SignOptions {
  /** When the message is signed; now without it. One of ten minutes ago tests that your receiver refuses it. */
  readonly at?: Date | undefined;
}

/** The parts of the POST that your receiver gets. */
export interface SignedWebhook {
  readonly body: string;
  readonly headers: { readonly [Name in 'content-type' | (typeof SIGNED_HEADERS)[number]]: string };
}

/**
 * A webhook that `verifyWebhook` accepts, for your own tests. `secret`: the `whsec_…` that your receiver verifies with.
 * Rejects with TypeError for a secret that is not one.
 */
export async function signTestWebhook(
  message: TestMessage | CheckpointMessage,
  secret: string,
  { at = new Date(liveOutside.now()) }: SignOptions = {},
): Promise<SignedWebhook> {
  const id = message.eventId ?? `evt_${liveOutside.newKey()}`;
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const body = JSON.stringify({
    ...message,
    eventId: id,
    eventType: message.eventType ?? ('agreement' in message ? 'AGREEMENT.STATUS' : 'PAYMENT.STATUS'),
    date: message.date ?? at.toISOString(),
    version: message.version ?? '1.0',
    sequence: message.sequence ?? 1,
  });
  const signature = await signerOf(secret)({ id, timestamp, body: new TextEncoder().encode(body) });
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
    },
  };
}
