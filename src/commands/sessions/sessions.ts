// Client sessions as a subject: made, changed, and given fresh tokens by a merchant's backend; expired by a policy
// (contract §3).
import { createClientSession } from './create-client-session.ts';
import { expireClientSession } from './expire-client-session.ts';
import { issueClientToken } from './issue-client-token.ts';
import type { SessionNeeds } from './needs.ts';
import { patchClientSession } from './patch-client-session.ts';

export type Sessions = ReturnType<typeof makeSessions>;

export const makeSessions = (needs: SessionNeeds) => ({
  createClientSession: createClientSession(needs),
  patchClientSession: patchClientSession(needs),
  issueClientToken: issueClientToken(needs),
  expireClientSession: expireClientSession(needs),
});
