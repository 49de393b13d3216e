// Session A of the worked examples (contract §3, "Worked examples") and the events around it, for the tests of client sessions.
import type { ClientSessionEvent } from '../../../src/domain/client-session/events.ts';
import { ClientSessionPatch, CreateClientSessionFields, type SessionFields } from '../../../src/domain/client-session/fields.ts';

export const DAY_MS = 86_400_000;
export const AT = Date.UTC(2026, 0, 1);

/** Frozen to the depths: a decision that changed what it was given would throw. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

export const sessionA: SessionFields = frozen(
  CreateClientSessionFields.parse({
    orderId: 'o-1',
    currencyCode: 'EUR',
    customerId: 'c-1',
    customer: { firstName: 'Ada', emailAddress: 'a@x.io', billingAddress: { city: 'Paris', countryCode: 'FR' } },
    order: {
      countryCode: 'FR',
      lineItems: [{ itemId: 'i-1', amount: 500, quantity: 1 }],
      fees: [{ amount: 100 }],
      shipping: { amount: 50 },
    },
    metadata: { a: 1, b: 'x' },
    paymentMethod: { vaultOnSuccess: false, descriptor: 'SHOP', options: { PAYMENT_CARD: { captureVaultedCardCvv: true } } },
  }),
);

export const created = (fields: SessionFields = sessionA): ClientSessionEvent => ({
  type: 'ClientSessionCreated',
  data: { accountId: 'acc_1', fields, createdAt: AT, tokenIssuedAt: AT, tokenExpiresAt: AT + DAY_MS },
});
export const started = (paymentId: string): ClientSessionEvent => ({ type: 'PaymentStarted', data: { paymentId, startedAt: AT } });
export const ended = (paymentId: string): ClientSessionEvent => ({ type: 'PaymentEnded', data: { paymentId } });

/** A body's text as it would come in: through JSON and the schema. Throws what the schema refuses. */
export const patchOf = (body: unknown): ClientSessionPatch => frozen(ClientSessionPatch.parse(JSON.parse(JSON.stringify(body))));
