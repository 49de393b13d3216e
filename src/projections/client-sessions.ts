// Client sessions by id; found by when they expire.
import { type ClientSession, clientSession } from '../domain/client-session/state.ts';
import { foldOf, type Projection, projection } from './projection.ts';

export const clientSessions: Projection<ClientSession, 'accountId'> = projection(foldOf(clientSession), {
  name: 'client-sessions',
  version: 1,
  keys: { accountId: (session) => (session.status === 'absent' ? undefined : session.accountId) },
  indexes: [],
});
