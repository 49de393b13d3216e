// Client sessions by id; listed newest first, all of an account or those of an order; found by when their expiry is to be recorded, and by when a payment claimed them.
import { type ClientSession, clientSession, expiryDueAt } from '../../domain/client-session/state.ts';
import { foldOf, projection, type StreamProjection } from '../projection.ts';

export type ClientSessionKey = 'accountId' | 'orderId' | 'createdAt' | 'expiresAt' | 'claimedAt';

export const clientSessions: StreamProjection<ClientSession, ClientSessionKey> = projection(foldOf(clientSession), {
  name: 'client-sessions',
  version: 4,
  keys: {
    accountId: (session) => (session.status === 'absent' ? undefined : session.accountId),
    orderId: (session) => (session.status === 'absent' ? undefined : session.fields.orderId),
    createdAt: (session) => (session.status === 'absent' ? undefined : session.createdAt),
    expiresAt: expiryDueAt,
    claimedAt: (session) => (session.status === 'absent' ? undefined : session.payment?.claimedAt),
  },
  indexes: [['accountId', 'orderId', 'createdAt'], ['accountId', 'createdAt'], ['expiresAt'], ['claimedAt']],
});
