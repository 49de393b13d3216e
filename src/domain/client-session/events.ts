// Events of a client session: results, never requests. Times are milliseconds since the epoch, business time.
import { z } from 'zod';
import { category, event, upcast } from '../category.ts';
import { nameIn } from '../growing.ts';
import { CustomerErased } from '../personal.ts';
import { SessionFields, SessionFieldsV1 } from './recorded-fields.ts';

const Time = z.number();
/** Until when the newest token is good, and until when it can be renewed: then the session expires. */
const expiry = { tokenExpiresAt: Time, sessionExpiresAt: Time };

/** The first token is issued with it. */
const CreatedV1 = z.strictObject({ accountId: z.string(), fields: SessionFieldsV1, createdAt: Time, ...expiry });
const Created = CreatedV1.extend({ fields: SessionFields });
export type SessionCreated = Readonly<z.infer<typeof Created>>;

const cleared = z.array(nameIn(SessionFields));
const UpdatedV1 = z.strictObject({ set: SessionFieldsV1, cleared });
/** The newest version has the same members; those of the customer are encrypted (decision 161). */
const Updated = z.strictObject({ set: SessionFields, cleared });

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
    ClientSessionCreated: [upcast(CreatedV1, (older) => older), upcast(Created, (older) => older)],
    ClientSessionUpdated: [upcast(UpdatedV1, (older) => older), upcast(Updated, (older) => older)],
  },
);
export type ClientSessionEvent = z.infer<typeof clientSessionCategory.event>;
