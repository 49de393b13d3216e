// Client sessions as a subject: made, changed, and given fresh tokens by a merchant's backend (contract §3).
import type { House } from '../house.ts';
import { createClientSession } from './create-client-session.ts';
import { issueClientToken } from './issue-client-token.ts';
import { patchClientSession } from './patch-client-session.ts';

export type Sessions = ReturnType<typeof makeSessions>;

export const makeSessions = (needs: House) => ({
  createClientSession: createClientSession(needs),
  patchClientSession: patchClientSession(needs),
  issueClientToken: issueClientToken(needs),
});
