// Records that client sessions have expired: 30 days behind their newest token, when no payment holds them (contract §3).
import type { House } from '../commands/house.ts';
import { expireSession } from '../domain/client-session/decide.ts';
import type { ClientSession } from '../domain/client-session/state.ts';
import { policyContext } from '../journal/contexts.ts';
import { transact } from '../journal/transact.ts';
import { type ClientSessionKey, clientSessions } from '../projections/models/client-sessions.ts';
import type { Policy } from './policy.ts';

const NAME = 'expire-sessions';

export const expireSessions = (house: House): Policy<ClientSession, ClientSessionKey> => ({
  name: NAME,
  of: clientSessions,
  due: 'expiresAt',
  graceMs: 0,
  everyMs: 5_000,
  elsewhereMs: 60_000,
  act: async ({ id, revision, doc }) => {
    if (doc.status === 'absent') return;
    const context = policyContext(house.world, NAME, doc.accountId, await house.sessions.causeAt(id, revision));
    await transact(house.sessions, id, context, expireSession(context.at));
  },
});
