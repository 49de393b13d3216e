// Records that client sessions have expired: 30 days after their newest token, when no payment holds them (contract §3).
import type { Sessions } from '../commands/sessions/sessions.ts';
import type { ClientSession } from '../domain/client-session/state.ts';
import { type ClientSessionKey, clientSessions } from '../projections/models/client-sessions.ts';
import type { Policy } from './policy.ts';

const NAME = 'expire-sessions';

export const expireSessions = ({
  expireClientSession,
}: Pick<Sessions, 'expireClientSession'>): Policy<ClientSession, ClientSessionKey> => ({
  name: NAME,
  of: clientSessions,
  due: 'expiresAt',
  graceMs: 0,
  everyMs: 5_000,
  elsewhereMs: 60_000,
  act: async ({ id, revision, doc }) => {
    if (doc.status !== 'absent') await expireClientSession({ id, revision, accountId: doc.accountId }, NAME);
  },
});
