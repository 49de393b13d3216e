// Client sessions by id; listed newest first, by account, order, customer and whether a payment holds them; found by when their expiry is to be recorded, and by when a payment claimed them.
import { jsonOf } from '../../domain/client-session/fields-json.ts';
import { type ClientSession, clientSession, expiryDueAt } from '../../domain/client-session/state.ts';
import { foldOf, projection, type StreamProjection } from '../projection.ts';

export type ClientSessionKey = 'accountId' | 'orderId' | 'customerId' | 'createdAt' | 'isHeld' | 'endsAt' | 'expiresAt' | 'claimedAt';

export const clientSessions: StreamProjection<ClientSession, ClientSessionKey> = projection(foldOf(clientSession), {
  name: 'client-sessions',
  version: 5,
  keys: {
    accountId: (session) => (session.status === 'absent' ? undefined : session.accountId),
    orderId: (session) => (session.status === 'absent' ? undefined : session.fields.orderId),
    customerId: (session) => (session.status === 'absent' ? undefined : session.fields.customerId),
    createdAt: (session) => (session.status === 'absent' ? undefined : session.createdAt),
    isHeld: (session) => (session.status === 'absent' ? undefined : session.payment !== undefined),
    endsAt: (session) => (session.status === 'absent' ? undefined : session.sessionExpiresAt),
    expiresAt: expiryDueAt,
    claimedAt: (session) => (session.status === 'absent' ? undefined : session.payment?.claimedAt),
  },
  text: (session) =>
    session.status === 'absent' ? JSON.stringify(session) : jsonOf(session, session.fields, (fields) => ({ ...session, fields })),
  indexes: [
    ['accountId', 'orderId', 'createdAt'],
    ['accountId', 'customerId', 'createdAt'],
    ['accountId', 'isHeld', 'createdAt'],
    ['accountId', 'createdAt'],
    ['expiresAt'],
    ['claimedAt'],
  ],
});
