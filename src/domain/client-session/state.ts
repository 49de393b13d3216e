// A client session as it stands: the fold, which is also the read model's document.
import type { Decider } from '../decider.ts';
import { type ClientSessionEvent, clientSessionCategory, type SessionCreated } from './events.ts';
import type { SessionFields } from './fields.ts';

export type { ClientSessionEvent };

/** The one payment that holds the session: not (yet) declined, failed or cancelled. */
export interface SessionPayment {
  readonly paymentId: string;
  /** ms */
  readonly startedAt: number;
}

export interface OpenSession extends SessionCreated {
  readonly status: 'open';
  readonly payment?: SessionPayment;
  /** Since when it is on record that it has expired, ms; it may have for longer (see isExpired). */
  readonly expiredAt?: number;
}

export type ClientSession = { readonly status: 'absent' } | OpenSession;

/** A session expires 30 days after its newest token did (contract §3: until then a new one is given for the old). */
const REFRESHABLE_MS = 30 * 86_400_000;

export const clientSession: Decider<ClientSession, ClientSessionEvent> = {
  category: clientSessionCategory,
  initial: { status: 'absent' },
  evolve(session, { type, data }) {
    if (type === 'ClientSessionCreated') return { status: 'open', ...data };
    if (session.status === 'absent') throw new Error(`${type} before ClientSessionCreated`);
    switch (type) {
      case 'ClientSessionUpdated': {
        const fields: SessionFields = { ...session.fields, ...data.set };
        for (const name of data.cleared) delete fields[name];
        return { ...session, fields };
      }
      case 'ClientTokenIssued':
        return { ...session, tokenIssuedAt: data.issuedAt, tokenExpiresAt: data.expiresAt };
      case 'PaymentStarted':
        return { ...session, payment: data };
      case 'PaymentEnded': {
        const { payment, ...rest } = session;
        return payment?.paymentId === data.paymentId ? rest : session;
      }
      case 'ClientSessionExpired':
        return { ...session, expiredAt: data.expiredAt };
      default:
        return type satisfies never;
    }
  },
};

/** Whether nothing can be done with the session any more at `at` (ms). */
export const isExpired = ({ tokenExpiresAt, expiredAt }: OpenSession, at: number): boolean =>
  expiredAt !== undefined || tokenExpiresAt + REFRESHABLE_MS <= at;

/** When its expiry is to be put on record, ms: never while a payment holds it, and once. */
export const expiryDueAt = (session: ClientSession): number | undefined =>
  session.status === 'absent' || session.payment !== undefined || session.expiredAt !== undefined
    ? undefined
    : session.tokenExpiresAt + REFRESHABLE_MS;
