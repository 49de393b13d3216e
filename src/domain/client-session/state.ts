// The state of a client session: the fold, which is also the read model's document.
import type { Decider } from '../decider.ts';
import { type ClientSessionEvent, clientSessionCategory, type SessionAgreed, type SessionCreated } from './events.ts';
import type { SessionFields } from './recorded-fields.ts';

/** The one payment that holds the session: not (yet) declined, failed or cancelled. */
interface SessionPayment {
  readonly paymentId: string;
  /** ms */
  readonly claimedAt: number;
  /** When the claim may be taken from a payment that was never made, ms. */
  readonly abandonAfter: number;
}

export interface OpenSession extends SessionCreated {
  readonly status: 'open';
  /** The issue time of the newest token, in ms. */
  readonly tokenIssuedAt: number;
  readonly payment?: SessionPayment;
  /** Since when it is on record that it has expired, ms; it may have for longer (see isExpired). */
  readonly expiredAt?: number;
  /** The customers whose the session was earlier, the last one last, 100 at most: an erasure of one finds it. */
  readonly customersBefore?: readonly string[];
  /** The customer has agreed to `fields.agreement`, which is on record as that agreement. */
  readonly agreed?: SessionAgreed;
  /** The session is that of a payment link; `cancelledAt` in ms. */
  readonly link?: { readonly cancelledAt?: number };
}

export type ClientSession = { readonly status: 'absent' } | OpenSession;

export const clientSession: Decider<ClientSession, ClientSessionEvent> = {
  category: clientSessionCategory,
  initial: { status: 'absent' },
  subjectOf(session, { type, data }, id) {
    const before = session.status === 'absent' ? undefined : session;
    const fields = type === 'ClientSessionCreated' ? data.fields : type === 'ClientSessionUpdated' ? data.set : {};
    const isCleared = type === 'ClientSessionUpdated' && data.cleared.includes('customerId');
    const customerId = isCleared ? undefined : (fields.customerId ?? before?.fields.customerId);
    const isShared = before?.customersBefore !== undefined || (before?.fields.customerId ?? customerId) !== customerId;
    return {
      accountId: type === 'ClientSessionCreated' ? data.accountId : (before?.accountId ?? ''),
      // members of several customers are mixed: the erasure of each takes them
      customerId: isShared ? undefined : customerId,
      otherwise: `session ${id}`,
    };
  },
  evolve(session, { type, data }) {
    if (type === 'ClientSessionCreated') return { status: 'open', ...data, tokenIssuedAt: data.createdAt };
    if (session.status === 'absent') throw new Error(`${type} before ClientSessionCreated`);
    switch (type) {
      case 'ClientSessionUpdated': {
        const fields: SessionFields = { ...session.fields, ...data.set };
        for (const name of data.cleared) delete fields[name];
        const before = session.fields.customerId;
        return before === undefined || before === fields.customerId
          ? { ...session, fields }
          : { ...session, fields, customersBefore: lastOf(session.customersBefore, before) };
      }
      case 'ClientTokenIssued':
        return { ...session, ...data };
      case 'ClientSessionClaimed':
        return { ...session, payment: data };
      case 'ClientSessionReleased': {
        const { payment, ...rest } = session;
        return payment?.paymentId === data.paymentId ? rest : session;
      }
      case 'ClientSessionAgreed':
        return { ...session, agreed: data };
      case 'ClientSessionExpired':
        return { ...session, expiredAt: data.expiredAt };
      case 'PaymentLinkCreated':
        return { ...session, link: {} }; // its end is the session's
      case 'CustomerErased': {
        const { customer: _erased, ...fields } = session.fields;
        if (session.agreed === undefined) return { ...session, fields };
        const { ipAddress: _address, userAgent: _agent, ...agreed } = session.agreed;
        return { ...session, fields, agreed };
      }
      case 'PaymentLinkCancelled':
        return { ...session, link: { cancelledAt: data.cancelledAt }, expiredAt: data.cancelledAt };
      default:
        return type satisfies never;
    }
  },
};

/** Earlier customers that a session knows: its document does not grow without end. */
const MOST_CUSTOMERS = 100;
const lastOf = (customers: readonly string[] | undefined, customerId: string): readonly string[] =>
  [...(customers ?? []).filter((id) => id !== customerId), customerId].slice(-MOST_CUSTOMERS);

/** True if the session can no longer be used at `at` (ms). */
export const isExpired = ({ sessionExpiresAt, expiredAt }: OpenSession, at: number): boolean =>
  expiredAt !== undefined || sessionExpiresAt <= at;

/** When its expiry is to be put on record, ms: never while a payment holds it, and once. */
export const expiryDueAt = (session: ClientSession): number | undefined =>
  session.status === 'absent' || session.payment !== undefined || session.expiredAt !== undefined
    ? undefined
    : session.sessionExpiresAt;
