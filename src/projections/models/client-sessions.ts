// Client sessions by id; found by when their expiry is to be recorded, and by when a payment claimed them.
import { type ClientSession, clientSession, expiryDueAt } from '../../domain/client-session/state.ts';
import { foldOf, projection, type StreamProjection } from '../projection.ts';

export type ClientSessionKey = 'accountId' | 'expiresAt' | 'claimedAt';

export const clientSessions: StreamProjection<ClientSession, ClientSessionKey> = projection(foldOf(clientSession), {
  name: 'client-sessions',
  version: 3,
  keys: {
    accountId: (session) => (session.status === 'absent' ? undefined : session.accountId),
    expiresAt: expiryDueAt,
    claimedAt: (session) => (session.status === 'absent' ? undefined : session.payment?.claimedAt),
  },
  indexes: [['expiresAt'], ['claimedAt']],
});
