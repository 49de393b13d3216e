// What is recorded of a client session: results, never requests.
import { z } from 'zod';
import { category, event, upcast } from '../category.ts';
import { SessionFields } from './fields.ts';

const Created = z.strictObject({
  accountId: z.string(),
  fields: SessionFields,
  /** These three in ms since the epoch. */
  createdAt: z.int(),
  tokenIssuedAt: z.int(),
  tokenExpiresAt: z.int(),
});
export type SessionCreated = Readonly<z.infer<typeof Created>>;

// Version 1 was written while a session had one token for good: it lived a day from the session's creation, so only that was on record.
const CreatedV1 = z.looseObject({ createdAt: z.int() });
const V1_TOKEN_LIFE_MS = 86_400_000;

export const clientSessionCategory = category(
  'clientSession',
  z.discriminatedUnion('type', [
    event('ClientSessionCreated', Created),
    /** Top-level fields as they are now; a nested change is on record with the whole of its field. */
    event('ClientSessionUpdated', z.strictObject({ set: SessionFields, cleared: z.array(SessionFields.keyof()) })),
    event('ClientTokenIssued', z.strictObject({ issuedAt: z.int(), expiresAt: z.int() })),
    event('PaymentStarted', z.strictObject({ paymentId: z.string(), startedAt: z.int() })),
    event('PaymentEnded', z.strictObject({ paymentId: z.string() })),
    /** Its newest token is too old to be renewed, and no payment holds it. */
    event('ClientSessionExpired', z.strictObject({ expiredAt: z.int() })),
  ]),
  {
    ClientSessionCreated: [
      upcast(CreatedV1, (old) => ({ ...old, tokenIssuedAt: old.createdAt, tokenExpiresAt: old.createdAt + V1_TOKEN_LIFE_MS })),
    ],
  },
);
export type ClientSessionEvent = z.infer<typeof clientSessionCategory.event>;
