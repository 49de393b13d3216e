// Events of a client session: results, never requests. Times are milliseconds since the epoch, business time.
import { z } from 'zod';
import { ConsentLanguage } from '../agreement-terms.ts';
import { category, event, upcast } from '../category.ts';
import { nameIn } from '../growing.ts';
import { CustomerErased, personal } from '../personal.ts';
import { SessionFields, SessionFieldsV1, SessionFieldsV2 } from './recorded-fields.ts';

const Time = z.number();
/** Until when the newest token is good, and until when it can be renewed: then the session expires. */
const expiry = { tokenExpiresAt: Time, sessionExpiresAt: Time };

/** The first token is issued with it. */
const CreatedV1 = z.strictObject({ accountId: z.string(), fields: SessionFieldsV1, createdAt: Time, ...expiry });
const CreatedV2 = CreatedV1.extend({ fields: SessionFieldsV2 });
const Created = CreatedV1.extend({ fields: SessionFields });
export type SessionCreated = Readonly<z.infer<typeof Created>>;

const clearedV2 = z.array(nameIn(SessionFieldsV2));
const UpdatedV1 = z.strictObject({ set: SessionFieldsV1, cleared: clearedV2 });
/** Version 3 has the same members; those of the customer are encrypted (decision 161). */
const UpdatedV2 = z.strictObject({ set: SessionFieldsV2, cleared: clearedV2 });
const Updated = z.strictObject({ set: SessionFields, cleared: z.array(nameIn(SessionFields)) });

const Agreed = z.strictObject({
  agreementId: z.string(),
  agreedAt: Time,
  language: ConsentLanguage,
  shownText: z.string(),
  /** SHA-256 of that, in hex. */
  textDigest: z.string(),
  ipAddress: personal(z.string()).optional(),
  userAgent: personal(z.string()).optional(),
});
export type SessionAgreed = Readonly<z.infer<typeof Agreed>>;

export const clientSessionCategory = category(
  'clientSession',
  z.discriminatedUnion('type', [
    event('ClientSessionCreated', Created),
    /** Top-level fields as they are now; a nested change is on record with the whole of its field. */
    event('ClientSessionUpdated', Updated),
    event('ClientTokenIssued', z.strictObject({ tokenIssuedAt: Time, ...expiry })),
    /** For a payment, before that is made. A claim whose payment is not made until `abandonAfter` is displaced. */
    event('ClientSessionClaimed', z.strictObject({ paymentId: z.string(), claimedAt: Time, abandonAfter: Time })),
    /** The payment that held it ended without money, or was never made. */
    event('ClientSessionReleased', z.strictObject({ paymentId: z.string() })),
    /** The customer has agreed to `agreement` as it is, in the words that were shown; it no longer changes. */
    event('ClientSessionAgreed', Agreed),
    /** Its newest token is too old to be renewed, and no payment holds it. */
    event('ClientSessionExpired', z.strictObject({ expiredAt: Time })),
    /** With the session: a page of ours takes its payment until then, and the session ends with the page. */
    event('PaymentLinkCreated', z.strictObject({ expiresAt: Time })),
    /** Before it was paid; the session has ended. */
    event('PaymentLinkCancelled', z.strictObject({ cancelledAt: Time })),
    /** Its personal data was erased. */
    event('CustomerErased', CustomerErased),
  ]),
  {
    ClientSessionCreated: [CreatedV1, CreatedV2, CreatedV2].map((older) => upcast(older, (before) => before)),
    ClientSessionUpdated: [UpdatedV1, UpdatedV2, UpdatedV2].map((older) => upcast(older, (before) => before)),
  },
);
export type ClientSessionEvent = z.infer<typeof clientSessionCategory.event>;
