// Client sessions by id; listed newest first, by account, order, customer and standing; payment links alone by account;
// found by when their expiry is to be recorded, by when a payment claimed them, and by earlier customers.
import { jsonOf } from '../../domain/client-session/fields-json.ts';
import { type ClientSession, clientSession, expiryDueAt } from '../../domain/client-session/state.ts';
import { foldOf, projection, type StreamProjection } from '../projection.ts';

export type ClientSessionKey =
  | 'accountId'
  | 'orderId'
  | 'customerId'
  | 'createdAt'
  | 'linkedAt'
  | 'standing'
  | 'endsAt'
  | 'expiresAt'
  | 'claimedAt'
  | 'customerBefore'
  | 'customersBeforeAt';

/**
 * `held` by a payment; `ended`: it is on record that it has expired, which may lag. A list of all names them all: no
 * index is without.
 */
export const STANDINGS = ['open', 'held', 'ended'] as const;
type SessionStanding = (typeof STANDINGS)[number];

function standingOf(session: ClientSession): SessionStanding | undefined {
  if (session.status === 'absent') return undefined;
  return session.payment !== undefined ? 'held' : session.expiredAt === undefined ? 'open' : 'ended';
}

export const clientSessions: StreamProjection<ClientSession, ClientSessionKey> = projection(foldOf(clientSession), {
  name: 'client-sessions',
  version: 10,
  keys: {
    accountId: (session) => (session.status === 'absent' ? undefined : session.accountId),
    orderId: (session) => (session.status === 'absent' ? undefined : session.fields.orderId),
    customerId: (session) => (session.status === 'absent' ? undefined : session.fields.customerId),
    createdAt: (session) => (session.status === 'absent' ? undefined : session.createdAt),
    /** When a payment link was created; other sessions are in no index by it. */
    linkedAt: (session) => (session.status !== 'absent' && session.link !== undefined ? session.createdAt : undefined),
    standing: standingOf,
    endsAt: (session) => (session.status === 'absent' ? undefined : session.sessionExpiresAt),
    expiresAt: expiryDueAt,
    claimedAt: (session) => (session.status === 'absent' ? undefined : session.payment?.claimedAt),
    customerBefore: (session) => (session.status === 'absent' ? undefined : session.customersBefore?.at(-1)),
    /** When it was created, of sessions with several earlier customers alone: no index has each of them. */
    customersBeforeAt: (session) =>
      session.status !== 'absent' && (session.customersBefore?.length ?? 0) > 1 ? session.createdAt : undefined,
  },
  text: (session) =>
    session.status === 'absent'
      ? JSON.stringify(session)
      : jsonOf(session, session.fields, (fields) => ({ ...session, fields })),
  indexes: [
    ['accountId', 'orderId', 'createdAt'],
    ['accountId', 'customerId', 'createdAt'],
    ['accountId', 'standing', 'createdAt'],
    ['accountId', 'linkedAt'],
    ['expiresAt'],
    ['claimedAt'],
    ['accountId', 'customerBefore'],
    ['accountId', 'customersBeforeAt'],
  ],
});
