// GET /client-session and GET /checkout/session: a session as its read model has it.
import type { Caller } from '../commands/caller.ts';
import type { ClientTokens } from '../commands/sessions/client-tokens.ts';
import { badToken, claimsOf } from '../commands/sessions/token-claims.ts';
import type { ClientSession } from '../domain/client-session/state.ts';
import type { Rejection } from '../domain/decider.ts';
import { clientSessions } from '../projections/models/client-sessions.ts';
import type { ReadModels, Stored } from '../stores/read-models.ts';

type Read = Stored<Exclude<ClientSession, { readonly status: 'absent' }>>;

/** The session that a token of the caller's account names; ClientSessionValidationError for any other token. */
export const readClientSession =
  (readModels: ReadModels, tokens: ClientTokens) =>
  async (clientToken: string, caller: Pick<Caller, 'accountId' | 'at'>): Promise<Read | Rejection> => {
    const claims = claimsOf({ tokens }, clientToken, caller.accountId, caller.at);
    return 'kind' in claims ? claims : read(readModels, claims.sessionId);
  };

/** A checkout caller's own session. */
export const readOwnSession =
  (readModels: ReadModels) =>
  async ({ sessionId }: Pick<Caller, 'sessionId'>): Promise<Read | Rejection> =>
    sessionId === undefined ? badToken() : read(readModels, sessionId);

async function read(readModels: ReadModels, sessionId: string): Promise<Read | Rejection> {
  const [row] = await readModels.get(clientSessions, [sessionId]);
  if (row === undefined || row.doc.status === 'absent') return badToken();
  return { ...row, doc: row.doc };
}
