// Session A of the worked examples (contract §3, "Worked examples") and the events around it, for the tests of client
// sessions.
import { ClientSessionPatch, CreateClientSessionFields } from '../../../src/commands/fields/session-fields.ts';
import type { ClientSessionEvent } from '../../../src/domain/client-session/events.ts';
import type { SessionFields } from '../../../src/domain/client-session/recorded-fields.ts';

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
    paymentMethod: {
      vaultOnSuccess: false,
      descriptor: 'SHOP',
      options: { PAYMENT_CARD: { captureVaultedCardCvv: true } },
    },
  }),
);

/** The expiry of a token at that time, and of its session. */
export const expiry = (tokenExpiresAt: number) => ({ tokenExpiresAt, sessionExpiresAt: tokenExpiresAt + 30 * DAY_MS });
export const created = (fields: SessionFields = sessionA): ClientSessionEvent => ({
  type: 'ClientSessionCreated',
  data: { accountId: 'acc_1', fields, createdAt: AT, ...expiry(AT + DAY_MS) },
});
export const started = (paymentId: string): ClientSessionEvent => ({
  type: 'ClientSessionClaimed',
  data: { paymentId, claimedAt: AT, abandonAfter: AT + 60_000 },
});
export const ended = (paymentId: string): ClientSessionEvent => ({
  type: 'ClientSessionReleased',
  data: { paymentId },
});

/** A body's text as it would come in: through JSON and the schema. Throws what the schema refuses. */
export const patchOf = (body: unknown): ReturnType<typeof ClientSessionPatch.parse> =>
  frozen(ClientSessionPatch.parse(JSON.parse(JSON.stringify(body))));
